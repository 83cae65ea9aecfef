//! Sixteen numbers at a time, on whatever vectors the processor has. The only module with `unsafe`.
//!
//! A value of [`Avx512`] or [`Avx2`] exists only after its instructions were found, so their
//! methods are safe to call. Work is written once, as a [`Task`] over any [`Simd`], and is compiled
//! for each kind of vectors; what a task calls has to be `#[inline(always)]` to be compiled with
//! it.
//!
//! AVX-512, AVX2 and NEON round alike, operation by operation: all have fused multiply-add and all
//! see sixteen independent numbers. So their bits are equal. The portable kind multiplies and adds
//! in two roundings where the target has no fused operation.
#![allow(unsafe_code, reason = "vector instructions; each block says what makes it sound")]

use std::fmt;

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
use neon::Neon;
use portable::{FUSED, Portable};
#[cfg(target_arch = "x86_64")]
use x86::{Avx2, Avx512};

/// Sixteen numbers on a cache line of their own: the same point's consecutive channels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Lane(pub(crate) [f32; LANE]);

/// Numbers in a [`Lane`].
pub(crate) const LANE: usize = 16;

/// Numbers in lanes, the last one filled up with 0.
pub(crate) fn lanes_of(numbers: impl IntoIterator<Item = f32>) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = Vec::new();
    for (i, x) in numbers.into_iter().enumerate() {
        if i % LANE == 0 {
            lanes.push(Lane::default());
        }
        lanes[i / LANE].0[i % LANE] = x;
    }
    lanes
}

/// The numbers of lanes, one after another.
#[inline(always)]
pub(crate) fn numbers_of(lanes: &[Lane]) -> &[f32] {
    // SAFETY: a lane is sixteen numbers and nothing else, and as large as they are.
    unsafe { std::slice::from_raw_parts(lanes.as_ptr().cast(), lanes.len() * LANE) }
}

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
    /// Each `x` whose `of` is above 0, and 0 elsewhere: what goes back through relu.
    fn gate(self, of: Self::V, x: Self::V) -> Self::V;
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
    /// 128 bits with fused multiply-add.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    /// Whatever the compiler makes of arrays.
    Portable(Portable),
}

impl Vectors {
    /// Those that this processor has, best first; the last are the portable ones.
    pub(crate) fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            found.extend(Avx512::find().map(Self::Avx512));
            found.extend(Avx2::find().map(Self::Avx2));
        }
        #[cfg(target_arch = "aarch64")]
        found.extend([Self::Neon(Neon)]);
        found.extend([Self::Portable(Portable)]);
        found
    }

    /// Runs a task on them.
    pub(crate) fn run(self, task: impl Task) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(s) => s.run(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(s) => s.run(task),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(s) => s.run(task),
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
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => Neon::WIDTH_MAX,
            Self::Portable(_) => Portable::WIDTH_MAX,
        }
    }

    /// The name of what results depend on: kinds that round alike have the same name.
    pub(crate) fn rounding(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) | Self::Avx2(_) => "fma",
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => "fma",
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
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => "neon",
            Self::Portable(_) => "portable",
        })
    }
}
