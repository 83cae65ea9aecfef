//! What a convolution kernel does with its sums.

/// What a convolution's kernel does with its sums, one after another. Known when a kernel is
/// compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Finish {
    /// A shift is added to each output.
    pub(in crate::cuda) shifts: bool,
    /// Another tensor is added.
    pub(in crate::cuda) adds: bool,
    /// What is below 0 becomes 0.
    pub(in crate::cuda) rectifies: bool,
}
