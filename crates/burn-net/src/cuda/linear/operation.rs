//! The kernel as an operation on Burn's tensors.

use burn::backend::cubecl::dtype_to_storage_type;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, backend_extension};
use burn::tensor::{DType, Shape};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::prelude::{CubeCount, CubeDim};

use crate::cuda::conv::launch::{elements, empty};
use crate::cuda::linear::kernel;
use crate::cuda::linear::kernel::PLANES;
use crate::cuda::linear::plan::{LinearPlan, Output};

/// What Burn does not have.
#[backend_extension(Cube)]
pub(super) trait OnCard: Backend {
    /// See [`crate::cuda::linear::linear`].
    fn linear(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        plan: LinearPlan,
        output: Output,
    ) -> FloatTensor<Self>;
}

impl OnCard for CubeBackend {
    fn linear(
        x: CubeTensor,
        factors: CubeTensor,
        shift: CubeTensor,
        plan: LinearPlan,
        output: Output,
    ) -> CubeTensor {
        let [x, factors, shift] = [x, factors, shift].map(into_contiguous);
        let rows = x.meta.shape()[0];
        assert_eq!(elements(&x), rows * plan.inputs, "inputs of {plan:?}");
        assert_eq!(elements(&factors), plan.factors(), "factors of {plan:?}");
        assert_eq!(elements(&shift), plan.outputs, "shifts of {plan:?}");
        let formats = [&factors, &shift].iter().all(|tensor| tensor.dtype == x.dtype);
        assert!(formats && x.dtype.size() == 2, "formats of {plan:?}");
        assert!(rows > 0, "no rows");
        let largest = (rows + crate::cuda::tiles::TILE * PLANES) * plan.inputs.max(plan.outputs);
        assert!(u32::try_from(largest).is_ok(), "{rows} rows");
        let (rectifies, dtype) = match output {
            Output::Whole => (false, DType::F32),
            Output::AsInput => (false, x.dtype),
            Output::Rectified => (true, x.dtype),
        };
        let out = empty(&x, Shape::from(vec![rows, plan.outputs]), dtype);
        let groups = plan.planes(rows).div_ceil(PLANES);
        let client = x.client.clone();
        let input_dtype = dtype_to_storage_type(x.dtype);
        // SAFETY: the kernel reads rows below `rows` and columns below those of the plan, which are
        // the tensors', as was just checked, and writes as many numbers as the tensor was just made
        // for.
        #[allow(unsafe_code)]
        unsafe {
            kernel::linear::launch_unchecked(
                &client,
                CubeCount::Static(groups as u32, 1, 1),
                CubeDim::new_2d(32, PLANES as u32),
                x.into_buffer_arg(),
                factors.into_buffer_arg(),
                shift.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                rows,
                plan,
                rectifies,
                input_dtype,
                dtype_to_storage_type(dtype),
            );
        }
        out
    }
}
