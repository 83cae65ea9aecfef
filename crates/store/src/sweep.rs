//! Removes what killed processes left behind. [`crate::belongs`] decides what may be removed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::belongs::{OwnName, is_cycle_folder, published_name};
use crate::error::{Result, StoreError};
use crate::foreign::entries;
use crate::hash::hash_file;
use crate::layout::{ASIDE, COMPARISON, CONFIG, EXPECTED, LOG, REPORT, SNAPSHOTS, folders_of};
use crate::ways::{kind_of, remove_own, there, way, way_to_folder};
use crate::{ObjectRef, Run, RunLock, RunState, Stage};

/// Records and snapshots are staged for milliseconds, by any stage; older ones are leftovers.
const STAGED_MAX: Duration = Duration::from_mins(1);
/// Files of one path that may be set aside.
const ASIDE_MAX: u32 = 10_000;

/// A file that a sweep tidies up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Swept {
    /// Path inside the run.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// What becomes of it.
    pub fate: Fate,
}

/// What becomes of a file that a killed process left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It was never published. It is removed.
    Unfinished,
    /// It is published, but no record names it. It is moved to `aside/`, under its own path.
    Unnamed,
    /// It was set aside, and a record names an equal file by now. It is removed.
    Copy,
}

/// What lies in the folders of stages beside the objects that records name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Files of the run's own processes, sorted.
    pub own: Vec<Swept>,
    /// Everything else, which is left alone: foreign files, links, folders with other names,
    /// sorted.
    pub foreign: Vec<String>,
}

impl Run {
    /// Tidies up after an earlier process of the lock's stage. Staged files are removed, and
    /// objects that `state` does not name are set aside. Holding the stage's lock proves that no
    /// living process is about to name them, without regard to the file's time. The driver's sweep
    /// removes staged records, snapshots and reports, which several processes write, once they are
    /// old. What the run's processes did not make is left alone.
    pub fn sweep(&self, lock: &RunLock, state: &RunState) -> Result<Leftovers> {
        let mut found = self.scan(lock.stage(), state)?;
        if lock.stage() == Stage::Driver {
            found = self.staged_by_several(state)?;
        }
        for swept in &found.own {
            match swept.fate {
                Fate::Unnamed => drop(self.move_to(&swept.path, &aside_path(&swept.path))?),
                Fate::Unfinished | Fate::Copy => {
                    let full = way(self.root(), &swept.path, false)?;
                    remove_own(&full).map_err(|e| StoreError::io(&swept.path, e))?;
                }
            }
        }
        Ok(found)
    }

    /// What a sweep of every stage would tidy up and leave alone. Where processes are alive, some
    /// of it is work in progress.
    pub fn leftovers(&self, state: &RunState) -> Result<Leftovers> {
        let mut all = Leftovers::default();
        for stage in Stage::WORKERS {
            let found = self.scan(stage, state)?;
            all.own.extend(found.own);
            all.foreign.extend(found.foreign);
        }
        all.own.sort_unstable();
        all.foreign.sort_unstable();
        Ok(all)
    }

    /// Moves a regular file of the run to a free path inside the run: `to`, or `to` with a number
    /// behind it. If a file with the same content exists there, it stands for both. Returns the
    /// path.
    ///
    /// # Errors
    /// [`StoreError::NotOurs`] if it is no regular file or a link is on the way; also errors of the
    /// operating system.
    pub fn move_to(&self, path: &str, to: &str) -> Result<String> {
        let from = way(self.root(), path, false)?;
        let io = |e| StoreError::io(path, e);
        match there(&from).map_err(io)? {
            None => return Err(StoreError::missing(path)),
            Some(meta) if !meta.is_file() => {
                return Err(StoreError::not_ours(path, kind_of(&meta)));
            }
            Some(_) => {}
        }
        for number in 1..ASIDE_MAX {
            let to = if number == 1 { to.to_owned() } else { format!("{to}.{number}") };
            let full = way(self.root(), &to, true)?;
            // A hard link comes first, since a rename would replace an existing file.
            match fs::hard_link(&from, &full) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    let is_file = there(&full).map_err(io)?.is_some_and(|meta| meta.is_file());
                    if !is_file || hash_file(&full).map_err(io)? != hash_file(&from).map_err(io)? {
                        continue;
                    }
                }
                Err(e) => return Err(io(e)),
            }
            fs::remove_file(&from).map_err(io)?;
            return Ok(to);
        }
        Err(StoreError::not_ours(to, format!("has {ASIDE_MAX} other versions beside it")))
    }

    fn scan(&self, stage: Stage, state: &RunState) -> Result<Leftovers> {
        let named: BTreeMap<&str, &ObjectRef> =
            state.objects().map(|o| (o.path.as_str(), o)).collect();
        let mut scan = Scan { root: self.root(), stage, state, named, found: Leftovers::default() };
        for folder in folders_of(stage) {
            scan.folder(folder)?;
            scan.aside(&aside_path(folder))?;
        }
        scan.found.own.sort_unstable();
        scan.found.foreign.sort_unstable();
        Ok(scan.found)
    }

    /// Old staged files of what several processes write.
    fn staged_by_several(&self, state: &RunState) -> Result<Leftovers> {
        let before = SystemTime::now().checked_sub(STAGED_MAX).unwrap_or(SystemTime::UNIX_EPOCH);
        let mut found = Leftovers::default();
        for folder in ["", LOG, SNAPSHOTS] {
            let io = |e| StoreError::io(if folder.is_empty() { "the run" } else { folder }, e);
            let full = way_to_folder(self.root(), folder, false)?;
            for entry in entries(&full).map_err(io)? {
                let name = entry.file_name();
                let Some(name) = name.to_str() else { continue };
                let path =
                    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
                let Some(published) = published_name(&path) else { continue };
                let is_own = [CONFIG, REPORT, COMPARISON, EXPECTED].contains(&published)
                    || OwnName::of(published).is_some_and(|own| own.is_reached(state));
                let Some(meta) = there(&entry.path()).map_err(io)? else { continue };
                if is_own && meta.is_file() && meta.modified().map_err(io)? < before {
                    found.own.push(Swept { path, bytes: meta.len(), fate: Fate::Unfinished });
                }
            }
        }
        Ok(found)
    }
}

