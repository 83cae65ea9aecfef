//! Networks on the processor: our kernels for boards of 1 to some hundred points.
//!
//! [`Trunk`] trains the tower, [`CpuEvaluator`] runs a network file behind
//! [`dz_infer::NetworkEvaluator`]. [`dz_network_file`] specifies the computation. [`Reference`]
//! does the same in plain loops, and tests compare with it. Speed and design decisions:
//! `benchmarks/cpu-inference.md`.
//!
//! Activations are boards with a border of one zero point on each side, a point's channels one
//! after another in lanes of sixteen, filled up with zeros. 3x3 convolutions go through Winograd's
//! transforms to matrix products, a few boards together, so that everything between the stem and
//! the heads stays in the second-level cache.
//!
//! Vectors are AVX-512, AVX2 with FMA, or NEON, found when a network is loaded; elsewhere the
//! compiler vectorises plain arrays as well as it can. NEON is tested in an emulator only
//! (CONTRIBUTING.md), and its speed is not known.
//!
//! Letters: `B` batch, `C` channels, `H` rows, `W` columns, `G` globals, `A` policy length.

#![allow(clippy::inline_always, reason = "what is not inlined is not compiled for the vectors")]

mod blocks;
mod evaluator;
mod heads;
mod layer;
mod matrix;
mod pool;
mod random;
mod reference;
mod simd;
mod squeeze;
mod stem;
mod tower;
mod train;
mod transform;
mod winograd;

pub use evaluator::{CpuEvaluator, plane_shape};
pub use random::{network_spec_of, random_network, random_network_of, random_positions};
pub use reference::Reference;
pub use train::{Packed, Parameters, Tape, Trunk};
