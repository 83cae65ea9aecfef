//! Writing a container.

use std::io::Write;

use serde::Serialize;

use super::{
    END_MAGIC, FOOTER_FRAME, FOOTER_TAIL, FileKind, Footer, FrameEntry, HEADER_FRAME,
    SKIPPABLE_HEAD, compress::compress, frame_hash,
};
use crate::{ShardError, columns::Columns};

/// Writes header, frames and footer in order. A file without [`FrameWriter::finish`] is no file.
#[derive(Debug)]
pub struct FrameWriter<W> {
    out: W,
    level: i32,
    offset: u64,
    hasher: blake3::Hasher,
    footer: Footer,
}

/// A compressed frame that has no place yet; made on any thread, written in order.
#[derive(Debug)]
pub(crate) struct PackedFrame {
    bytes: Vec<u8>,
    raw_bytes: usize,
    games: usize,
    positions: usize,
}

impl PackedFrame {
    /// Compresses `columns`, which hold `games` games with `positions` positions.
    pub(crate) fn new(
        columns: &Columns,
        level: i32,
        games: usize,
        positions: usize,
    ) -> Result<Self, ShardError> {
        let (bytes, raw_bytes) = compress(columns, level)?;
        Ok(Self { bytes, raw_bytes, games, positions })
    }

    /// Compressed bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl<W: Write> FrameWriter<W> {
    /// Writes the header. `level` is zstd's for the frames.
    ///
    /// # Errors
    /// [`ShardError::Io`].
    pub fn new(
        out: W,
        kind: FileKind,
        header: &impl Serialize,
        level: i32,
    ) -> Result<Self, ShardError> {
        let mut payload = kind.magic.to_vec();
        payload.extend(kind.format.to_le_bytes());
        rmp_serde::encode::write_named(&mut payload, header)
            .map_err(|error| ShardError::Shape { what: format!("the header: {error}") })?;
        let frame = skippable(HEADER_FRAME, &payload)?;
        let footer = Footer {
            frames: Vec::new(),
            games: 0,
            positions: 0,
            header_hash: *blake3::hash(&frame).as_bytes(),
            content_hash: [0; 32],
        };
        let mut writer = Self { out, level, offset: 0, hasher: blake3::Hasher::new(), footer };
        writer.put(&frame)?;
        Ok(writer)
    }

    /// zstd's level for the frames.
    pub(crate) fn level(&self) -> i32 {
        self.level
    }

    /// Games and positions written so far.
    pub fn totals(&self) -> (u64, u64) {
        (self.footer.games, self.footer.positions)
    }

    /// Writes the next frame.
    pub(crate) fn push(&mut self, frame: &PackedFrame) -> Result<(), ShardError> {
        self.footer.frames.push(FrameEntry {
            offset: self.offset,
            bytes: frame.bytes.len() as u32,
            raw_bytes: frame.raw_bytes as u32,
            games: frame.games as u32,
            positions: frame.positions as u32,
            hash: frame_hash(&frame.bytes),
        });
        self.footer.games += frame.games as u64;
        self.footer.positions += frame.positions as u64;
        self.put(&frame.bytes)
    }

    /// Writes the footer and returns the output, flushed but not synced to disk.
    ///
    /// # Errors
    /// [`ShardError::Io`].
    pub fn finish(mut self) -> Result<(W, Footer), ShardError> {
        self.footer.content_hash = *self.hasher.finalize().as_bytes();
        let mut payload = Vec::new();
        rmp_serde::encode::write_named(&mut payload, &self.footer)
            .map_err(|error| ShardError::Shape { what: format!("the footer: {error}") })?;
        let hash = blake3::hash(&payload);
        let length = (SKIPPABLE_HEAD + payload.len() + FOOTER_TAIL) as u64;
        payload.extend(hash.as_bytes());
        payload.extend(length.to_le_bytes());
        payload.extend(END_MAGIC);
        let frame = skippable(FOOTER_FRAME, &payload)?;
        self.put(&frame)?;
        self.out.flush().map_err(ShardError::io("flush the file"))?;
        Ok((self.out, self.footer))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), ShardError> {
        self.out.write_all(bytes).map_err(ShardError::io("write the file"))?;
        self.hasher.update(bytes);
        self.offset += bytes.len() as u64;
        Ok(())
    }
}

fn skippable(number: u32, payload: &[u8]) -> Result<Vec<u8>, ShardError> {
    let length = u32::try_from(payload.len())
        .map_err(|_| ShardError::Shape { what: "a header or footer above 4 GiB".to_owned() })?;
    let mut frame = Vec::with_capacity(SKIPPABLE_HEAD + payload.len());
    frame.extend(number.to_le_bytes());
    frame.extend(length.to_le_bytes());
    frame.extend(payload);
    Ok(frame)
}
