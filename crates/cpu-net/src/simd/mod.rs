//! Sixteen numbers at a time, on whatever vectors the processor has. The only module with `unsafe`.
//!
//! A value of [`x86::Avx512`] or [`x86::Avx2`] exists only after its instructions were found, so
//! their methods are safe to call. Work is written once, as a [`Task`] over any [`Simd`], and is
//! compiled for each kind of vectors; functions that a task calls have to be `#[inline(always)]` to
//! be compiled with it.
//!
//! AVX-512, AVX2 and NEON round alike, operation by operation: all have fused multiply-add and all
//! see sixteen independent numbers. So their bits are equal. The portable kind multiplies and adds
//! in two roundings where the target has no fused operation.
#![allow(unsafe_code, reason = "vector instructions; each block says what makes it sound")]

mod lane;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod vectors;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use lane::{LANE, Lane, Simd, Task, lanes_of, numbers_of};
pub(crate) use vectors::Vectors;
