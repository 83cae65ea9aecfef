//! The kernel as an operation on Burn's tensors.

use burn::backend::cubecl::dtype_to_storage_type;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::{DType, Shape, Tensor};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::prelude::{CubeCount, CubeDim};

use crate::cuda::conv::finish::Finish;
use crate::cuda::conv::plan::Plan;
use crate::cuda::conv::rows_plan::THREADS;
use crate::cuda::conv::weights_plan::{POINTS, WeightsPlan};
use crate::cuda::conv::{kernel, weights};
use crate::cuda::tiles::RUN;
use crate::model::epilogue::Epilogue;

/// What Burn does not have.
#[backend_extension(Cube)]
pub(crate) trait ConvKernels: Backend {
    /// See [`convolve`].
    fn convolve(
        x: FloatTensor<Self>,
        kernel: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        added: FloatTensor<Self>,
        finish: Finish,
        plan: Plan,
    ) -> FloatTensor<Self>;

    /// Parts of the gradient of a kernel `[taps * in, out]`, `[parts, taps * in * out]` in 32 bits,
    /// which the caller adds up. They come from the input of the convolution, `x [B * H * W, in]`,
    /// and the gradient of its output, `[B * H * W, out]`.
    fn weights(
        x: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        plan: WeightsPlan,
    ) -> FloatTensor<Self>;

    /// See [`view`].
    fn view(flat: FloatTensor<Self>, from: usize, to: usize) -> FloatTensor<Self>;
}

/// Numbers `from..to` of a flat tensor on a card where they are: our kernels may read them, others
/// want them to begin at places of their choice.
pub(crate) fn view(flat: &Tensor<1>, from: usize, to: usize) -> Tensor<1> {
    Tensor::from_dispatch(<Dispatch as ConvKernels>::view(flat.clone().into_dispatch(), from, to))
}

fn outputs_of(x: &Shape, plan: &Plan) -> Shape {
    Shape::from(vec![x[0], plan.outputs])
}

fn parts_of(x: &Shape, plan: &WeightsPlan) -> Shape {
    let [_, pieces, _] = plan.groups(x[0]);
    Shape::from(vec![pieces, plan.factors()])
}

/// Convolution of rows `[B * H * W, in]` on a card, `[B * H * W, out]`, with a kernel from
/// [`crate::cuda::conv::fits::pack`], `shift [1, out]` and the epilogue. All are of one format of
/// 16 bits.
pub(crate) fn convolve(
    plan: Plan,
    x: Tensor<2>,
    kernel: Tensor<2>,
    shift: Tensor<2>,
    then: Epilogue<'_>,
) -> Tensor<2> {
    let added = if let Epilogue::AddRelu(added) = then { Some(added.clone()) } else { None };
    let rectifies = !matches!(then, Epilogue::Identity);
    let finish = Finish { shifts: true, adds: added.is_some(), rectifies, moments: false };
    // Never read where nothing is added.
    let added = added.unwrap_or_else(|| x.clone());
    let [x, kernel, shift, added] = [x, kernel, shift, added].map(Tensor::into_dispatch);
    let out = <Dispatch as ConvKernels>::convolve(x, kernel, shift, added, finish, plan);
    Tensor::from_dispatch(out)
}

impl ConvKernels for CubeBackend {
    fn convolve(
        x: CubeTensor,
        kernel: CubeTensor,
        shift: CubeTensor,
        added: CubeTensor,
        finish: Finish,
        plan: Plan,
    ) -> CubeTensor {
        let [x, kernel, shift, added] = [x, kernel, shift, added].map(into_contiguous);
        // `x` takes the place of the moments, which are not written.
        launch([&x, &kernel, &shift, &added], &x, finish, plan)
    }

    fn weights(x: CubeTensor, gradient: CubeTensor, plan: WeightsPlan) -> CubeTensor {
        let [x, gradient] = [x, gradient].map(into_contiguous);
        let client = x.client.clone();
        let rows = x.meta.shape()[0];
        check_weights(&plan, &x, &gradient);
        let out = empty(&x, parts_of(x.meta.shape(), &plan), DType::F32);
        let [parts, pieces, turns] = plan.groups(rows);
        let vector = vector(plan.inputs);
        let dtype = dtype_to_storage_type(x.dtype);
        // SAFETY: the kernel reads rows below `rows` and columns below those of the plan, which are
        // the tensors', as was just checked, and writes `factors` numbers for each of the pieces,
        // as many as the shape has.
        #[allow(unsafe_code)]
        unsafe {
            weights::weights::launch_unchecked(
                &client,
                CubeCount::Static(parts as u32, pieces as u32, 1),
                CubeDim::new_2d(32, plan.planes() as u32),
                vector,
                x.into_buffer_arg(),
                gradient.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                rows,
                turns,
                plan,
                dtype,
            );
        }
        out
    }

    fn view(flat: CubeTensor, from: usize, to: usize) -> CubeTensor {
        let length = elements(&flat);
        let bytes = flat.dtype.size();
        assert!(from <= to && to <= length, "{from}..{to} of {length}");
        assert!(flat.meta.shape().num_dims() == 1 && flat.is_contiguous(), "no flat tensor");
        let handle = flat.handle.clone().offset_start((from * bytes) as u64);
        let handle = handle.offset_end(((length - to) * bytes) as u64);
        let client = flat.client.clone();
        let device = flat.device.clone();
        let shape = Shape::from(vec![to - from]);
        CubeTensor::new_contiguous(client, device, shape, handle, flat.dtype)
    }
}

