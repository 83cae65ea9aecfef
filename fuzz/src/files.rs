//! Files with a magic number: shards and rows. They are refused, or read with bounded memory.

use std::io::Cursor;

use dz_shard::{RowReader, ShardReader};

/// Bytes that may be a shard or a row file.
pub fn shards(data: &[u8]) {
    if let Ok(mut reader) = ShardReader::new(Cursor::new(data)) {
        let _ = reader.verify();
        for index in 0..reader.footer().frames.len() {
            let _ = reader.frame(index);
        }
    }
    if let Ok(mut reader) = RowReader::new(Cursor::new(data)) {
        let _ = reader.verify();
        let _ = reader.blocks().flatten().count();
    }
}
