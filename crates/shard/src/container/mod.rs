//! The discipline that shards and row files share: header, compressed frames, footer.
//!
//! ```text
//! skippable frame   magic of the kind, format version, MessagePack map: the header
//! zstd frame        content checksum and size on: MessagePack map of columns      (any number)
//! skippable frame   MessagePack index, its BLAKE3, length of this frame, end magic: the footer
//! ```
//!
//! The `zstd` command skips the skippable frames and checks the others. The footer's own hash
//! covers the index; the index holds the hash of the header, of each frame and of all of them. So
//! a reader may trust the index without reading the file, every frame when it reads it, and every
//! flipped bit is found by whoever reads the part that it is in.

mod compress;
mod limit;
mod reader;
mod writer;

use serde::{Deserialize, Serialize};

pub(crate) use limit::{ALIKE, DENSE};
pub use reader::FrameReader;
pub use writer::FrameWriter;
pub(crate) use writer::PackedFrame;

/// Decompressed frames are never larger: a damaged or hostile length cannot exhaust memory.
pub const FRAME_BYTES_MAX: usize = 64 << 20;
/// Headers and footers are never larger, for the same reason: half a million frames.
pub const FOOTER_BYTES_MAX: u64 = 64 << 20;
/// The memory of a file's contents, frame after frame, is at most [`SPARE_BYTES`] plus so many
/// times the file's length. Games that are all alike come to some 500 times.
const UNPACKED_PER_BYTE: u64 = 1024;
/// What small files may take in memory in any case.
const SPARE_BYTES: u64 = 64 << 20;
/// The last bytes of every finished file.
pub const END_MAGIC: [u8; 8] = *b"DZFOOTER";
/// Header frames start with this number (little endian; zstd skips 0x184D2A50 to 0x184D2A5F).
pub(crate) const HEADER_FRAME: u32 = 0x184D_2A50;
/// Footer frames start with this number.
pub(crate) const FOOTER_FRAME: u32 = 0x184D_2A51;
/// Index hash, footer length and end magic.
pub(crate) const FOOTER_TAIL: usize = 32 + 8 + 8;
/// A skippable frame's own header: number and length.
pub(crate) const SKIPPABLE_HEAD: usize = 8;

/// A kind of file: what it starts with and what people call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// The header's first bytes.
    pub magic: [u8; 8],
    /// What messages call it.
    pub name: &'static str,
    /// The newest format version that is read, with all from 1 on; the one that is written.
    pub format: u32,
}

/// Where a frame is and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameEntry {
    /// Byte offset in the file.
    pub offset: u64,
    /// Compressed bytes.
    pub bytes: u32,
    /// Bytes after decompression, at most [`FRAME_BYTES_MAX`].
    pub raw_bytes: u32,
    /// Whole games in the frame (0 in row files).
    pub games: u32,
    /// Positions, that is recorded plies or rows.
    pub positions: u32,
    /// First 16 bytes of the BLAKE3 of the compressed frame.
    #[serde(with = "serde_bytes")]
    pub hash: [u8; 16],
}

/// The index at the end of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footer {
    /// Each frame, in order, without gaps.
    pub frames: Vec<FrameEntry>,
    /// Games in all frames.
    pub games: u64,
    /// Positions in all frames.
    pub positions: u64,
    /// BLAKE3 of the header frame.
    #[serde(with = "serde_bytes")]
    pub header_hash: [u8; 32],
    /// BLAKE3 of the header frame and all zstd frames: the identity of the contents.
    #[serde(with = "serde_bytes")]
    pub content_hash: [u8; 32],
}

impl Footer {
    /// The content hash as hexadecimal digits.
    pub fn content_hex(&self) -> String {
        blake3::Hash::from_bytes(self.content_hash).to_hex().to_string()
    }
}

/// The hash of one frame.
pub(crate) fn frame_hash(frame: &[u8]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(frame).as_bytes()[..16]);
    short
}