/// Where a file is set aside.
fn aside_path(path: &str) -> String {
    format!("{ASIDE}/{path}")
}

/// What the folders of one stage contain.
struct Scan<'a> {
    root: &'a Path,
    stage: Stage,
    state: &'a RunState,
    named: BTreeMap<&'a str, &'a ObjectRef>,
    found: Leftovers,
}

impl Scan<'_> {
    fn folder(&mut self, folder: &str) -> Result<()> {
        let io = |e| StoreError::io(folder, e);
        match there(&self.root.join(folder)).map_err(io)? {
            Some(meta) if !meta.is_dir() => {
                self.found.foreign.push(folder.to_owned());
                return Ok(());
            }
            _ => {}
        }
        for entry in entries(&self.root.join(folder)).map_err(io)? {
            let name = entry.file_name();
            let path = format!("{folder}/{}", name.to_string_lossy());
            // Gone meanwhile, such as a staged file that was published.
            let Some(meta) = there(&entry.path()).map_err(io)? else { continue };
            if name.to_str().is_none() {
                self.found.foreign.push(path);
            } else if meta.is_dir() && is_cycle_folder(&path) {
                self.folder(&path)?;
            } else if meta.is_file() {
                self.file(path, meta.len());
            } else {
                self.found.foreign.push(path);
            }
        }
        Ok(())
    }

    fn file(&mut self, path: String, bytes: u64) {
        let fate = match published_name(&path) {
            Some(name) => self.is_own(name, true).then_some(Fate::Unfinished),
            None if self.named.contains_key(path.as_str()) => return,
            None => self.is_own(&path, false).then_some(Fate::Unnamed),
        };
        match fate {
            Some(fate) => self.found.own.push(Swept { path, bytes, fate }),
            None => self.found.foreign.push(path),
        }
    }

    /// Whether this stage makes such a path and, if `state` matters, has reached its cycle.
    fn is_own(&self, path: &str, reached: bool) -> bool {
        OwnName::of(path).is_some_and(|own| {
            let is_stages = matches!(own, OwnName::Object { stage, .. } if stage == self.stage);
            is_stages && (!reached || own.is_reached(self.state))
        })
    }

    /// Files that were set aside and that the run has made again.
    fn aside(&mut self, folder: &str) -> Result<()> {
        let io = |e| StoreError::io(folder, e);
        if !there(&self.root.join(folder)).map_err(io)?.is_some_and(|meta| meta.is_dir()) {
            return Ok(());
        }
        for entry in entries(&self.root.join(folder)).map_err(io)? {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let path = format!("{folder}/{name}");
            let Some(meta) = there(&entry.path()).map_err(io)? else { continue };
            if meta.is_dir() {
                self.aside(&path)?;
                continue;
            }
            let object = path.split_once('/').and_then(|(_, path)| self.named.get(path));
            let Some(object) = object.filter(|o| meta.is_file() && o.bytes == meta.len()) else {
                continue;
            };
            // Only while the run has its own.
            let own = there(&self.root.join(&object.path)).map_err(io)?;
            let is_there = own.is_some_and(|own| own.is_file() && own.len() == object.bytes);
            if is_there
                && hash_file(&entry.path()).map_err(io)?.1.to_hex().as_str() == object.blake3
            {
                self.found.own.push(Swept { path, bytes: meta.len(), fate: Fate::Copy });
            }
        }
        Ok(())
    }
}

/// All files below a folder, none where it is missing; links are not followed.
pub(crate) fn files_below(
    folder: &Path,
    files: &mut Vec<(std::path::PathBuf, fs::Metadata)>,
) -> io::Result<()> {
    let is_folder = there(folder)?.is_some_and(|meta| meta.is_dir());
    for entry in if is_folder { entries(folder)? } else { Vec::new() } {
        // Gone meanwhile, such as a staged file that was published.
        let Some(meta) = there(&entry.path())? else { continue };
        if meta.is_dir() {
            files_below(&entry.path(), files)?;
        } else {
            files.push((entry.path(), meta));
        }
    }
    Ok(())
}
