//! Reading a container.

use std::io::{Read, Seek, SeekFrom};

use serde::de::DeserializeOwned;

use super::{
    END_MAGIC, FOOTER_BYTES_MAX, FOOTER_FRAME, FOOTER_TAIL, FRAME_BYTES_MAX, FileKind, Footer,
    HEADER_FRAME, SKIPPABLE_HEAD, SPARE_BYTES, UNPACKED_PER_BYTE, compress::decompress, frame_hash,
};
use crate::ShardError;

/// Compressed bytes of a frame at most: noise of [`FRAME_BYTES_MAX`] bytes becomes longer by less
/// than this.
const PACKED_BYTES_MAX: usize = FRAME_BYTES_MAX + FRAME_BYTES_MAX / 64;

/// Reads a finished container; the frames in any order.
#[derive(Debug)]
pub struct FrameReader<R> {
    input: R,
    footer: Footer,
    header_bytes: u64,
    /// The file's length.
    length: u64,
    /// What each frame has taken in memory, those that were read.
    unpacked: Vec<u64>,
    /// Their sum.
    unpacked_total: u64,
}

impl<R: Read + Seek> FrameReader<R> {
    /// Reads and checks header and footer.
    ///
    /// # Errors
    /// [`ShardError::NotThisKind`], [`ShardError::Format`], [`ShardError::NoFooter`] or
    /// [`ShardError::Damaged`].
    pub fn open<H: DeserializeOwned>(
        mut input: R,
        kind: FileKind,
    ) -> Result<(Self, H), ShardError> {
        let length = input.seek(SeekFrom::End(0)).map_err(ShardError::io("read the file"))?;
        check_kind(&mut input, length, kind)?;
        let (footer, footer_at) = read_footer(&mut input, length)?;
        let header_end = footer.frames.first().map_or(footer_at, |frame| frame.offset);
        check_tiling(&footer, footer_at)?;
        let payload = read_header(&mut input, header_end, &footer)?;
        let header = rmp_serde::from_slice(&payload[kind.magic.len() + 4..])
            .map_err(|error| ShardError::damaged(format!("the header: {error}")))?;
        let unpacked = vec![0; footer.frames.len()];
        Ok((
            Self { input, footer, header_bytes: header_end, length, unpacked, unpacked_total: 0 },
            header,
        ))
    }

    /// The index.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    /// Reads, checks and decompresses frame `index`.
    ///
    /// # Errors
    /// [`ShardError::Damaged`] if its bytes are not the ones that were written.
    pub fn frame(&mut self, index: usize) -> Result<Vec<u8>, ShardError> {
        let entry = &self.footer.frames[index];
        let bytes = read_at(&mut self.input, entry.offset, entry.bytes as usize)?;
        if frame_hash(&bytes) != entry.hash {
            return Err(ShardError::damaged(format!("frame {index} has another hash")));
        }
        decompress(&bytes, entry.raw_bytes as usize)
    }

    /// Compressed bytes of frame `index`.
    pub(crate) fn compressed_bytes(&self, index: usize) -> usize {
        self.footer.frames[index].bytes as usize
    }

    /// Refuses files whose frames take more memory, one after the other, than the file's length
    /// allows, so that the time to read them is bounded, too. Frame `index` takes `bytes`.
    pub(crate) fn spend(&mut self, index: usize, bytes: u64) -> Result<(), ShardError> {
        self.unpacked_total -= std::mem::replace(&mut self.unpacked[index], bytes);
        self.unpacked_total += bytes;
        let sum = self.unpacked_total;
        let most = SPARE_BYTES + UNPACKED_PER_BYTE * self.length;
        if sum > most {
            return Err(ShardError::damaged(format!(
                "its contents take {sum} bytes or more, the most for its length is {most}"
            )));
        }
        Ok(())
    }

    /// Reads everything once and compares all hashes.
    ///
    /// # Errors
    /// [`ShardError::Damaged`].
    pub fn verify(&mut self) -> Result<(), ShardError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&read_at(&mut self.input, 0, self.header_bytes as usize)?);
        for (index, entry) in self.footer.frames.iter().enumerate() {
            let bytes = read_at(&mut self.input, entry.offset, entry.bytes as usize)?;
            if frame_hash(&bytes) != entry.hash {
                return Err(ShardError::damaged(format!("frame {index} has another hash")));
            }
            hasher.update(&bytes);
        }
        if hasher.finalize().as_bytes() != &self.footer.content_hash {
            return Err(ShardError::damaged(
                "the contents have another hash than the footer states",
            ));
        }
        Ok(())
    }
}

