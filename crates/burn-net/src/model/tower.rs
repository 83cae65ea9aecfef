//! The network itself, as functions of tensors by name. The maths is written down in
//! [`dz_network_file`].

use burn::tensor::{DType, Tensor};
use dz_network_file::NetworkSpec;

use crate::model::block::Block;
use crate::model::board_ops::BoardOps;
use crate::model::conv_layer::{ApplyConv, ConvLayer};
use crate::model::epilogue::{BatchNormOutput, Epilogue};
use crate::model::heads::Heads;
use crate::model::linear::{Linear, matmul};
use crate::model::outputs::{Features, HeadOutputs, Logits, TrainOutputs};
use crate::model::planes::Inputs;
use crate::tensors::{Parameters, Tensors};

/// A network whose tensors are on a device. Activations are `[B * H * W, C]`; see [`BoardOps`].
///
/// Products take their factors in the format of the weights and give their sums in that of what is
/// added to them. So a network whose weights are halves and whose other tensors have 32 bits learns
/// in mixed precision.
#[derive(Clone, Debug)]
pub(crate) struct Tower {
    stem: ConvLayer,
    /// `[C, G]`
    stem_globals: Option<Tensor<2>>,
    blocks: Vec<Block>,
    tail: Tail,
}

/// What stands on stem and blocks: policy, value and heads.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    policy_conv: ConvLayer,
    policy: Linear,
    value_conv: ConvLayer,
    value_hidden: Linear,
    value_output: Linear,
    heads: Heads,
}

impl Tower {
    /// Takes its tensors from `parameters`. Convolutions have a `bias` (folded, to play) or `gamma`
    /// and `beta` (to train); everything else is the same.
    pub(crate) fn new(spec: &NetworkSpec, parameters: &Parameters) -> Self {
        let c = spec.channels;
        Self {
            stem: ConvLayer::new(parameters, "stem.conv", [c, spec.channels_in, 3]),
            stem_globals: parameters
                .get("stem.globals", "weight")
                .map(|weight| weight.reshape([c, spec.globals])),
            blocks: (0..spec.blocks).map(|i| Block::new(spec, parameters, i)).collect(),
            tail: Tail::new(spec, parameters),
        }
    }

    /// Plays: policy and value alone.
    pub(crate) fn forward(&self, ops: &BoardOps, x: Inputs) -> Logits {
        let mut apply = playing(ops);
        let trunk = self.trunk(ops, x, &mut apply);
        let features = self.tail.features(ops, trunk, &mut apply);
        let columns = self.tail.heads.value_columns(ops, &features);
        Logits { columns, ..self.tail.logits(ops, &features) }
    }

    /// Plays, with all heads.
    pub(crate) fn forward_all(&self, ops: &BoardOps, x: Inputs) -> (Logits, HeadOutputs) {
        let mut apply = playing(ops);
        let trunk = self.trunk(ops, x, &mut apply);
        self.tail.outputs(ops, trunk, &mut apply)
    }

    /// Learns: all outputs, and the batch statistics of each convolution.
    pub(crate) fn forward_train(&self, ops: &BoardOps, x: Inputs) -> TrainOutputs {
        learning(ops, |apply| {
            let trunk = self.trunk(ops, x, apply);
            self.tail.outputs(ops, trunk, apply)
        })
    }

    /// Stem and blocks: `[B * H * W, C]`.
    fn trunk(&self, ops: &BoardOps, x: Inputs, apply: &mut ApplyConv<'_>) -> Tensor<2> {
        let mut h = match (&self.stem_globals, x.globals) {
            (Some(weight), Some(globals)) => {
                let h = apply(&self.stem, x.planes, Epilogue::Identity);
                let shift = matmul(globals, &weight.clone().transpose(), DType::F32);
                ops.shift_and_rectify(h, shift)
            }
            _ => apply(&self.stem, x.planes, Epilogue::Relu),
        };
        for block in &self.blocks {
            h = block.forward(ops, &h, apply);
        }
        h
    }
}

/// Returns how a pass that plays applies convolution layers.
fn playing(ops: &BoardOps) -> impl FnMut(&ConvLayer, Tensor<2>, Epilogue<'_>) -> Tensor<2> {
    |layer, x, epilogue| layer.forward(ops, x, epilogue)
}

/// Runs a pass that learns, and collects the batch statistics of its convolution layers.
fn learning(
    ops: &BoardOps,
    pass: impl FnOnce(&mut ApplyConv<'_>) -> (Logits, HeadOutputs),
) -> TrainOutputs {
    let mut statistics = Tensors::new();
    let mut apply = |layer: &ConvLayer, x: Tensor<2>, epilogue: Epilogue<'_>| {
        let BatchNormOutput { output, mean, variance } = layer.forward_train(ops, x, epilogue);
        statistics.insert(format!("{}.mean", layer.name), mean);
        statistics.insert(format!("{}.variance", layer.name), variance);
        output
    };
    let (logits, heads) = pass(&mut apply);
    TrainOutputs { logits, heads, statistics }
}

impl Tail {
    /// As [`Tower::new`], of the tensors behind the blocks.
    pub(crate) fn new(spec: &NetworkSpec, parameters: &Parameters) -> Self {
        let c = spec.channels;
        let hidden = spec.value_hidden;
        let policy = spec.policy_channels;
        let value = spec.value_channels;
        Self {
            policy_conv: ConvLayer::new(parameters, "policy.conv", [policy, c, 1]),
            policy: Linear::new(parameters, "policy.linear", spec.policy_layer()),
            value_conv: ConvLayer::new(parameters, "value.conv", [value, c, 1]),
            value_hidden: Linear::new(parameters, "value.hidden", [hidden, spec.value_inputs()]),
            value_output: Linear::new(parameters, "value.output", [3, hidden]),
            heads: Heads::new(spec, parameters),
        }
    }

    /// Learns from the outputs of the blocks, `[B * H * W, C]`.
    pub(crate) fn forward_train(&self, ops: &BoardOps, trunk: Tensor<2>) -> TrainOutputs {
        learning(ops, |apply| self.outputs(ops, trunk, apply))
    }

    fn outputs(
        &self,
        ops: &BoardOps,
        trunk: Tensor<2>,
        apply: &mut ApplyConv<'_>,
    ) -> (Logits, HeadOutputs) {
        let features = self.features(ops, trunk, apply);
        (self.logits(ops, &features), self.heads.forward(ops, &features))
    }

    fn logits(&self, ops: &BoardOps, features: &Features) -> Logits {
        Logits {
            policy: ops.policy_logits(self.policy.logits(ops, features.policy.clone())),
            wdl: self.value_output.logits(ops, features.hidden.clone()),
            columns: Vec::new(),
        }
    }

    fn features(&self, ops: &BoardOps, trunk: Tensor<2>, apply: &mut ApplyConv<'_>) -> Features {
        let policy = apply(&self.policy_conv, trunk.clone(), Epilogue::Relu);
        let value = apply(&self.value_conv, trunk.clone(), Epilogue::Relu);
        let hidden = self.value_hidden.rectified(ops, ops.value_inputs(value));
        Features { trunk, policy: ops.policy_inputs(policy), hidden }
    }
}
