//! The network itself, as functions of tensors by name. The maths is written down in
//! [`dz_network_file`].

use std::collections::BTreeMap;

use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use dz_network_file::NetworkSpec;

use crate::cuda;
use crate::cuda::layer_weights::LayerWeights;
use crate::model::batch_norm::batch_norm;
use crate::model::block::Block;
use crate::model::board_ops::Boards;
use crate::model::conv_layer::Convolution;
use crate::model::convolution::kernel3x3;
use crate::model::epilogue::Normalised;
use crate::model::epilogue::Then;
use crate::model::heads::HeadOutputs;
use crate::model::heads::Heads;
use crate::model::linear::Linear;
use crate::model::linear::product;
use crate::model::linear::product_on;
use crate::model::outputs::Features;
use crate::model::outputs::Logits;
use crate::model::planes::Inputs;
use crate::tensors::Tensors;

/// A network whose tensors are on a device. Activations are `[B * H * W, C]`; see [`Boards`].
///
/// Products take their factors in the format of the weights and give their sums in that of what is
/// added to them. So a network whose weights are halves and whose other tensors have 32 bits learns
/// in mixed precision.
#[derive(Clone, Debug)]
pub(crate) struct Tower {
    stem: Convolution,
    /// `[C, G]`
    stem_globals: Option<Tensor<2>>,
    blocks: Vec<Block>,
    tail: Tail,
}

/// What stands on stem and blocks: policy, value and heads.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    policy_conv: Convolution,
    policy: Linear,
    value_conv: Convolution,
    value_hidden: Linear,
    value_output: Linear,
    heads: Heads,
}

impl Tower {
    /// Takes its tensors from `tensors`. Convolutions have a `bias` (folded, to play) or `gamma`
    /// and `beta` (to train); everything else is the same.
    pub(crate) fn new(spec: &NetworkSpec, tensors: &Tensors) -> Self {
        let c = spec.channels;
        Self {
            stem: Convolution::new(tensors, "stem.conv", [c, spec.channels_in, 3]),
            stem_globals: tensors
                .get("stem.globals.weight")
                .map(|weight| weight.clone().reshape([c, spec.globals])),
            blocks: (0..spec.blocks).map(|i| Block::new(spec, tensors, i)).collect(),
            tail: Tail::new(spec, tensors),
        }
    }

    /// Runs the network, policy and value alone: what players ask for. In training, each
    /// convolution's mean and variance over the batch go to `statistics` under its name.
    pub(crate) fn forward(&self, on: &Boards, x: Inputs, statistics: &mut Tensors) -> Logits {
        let trunk = self.trunk(on, x, statistics);
        self.tail.logits(on, &self.tail.features(on, trunk, statistics))
    }

    /// Runs the network with all its heads.
    pub(crate) fn forward_all(
        &self,
        on: &Boards,
        x: Inputs,
        statistics: &mut Tensors,
    ) -> (Logits, HeadOutputs) {
        let trunk = self.trunk(on, x, statistics);
        self.tail.forward_all(on, trunk, statistics)
    }

    /// Stem and blocks: `[B * H * W, C]`.
    fn trunk(&self, on: &Boards, x: Inputs, statistics: &mut Tensors) -> Tensor<2> {
        let mut h = match (&self.stem_globals, x.globals) {
            (Some(weight), Some(globals)) => {
                let h = self.stem.forward(on, x.planes, Then::Nothing, statistics);
                let shift = product(globals, &weight.clone().transpose(), h.dtype());
                relu(on.add_to_boards(h, shift))
            }
            _ => self.stem.forward(on, x.planes, Then::Rectify, statistics),
        };
        for block in &self.blocks {
            h = block.forward(on, &h, statistics);
        }
        h
    }
}

impl Tail {
    /// As [`Tower::new`], of the tensors behind the blocks.
    pub(crate) fn new(spec: &NetworkSpec, tensors: &Tensors) -> Self {
        let (c, hidden) = (spec.channels, spec.value_hidden);
        let (policy, value) = (spec.policy_channels, spec.value_channels);
        Self {
            policy_conv: Convolution::new(tensors, "policy.conv", [policy, c, 1]),
            policy: Linear::new(tensors, "policy.linear", spec.policy_layer()),
            value_conv: Convolution::new(tensors, "value.conv", [value, c, 1]),
            value_hidden: Linear::new(tensors, "value.hidden", [hidden, spec.value_inputs()]),
            value_output: Linear::new(tensors, "value.output", [3, hidden]),
            heads: Heads::new(spec, tensors),
        }
    }

    /// From the blocks' outputs, `[B * H * W, C]`, to what the network says.
    pub(crate) fn forward_all(
        &self,
        on: &Boards,
        trunk: Tensor<2>,
        statistics: &mut Tensors,
    ) -> (Logits, HeadOutputs) {
        let features = self.features(on, trunk, statistics);
        (self.logits(on, &features), self.heads.forward(on, &features))
    }

    fn logits(&self, on: &Boards, features: &Features) -> Logits {
        Logits {
            policy: on.policy_logits(self.policy.say(on, features.policy.clone())),
            wdl: self.value_output.say(on, features.hidden.clone()),
        }
    }

    fn features(&self, on: &Boards, trunk: Tensor<2>, statistics: &mut Tensors) -> Features {
        let policy = self.policy_conv.forward(on, trunk.clone(), Then::Rectify, statistics);
        let value = self.value_conv.forward(on, trunk.clone(), Then::Rectify, statistics);
        let hidden = self.value_hidden.rectified(on.value_inputs(value));
        Features { trunk, policy: on.policy_inputs(policy), hidden }
    }
}
