//! The vectors of x86-64 processors.

use std::arch::x86_64::{
    __m256, __m512, _CMP_GT_OQ, _mm256_add_ps, _mm256_and_ps, _mm256_cmp_ps, _mm256_fmadd_ps,
    _mm256_load_ps, _mm256_max_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_store_ps,
    _mm256_sub_ps, _mm512_add_ps, _mm512_cmp_ps_mask, _mm512_fmadd_ps, _mm512_load_ps,
    _mm512_maskz_mov_ps, _mm512_max_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_store_ps,
    _mm512_sub_ps,
};

use super::lane::{LANE, Lane, Simd, Task};

/// AVX-512: a lane is one register of 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// These vectors, if the processor has them.
    pub(super) fn find() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Self(()))
    }
}

impl Simd for Avx512 {
    type V = __m512;
    const WIDTH_MAX: usize = 4;

    #[inline(always)]
    fn rows_max(width: usize) -> usize {
        [14, 12, 9, 6][width - 1]
    }

    #[inline(always)]
    fn run<T: Task>(self, task: T) {
        #[target_feature(enable = "avx512f")]
        fn inner<T: Task>(s: Avx512, task: T) {
            task.go(s);
        }
        // SAFETY: `self` exists, so AVX-512F was found.
        unsafe { inner(self, task) }
    }

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        // SAFETY: `self` exists, so AVX-512F was found.
        unsafe { _mm512_set1_ps(x) }
    }

    #[inline(always)]
    fn load(self, from: &Lane) -> __m512 {
        // SAFETY: AVX-512F was found; a lane is 64 readable bytes at a multiple of 64.
        unsafe { _mm512_load_ps(from.0.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, x: __m512, to: &mut Lane) {
        // SAFETY: AVX-512F was found; a lane is 64 writable bytes at a multiple of 64.
        unsafe { _mm512_store_ps(to.0.as_mut_ptr(), x) }
    }

    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` exists, so AVX-512F was found.
        unsafe { _mm512_add_ps(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` exists, so AVX-512F was found.
        unsafe { _mm512_sub_ps(a, b) }
    }

    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: `self` exists, so AVX-512F was found.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn gate(self, of: __m512, x: __m512) -> __m512 {
        // SAFETY: `self` exists, so AVX-512F was found.
        unsafe {
            let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(of, _mm512_setzero_ps());
            _mm512_maskz_mov_ps(above, x)
        }
    }

    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` exists, so AVX-512F was found.
        unsafe { _mm512_max_ps(a, b) }
    }
}

/// AVX2 with FMA: a lane is two registers of 16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// These vectors, if the processor has them.
    pub(super) fn find() -> Option<Self> {
        let found = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        found.then_some(Self(()))
    }
}

impl Simd for Avx2 {
    type V = [__m256; 2];
    const WIDTH_MAX: usize = 1;

    #[inline(always)]
    fn rows_max(_width: usize) -> usize {
        6
    }

    #[inline(always)]
    fn run<T: Task>(self, task: T) {
        #[target_feature(enable = "avx2,fma")]
        fn inner<T: Task>(s: Avx2, task: T) {
            task.go(s);
        }
        // SAFETY: `self` exists, so AVX2 and FMA were found.
        unsafe { inner(self, task) }
    }

    #[inline(always)]
    fn splat(self, x: f32) -> [__m256; 2] {
        // SAFETY: `self` exists, so AVX2 was found.
        unsafe { [_mm256_set1_ps(x); 2] }
    }

    #[inline(always)]
    fn load(self, from: &Lane) -> [__m256; 2] {
        let half = from.0.as_ptr();
        // SAFETY: AVX2 was found; a lane is 64 readable bytes at a multiple of 64, each half 32.
        unsafe { [_mm256_load_ps(half), _mm256_load_ps(half.add(LANE / 2))] }
    }

    #[inline(always)]
    fn store(self, x: [__m256; 2], to: &mut Lane) {
        let half = to.0.as_mut_ptr();
        // SAFETY: AVX2 was found; a lane is 64 writable bytes at a multiple of 64, each half 32.
        unsafe {
            _mm256_store_ps(half, x[0]);
            _mm256_store_ps(half.add(LANE / 2), x[1]);
        }
    }

    #[inline(always)]
    fn add(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: `self` exists, so AVX2 was found.
        unsafe { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn sub(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: `self` exists, so AVX2 was found.
        unsafe { [_mm256_sub_ps(a[0], b[0]), _mm256_sub_ps(a[1], b[1])] }
    }

    #[inline(always)]
    fn fma(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: `self` exists, so FMA was found.
        unsafe { [_mm256_fmadd_ps(a[0], b[0], c[0]), _mm256_fmadd_ps(a[1], b[1], c[1])] }
    }

    #[inline(always)]
    fn gate(self, of: [__m256; 2], x: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: `self` exists, so AVX2 was found.
        unsafe {
            let above = |of| _mm256_cmp_ps::<_CMP_GT_OQ>(of, _mm256_setzero_ps());
            [_mm256_and_ps(above(of[0]), x[0]), _mm256_and_ps(above(of[1]), x[1])]
        }
    }

    #[inline(always)]
    fn max(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: `self` exists, so AVX2 was found.
        unsafe { [_mm256_max_ps(a[0], b[0]), _mm256_max_ps(a[1], b[1])] }
    }
}
