//! Sixteen numbers at a time, on whatever vectors the processor has. The only module with `unsafe`.
//!
//! A value of [`Avx512`] or [`Avx2`] exists only after its instructions were found, so their methods
//! are safe to call. Work is written once, as a [`Task`] over any [`Simd`], and is compiled for each kind
//! of vectors; what a task calls has to be `#[inline(always)]` to be compiled with it.
//!
//! AVX-512 and AVX2 round alike, operation by operation: both have fused multiply-add and both see
//! sixteen independent numbers. So their bits are equal. The portable kind multiplies and adds in two
//! roundings where the target has no fused operation.
#![allow(unsafe_code, reason = "vector instructions; each block says what makes it sound")]

use std::fmt;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256, __m512, _mm256_add_ps, _mm256_fmadd_ps, _mm256_load_ps, _mm256_max_ps, _mm256_set1_ps,
    _mm256_store_ps, _mm256_sub_ps, _mm512_add_ps, _mm512_fmadd_ps, _mm512_load_ps, _mm512_max_ps,
    _mm512_set1_ps, _mm512_store_ps, _mm512_sub_ps,
};

/// Sixteen numbers on a cache line of their own: the same point's consecutive channels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Lane(pub(crate) [f32; LANE]);

/// Numbers in a [`Lane`].
pub(crate) const LANE: usize = 16;

/// Work that is compiled for every kind of vectors.
pub(crate) trait Task {
    /// Does it. Implementations are `#[inline(always)]`.
    fn go<S: Simd>(self, s: S);
}

/// Operations on the sixteen numbers of a [`Lane`], and how many of them fit the registers.
pub(crate) trait Simd: Copy {
    /// A lane in registers.
    type V: Copy;
    /// Most lanes of a row that a matrix product keeps in registers.
    const WIDTH_MAX: usize;
    /// Most rows of `width` lanes each that a matrix product keeps in registers.
    fn rows_max(width: usize) -> usize;
    /// Runs a task with these vectors' instructions.
    fn run<T: Task>(self, task: T);
    /// All sixteen equal.
    fn splat(self, x: f32) -> Self::V;
    /// Reads a lane.
    fn load(self, from: &Lane) -> Self::V;
    /// Writes a lane.
    fn store(self, x: Self::V, to: &mut Lane);
    /// a + b
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// a - b
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// a b + c
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The larger of each two.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger of each and 0.
    #[inline(always)]
    fn relu(self, x: Self::V) -> Self::V {
        // In this order a number that is none stays: the processor answers the second then.
        self.max(self.splat(0.0), x)
    }
}

/// The kinds of vectors that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vectors {
    /// 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// 256 bits with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Whatever the compiler makes of arrays.
    Portable(Portable),
}

impl Vectors {
    /// Those that this processor has, best first; the last are the portable ones.
    pub(crate) fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                found.push(Self::Avx512(Avx512(())));
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                found.push(Self::Avx2(Avx2(())));
            }
        }
        found.push(Self::Portable(Portable));
        found
    }

    /// Runs a task on them.
    pub(crate) fn run(self, task: impl Task) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(s) => s.run(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(s) => s.run(task),
            Self::Portable(s) => s.run(task),
        }
    }

    /// Most lanes of a row that a matrix product keeps in registers.
    pub(crate) fn width_max(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Avx512::WIDTH_MAX,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Avx2::WIDTH_MAX,
            Self::Portable(_) => Portable::WIDTH_MAX,
        }
    }

    /// The name of what results depend on: kinds that round alike have the same name.
    pub(crate) fn rounding(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) | Self::Avx2(_) => "fma",
            Self::Portable(_) if FUSED => "fma",
            Self::Portable(_) => "plain",
        }
    }
}

impl fmt::Display for Vectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "avx2",
            Self::Portable(_) => "portable",
        })
    }
}

/// AVX-512: a lane is one register of 32.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

#[cfg(target_arch = "x86_64")]
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
    fn max(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` exists, so AVX-512F was found.
        unsafe { _mm512_max_ps(a, b) }
    }
}

/// AVX2 with FMA: a lane is two registers of 16.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

#[cfg(target_arch = "x86_64")]
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
    fn max(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: `self` exists, so AVX2 was found.
        unsafe { [_mm256_max_ps(a[0], b[0]), _mm256_max_ps(a[1], b[1])] }
    }
}

/// Arrays that the compiler makes vectors of: SSE2 on old x86 processors, NEON on 64-bit ARM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

/// Whether the target itself has a fused multiply-add; in software it would be far too slow.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

impl Simd for Portable {
    type V = [f32; LANE];
    const WIDTH_MAX: usize = 1;

    #[inline(always)]
    fn rows_max(_width: usize) -> usize {
        if cfg!(target_arch = "aarch64") { 6 } else { 2 }
    }

    #[inline(always)]
    fn run<T: Task>(self, task: T) {
        task.go(self);
    }

    #[inline(always)]
    fn splat(self, x: f32) -> [f32; LANE] {
        [x; LANE]
    }

    #[inline(always)]
    fn load(self, from: &Lane) -> [f32; LANE] {
        from.0
    }

    #[inline(always)]
    fn store(self, x: [f32; LANE], to: &mut Lane) {
        to.0 = x;
    }

    #[inline(always)]
    fn add(self, mut a: [f32; LANE], b: [f32; LANE]) -> [f32; LANE] {
        for (a, b) in a.iter_mut().zip(b) {
            *a += b;
        }
        a
    }

    #[inline(always)]
    fn sub(self, mut a: [f32; LANE], b: [f32; LANE]) -> [f32; LANE] {
        for (a, b) in a.iter_mut().zip(b) {
            *a -= b;
        }
        a
    }

    #[inline(always)]
    fn fma(self, a: [f32; LANE], b: [f32; LANE], mut c: [f32; LANE]) -> [f32; LANE] {
        for ((a, b), c) in a.into_iter().zip(b).zip(&mut c) {
            *c = if FUSED { a.mul_add(b, *c) } else { a * b + *c };
        }
        c
    }

    #[inline(always)]
    fn max(self, mut a: [f32; LANE], b: [f32; LANE]) -> [f32; LANE] {
        for (a, b) in a.iter_mut().zip(b) {
            // As the processor's own instruction: the second of two that do not compare.
            *a = if *a > b { *a } else { b };
        }
        a
    }
}
