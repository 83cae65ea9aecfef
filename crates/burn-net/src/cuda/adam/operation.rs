//! The kernels as operations on Burn's tensors.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, backend_extension};
use burn::tensor::{DType, Shape};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::{CubeBackend, tensor::CubeTensor};
use cubecl::prelude::CubeCount;

use crate::cuda::adam::kernel;
use crate::cuda::adam_step::SETTINGS;
use crate::cuda::conv::launch::{a_thread_each, elements, empty, spread};
use crate::cuda::conv::rows_plan::THREADS;
use crate::cuda::sums;
use crate::cuda::tiles::GROUPS;

/// Pieces that a launch puts together.
pub(super) const PIECES: usize = 8;

/// Operations that Burn does not have. Each changes its first tensor in place and returns it.
#[backend_extension(Cube)]
#[allow(clippy::too_many_arguments)]
pub(super) trait Flat: Backend {
    /// See [`crate::cuda::adam::adam`].
    fn adam(
        parameters: FloatTensor<Self>,
        first: FloatTensor<Self>,
        second: FloatTensor<Self>,
        average: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        decay: FloatTensor<Self>,
        settings: FloatTensor<Self>,
        numbers: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// See [`crate::cuda::adam::blend`].
    fn blend(
        old: FloatTensor<Self>,
        new: FloatTensor<Self>,
        settings: FloatTensor<Self>,
        numbers: FloatTensor<Self>,
        place: usize,
    ) -> FloatTensor<Self>;

    /// See [`crate::cuda::adam::norm`].
    fn norm(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// Puts the first `pieces` of eight one after another into `whole`, which is changed where it
    /// is, from a place on.
    fn join(
        whole: FloatTensor<Self>,
        a: FloatTensor<Self>,
        b: FloatTensor<Self>,
        c: FloatTensor<Self>,
        d: FloatTensor<Self>,
        e: FloatTensor<Self>,
        f: FloatTensor<Self>,
        g: FloatTensor<Self>,
        h: FloatTensor<Self>,
        from: usize,
        pieces: usize,
    ) -> FloatTensor<Self>;
}

impl Flat for CubeBackend {
    fn adam(
        parameters: CubeTensor,
        first: CubeTensor,
        second: CubeTensor,
        average: CubeTensor,
        gradient: CubeTensor,
        decay: CubeTensor,
        settings: CubeTensor,
        numbers: CubeTensor,
    ) -> CubeTensor {
        let gradient = into_contiguous(gradient);
        let count = elements(&gradient);
        check(&[&parameters, &first, &second, &average, &gradient, &decay], count);
        check(&[&settings], SETTINGS);
        let length = elements(&numbers);
        check(&[&numbers], length);
        let client = gradient.client.clone();
        let (groups, threads) = a_thread_each(count);
        // SAFETY: the kernel stays below `count` in each flat tensor, below `SETTINGS` in the
        // settings and below `length` in the numbers. All lengths were checked.
        #[allow(unsafe_code)]
        unsafe {
            kernel::adam::launch_unchecked(
                &client,
                groups,
                threads,
                gradient.into_buffer_arg(),
                decay.into_buffer_arg(),
                settings.into_buffer_arg(),
                numbers.into_buffer_arg(),
                parameters.clone().into_buffer_arg(),
                first.into_buffer_arg(),
                second.into_buffer_arg(),
                average.into_buffer_arg(),
                count,
                length,
            );
        }
        parameters
    }

    fn blend(
        old: CubeTensor,
        new: CubeTensor,
        settings: CubeTensor,
        numbers: CubeTensor,
        place: usize,
    ) -> CubeTensor {
        let new = into_contiguous(new);
        let count = elements(&old);
        check(&[&old, &new], count);
        check(&[&settings], SETTINGS);
        assert!(place < SETTINGS, "setting {place}");
        let length = elements(&numbers);
        check(&[&numbers], length);
        let client = old.client.clone();
        let (groups, threads) = a_thread_each(count);
        // SAFETY: as in `adam`.
        #[allow(unsafe_code)]
        unsafe {
            kernel::blend::launch_unchecked(
                &client,
                groups,
                threads,
                new.into_buffer_arg(),
                settings.into_buffer_arg(),
                numbers.into_buffer_arg(),
                old.clone().into_buffer_arg(),
                count,
                place,
                length,
            );
        }
        old
    }

    fn norm(x: CubeTensor) -> CubeTensor {
        let x = into_contiguous(x);
        let count = elements(&x);
        check(&[&x], count);
        let groups = count.div_ceil(THREADS).clamp(1, GROUPS);
        let parts = empty(&x, Shape::from(vec![groups]), DType::F32);
        let out = empty(&x, Shape::from(vec![1]), DType::F32);
        let client = x.client.clone();
        let (cubes, threads) = spread(groups);
        // SAFETY: the first kernel reads numbers below `count` and writes one for each group. The
        // second reads these and writes one.
        #[allow(unsafe_code)]
        unsafe {
            kernel::squares::launch_unchecked(
                &client,
                cubes,
                threads,
                x.into_buffer_arg(),
                parts.clone().into_buffer_arg(),
                count,
            );
            sums::add_up::launch_unchecked(
                &client,
                CubeCount::Static(1, 1, 1),
                threads,
                parts.into_buffer_arg(),
                out.clone().into_buffer_arg(),
                groups,
                true,
            );
        }
        out
    }

    fn join(
        whole: CubeTensor,
        a: CubeTensor,
        b: CubeTensor,
        c: CubeTensor,
        d: CubeTensor,
        e: CubeTensor,
        f: CubeTensor,
        g: CubeTensor,
        h: CubeTensor,
        from: usize,
        pieces: usize,
    ) -> CubeTensor {
        let there = [a, b, c, d, e, f, g, h].map(into_contiguous);
        assert!((1..=PIECES).contains(&pieces), "{pieces} pieces");
        let mut ends = [0; PIECES];
        let mut end = 0;
        for (i, piece) in there.iter().enumerate() {
            end += if i < pieces { elements(piece) } else { 0 };
            ends[i] = end;
        }
        assert!(from + end <= elements(&whole), "{end} numbers from {from} on");
        let formats = there.iter().chain([&whole]).all(|tensor| tensor.dtype == DType::F32);
        assert!(formats && whole.is_contiguous(), "flat tensors of 32 bits are joined");
        let (client, (groups, threads)) = (whole.client.clone(), a_thread_each(end));
        let [a, b, c, d, e, f, g, h] = there;
        // SAFETY: of each piece the kernel reads as many numbers as it has, or none, and writes as
        // many of the whole, which was checked to have them.
        #[allow(unsafe_code)]
        unsafe {
            kernel::join::launch_unchecked(
                &client,
                groups,
                threads,
                a.into_buffer_arg(),
                b.into_buffer_arg(),
                c.into_buffer_arg(),
                d.into_buffer_arg(),
                e.into_buffer_arg(),
                f.into_buffer_arg(),
                g.into_buffer_arg(),
                h.into_buffer_arg(),
                whole.clone().into_buffer_arg(),
                from,
                ends[0],
                ends[1],
                ends[2],
                ends[3],
                ends[4],
                ends[5],
                ends[6],
                ends[7],
            );
        }
        whole
    }
}

/// Whether tensors are flat ones of so many numbers in 32 bits.
fn check(tensors: &[&CubeTensor], count: usize) {
    let fits = |tensor: &&CubeTensor| {
        tensor.dtype == DType::F32 && elements(tensor) == count && tensor.is_contiguous()
    };
    assert!(tensors.iter().all(fits) && u32::try_from(count).is_ok(), "{count} numbers each");
}
