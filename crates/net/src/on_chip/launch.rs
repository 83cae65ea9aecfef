//! The kernel as an operation on Burn's tensors.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::{Shape, Tensor};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::prelude::{CubeCount, CubeDim};

use super::kernel;
use super::{Plan, RUN};

/// What Burn does not have.
#[backend_extension(Cube, Fusion)]
pub(crate) trait OnChip: Backend {
    /// See [`convolve3x3`].
    #[fusion(dtype = x, shape = outputs_of(x, plan))]
    fn convolve3x3(
        x: FloatTensor<Self>,
        kernel: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        added: FloatTensor<Self>,
        adds: bool,
        rectifies: bool,
        plan: Plan,
    ) -> FloatTensor<Self>;
}

fn outputs_of(x: &Shape, plan: &Plan) -> Shape {
    Shape::from(vec![x[0], plan.outputs])
}

/// 3x3 convolution of rows `[B * H * W, in]` on a card, `[B * H * W, out]`: with a kernel from [`super::pack`], `shift [1, out]`
/// and, if there is one, `added [B * H * W, out]`; rectified if `rectifies`. All are of one format of 16 bits.
pub(crate) fn convolve3x3(
    plan: Plan,
    x: Tensor<2>,
    kernel: Tensor<2>,
    shift: Tensor<2>,
    added: Option<Tensor<2>>,
    rectifies: bool,
) -> Tensor<2> {
    let adds = added.is_some();
    // Never read where nothing is added.
    let added = added.unwrap_or_else(|| x.clone());
    let [x, kernel, shift, added] = [x, kernel, shift, added].map(Tensor::into_dispatch);
    let out = <Dispatch as OnChip>::convolve3x3(x, kernel, shift, added, adds, rectifies, plan);
    Tensor::from_dispatch(out)
}

impl OnChip for CubeBackend {
    fn convolve3x3(
        x: CubeTensor,
        kernel: CubeTensor,
        shift: CubeTensor,
        added: CubeTensor,
        adds: bool,
        rectifies: bool,
        plan: Plan,
    ) -> CubeTensor {
        let [x, kernel, shift, added] = [x, kernel, shift, added].map(into_contiguous);
        let (client, rows) = (x.client.clone(), x.meta.shape()[0]);
        check(&plan, [&x, &kernel, &shift], adds.then_some(&added));
        let shape = outputs_of(x.meta.shape(), &plan);
        let out = empty_device_contiguous_dtype(client.clone(), x.device.clone(), shape, x.dtype);
        let [groups, parts] = plan.groups(rows);
        let vector = if plan.inputs.is_multiple_of(RUN) { RUN } else { 1 };
        let dtype = burn::backend::cubecl::dtype_to_storage_type(x.dtype);
        // SAFETY: the kernel reads and writes rows below `rows` and columns below those of the plan, which are the tensors', as was
        // just checked.
        #[allow(unsafe_code)]
        unsafe {
            kernel::convolve3x3::launch_unchecked(
                &client,
                CubeCount::Static(groups as u32, parts as u32, 1),
                CubeDim::new_2d(32, plan.planes() as u32),
                vector,
                x.into_buffer_arg(),
                kernel.into_buffer_arg(),
                shift.into_buffer_arg(),
                added.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                rows,
                plan,
                adds,
                rectifies,
                dtype,
            );
        }
        out
    }
}

/// Whether the tensors are those of the plan, and so few that places in them are numbers of 32 bits.
fn check(plan: &Plan, [x, kernel, shift]: [&CubeTensor; 3], added: Option<&CubeTensor>) {
    let rows = x.meta.shape()[0];
    let elements = |tensor: &CubeTensor| tensor.meta.shape().num_elements();
    assert_eq!(elements(x), rows * plan.inputs, "inputs of {plan:?}");
    assert_eq!(elements(kernel), plan.factors(), "factors of {plan:?}");
    assert_eq!(elements(shift), plan.outputs, "shifts of {plan:?}");
    assert!(added.is_none_or(|added| elements(added) == rows * plan.outputs), "added to {plan:?}");
    let formats = [kernel, shift].into_iter().chain(added).all(|tensor| tensor.dtype == x.dtype);
    assert!(formats && x.dtype.size() == 2, "formats of {plan:?}");
    assert!(u32::try_from(rows * plan.inputs.max(plan.outputs)).is_ok(), "{rows} rows");
}
