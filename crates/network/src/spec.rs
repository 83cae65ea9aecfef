//! What a network is made of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::NetworkError;

/// Everything that fixes a network's shape, and the game and encoding it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSpec {
    /// The game in canonical form: `connect4:width=7,height=6,connect=4`.
    pub game: String,
    /// The encoding's id.
    pub encoding: String,
    /// Input planes.
    pub channels_in: usize,
    /// Rows of the board.
    pub height: usize,
    /// Columns of the board.
    pub width: usize,
    /// Real-valued inputs beside the planes.
    pub globals: usize,
    /// Policy length.
    pub policy_len: usize,
    /// Residual blocks of the tower.
    pub blocks: usize,
    /// Channels of the tower.
    pub channels: usize,
    /// Channels of the policy head's 1x1 convolution.
    pub policy_channels: usize,
    /// Channels of the value head's 1x1 convolution.
    pub value_channels: usize,
    /// Width of the value head's hidden layer.
    pub value_hidden: usize,
    /// Whether every second block has global pooling.
    pub global_pooling: bool,
}

/// Largest number of elements that a tensor may have: far above any network that trains here, and
/// small enough that a damaged header cannot ask for all memory.
const ELEMENTS_MAX: usize = 1 << 31;

impl NetworkSpec {
    /// Checks that such a network can be built.
    ///
    /// # Errors
    /// [`NetworkError::BadSpec`] with every fault.
    pub fn validate(&self) -> Result<(), NetworkError> {
        let mut faults = Vec::new();
        if self.game.is_empty() || self.encoding.is_empty() {
            faults.push("game and encoding must be named".to_owned());
        }
        for (name, value, min, max) in [
            ("channels_in", self.channels_in, 1, 4096),
            ("height", self.height, 1, 64),
            ("width", self.width, 1, 64),
            ("globals", self.globals, 0, 4096),
            ("policy_len", self.policy_len, 1, 1 << 20),
            ("blocks", self.blocks, 0, 256),
            ("channels", self.channels, 1, 4096),
            ("policy_channels", self.policy_channels, 1, 4096),
            ("value_channels", self.value_channels, 1, 4096),
            ("value_hidden", self.value_hidden, 1, 1 << 16),
        ] {
            if !(min..=max).contains(&value) {
                faults.push(format!("{name} = {value} (allowed: {min} to {max})"));
            }
        }
        if self.global_pooling && self.channels < 2 {
            faults.push("global_pooling needs at least 2 channels".to_owned());
        }
        if faults.is_empty()
            && self.tensor_shapes().values().any(|s| s.iter().product::<usize>() > ELEMENTS_MAX)
        {
            faults.push(format!("a tensor has more than {ELEMENTS_MAX} elements"));
        }
        if faults.is_empty() { Ok(()) } else { Err(NetworkError::BadSpec { faults }) }
    }

    /// Points of the board, H * W.
    pub fn area(&self) -> usize {
        self.height * self.width
    }

    /// Whether block `i` has global pooling: the odd ones do, if any does.
    pub fn is_pooling_block(&self, i: usize) -> bool {
        self.global_pooling && i % 2 == 1
    }

    /// Channels that a pooling block pools, P.
    pub fn pooled_channels(&self) -> usize {
        (self.channels / 4).max(1)
    }

    /// Name and shape of every tensor of the file.
    pub fn tensor_shapes(&self) -> BTreeMap<String, Vec<usize>> {
        let c = self.channels;
        let mut shapes = BTreeMap::new();
        let mut layer = |name: &str, weight: Vec<usize>| {
            shapes.insert(format!("{name}.bias"), vec![weight[0]]);
            shapes.insert(format!("{name}.weight"), weight);
        };
        layer("stem.conv", vec![c, self.channels_in, 3, 3]);
        for i in 0..self.blocks {
            layer(&format!("blocks.{i}.conv1"), vec![c, c, 3, 3]);
            layer(&format!("blocks.{i}.conv2"), vec![c, c, 3, 3]);
            if self.is_pooling_block(i) {
                let pooled = self.pooled_channels();
                layer(&format!("blocks.{i}.pool"), vec![c - pooled, 2 * pooled]);
            }
        }
        layer("policy.conv", vec![self.policy_channels, c, 1, 1]);
        layer("policy.linear", vec![self.policy_len, self.policy_channels * self.area()]);
        layer("value.conv", vec![self.value_channels, c, 1, 1]);
        layer("value.hidden", vec![self.value_hidden, self.value_channels * self.area()]);
        layer("value.output", vec![3, self.value_hidden]);
        if self.globals > 0 {
            shapes.insert("stem.globals.weight".to_owned(), vec![c, self.globals]);
        }
        shapes
    }

    /// Numbers in the file's tensors.
    pub fn parameters(&self) -> usize {
        self.tensor_shapes().values().map(|shape| shape.iter().product::<usize>()).sum()
    }
}
