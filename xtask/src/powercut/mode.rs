//! What a power cut leaves.

/// What a power cut leaves of what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    Strict,
    /// Each page of 4 kB and each name, or not, at random.
    Pages,
    /// Names of files, but no content: files are there, and empty.
    Names,
}

impl Mode {
    /// All of them; cuts take them in turn.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Pages, Self::Names];
}
