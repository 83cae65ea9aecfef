//! The linear layer as an operation of Burn, with its gradients.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::cubecl::dtype_to_storage_type;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, ExtensionType, backend_extension};
use burn::tensor::{DType, Shape};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::prelude::{CubeCount, CubeDim};

use crate::cuda::conv::launch::{a_thread_each, elements, empty};
use crate::cuda::learn_linear::kernel;
use crate::cuda::learn_linear::kernel::Factors;
use crate::cuda::learn_linear::plan::{ProductPlan, SIDE, THREADS};
use crate::cuda::tiles::RUN;

/// Of a linear layer and its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

/// The gradients of a layer's inputs.
#[derive(Clone, Debug, ExtensionType)]
pub(super) struct Back<B: Backend> {
    /// If it is wanted, or else nothing, `[1]`.
    pub(super) x: FloatTensor<B>,
    pub(super) weight: FloatTensor<B>,
    pub(super) bias: FloatTensor<B>,
}

/// What Burn does not have.
#[backend_extension(Cube, Autodiff)]
pub(super) trait LearningLinear: Backend {
    /// See [`crate::cuda::learn_linear::learn_linear`].
    fn learn_linear(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self>;

    /// From the `gradient` of the output, `[rows, out]` in 32 bits; that of `x` if it `wants_x`.
    fn learn_linear_back(
        gradient: FloatTensor<Self>,
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        sizes: Sizes,
        wants_x: bool,
    ) -> Back<Self>;
}

impl LearningLinear for CubeBackend {
    fn learn_linear(
        x: CubeTensor,
        weight: CubeTensor,
        bias: CubeTensor,
        sizes: Sizes,
    ) -> CubeTensor {
        let [x, weight, bias] = [x, weight, bias].map(into_contiguous);
        let Sizes { rows, inputs, outputs } = sizes;
        check(sizes, &x, &weight);
        assert!(elements(&bias) == outputs && bias.dtype == DType::F32, "bias of {sizes:?}");
        let factors = Factors { is_left_turned: false, is_right_turned: true, has_ones: false };
        let size = ProductSize { rows, columns: outputs, depth: inputs };
        let plan = ProductPlan::in_parts(rows, outputs, inputs);
        let parts = product(&x, &weight, size, factors, plan, DType::F32);
        let out = empty(&x, Shape::from(vec![rows, outputs]), DType::F32);
        let client = x.client.clone();
        let (count, dim) = a_thread_each(rows * outputs);
        // SAFETY: the kernel reads as many numbers as the product has parts of `rows * outputs`,
        // and `outputs` of the bias, and writes `rows * outputs`.
        #[allow(unsafe_code)]
        unsafe {
            kernel::finish_outputs::launch_unchecked(
                &client,
                count,
                dim,
                parts.into_buffer_arg(),
                bias.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                rows * outputs,
                outputs,
                plan.parts,
            );
        }
        out
    }

