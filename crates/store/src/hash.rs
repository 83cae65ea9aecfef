//! Hashes of files.

use std::io::{self, Read};
use std::path::Path;

use crate::ways::open_to_read;

/// Length and BLAKE3 hash of a file.
pub(crate) fn hash_file(path: &Path) -> io::Result<(u64, blake3::Hash)> {
    let mut file = open_to_read(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, hasher.finalize())),
            n => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
        }
    }
}
