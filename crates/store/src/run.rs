//! A run: one directory, with synchronous access to its files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt};

use crate::block::wait;
use crate::error::{Result, StoreError};
use crate::faults::Faults;
use crate::layout;
use crate::staged::{Staged, sync_folders};
use crate::{ObjectRef, Stage};

/// An open run directory. Cheap to clone; holds no lock (see [`crate::RunLock`]).
///
/// Objects are create-only and written durably (fsync of file and directory). Paths are relative to
/// the run, with `/` between parts.
#[derive(Clone, Debug)]
pub struct Run {
    root: PathBuf,
    store: Arc<LocalFileSystem>,
    faults: Faults,
}

impl Run {
    /// Makes the run directory `dir` with its folders and keeps `config_toml` as its configuration.
    /// The same call again is success; other configuration text is [`StoreError::Conflict`], a ledger without a
    /// configuration [`StoreError::NotFound`].
    pub fn create(dir: impl AsRef<Path>, config_toml: &str) -> Result<Self> {
        let dir = dir.as_ref();
        Self::check_config_not_lost(dir)?;
        for folder in layout::FOLDERS {
            let path = dir.join(folder);
            fs::create_dir_all(&path).map_err(|e| StoreError::io(path.display().to_string(), e))?;
        }
        let run = Self::at(dir)?;
        // The configuration comes last: it marks the directory as a run.
        run.put_create(layout::CONFIG, config_toml.as_bytes())?;
        sync_folders(run.root(), 1).map_err(|e| StoreError::io(dir.display().to_string(), e))?;
        Ok(run)
    }