    fn learn_linear_back(
        gradient: CubeTensor,
        x: CubeTensor,
        weight: CubeTensor,
        sizes: Sizes,
        wants_x: bool,
    ) -> Back<Self> {
        let [gradient, x, weight] = [gradient, x, weight].map(into_contiguous);
        let Sizes { rows, inputs, outputs } = sizes;
        check(sizes, &x, &weight);
        let is_whole = elements(&gradient) == rows * outputs;
        assert!(is_whole && gradient.dtype == DType::F32, "gradient of {sizes:?}");
        let of_x = if wants_x {
            let factors =
                Factors { is_left_turned: false, is_right_turned: false, has_ones: false };
            let size = ProductSize { rows, columns: inputs, depth: outputs };
            let plan = ProductPlan::whole(rows, inputs, outputs);
            product(&gradient, &weight, size, factors, plan, x.dtype)
        } else {
            empty(&x, Shape::from(vec![1]), x.dtype)
        };
        let factors = Factors { is_left_turned: true, is_right_turned: false, has_ones: true };
        let size = ProductSize { rows: outputs, columns: inputs + 1, depth: rows };
        let plan = ProductPlan::in_parts(outputs, inputs + 1, rows);
        let parts = product(&gradient, &x, size, factors, plan, DType::F32);
        let of_weight = empty(&x, Shape::from(vec![outputs * inputs]), DType::F32);
        let of_bias = empty(&x, Shape::from(vec![outputs]), DType::F32);
        let client = x.client.clone();
        let (count, dim) = a_thread_each(outputs * (inputs + 1));
        // SAFETY: the kernel reads as many numbers as the product has parts of
        // `outputs * (inputs + 1)`, and writes `outputs * inputs` and `outputs`.
        #[allow(unsafe_code)]
        unsafe {
            kernel::finish_gradients::launch_unchecked(
                &client,
                count,
                dim,
                parts.into_buffer_arg(),
                of_weight.clone().into_buffer_arg(),
                of_bias.clone().into_buffer_arg(),
                outputs,
                inputs,
                plan.parts,
            );
        }
        Back { x: of_x, weight: of_weight, bias: of_bias }
    }
}

/// Whether the tensors are those of the layer, and so few that places in them are numbers of 32
/// bits.
fn check(sizes: Sizes, x: &CubeTensor, weight: &CubeTensor) {
    let Sizes { rows, inputs, outputs } = sizes;
    assert!(elements(x) == rows * inputs && x.dtype == DType::BF16, "inputs of {sizes:?}");
    let is_whole = elements(weight) == outputs * inputs;
    assert!(is_whole && weight.dtype == DType::F32, "weight of {sizes:?}");
    assert!(u32::try_from((rows + SIDE) * inputs).is_ok(), "{sizes:?}");
}

/// Of a product of two matrices.
#[derive(Clone, Copy, Debug)]
struct ProductSize {
    rows: usize,
    columns: usize,
    depth: usize,
}

/// Starts a product, `[parts, rows, columns]`, or `[rows, columns]` if there is one part.
fn product(
    left: &CubeTensor,
    right: &CubeTensor,
    size: ProductSize,
    factors: Factors,
    plan: ProductPlan,
    dtype: DType,
) -> CubeTensor {
    let ProductSize { rows, columns, depth } = size;
    let largest = plan.parts * (rows + SIDE) * (columns + SIDE);
    assert!(u32::try_from(largest).is_ok(), "{plan:?}");
    let shape = if plan.parts == 1 { vec![] } else { vec![plan.parts] };
    let out = empty(left, Shape::from([shape, vec![rows, columns]].concat()), dtype);
    let left_columns = if factors.is_left_turned { rows } else { depth };
    let right_columns = if factors.is_right_turned { depth } else { columns };
    let right_columns = right_columns - usize::from(factors.has_ones);
    let [groups_rows, groups_columns, parts] =
        [plan.groups_rows, plan.groups_columns, plan.parts].map(|count| count as u32);
    // SAFETY: the kernel reads places below those of `rows`, `columns` and `depth`, of which the
    // callers checked that the factors have as many, and writes below `parts * rows * columns`.
    #[allow(unsafe_code)]
    unsafe {
        kernel::product::launch_unchecked(
            &left.client,
            CubeCount::Static(groups_rows, groups_columns, parts),
            CubeDim::new_1d(THREADS as u32),
            vector(left, left_columns),
            vector(right, right_columns),
            left.clone().into_buffer_arg(),
            right.clone().into_buffer_arg(),
            out.clone().into_buffer_arg(),
            rows,
            columns,
            depth,
            plan.steps,
            factors,
            dtype_to_storage_type(DType::BF16),
            dtype_to_storage_type(left.dtype),
            dtype_to_storage_type(right.dtype),
            dtype_to_storage_type(dtype),
        );
    }
    out
}

/// Returns how many numbers of a row are read at a time. Parameters have 32 bits and may start at
/// any place of the flat tensor, so they are read one by one.
fn vector(tensor: &CubeTensor, columns: usize) -> usize {
    if tensor.dtype == DType::BF16 && columns.is_multiple_of(RUN) { RUN } else { 1 }
}

#[derive(Debug)]
struct LinearBack;

impl<B: LearningLinear> Backward<B, 3> for LinearBack {
    type State = (FloatTensor<B>, FloatTensor<B>, Sizes);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let (x, weight, sizes) = ops.state;
        let wants_x = ops.parents[0].is_some();
        let Back { x, weight, bias } = B::learn_linear_back(gradient, x, weight, sizes, wants_x);
        for (node, gradient) in ops.parents.into_iter().zip([x, weight, bias]) {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: LearningLinear, C: CheckpointStrategy> LearningLinear for Autodiff<B, C> {
    fn learn_linear(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let [(x, node_x), (weight, node_weight), (bias, node_bias)] =
            [x, weight, bias].map(FloatTensor::<Self>::into_parts);
        let made = B::learn_linear(x.clone(), weight.clone(), bias, sizes);
        let nodes = [node_x, node_weight, node_bias];
        match LinearBack.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((x, weight, sizes), made),
            OpsKind::UnTracked(prep) => prep.finish(made),
        }
    }

    fn learn_linear_back(
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: FloatTensor<Self>,
        _: Sizes,
        _: bool,
    ) -> Back<Self> {
        unreachable!("nobody asks for gradients of gradients")
    }
}
