//! One zstd frame from columns, and back.

use std::io::Write;

use zstd::{stream::write::Encoder, zstd_safe};

use super::FRAME_BYTES_MAX;
use crate::{ShardError, columns::Columns};

/// Columns shorter than this share a block: a block of its own costs a header and an entropy table.
const BLOCK_BYTES_MIN: usize = 512;

/// Compresses columns into one zstd frame and returns it with its raw length.
///
/// The stream is flushed where a long column (or byte plane) ends, which ends a zstd block. Blocks
/// have entropy tables of their own, so a column of noise does not spoil the table of its
/// neighbour; any zstd decoder reads the result.
pub(super) fn compress(columns: &Columns, level: i32) -> Result<(Vec<u8>, usize), ShardError> {
    let (bytes, cuts) = columns.to_bytes()?;
    if bytes.len() > FRAME_BYTES_MAX {
        return Err(ShardError::Shape {
            what: format!("a frame of {} bytes, more than {FRAME_BYTES_MAX}", bytes.len()),
        });
    }
    let run = || -> std::io::Result<Vec<u8>> {
        let mut encoder = Encoder::new(Vec::with_capacity(bytes.len() / 2), level)?;
        encoder.include_checksum(true)?;
        encoder.include_contentsize(true)?;
        encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
        let mut start = 0;
        for &cut in &cuts {
            if cut - start >= BLOCK_BYTES_MIN && bytes.len() - cut >= BLOCK_BYTES_MIN {
                encoder.write_all(&bytes[start..cut])?;
                encoder.flush()?;
                start = cut;
            }
        }
        encoder.write_all(&bytes[start..])?;
        encoder.finish()
    };
    let frame = run().map_err(ShardError::io("compress a frame"))?;
    Ok((frame, bytes.len()))
}

/// Decompresses one frame that must have exactly `raw_bytes` bytes.
pub(super) fn decompress(frame: &[u8], raw_bytes: usize) -> Result<Vec<u8>, ShardError> {
    let declared = zstd_safe::get_frame_content_size(frame).ok().flatten();
    if raw_bytes > FRAME_BYTES_MAX || declared != Some(raw_bytes as u64) {
        return Err(ShardError::damaged(format!(
            "a frame declares {declared:?} bytes, its index {raw_bytes}, the most is {FRAME_BYTES_MAX}"
        )));
    }
    let bytes = zstd::bulk::decompress(frame, raw_bytes)
        .map_err(|error| ShardError::damaged(format!("zstd: {error}")))?;
    if bytes.len() != raw_bytes {
        return Err(ShardError::damaged("a frame is shorter than its index states"));
    }
    Ok(bytes)
}
