//! Large objects, written piece by piece and published at once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::ObjectRef;
use crate::error::{Result, StoreError};
use crate::faults::{Faults, Moment};
use crate::hash::hash_file;
use crate::ways::{kind_of, rename_own, there, way};

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
    points: Points,
}

/// The points of one publication at which faults may happen.
#[derive(Debug)]
struct Points {
    faults: Faults,
    class: String,
    path: String,
}

impl Points {
    fn pass(&self, moment: Moment) -> io::Result<()> {
        self.faults.pass(&self.class, moment, &self.path)
    }
}

impl Staged {
    /// Begins the file that will be `path` inside the run at `root`. `class` is what faults call
    /// it.
    pub(crate) fn create(path: &str, root: &Path, faults: &Faults, class: &str) -> Result<Self> {
        let points =
            Points { faults: faults.clone(), class: class.to_owned(), path: path.to_owned() };
        points.pass(Moment::Create).map_err(|e| StoreError::io(path, e))?;
        let target = way(root, path, true)?;
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
                        points,
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
        self.make_durable().map_err(io)?;
        self.points.pass(Moment::Name).map_err(io)?;
        match fs::hard_link(&self.temporary, &self.target) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                let meta = there(&self.target).map_err(io)?;
                if let Some(meta) = meta.filter(|meta| !meta.is_file()) {
                    return Err(StoreError::not_ours(object.path, kind_of(&meta)));
                }
                let (bytes, hash) = hash_file(&self.target).map_err(io)?;
                if bytes != object.bytes || hash != self.hasher.finalize() {
                    return Err(StoreError::Conflict { path: object.path });
                }
            }
            Err(e) => return Err(StoreError::link(&object.path, e)),
        }
        self.name_durable().map_err(io)?;
        Ok(object)
    }

    /// Makes the file durable and replaces the file at its path. For files that are no objects.
    pub(crate) fn replace(mut self) -> Result<()> {
        let path = self.path.clone();
        let io = |e| StoreError::io(&path, e);
        self.make_durable().map_err(io)?;
        self.points.pass(Moment::Name).map_err(io)?;
        rename_own(&self.temporary, &self.target).map_err(io)?;
        self.name_durable().map_err(io)
    }

    /// Writes all of a short file.
    pub(crate) fn write_whole(&mut self, content: &[u8]) -> Result<()> {
        let (first, rest) = content.split_at(content.len() / 2);
        let written = self.write_all(first).and_then(|()| {
            // A kill at this point must leave half a file, so half of it must leave the buffer.
            if self.points.faults.are_set() {
                self.file.flush()?;
            }
            self.write_all(rest)
        });
        written.map_err(|e| StoreError::io(&self.path, e))
    }

    /// Makes what was written durable, unseen.
    ///
    /// # Errors
    /// What the operating system reports.
    pub fn sync(&mut self) -> Result<()> {
        self.make_durable().map_err(|e| StoreError::io(&self.path, e))
    }

    fn make_durable(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.points.pass(Moment::Sync)?;
        self.file.get_ref().sync_all()
    }

    fn name_durable(&self) -> io::Result<()> {
        self.points.pass(Moment::Folder)?;
        // As many folders as the path has: those that may be new.
        let folders = self.path.matches('/').count().max(1);
        sync_folders(&self.target, folders)?;
        self.points.pass(Moment::Done)
    }
}

impl Write for Staged {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let moment = if self.bytes == 0 { Moment::Write } else { Moment::Torn };
        // The caller sees the advice, and the kind of the error stays the same.
        let n = self
            .points
            .pass(moment)
            .and_then(|()| self.file.write(buffer))
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
        // The staged name is not needed any more. If it cannot be removed, a sweep does it later.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Makes the directory entry of `target` durable, and those of the folders above it, which may be
/// new.
pub(crate) fn sync_folders(target: &Path, folders: usize) -> io::Result<()> {
    for folder in target.ancestors().skip(1).take(folders) {
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
        let mut staged =
            Staged::create("shards/a", dir.path(), &Faults::default(), "shards").unwrap();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        staged.file = BufWriter::with_capacity(1, full);
        let error = staged.write_all(b"more than one byte").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("free some space"), "{error}");
        // An error that is wrapped once more is still the same failure.
        assert!(matches!(StoreError::io("x", error), StoreError::NoSpace { .. }));
    }

    #[test]
    fn publishing_to_a_full_device_says_what_to_do_and_publishes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut staged =
            Staged::create("shards/a", dir.path(), &Faults::default(), "shards").unwrap();
        staged.file = BufWriter::new(OpenOptions::new().write(true).open("/dev/full").unwrap());
        staged.write_all(b"held by the buffer until published").unwrap();
        let error = staged.publish().unwrap_err();
        assert!(matches!(error, StoreError::NoSpace { .. }), "{error}");
        assert_eq!(fs::read_dir(dir.path().join("shards")).unwrap().count(), 0);
    }
}
