//! The operating system's lock on a run: one driver, one process a stage.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::process;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::clock;
use crate::error::{Result, StoreError};
use crate::layout::lock_path;
use crate::ways::{Writes, open_to_read, there};
use crate::{Run, Stage};

/// How long a restart waits for a dying holder.
pub const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How often it tries meanwhile.
const LOCK_RETRY: Duration = Duration::from_millis(50);

/// A held lock. It is released when it is dropped or its process dies. The file stays.
#[derive(Debug)]
pub struct RunLock {
    file: File,
    stage: Stage,
    /// Taken while the file is changed.
    changing: Mutex<()>,
}

impl Drop for RunLock {
    /// Unlocks by name. Closing alone would leave the lock with a child process that another thread
    /// has forked and that has not called exec yet: it holds a copy of the open file.
    fn drop(&mut self) {
        // The next process that asks must not find this one in the file.
        let _ = self.file.set_len(0);
        // Where unlocking fails, closing the file is all that is left.
        let _ = self.file.unlock();
    }
}

impl RunLock {
    /// Takes the lock of `stage`, waiting at most [`LOCK_WAIT`] for a dying holder.
    pub fn acquire(run: &Run, stage: Stage) -> Result<Self> {
        Self::acquire_within(run, stage, LOCK_WAIT)
    }

    /// Takes the lock of `stage`, waiting at most `wait`; then [`StoreError::InUse`].
    pub fn acquire_within(run: &Run, stage: Stage, wait: Duration) -> Result<Self> {
        let path = lock_path(stage);
        let io = |e| StoreError::io(&path, e);
        let mut file = run.open_to_write(&path, Writes::Over)?;
        keep_from_readers(&file);
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if begun.elapsed() < wait => {
                    thread::sleep(LOCK_RETRY);
                }
                Err(TryLockError::WouldBlock) => return Err(in_use(path, &mut file)),
                Err(TryLockError::Error(e)) => return Err(io(e)),
            }
        }
        let holder = Holder {
            process_id: process::id(),
            host: clock::host(),
            time_unix_ms: clock::unix_ms(),
            role: stage,
            paused: None,
            progress: None,
        };
        let text = serde_json::to_string(&holder)
            .map_err(|e| StoreError::Invalid { what: format!("lock holder: {e}") })?;
        file.set_len(0).map_err(io)?;
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        file.write_all(text.as_bytes()).map_err(io)?;
        Ok(Self { file, stage, changing: Mutex::new(()) })
    }

    /// Who holds the lock of `stage` now, for `status`; `None` where nobody does.
    pub fn holder(run: &Run, stage: Stage) -> Option<Holder> {
        let path = run.root().join(lock_path(stage));
        let mut file = match open_to_read(&path) {
            Ok(file) => file,
            // The file is another user's, but whether it is locked can be seen all the same.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
                let meta = there(&path).ok()??;
                return unread_holder(&meta, stage);
            }
            Err(_) => return None,
        };
        // A shared lock is refused exactly while somebody holds the exclusive one.
        match file.try_lock_shared() {
            // A file that is just being changed may be read half old and half new.
            Err(TryLockError::WouldBlock) => (0..3).find_map(|_| read_holder(&mut file)),
            Ok(()) => {
                // As in `drop`: a child just forked must not keep it.
                let _ = file.unlock();
                None
            }
            Err(TryLockError::Error(_)) => None,
        }
    }

    /// Returns the holder as [`RunLock::holder`] does, without touching the lock: for programs that
    /// look often. Some kernels do not list locks. There, a killed holder counts as alive while
    /// another process has its process id.
    pub fn seen_holder(run: &Run, stage: Stage) -> Option<Holder> {
        let mut file = open_to_read(&run.root().join(lock_path(stage))).ok()?;
        living_holder(&mut file)
    }

    /// Notes in the lock, for `status`, that its holder waits, or with `None` that it goes on.
    pub fn note_pause(&self, paused: Option<Pause>) {
        self.change(|holder| holder.paused = paused);
    }

    /// Notes in the lock, for `status` and `watch`, where its holder stands in its turn, or with
    /// `None` that the turn is over.
    pub fn note_progress(&self, progress: Option<TurnProgress>) {
        self.change(|holder| holder.progress = progress);
    }

    /// The file is written in place and never becomes shorter, which takes no new block of a disk
    /// that is full. Where it cannot be written, nothing is noted.
    fn change(&self, change: impl FnOnce(&mut Holder)) {
        let _alone = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut holder) = read_holder(&mut &self.file) else { return };
        change(&mut holder);
        let Ok(mut text) = serde_json::to_vec(&holder) else { return };
        let length = self.file.metadata().map_or(0, |meta| meta.len() as usize);
        // Blanks after an object belong to no JSON value.
        text.resize(text.len().max(length), b' ');
        let _ = self.file.write_all_at(&text, 0);
    }

    /// The stage that this lock stands for.
    pub const fn stage(&self) -> Stage {
        self.stage
    }
}

