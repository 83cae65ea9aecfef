//! The network itself, as functions of tensors by name. The maths is written down in
//! [`dz_network_file`].

use std::collections::BTreeMap;

use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use dz_network_file::NetworkSpec;

use crate::block::Block;
use crate::board::Boards;
use crate::convolve::{Then, kernel3x3};
use crate::heads::{HeadOutputs, Heads};
use crate::linear::{Linear, product, product_on};
use crate::norm::{Normalised, batch_norm};
use crate::on_chip::{self, LayerWeights};
use crate::planes::Inputs;

/// Flat tensors by the names of a network file or of a network in training.
pub(crate) type Tensors = BTreeMap<String, Tensor<1>>;

/// What a network says of a batch.
#[derive(Debug)]
pub(crate) struct Logits {
    /// `[B, A]`
    pub(crate) policy: Tensor<2>,
    /// Win, draw, loss: `[B, 3]`.
    pub(crate) wdl: Tensor<2>,
}

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

/// What policy, value and heads are made of.
pub(crate) struct Features {
    /// The tower's outputs, `[B * H * W, C]`.
    pub(crate) trunk: Tensor<2>,
    /// The policy head's convolution, [`Boards::policy_inputs`].
    pub(crate) policy: Tensor<2>,
    /// The value head's hidden layer, `[B, value_hidden]`.
    pub(crate) hidden: Tensor<2>,
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

/// Part of a convolution that has the weight as [`on_chip::pack`] orders it, or of a linear layer
/// as [`on_chip::LinearPlan::pack`] does, to play on a chip.
pub(crate) const PACKED: &str = "packed";

/// Part of a convolution that has the weight as files have it, to learn on a chip.
pub(crate) const RAW: &str = "raw";

/// A convolution, with batch norm in training and a bias in play.
#[derive(Clone, Debug)]
pub(crate) struct Convolution {
    name: String,
    parts: Parts,
}

/// What a convolution is made of.
#[derive(Clone, Debug)]
enum Parts {
    /// To learn on a chip.
    Raw(LayerWeights),
    /// Anything else.
    Tensors {
        kernel: Kernel,
        /// Batch norm's scale, `[1, out]`; none if batch norm was folded into the kernel.
        gamma: Option<Tensor<2>>,
        /// The bias, or batch norm's beta: `[1, out]`.
        shift: Tensor<2>,
    },
}

/// What a convolution multiplies with.
#[derive(Clone, Debug)]
enum Kernel {
    /// 1x1, `[in, out]`.
    Point(Tensor<2>),
    /// 3x3, `[9 * in, out]`; or either, packed.
    Around(Tensor<2>),
}

impl Convolution {
    pub(crate) fn new(tensors: &Tensors, name: &str, shape: [usize; 3]) -> Self {
        let part = |part: &str| tensors.get(&format!("{name}.{part}")).cloned();
        let parts = match part(RAW) {
            Some(weight) => {
                let [gamma, beta] = ["gamma", "beta"].map(|part| named(tensors, name, part));
                Parts::Raw(LayerWeights { weight, gamma, beta })
            }
            None => Parts::new(tensors, name, shape),
        };
        Self { name: name.to_owned(), parts }
    }

    pub(crate) fn forward(
        &self,
        on: &Boards,
        x: Tensor<2>,
        then: Then<'_>,
        statistics: &mut Tensors,
    ) -> Tensor<2> {
        let (kernel, gamma, shift) = match &self.parts {
            Parts::Tensors { kernel, gamma, shift } => (kernel, gamma, shift),
            Parts::Raw(weights) => {
                let is_whole = !matches!(then, Then::Nothing);
                let output = self.keep(on.convolver().learn(x, weights, then), statistics);
                // What does something else then does it in 32 bits.
                return if is_whole { output } else { output.cast(weights.gamma.dtype()) };
            }
        };
        let sums = shift.dtype();
        let Some(gamma) = gamma else {
            return match kernel {
                Kernel::Around(kernel) => {
                    let x = x.cast(kernel.dtype());
                    on.convolver().convolve_then(x, kernel, shift, then)
                }
                Kernel::Point(kernel) => then.of(product(x, kernel, sums) + shift.clone()),
            };
        };
        let x = match kernel {
            Kernel::Around(kernel) => {
                on.convolver().convolve(x.cast(kernel.dtype()), kernel).cast(sums)
            }
            Kernel::Point(kernel) => product_on(on, x, kernel, sums),
        };
        let found = batch_norm(on, x, gamma, shift);
        then.of(self.keep(found, statistics))
    }

    /// Keeps what batch norm found of the rows; gives its output.
    fn keep(&self, found: Normalised, statistics: &mut Tensors) -> Tensor<2> {
        statistics.insert(format!("{}.mean", self.name), found.mean);
        statistics.insert(format!("{}.variance", self.name), found.variance);
        found.output
    }
}

impl Parts {
    fn new(tensors: &Tensors, name: &str, [out, inputs, side]: [usize; 3]) -> Self {
        let row = |tensor: Tensor<1>| tensor.reshape([1, out]);
        let gamma = tensors.get(&format!("{name}.gamma")).cloned().map(row);
        let shift = row(named(tensors, name, if gamma.is_some() { "beta" } else { "bias" }));
        let weight = || named(tensors, name, "weight");
        let kernel = match (tensors.get(&format!("{name}.{PACKED}")), side) {
            (Some(packed), _) => {
                Kernel::Around(packed.clone().reshape([-1, on_chip::FACTORS as isize]))
            }
            (None, 3) => Kernel::Around(kernel3x3(weight().reshape([out, inputs, 3, 3]))),
            (None, _) => Kernel::Point(weight().reshape([out, inputs]).transpose()),
        };
        Self::Tensors { kernel, gamma, shift }
    }
}

pub(crate) fn named(tensors: &Tensors, layer: &str, part: &str) -> Tensor<1> {
    tensors.get(&format!("{layer}.{part}")).cloned().expect("the layout names every tensor")
}

/// A file's tensor, flat, on a device.
pub(crate) fn upload(values: Vec<f32>, device: &Device) -> Tensor<1> {
    let length = values.len();
    Tensor::from_data(TensorData::new(values, [length]), device)
}

/// A tensor's numbers, row-major.
pub(crate) fn download<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("tensors here are 32-bit floats")
}
