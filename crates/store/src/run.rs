//! A run: one directory, with synchronous access to its files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use object_store::ObjectStoreExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;

use crate::belongs::OwnName;
use crate::block::wait;
use crate::error::{Result, StoreError};
use crate::faults::Faults;
use crate::hash::hash_file;
use crate::layout;
use crate::staged::{Staged, sync_folders};
use crate::ways::{Writes, kind_of, open_own, open_to_read, remove_own, there, way, way_to_folder};
use crate::{ObjectRef, Stage, foreign};

/// Longest file that is read whole without a record that states its length: records, configuration,
/// snapshots.
const READ_BYTES_MAX: u64 = 256 << 20;

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
    /// The same call again is success; other configuration text is [`StoreError::Conflict`], a
    /// ledger without a configuration [`StoreError::NotFound`], and a directory with other files in
    /// the places of a run's files is [`StoreError::Occupied`].
    pub fn create(dir: impl AsRef<Path>, config_toml: &str) -> Result<Self> {
        let dir = dir.as_ref();
        Self::check_config_not_lost(dir)?;
        if !Self::exists(dir)
            && let Some(found) = foreign::in_the_way(dir)?
            // Another process may have made the run meanwhile.
            && !Self::exists(dir)
        {
            return Err(StoreError::Occupied { dir: dir.display().to_string(), found });
        }
        fs::create_dir_all(dir).map_err(|e| StoreError::io(dir.display().to_string(), e))?;
        let run = Self::at(dir)?;
        for folder in layout::FOLDERS {
            way_to_folder(run.root(), folder, true)?;
        }
        // The configuration comes last: it marks the directory as a run.
        run.put_create(layout::CONFIG, config_toml.as_bytes())?;
        sync_folders(run.root(), 1).map_err(|e| StoreError::io(dir.display().to_string(), e))?;
        Ok(run)
    }

    /// Opens the run at `dir`; [`StoreError::NoRun`] where none is, [`StoreError::NotFound`] where
    /// a run has lost its configuration.
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
        if !Self::exists(dir) && foreign::has_records(dir) {
            return Err(StoreError::missing(dir.join(layout::CONFIG).display().to_string()));
        }
        Ok(())
    }

    /// Whether `dir` holds a run.
    pub fn exists(dir: impl AsRef<Path>) -> bool {
        dir.as_ref().join(layout::CONFIG).is_file()
    }

    /// Whether the run has a ledger, or at least the folders that it was made with: a configuration
    /// alone may be anybody's.
    pub fn has_ledger_or_folders(&self) -> bool {
        let mut folders = layout::PUBLISHED.into_iter().chain([layout::LOG]);
        foreign::has_records(&self.root) || folders.all(|folder| self.root.join(folder).is_dir())
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
        let mut staged = Staged::create(path, &self.root, &self.faults, class)?;
        staged.write_whole(content)?;
        staged.publish()
    }

    /// Replaces `path` atomically. Only for files that are no objects: the configuration, reports.
    /// A link or a folder in its place is [`StoreError::NotOurs`].
    pub fn replace(&self, path: &str, content: &[u8]) -> Result<()> {
        location(path)?;
        let mut staged = Staged::create(path, &self.root, &self.faults, class(path))?;
        staged.write_whole(content)?;
        staged.replace()
    }

    /// Begins an object that is written piece by piece; nobody sees it before [`Staged::publish`].
    pub fn create_file(&self, path: &str) -> Result<Staged> {
        location(path)?;
        Staged::create(path, &self.root, &self.faults, class(path))
    }

    /// Opens a file of the run for writing, which is no object: logs, metrics, working files.
    /// Missing folders are made.
    ///
    /// # Errors
    /// [`StoreError::NotOurs`] for a link on the way or in its place, and for anything that is no
    /// regular file.
    pub fn open_to_write(&self, path: &str, writes: Writes) -> Result<File> {
        location(path)?;
        let full = way(&self.root, path, true)?;
        open_own(&full, writes).map_err(|e| StoreError::io(path, e))
    }

    /// The whole object, after its length and hash are checked.
    pub fn get(&self, object: &ObjectRef) -> Result<Bytes> {
        let io = |e| StoreError::io(&object.path, e);
        let file = open_to_read(&self.local_path(object)).map_err(io)?;
        let bytes = file.metadata().map_err(io)?.len();
        // Before memory is taken: a sparse file may be of any length.
        if bytes != object.bytes {
            return Err(wrong_length(object, bytes));
        }
        let content = read_up_to(file, bytes).map_err(io)?;
        check(object, content.len() as u64, &blake3::hash(&content))?;
        Ok(content.into())
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
        open_to_read(&self.local_path(object)).map_err(|e| StoreError::io(&object.path, e))?;
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

    /// The content of a regular file that no [`ObjectRef`] names; nothing but its kind and length
    /// is checked.
    pub fn read(&self, path: &str) -> Result<Bytes> {
        location(path)?;
        let io = |e| StoreError::io(path, e);
        let file = open_to_read(&self.root.join(path)).map_err(io)?;
        if file.metadata().map_err(io)?.len() > READ_BYTES_MAX {
            let what = format!("it is longer than the {READ_BYTES_MAX} bytes that such a file has");
            return Err(StoreError::damaged(path, what));
        }
        Ok(read_up_to(file, READ_BYTES_MAX).map_err(io)?.into())
    }

    /// Paths of all published files under the folder `prefix`, sorted. Staged files are not listed,
    /// nor is anything that is no file of the run: links, pipes, names that are not UTF-8.
    pub fn list(&self, prefix: &str) -> Result<Vec<String>> {
        location(prefix)?;
        foreign::files_of(&self.root, prefix)
    }

    /// Removes a file that a record names, or a snapshot; success if it is gone already. Anything
    /// but a regular file at a path of the run is left alone, and the answer is false.
    ///
    /// # Errors
    /// What the operating system reports, and [`StoreError::NotOurs`] for a link on the way.
    pub fn delete(&self, path: &str) -> Result<bool> {
        location(path)?;
        if OwnName::of(path).is_none() {
            return Ok(false);
        }
        let full = way(&self.root, path, false)?;
        remove_own(&full).map_err(|e| StoreError::io(path, e))
    }

    /// Where the object lies on this machine, for readers that seek or map it.
    pub fn local_path(&self, object: &ObjectRef) -> PathBuf {
        self.root.join(&object.path)
    }

    /// The folder `work/<stage>`, made if needed: what the stage keeps for itself between turns.
    pub fn work_dir(&self, stage: Stage) -> Result<PathBuf> {
        way_to_folder(&self.root, &layout::work_path(stage), true)
    }

    /// Looks at every place where processes of the run write, before they do, and makes folders
    /// that are missing: empty ones do not travel through archives, git and object stores.
    ///
    /// # Errors
    /// [`StoreError::NotOurs`] for a link or anything else in the place of a folder or file of the
    /// run.
    pub fn check_places(&self) -> Result<()> {
        for folder in layout::FOLDERS {
            way_to_folder(&self.root, folder, true)?;
        }
        let stages = || [Stage::Driver].into_iter().chain(Stage::WORKERS);
        let rare = [layout::ASIDE, layout::QUARANTINE].map(str::to_owned);
        for folder in stages().map(layout::work_path).chain(rare) {
            way_to_folder(&self.root, &folder, false)?;
        }
        let fixed = [layout::CONFIG, layout::REPORT, layout::EXPECTED].map(str::to_owned);
        let of_stage = |stage| {
            [layout::lock_path(stage), layout::stage_log_path(stage), layout::metrics_path(stage)]
        };
        for file in fixed.into_iter().chain(stages().flat_map(of_stage)) {
            let meta = there(&self.root.join(&file)).map_err(|e| StoreError::io(&file, e))?;
            if let Some(meta) = meta.filter(|meta| !meta.is_file()) {
                return Err(StoreError::not_ours(file, kind_of(&meta)));
            }
        }
        Ok(())
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

/// What a file holds, up to so many bytes.
fn read_up_to(file: File, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(bytes_max).read_to_end(&mut content)?;
    Ok(content)
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
        let what = format!("its BLAKE3 hash is {hash}, the ledger states {}", object.blake3);
        return Err(StoreError::damaged(&object.path, what));
    }
    Ok(())
}

fn wrong_length(object: &ObjectRef, bytes: u64) -> StoreError {
    let what = format!("it has {bytes} bytes, the ledger states {}", object.bytes);
    StoreError::damaged(&object.path, what)
}