/// Refuses files that start like something else before anything is said about their end.
fn check_kind(
    input: &mut (impl Read + Seek),
    length: u64,
    kind: FileKind,
) -> Result<(), ShardError> {
    let head_bytes = SKIPPABLE_HEAD + kind.magic.len() + 4;
    if length < head_bytes as u64 {
        return Err(ShardError::no_footer(format!("{length} bytes in all")));
    }
    let head = read_at(input, 0, head_bytes)?;
    if head[..4] != HEADER_FRAME.to_le_bytes() || head[8..16] != kind.magic {
        return Err(ShardError::NotThisKind { kind: kind.name });
    }
    let found = u32_at(&head, 16);
    if !(1..=kind.format).contains(&found) {
        return Err(ShardError::Format { kind: kind.name, found, known: kind.format });
    }
    Ok(())
}

/// The footer and the offset at which it starts.
fn read_footer(input: &mut (impl Read + Seek), length: u64) -> Result<(Footer, u64), ShardError> {
    let tail = read_at(input, length - 16, 16)?;
    if tail[8..] != END_MAGIC {
        return Err(ShardError::no_footer("the last bytes are not a footer's"));
    }
    let mut footer_bytes = [0; 8];
    footer_bytes.copy_from_slice(&tail[..8]);
    let footer_bytes = u64::from_le_bytes(footer_bytes);
    let least = (SKIPPABLE_HEAD + FOOTER_TAIL) as u64;
    if footer_bytes < least || footer_bytes > length.min(FOOTER_BYTES_MAX) {
        return Err(ShardError::no_footer(format!("a footer of {footer_bytes} bytes")));
    }
    let footer_at = length - footer_bytes;
    let frame = read_at(input, footer_at, footer_bytes as usize)?;
    let inner = (footer_bytes as usize - SKIPPABLE_HEAD) as u32;
    if frame[..4] != FOOTER_FRAME.to_le_bytes() || u32_at(&frame, 4) != inner {
        return Err(ShardError::no_footer("no footer frame where it should start"));
    }
    let (index, hash) = frame[SKIPPABLE_HEAD..frame.len() - 16].split_at(inner as usize - 48);
    if blake3::hash(index).as_bytes() != hash {
        return Err(ShardError::damaged("the footer has another hash"));
    }
    let footer = rmp_serde::from_slice(index)
        .map_err(|error| ShardError::damaged(format!("the footer: {error}")))?;
    Ok((footer, footer_at))
}

/// Frames must follow each other without gaps from the header to the footer.
fn check_tiling(footer: &Footer, footer_at: u64) -> Result<(), ShardError> {
    let mut games = 0;
    let mut positions = 0;
    let mut next = footer.frames.first().map_or(footer_at, |frame| frame.offset);
    for frame in &footer.frames {
        if frame.offset != next {
            return Err(ShardError::damaged("frames do not follow each other"));
        }
        if frame.bytes as usize > PACKED_BYTES_MAX {
            return Err(ShardError::damaged("a frame is longer than any is written"));
        }
        next = next.saturating_add(u64::from(frame.bytes));
        games += u64::from(frame.games);
        positions += u64::from(frame.positions);
    }
    if next != footer_at || (games, positions) != (footer.games, footer.positions) {
        return Err(ShardError::damaged("the footer does not describe the file that it ends"));
    }
    Ok(())
}

/// The header's payload, which must fill the file up to the first frame.
fn read_header(
    input: &mut (impl Read + Seek),
    header_end: u64,
    footer: &Footer,
) -> Result<Vec<u8>, ShardError> {
    if header_end > FOOTER_BYTES_MAX {
        return Err(ShardError::damaged("the header is too long"));
    }
    let frame = read_at(input, 0, header_end as usize)?;
    let fits = frame.len() >= 20 && u32_at(&frame, 4) as usize == frame.len() - SKIPPABLE_HEAD;
    if !fits || blake3::hash(&frame).as_bytes() != &footer.header_hash {
        return Err(ShardError::damaged("the header has another hash"));
    }
    Ok(frame[SKIPPABLE_HEAD..].to_vec())
}

fn read_at(
    input: &mut (impl Read + Seek),
    offset: u64,
    bytes: usize,
) -> Result<Vec<u8>, ShardError> {
    let mut buffer = vec![0; bytes];
    input.seek(SeekFrom::Start(offset)).map_err(ShardError::io("read the file"))?;
    input.read_exact(&mut buffer).map_err(ShardError::io("read the file"))?;
    Ok(buffer)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}
