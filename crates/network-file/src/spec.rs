//! What a network is made of.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use dz_aux_heads::{Head, HeadOutput};

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
    /// Channels over the width of squeeze-excitation's hidden layer; 0 is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub squeeze_ratio: usize,
    /// Residual blocks within each block, between 1x1 convolutions to half the channels and back;
    /// 0 makes each block a plain residual block.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bottleneck_blocks: usize,
    /// Planes of the policy, K, whose logits are made of the same weights at each point: index
    /// `k*H*W + y*W + x`. 0 makes each logit of the whole board.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub policy_planes: usize,
    /// Whether policy and value are made of the same weights at each point, so that the network
    /// plays on boards of any size ([`NetworkFile::on_board`](crate::NetworkFile::on_board)).
    #[serde(default, skip_serializing_if = "is_false")]
    pub any_size: bool,
    /// Heads beside policy and value. Those of a file are the exported ones, see
    /// [`NetworkSpec::exported`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub heads: BTreeSet<Head>,
}

/// A residual block of two 3x3 convolutions: a block of the tower, or one within a bottleneck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResidualSpec {
    /// What its tensors' names begin with.
    pub name: String,
    /// Channels of both convolutions.
    pub channels: usize,
    /// Whether it has global pooling.
    pub pooling: bool,
}

/// Largest number of elements that a tensor may have: far above any network that trains here, and
/// small enough that a damaged header cannot ask for all memory.
const ELEMENTS_MAX: usize = 1 << 31;

/// Most actions that are no points, where the network is for boards of any size: swap and more of
/// Gomoku's swap2.
const REST_MAX: usize = 2;

