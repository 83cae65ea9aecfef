//! The network itself, as functions of tensors by name. The maths is written down in [`dz_network`].

use std::collections::BTreeMap;

use burn::tensor::activation::relu;
use burn::tensor::{DType, Device, Tensor, TensorData};
use dz_network::NetworkSpec;

use crate::block::Block;
use crate::board::Boards;
use crate::convolve::{Then, kernel3x3};
use crate::heads::{HeadOutputs, Heads};
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
/// Products take their factors in the format of the weights and give their sums in that of what is added to them. So a
/// network whose weights are halves and whose other tensors have 32 bits learns in mixed precision.
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
    /// Takes its tensors from `tensors`. Convolutions have a `bias` (folded, to play) or `gamma` and
    /// `beta` (to train); everything else is the same.
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

    /// Runs the network, policy and value alone: what players ask for. In training, each convolution's mean
    /// and variance over the batch go to `statistics` under its name.
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
            policy: on.policy_logits(self.policy.forward_on(on, features.policy.clone())),
            wdl: self.value_output.forward(features.hidden.clone()),
        }
    }

    fn features(&self, on: &Boards, trunk: Tensor<2>, statistics: &mut Tensors) -> Features {
        let policy = self.policy_conv.forward(on, trunk.clone(), Then::Rectify, statistics);
        let value = self.value_conv.forward(on, trunk.clone(), Then::Rectify, statistics);
        let hidden = relu(self.value_hidden.forward(on.value_inputs(value)));
        Features { trunk, policy: on.policy_inputs(policy), hidden }
    }
}

/// Part of a convolution that has the weight as [`on_chip::pack`] orders it, to play on a chip.
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

/// A linear layer.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    /// `[in, out]`
    weight: Tensor<2>,
    /// `[1, out]`
    bias: Tensor<2>,
}

impl Linear {
    pub(crate) fn new(tensors: &Tensors, name: &str, shape: [usize; 2]) -> Self {
        Self {
            weight: named(tensors, name, "weight").reshape(shape).transpose(),
            bias: named(tensors, name, "bias").reshape([1, shape[0]]),
        }
    }

    pub(crate) fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        product(x, &self.weight, self.bias.dtype()) + self.bias.clone()
    }

    /// The same of positions, or of all points of the boards.
    pub(crate) fn forward_on(&self, on: &Boards, x: Tensor<2>) -> Tensor<2> {
        product_on(on, x, &self.weight, self.bias.dtype()) + self.bias.clone()
    }
}

/// `x` times a matrix, in its format; the sums in another.
fn product(x: Tensor<2>, matrix: &Tensor<2>, sums: DType) -> Tensor<2> {
    x.cast(matrix.dtype()).matmul(matrix.clone()).cast(sums)
}

/// The same of positions, or of all points of the boards. A card adds up the matrix's gradient over points with one group of threads for
/// each few outputs, so on one it is that of parts of the batch first, which are then added up.
fn product_on(on: &Boards, x: Tensor<2>, matrix: &Tensor<2>, sums: DType) -> Tensor<2> {
    let ([rows, inputs], [_, outputs]) = (x.dims(), matrix.dims());
    match on.parts_of(rows) {
        None => product(x, matrix, sums),
        Some(parts) => {
            let x: Tensor<3> = x.cast(matrix.dtype()).reshape([parts, rows / parts, inputs]);
            x.matmul(matrix.clone().unsqueeze()).reshape([rows, outputs]).cast(sums)
        }
    }
}

fn named(tensors: &Tensors, layer: &str, part: &str) -> Tensor<1> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Ways;
    use crate::convolve::Convolve;
    use crate::evaluator::Precision;

    /// Of all points in parts and at once, and of positions, with the gradients of rows and matrix.
    #[test]
    fn products_in_parts_are_those_of_the_whole() {
        let spec = NetworkSpec::plain([3, 4, 5], 2, 0, 6);
        let device = Device::flex().autodiff();
        let wave = |rows: usize, columns: usize, pace: f32| -> Tensor<2> {
            let numbers = (0..rows * columns).map(|i| (i as f32 * pace).sin()).collect();
            upload(numbers, &device).reshape([rows, columns])
        };
        let with = |rows: usize, in_parts: bool| {
            let ways = Ways { convolve: Convolve::Gather, sum_boards_first: in_parts };
            let on = Boards::new(&spec, 3, ways, Precision::F32, &device);
            assert_eq!(on.parts_of(rows), (in_parts && rows == 60).then_some(3));
            let [x, matrix] = [wave(rows, 6, 0.7), wave(6, 2, 0.3)].map(Tensor::require_grad);
            let y = product_on(&on, x.clone(), &matrix, DType::F32);
            let gradients = (y.clone() * y.clone()).sum().backward();
            let gradient = |of: &Tensor<2>| download(of.grad(&gradients).expect("a gradient"));
            [download(y.inner()), gradient(&x), gradient(&matrix)].concat()
        };
        for rows in [60, 3] {
            let (parts, whole) = (with(rows, true), with(rows, false));
            assert_eq!(parts.len(), whole.len());
            for (a, b) in parts.iter().zip(&whole) {
                assert!((a - b).abs() < 1e-4 * b.abs().max(1.0), "{rows}: {a} {b}");
            }
        }
    }
}
