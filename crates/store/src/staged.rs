//! Large objects, written piece by piece and published at once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::ObjectRef;
use crate::error::{Result, StoreError};
use crate::run::hash_file;

/// A file that is being written beside its final place, as `<name>#<digits>`: the name that
/// `object_store` gives its own staged files and hides from listings. Dropped, it is removed.
#[derive(Debug)]
pub struct Staged {
    path: String,
    target: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Staged {
    pub(crate) fn create(path: &str, target: PathBuf) -> Result<Self> {
        let folder = target.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).map_err(|e| StoreError::io(path, e))?;
        let mut attempt = 0_u32;
        loop {
            let mut temporary = target.clone().into_os_string();
            temporary.push(format!("#{}{attempt:03}", process::id()));
            let temporary = PathBuf::from(temporary);
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    let file = BufWriter::with_capacity(1 << 16, file);
                    let hasher = blake3::Hasher::new();
                    return Ok(Self {
                        path: path.to_owned(),
                        target,
                        temporary,
                        file,
                        hasher,
                        bytes: 0,
                    });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => attempt += 1,
                Err(e) => return Err(StoreError::io(path, e)),
            }
        }
    }

    /// Path of the object to be, inside the run.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// BLAKE3 of the bytes written so far, 64 hex digits.
    pub fn blake3(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    /// Makes the file durable and then visible, whole, at its path: fsync, a hard link that fails
    /// where the path exists, fsync of the directory. Where the path holds equal bytes already that
    /// is success; other bytes are [`StoreError::Conflict`].
    pub fn publish(mut self) -> Result<ObjectRef> {
        let object =
            ObjectRef { path: self.path.clone(), bytes: self.bytes, blake3: self.blake3() };
        let io = |e| StoreError::io(&object.path, e);
        self.file.flush().map_err(io)?;
        self.file.get_ref().sync_all().map_err(io)?;
        match fs::hard_link(&self.temporary, &self.target) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                let (bytes, hash) = hash_file(&self.target).map_err(io)?;
                if bytes != object.bytes || hash != self.hasher.finalize() {
                    return Err(StoreError::Conflict { path: object.path });
                }
            }
            Err(e) => return Err(io(e)),
        }
        sync_folders(&self.target).map_err(io)?;
        Ok(object)
    }
}

impl Write for Staged {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        // Whoever writes through this sees the advice too, and the kind stays what it was.
        let n = self
            .file
            .write(buffer)
            .map_err(|e| io::Error::new(e.kind(), StoreError::io(&self.path, e)))?;
        self.hasher.update(&buffer[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // Published or not, the staged name has had its day; a leftover is swept later.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Makes the directory entry of `target` durable, and that of its folder, which may be new.
fn sync_folders(target: &Path) -> io::Result<()> {
    for folder in target.ancestors().skip(1).take(2) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_to_a_full_device_says_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let mut staged = Staged::create("shards/a", dir.path().join("shards/a")).unwrap();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        staged.file = BufWriter::with_capacity(1, full);
        let error = staged.write_all(b"more than one byte").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("free some space"), "{error}");
        // Wrapped once more it is still the same failure.
        assert!(matches!(StoreError::io("x", error), StoreError::NoSpace { .. }));
    }

    #[test]
    fn publishing_to_a_full_device_says_what_to_do_and_publishes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut staged = Staged::create("shards/a", dir.path().join("shards/a")).unwrap();
        staged.file = BufWriter::new(OpenOptions::new().write(true).open("/dev/full").unwrap());
        staged.write_all(b"held by the buffer until published").unwrap();
        let error = staged.publish().unwrap_err();
        assert!(matches!(error, StoreError::NoSpace { .. }), "{error}");
        assert_eq!(fs::read_dir(dir.path().join("shards")).unwrap().count(), 0);
    }
}
