//! Sizes that the kernels are built around.

/// Rows, columns and depth of what a card's matrix units multiply at a time.
pub(crate) const TILE: usize = 16;

/// Halves that a thread loads at a time, 16 bytes.
pub(crate) const RUN: usize = 8;

/// Groups of threads that a card is given to add something up: two or three for each of the 132
/// multiprocessors that H100 and H200 have. More would leave more to add up.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(crate) const GROUPS: usize = 264;

/// Factors of a tile.
pub(crate) const FACTORS: usize = TILE * TILE;
