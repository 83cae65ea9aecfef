//! How much memory the contents of a frame may take.

/// A bound on what a frame takes in memory beyond its decompressed bytes.
///
/// Columns of equal numbers take two bytes, however many there are, so neither the compressed nor
/// the decompressed length alone bounds their size in memory. Writers keep to the bound, too, so
/// every written file can be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Bytes that any frame may take.
    spare: u64,
    /// Bytes that it may take for each of its compressed bytes.
    per_byte: u64,
}

/// The bound for games. Real ones take 5 to 30 bytes for each of the file.
pub(crate) const ALIKE: Limit = Limit { spare: 32 << 20, per_byte: 64 };
/// The bound for the size of rows beside their planes. Real ones take 1 to 15 bytes for each of the
/// file.
pub(crate) const DENSE: Limit = Limit { spare: 32 << 20, per_byte: 32 };

impl Limit {
    /// The most bytes for a frame of so many compressed ones.
    pub(crate) fn bytes_max(self, compressed: usize) -> u64 {
        self.spare + self.per_byte * compressed as u64
    }
}