/// Who holds a lock: the content of the lock file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id on `host`.
    pub process_id: u32,
    /// The machine's name.
    pub host: String,
    /// When it took the lock, milliseconds since 1970.
    pub time_unix_ms: u64,
    /// The stage that it runs as.
    pub role: Stage,
    /// What it waits for, if it waits for a disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Pause>,
    /// Where it stands in its turn, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<TurnProgress>,
}

/// Where a stage stands in its turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnProgress {
    /// The cycle.
    pub cycle: u32,
    /// How many of `total` are done.
    pub done: u64,
    /// How many there are in this turn.
    pub total: u64,
    /// Of what: `games`, `rows`, `steps`.
    pub unit: String,
    /// Milliseconds that the rest of the turn may take; none where nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// Rates and shares by name, such as `games/s`.
    #[serde(default)]
    pub rates: BTreeMap<String, f64>,
}

/// A process that waits for a disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Since when, milliseconds since 1970.
    pub since_unix_ms: u64,
    /// What it waits for, in words.
    pub reason: String,
}

impl Pause {
    /// A pause that begins now.
    pub fn now(reason: impl Into<String>) -> Self {
        Self { since_unix_ms: clock::unix_ms(), reason: reason.into() }
    }
}

/// Takes the right to read the file from everybody who may not write it, because a process that can
/// open the file can hold its lock.
fn keep_from_readers(file: &File) {
    let Ok(meta) = file.metadata() else { return };
    let mode = meta.mode() & 0o7777;
    // A bit for writing, moved to where the bit for reading is.
    let kept = mode & !(0o444 & !((mode & 0o222) << 1));
    if kept != mode {
        // Refused to all but the owner, who has done it when the file was made.
        let _ = file.set_permissions(Permissions::from_mode(kept));
    }
}

/// The process that holds a lock on a file, according to the kernel; `None` where the kernel has no
/// answer, as in some containers.
fn locking_process(meta: &Metadata) -> Option<u32> {
    let text = fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 1234 fd:01:5678 0 EOF`
    text.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, "FLOCK", _, "WRITE", process_id, place, ..] = words[..] else { return None };
        let inode = place.rsplit(':').next()?.parse::<u64>().ok()?;
        (inode == meta.ino()).then(|| process_id.parse().ok())?
    })
}

/// The holder of a lock that this user may not read.
fn unread_holder(meta: &Metadata, stage: Stage) -> Option<Holder> {
    let process_id = locking_process(meta)?;
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let time_unix_ms = since.as_millis() as u64;
    Some(Holder {
        process_id,
        host: clock::host(),
        time_unix_ms,
        role: stage,
        paused: None,
        progress: None,
    })
}

/// The holder of the lock according to its file, unless that names an earlier process.
fn living_holder(file: &mut File) -> Option<Holder> {
    // A file that is just being changed may be read half old and half new.
    let holder = (0..3).find_map(|_| read_holder(&mut *file))?;
    if holder.host != clock::host() {
        return Some(holder);
    }
    let locking = file.metadata().ok().and_then(|meta| locking_process(&meta));
    let is_it = match locking {
        Some(process_id) => process_id == holder.process_id,
        None => Path::new("/proc").join(holder.process_id.to_string()).exists(),
    };
    is_it.then_some(holder)
}

fn in_use(path: String, file: &mut File) -> StoreError {
    match living_holder(file) {
        Some(holder) => StoreError::InUse {
            path,
            holder: format!(
                "a {} (process {} on {}, since {})",
                holder.role,
                holder.process_id,
                holder.host,
                clock::utc(holder.time_unix_ms)
            ),
            process_id: holder.process_id,
        },
        None => StoreError::InUse { path, holder: "another process".to_owned(), process_id: 0 },
    }
}

fn read_holder(mut file: impl Read + Seek) -> Option<Holder> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
