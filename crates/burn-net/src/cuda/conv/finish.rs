//! What a convolution kernel does with its sums.

/// What a convolution's kernel does with its sums, one after another. Known when a kernel is
/// compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches")]
pub(crate) struct Finish {
    /// A shift is added to each output.
    pub(in crate::cuda) shifts: bool,
    /// Another tensor is added.
    pub(in crate::cuda) adds: bool,
    /// What is below 0 becomes 0.
    pub(in crate::cuda) rectifies: bool,
    /// Moments of the outputs of each plane's points are written beside them.
    pub(in crate::cuda) moments: bool,
}

impl Finish {
    /// The sums as they are.
    pub(in crate::cuda) const NONE: Self =
        Self { shifts: false, adds: false, rectifies: false, moments: false };
}
