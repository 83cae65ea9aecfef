//! The kernel as an operation on Burn's tensors.

use burn::backend::cubecl::dtype_to_storage_type;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Backend, backend_extension};
use burn::tensor::{DType, FloatDType, Shape};
use burn_cubecl::{CubeBackend, tensor::CubeTensor};

use crate::cuda::conv::launch::{a_thread_each, elements, empty};
use crate::cuda::conv::rows_plan::THREADS;
use crate::cuda::planes::kernel;
use crate::cuda::planes::packed::Packed;

/// What Burn does not have.
#[backend_extension(Cube)]
pub(super) trait Unpack: Backend {
    /// See [`crate::cuda::planes::unpack`]; bits are 32 in a number.
    fn unpack(
        words: IntTensor<Self>,
        positions: usize,
        packed: Packed,
        dtype: FloatDType,
    ) -> FloatTensor<Self>;
}

impl Unpack for CubeBackend {
    fn unpack(
        words: CubeTensor,
        positions: usize,
        packed: Packed,
        dtype: FloatDType,
    ) -> CubeTensor {
        let Packed { area, channels, bits } = packed;
        assert!(words.dtype == DType::I32 && words.is_contiguous(), "bits are 32 in a number");
        assert!(elements(&words) * 32 >= positions * bits, "bits of {positions} positions");
        assert!(area * channels <= bits, "{packed:?}");
        let points = positions * area;
        let dtype = DType::from(dtype);
        assert!(u32::try_from(32 * elements(&words)).is_ok(), "{positions} positions");
        assert!(u32::try_from(points * channels + THREADS).is_ok(), "{points} points");
        let out = empty(&words, Shape::from(vec![points, channels]), dtype);
        let (groups, threads) = a_thread_each(points * channels);
        let client = words.client.clone();
        // SAFETY: the kernel writes numbers of points below `points`, as many as the tensor was
        // just made for, and reads bits below `positions * bits`, which were checked to be there.
        #[allow(unsafe_code)]
        unsafe {
            kernel::unpack::launch_unchecked(
                &client,
                groups,
                threads,
                words.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                points,
                packed,
                dtype_to_storage_type(dtype),
            );
        }
        out
    }
}
