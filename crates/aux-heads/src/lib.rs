//! Auxiliary heads: what a network may learn beside policy and value without playing by it.
//!
//! [`Head`] has one table (`head.rs`): name, layer, output, where the target comes from, and the
//! key of its weight. Everything else asks the table. A new head of a known [`HeadOutput`] is
//!
//! 1. a variant and a row of the table, and a key of [`HeadsSection`];
//! 2. its target, which the table names by [`TargetSource`]:
//!    - a column of its own is a [`TargetColumn`]: a field of `dz_shard::AuxTargets`, a column of
//!      row files, and its numbers for a batch (`trainer/src/heads.rs`). The compiler names all
//!      places;
//!    - a target made of other targets is a line of `whole` in `burn-net/src/train/losses.rs`.

mod head;
mod per_head;
mod section;

pub use head::{HORIZONS, Head, HeadOutput, TargetColumn, TargetSource, Unit};
pub use per_head::PerHead;
pub use section::HeadsSection;