/// Launches [`kernel::convolve`].
fn launch(
    [x, kernel, shift, added]: [&CubeTensor; 4],
    moments: &CubeTensor,
    finish: Finish,
    plan: Plan,
) -> CubeTensor {
    let rows = x.meta.shape()[0];
    check(&plan, [x, kernel], [shift, added], finish);
    let out = empty(x, outputs_of(x.meta.shape(), &plan), x.dtype);
    let [groups, parts] = plan.groups(rows);
    let is_whole = elements(moments) == moment_parts(&plan, rows) * 2 * plan.outputs;
    assert!(!finish.moments || is_whole && moments.dtype == DType::F32, "moments of {plan:?}");
    // SAFETY: the kernel reads and writes rows below `rows` and columns below those of the plan,
    // which are the tensors', as was just checked, and moments of as many parts as there are
    // planes for points, if any.
    #[allow(unsafe_code)]
    unsafe {
        kernel::convolve::launch_unchecked(
            &x.client,
            CubeCount::Static(groups as u32, parts as u32, 1),
            CubeDim::new_2d(32, plan.planes() as u32),
            vector(plan.inputs),
            x.clone().into_buffer_arg(),
            kernel.clone().into_buffer_arg(),
            shift.clone().into_buffer_arg(),
            added.clone().into_buffer_arg(),
            out.clone().into_buffer_arg(),
            moments.clone().into_buffer_arg(),
            rows,
            plan,
            finish,
            dtype_to_storage_type(x.dtype),
        );
    }
    out
}

/// Returns the number of parts of the moments. Each part is the points of a plane.
fn moment_parts(plan: &Plan, rows: usize) -> usize {
    let [groups, _] = plan.groups(rows);
    groups * plan.points() / plan.plane_points()
}

/// Returns the convolution of rows without shift and epilogue, `[rows, out]`.
pub(in crate::cuda) fn product(x: &CubeTensor, kernel: &CubeTensor, plan: Plan) -> CubeTensor {
    // `x` takes the place of shift and residual, which are not read.
    launch([x, kernel, x, x], x, Finish::NONE, plan)
}

/// Returns the same convolution and the moments of its parts, `[parts, 2, out]`. See
/// [`kernel::convolve`].
pub(in crate::cuda) fn product_and_moments(
    x: &CubeTensor,
    kernel: &CubeTensor,
    plan: Plan,
) -> [CubeTensor; 2] {
    let parts = moment_parts(&plan, x.meta.shape()[0]);
    let moments = empty(x, Shape::from(vec![parts, 2, plan.outputs]), DType::F32);
    let finish = Finish { moments: true, ..Finish::NONE };
    [launch([x, kernel, x, x], &moments, finish, plan), moments]
}

/// A tensor whose numbers are written next.
pub(in crate::cuda) fn empty(like: &CubeTensor, shape: Shape, dtype: DType) -> CubeTensor {
    empty_device_contiguous_dtype(like.client.clone(), like.device.clone(), shape, dtype)
}

/// So many groups of [`THREADS`].
pub(in crate::cuda) fn spread(groups: usize) -> (CubeCount, CubeDim) {
    (CubeCount::Static(groups as u32, 1, 1), CubeDim::new_1d(THREADS as u32))
}

/// A thread for each of so many numbers.
pub(in crate::cuda) fn a_thread_each(count: usize) -> (CubeCount, CubeDim) {
    spread(count.div_ceil(THREADS))
}

/// How many of a row's channels are read at a time.
const fn vector(inputs: usize) -> usize {
    if inputs.is_multiple_of(RUN) { RUN } else { 1 }
}

/// Whether the tensors are those of the plan, and so few that places in them are numbers of 32
/// bits.
fn check(
    plan: &Plan,
    [x, kernel]: [&CubeTensor; 2],
    [shift, added]: [&CubeTensor; 2],
    finish: Finish,
) {
    let rows = x.meta.shape()[0];
    assert_eq!(elements(x), rows * plan.inputs, "inputs of {plan:?}");
    assert_eq!(elements(kernel), plan.factors(), "factors of {plan:?}");
    assert!(!finish.shifts || elements(shift) == plan.outputs, "shifts of {plan:?}");
    assert!(!finish.adds || elements(added) == rows * plan.outputs, "added to {plan:?}");
    let formats = [kernel, shift, added].into_iter().all(|tensor| tensor.dtype == x.dtype);
    assert!(formats && x.dtype.size() == 2, "formats of {plan:?}");
    assert!(u32::try_from(rows * plan.inputs.max(plan.outputs)).is_ok(), "{rows} rows");
}

/// The same of a kernel's gradient.
fn check_weights(plan: &WeightsPlan, x: &CubeTensor, gradient: &CubeTensor) {
    let rows = x.meta.shape()[0];
    assert_eq!(elements(x), rows * plan.inputs, "inputs of {plan:?}");
    assert_eq!(elements(gradient), rows * plan.outputs, "outputs of {plan:?}");
    assert!(x.dtype.size() == 2 && gradient.dtype == x.dtype, "formats of {plan:?}");
    let [_, pieces, turns] = plan.groups(rows);
    let largest = (rows + turns * POINTS) * plan.inputs.max(plan.outputs);
    assert!(u32::try_from(largest.max(pieces * plan.factors())).is_ok(), "{rows} rows");
}

pub(in crate::cuda) fn elements(tensor: &CubeTensor) -> usize {
    tensor.meta.shape().num_elements()
}