    /// Opens the run at `dir`; [`StoreError::NoRun`] where none is, [`StoreError::NotFound`] where a run has lost its
    /// configuration.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        let dir = dir.as_ref();
        Self::check_config_not_lost(dir)?;
        if !Self::exists(dir) {
            if let Err(source) = fs::metadata(dir.join(layout::CONFIG))
                && source.kind() == io::ErrorKind::PermissionDenied
            {
                return Err(StoreError::io(dir.display().to_string(), source));
            }
            return Err(StoreError::NoRun { path: dir.display().to_string() });
        }
        Self::at(dir)
    }

    /// A configuration is there before the first entry of the ledger.
    fn check_config_not_lost(dir: &Path) -> Result<()> {
        let has_entries = || {
            fs::read_dir(dir.join(layout::LOG)).is_ok_and(|mut entries| entries.next().is_some())
        };
        if !Self::exists(dir) && has_entries() {
            return Err(StoreError::missing(dir.join(layout::CONFIG).display().to_string()));
        }
        Ok(())
    }

    /// Whether `dir` holds a run.
    pub fn exists(dir: impl AsRef<Path>) -> bool {
        dir.as_ref().join(layout::CONFIG).is_file()
    }

    /// The run's directory, absolute.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The run's name: the last part of its directory.
    pub fn name(&self) -> String {
        self.root.file_name().map_or_else(|| "run".into(), |n| n.to_string_lossy().into_owned())
    }

    /// The configuration's text.
    pub fn config_toml(&self) -> Result<String> {
        let bytes = self.read(layout::CONFIG)?;
        String::from_utf8(bytes.into())
            .map_err(|_| StoreError::damaged(layout::CONFIG, "it is not UTF-8 text"))
    }

    /// The same run with faults of its own, for tests; otherwise those of the environment hold.
    #[must_use]
    pub fn with_faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// Publishes `content` at `path`. Where the path holds the same bytes already that is success;
    /// other bytes are [`StoreError::Conflict`].
    pub fn put_create(&self, path: &str, content: &[u8]) -> Result<ObjectRef> {
        self.put_create_as(class(path), path, content)
    }

    /// As [`Self::put_create`], under another name for faults.
    pub(crate) fn put_create_as(
        &self,
        class: &str,
        path: &str,
        content: &[u8],
    ) -> Result<ObjectRef> {
        location(path)?;
        let mut staged = Staged::create(path, self.root.join(path), &self.faults, class)?;
        staged.write_whole(content)?;
        staged.publish()
    }

    /// Replaces `path` atomically. Only for files that are no objects: the configuration, reports.
    pub fn replace(&self, path: &str, content: &[u8]) -> Result<()> {
        location(path)?;
        let mut staged = Staged::create(path, self.root.join(path), &self.faults, class(path))?;
        staged.write_whole(content)?;
        staged.replace()
    }

    /// Begins an object that is written piece by piece; nobody sees it before [`Staged::publish`].
    pub fn create_file(&self, path: &str) -> Result<Staged> {
        location(path)?;
        Staged::create(path, self.root.join(path), &self.faults, class(path))
    }

    /// The whole object, after its length and hash are checked.
    pub fn get(&self, object: &ObjectRef) -> Result<Bytes> {
        let content = self.read(&object.path)?;
        check(object, content.len() as u64, &blake3::hash(&content))?;
        Ok(content)
    }

    /// Checks length and hash of an object of any size, in constant memory.
    pub fn verify(&self, object: &ObjectRef) -> Result<()> {
        let path = self.local_path(object);
        let (bytes, hash) = hash_file(&path).map_err(|e| StoreError::io(&object.path, e))?;
        check(object, bytes, &hash)
    }

    /// Bytes `range` of an object. Its length is checked, its hash is not: for formats with
    /// checksums of their own.
    pub fn get_range(&self, object: &ObjectRef, range: Range<u64>) -> Result<Bytes> {
        let location = location(&object.path)?;
        let meta =
            wait(self.store.head(&location)).map_err(|e| StoreError::object(&object.path, &e))?;
        if meta.size != object.bytes {
            return Err(wrong_length(object, meta.size));
        }
        if range.start > range.end || range.end > object.bytes {
            return Err(StoreError::Invalid {
                what: format!("bytes {range:?} asked of {}, which has {}", object, object.bytes),
            });
        }
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        wait(self.store.get_range(&location, range))
            .map_err(|e| StoreError::object(&object.path, &e))
    }

    /// The content of a file that no [`ObjectRef`] names; nothing is checked.
    pub fn read(&self, path: &str) -> Result<Bytes> {
        let location = location(path)?;
        let result = wait(async { self.store.get(&location).await?.bytes().await });
        result.map_err(|e| StoreError::object(path, &e))
    }

    /// Paths of all published files under the folder `prefix`, sorted. Staged files are not listed.
    pub fn list(&self, prefix: &str) -> Result<Vec<String>> {
        let location = location(prefix)?;
        let found: Vec<_> = wait(self.store.list(Some(&location)).try_collect())
            .map_err(|e| StoreError::object(prefix, &e))?;
        let mut paths: Vec<String> = found.into_iter().map(|m| m.location.to_string()).collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// Removes a file; success where it is gone already. For a stage's own expired objects.
    pub fn delete(&self, path: &str) -> Result<()> {
        match wait(self.store.delete(&location(path)?)) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(StoreError::object(path, &error)),
        }
    }

    /// Where the object lies on this machine, for readers that seek or map it.
    pub fn local_path(&self, object: &ObjectRef) -> PathBuf {
        self.root.join(&object.path)
    }

    /// The folder `work/<stage>`, made if needed: what the stage keeps for itself between turns.
    pub fn work_dir(&self, stage: Stage) -> Result<PathBuf> {
        let relative = layout::work_path(stage);
        let path = self.root.join(&relative);
        fs::create_dir_all(&path).map_err(|e| StoreError::io(relative, e))?;
        Ok(path)
    }

    fn at(dir: &Path) -> Result<Self> {
        let shown = dir.display().to_string();
        let root = dir.canonicalize().map_err(|e| StoreError::io(&shown, e))?;
        let store = LocalFileSystem::new_with_prefix(&root)
            .map_err(|e| StoreError::object(&shown, &e))?
            .with_fsync(true);
        let faults = Faults::of_environment().map_err(|e| StoreError::io(&shown, e))?;
        Ok(Self { root, store: Arc::new(store), faults })
    }
}

/// Length and BLAKE3 hash of a file.
pub(crate) fn hash_file(path: &Path) -> io::Result<(u64, blake3::Hash)> {
    let mut file = File::open(path)?;
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

/// What faults call a file: its folder, or its name without an ending.
fn class(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap_or(path)
}

fn location(path: &str) -> Result<ObjectPath> {
    // `parse` refuses empty parts, `.` and `..`; a staged name would be hidden from listings.
    let parsed = ObjectPath::parse(path);
    match parsed {
        Ok(location) if location.as_ref() == path && !path.is_empty() && !path.contains('#') => {
            Ok(location)
        }
        _ => Err(StoreError::Invalid { what: format!("{path:?} is no path inside a run") }),
    }
}

fn check(object: &ObjectRef, bytes: u64, hash: &blake3::Hash) -> Result<()> {
    if bytes != object.bytes {
        return Err(wrong_length(object, bytes));
    }
    let hash = hash.to_hex();
    if hash.as_str() != object.blake3 {
        let what = format!("its BLAKE3 hash is {hash}, the ledger says {}", object.blake3);
        return Err(StoreError::damaged(&object.path, what));
    }
    Ok(())
}

fn wrong_length(object: &ObjectRef, bytes: u64) -> StoreError {
    let what = format!("it has {bytes} bytes, the ledger says {}", object.bytes);
    StoreError::damaged(&object.path, what)
}