impl NetworkSpec {
    /// A plain network of no game in particular, with the heads of the presets: input planes, rows
    /// and columns of the board, policy length, blocks and channels. What else a test or a bench
    /// needs is laid over it.
    pub fn plain(
        [channels_in, height, width]: [usize; 3],
        policy_len: usize,
        blocks: usize,
        channels: usize,
    ) -> Self {
        Self {
            game: "none".to_owned(),
            encoding: "none".to_owned(),
            channels_in,
            height,
            width,
            globals: 0,
            policy_len,
            blocks,
            channels,
            policy_channels: 16,
            value_channels: 8,
            value_hidden: 64,
            global_pooling: false,
            squeeze_ratio: 0,
            bottleneck_blocks: 0,
            policy_planes: 0,
            any_size: false,
            heads: BTreeSet::new(),
        }
    }

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
            ("squeeze_ratio", self.squeeze_ratio, 0, self.channels),
            ("bottleneck_blocks", self.bottleneck_blocks, 0, 64),
        ] {
            if !(min..=max).contains(&value) {
                faults.push(format!("{name} = {value} (allowed: {min} to {max})"));
            }
        }
        if self.bottleneck_blocks > 0 && self.channels < 2 {
            faults.push("a bottleneck needs at least 2 channels".to_owned());
        }
        if self.global_pooling && self.block_channels() < 2 {
            let least = if self.bottleneck_blocks > 0 { 4 } else { 2 };
            faults.push(format!("global_pooling needs at least {least} channels"));
        }
        if self.any_size && self.actions_beside_points().is_none() {
            let policy_len = self.policy_len;
            let area = self.area();
            faults.push(format!(
                "any_size needs a policy of the board's points and at most {REST_MAX} actions more; here it has \
                 {policy_len} places for {area} points"
            ));
        }
        if self.policy_planes > 0 && self.any_size {
            faults.push("a network is either any_size or has policy_planes".to_owned());
        }
        if self.policy_planes > 0
            && self.policy_planes.checked_mul(self.area()) != Some(self.policy_len)
        {
            let Self { policy_planes, policy_len, .. } = self;
            let area = self.area();
            faults.push(format!(
                "policy_planes = {policy_planes} of {area} points are no policy of {policy_len} \
                 places"
            ));
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

    /// Places of the policy behind those of the points, E, if points come first in it and few
    /// places follow; `None` where it is laid out otherwise.
    pub fn actions_beside_points(&self) -> Option<usize> {
        self.policy_len.checked_sub(self.area()).filter(|&rest| rest <= REST_MAX)
    }

    /// Numbers that the layer of a policy gives and takes: for a whole board, or for each point.
    pub fn policy_layer(&self) -> [usize; 2] {
        match self.actions_beside_points() {
            _ if self.policy_planes > 0 => [self.policy_planes, self.policy_channels],
            Some(rest) if self.any_size => [1 + rest, self.policy_channels],
            _ => [self.policy_len, self.policy_channels * self.area()],
        }
    }

    /// Whether the layer of a policy looks at one point at a time.
    pub fn is_policy_by_point(&self) -> bool {
        self.any_size || self.policy_planes > 0
    }

    /// Numbers that a head's layer gives and takes, at each point or for the whole board.
    pub fn head_layer(&self, head: Head) -> [usize; 2] {
        match head.output() {
            HeadOutput::Policy => self.policy_layer(),
            HeadOutput::Values(horizons) => [horizons * 3, self.value_hidden],
            HeadOutput::Number(_) | HeadOutput::SquaredError => [1, self.value_hidden],
            HeadOutput::Points => [3, self.channels],
        }
    }

    /// Numbers that a row's target for a head has.
    pub fn target_len(&self, head: Head) -> usize {
        match head.output() {
            HeadOutput::Policy => self.policy_len,
            HeadOutput::Values(horizons) => horizons * 3,
            HeadOutput::Number(_) | HeadOutput::SquaredError => 1,
            HeadOutput::Points => 3 * self.area(),
        }
    }

    /// Numbers that the value's hidden layer takes: a board's, or their means over one of any size.
    pub fn value_inputs(&self) -> usize {
        if self.any_size { self.value_channels } else { self.value_channels * self.area() }
    }

    /// Whether block `i` has global pooling: the odd ones do, if any does.
    fn is_pooling_block(&self, i: usize) -> bool {
        self.global_pooling && i % 2 == 1
    }

    /// Channels of the 3x3 convolutions of blocks: half of the tower's within bottlenecks.
    pub fn block_channels(&self) -> usize {
        if self.bottleneck_blocks > 0 { (self.channels / 2).max(1) } else { self.channels }
    }

    /// Channels that a pooling block pools, P.
    pub fn pooled_channels(&self) -> usize {
        (self.block_channels() / 4).max(1)
    }

    /// Width of squeeze-excitation's hidden layer, S; none without squeeze-excitation.
    pub fn squeezed_channels(&self) -> Option<usize> {
        self.channels.checked_div(self.squeeze_ratio).map(|width| width.max(1))
    }

    /// The residual blocks that block `i` consists of: itself, or those within the bottleneck.
    pub fn residuals(&self, i: usize) -> Vec<ResidualSpec> {
        let channels = self.block_channels();
        let pooling = self.is_pooling_block(i);
        if self.bottleneck_blocks == 0 {
            return vec![ResidualSpec { name: format!("blocks.{i}"), channels, pooling }];
        }
        let inner = |j| {
            let name = format!("blocks.{i}.inner.{j}");
            ResidualSpec { name, channels, pooling: pooling && j == 0 }
        };
        (0..self.bottleneck_blocks).map(inner).collect()
    }

    /// What a file of this network has: the same without heads that serve training alone.
    #[must_use]
    pub fn exported(&self) -> Self {
        let heads = self.heads.iter().copied().filter(|head| head.is_exported()).collect();
        Self { heads, ..self.clone() }
    }

    /// The exported heads whose layer stands beside the value's last one, with one number each: the
    /// columns of engines behind win, draw and loss.
    pub fn value_columns(&self) -> impl Iterator<Item = Head> + '_ {
        self.heads.iter().copied().filter(|head| head.is_value_column())
    }

    /// The earliest format of files that can say it.
    pub fn format(&self) -> u32 {
        if self.policy_planes > 0 {
            return 5;
        }
        if self.any_size {
            return 4;
        }
        if !self.heads.is_empty() {
            return 3;
        }
        if self.squeeze_ratio > 0 || self.bottleneck_blocks > 0 { 2 } else { 1 }
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
            for ResidualSpec { name, channels, pooling } in self.residuals(i) {
                layer(&format!("{name}.conv1"), vec![channels, channels, 3, 3]);
                layer(&format!("{name}.conv2"), vec![channels, channels, 3, 3]);
                if pooling {
                    let pooled = self.pooled_channels();
                    layer(&format!("{name}.pool"), vec![channels - pooled, 2 * pooled]);
                }
            }
            if self.bottleneck_blocks > 0 {
                let inner = self.block_channels();
                layer(&format!("blocks.{i}.conv_down"), vec![inner, c, 1, 1]);
                layer(&format!("blocks.{i}.conv_up"), vec![c, inner, 1, 1]);
            }
            if let Some(squeezed) = self.squeezed_channels() {
                layer(&format!("blocks.{i}.squeeze"), vec![squeezed, c]);
                layer(&format!("blocks.{i}.excite"), vec![2 * c, squeezed]);
            }
        }
        layer("policy.conv", vec![self.policy_channels, c, 1, 1]);
        layer("policy.linear", self.policy_layer().to_vec());
        layer("value.conv", vec![self.value_channels, c, 1, 1]);
        layer("value.hidden", vec![self.value_hidden, self.value_inputs()]);
        layer("value.output", vec![3, self.value_hidden]);
        for &head in &self.heads {
            layer(head.layer(), self.head_layer(head).to_vec());
        }
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

/// Fields that a format does not know are left out where they have no effect, so that a network of
/// an earlier version keeps its bytes and its hash.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(is: &bool) -> bool {
    !*is
}
