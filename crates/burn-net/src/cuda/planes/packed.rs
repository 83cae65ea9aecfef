//! How planes lie in bits.

/// How planes lie in the bits of positions. Known when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Packed {
    /// H * W
    pub(super) area: usize,
    /// C
    pub(super) channels: usize,
    /// From one position to the next.
    pub(super) bits: usize,
}
