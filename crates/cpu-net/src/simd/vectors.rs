//! The kinds of vectors, and which of them this processor has.

use std::fmt;

use super::lane::{Simd, Task};
#[cfg(target_arch = "aarch64")]
use super::neon::Neon;
use super::portable::{FUSED, Portable};
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Avx512};

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

    /// Returns a name for the rounding. Kinds that round alike have the same name.
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
