//! Convolution layers.

use burn::tensor::Tensor;

use crate::cuda::layer_weights::LayerWeights;
use crate::cuda::tiles::FACTORS;
use crate::model::batch_norm::batch_norm;
use crate::model::board_ops::Boards;
use crate::model::convolution::kernel3x3;
use crate::model::epilogue::Normalised;
use crate::model::epilogue::Then;
use crate::model::linear::product;
use crate::model::linear::product_on;
use crate::tensors::Tensors;
use crate::tensors::named;

/// Part of a convolution that has the weight as [`cuda::conv::fits::pack`] orders it, or of a linear layer
/// as [`LinearPlan::pack`] does, to play on a chip.
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
            (Some(packed), _) => Kernel::Around(packed.clone().reshape([-1, FACTORS as isize])),
            (None, 3) => Kernel::Around(kernel3x3(weight().reshape([out, inputs, 3, 3]))),
            (None, _) => Kernel::Point(weight().reshape([out, inputs]).transpose()),
        };
        Self::Tensors { kernel, gamma, shift }
    }
}
