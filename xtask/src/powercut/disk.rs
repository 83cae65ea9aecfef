//! What a disk holds while a run writes, and what of it a power cut may leave.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;

use super::log::Change;
use super::mode::Mode;
use crate::chaos::Random;

/// Bytes that reach the disk together or not at all.
const PAGE: usize = 4096;
/// How likely a change that was not synced is to have reached the disk; one of these for each file
/// and folder.
const KEPT_SHARES: [f64; 3] = [0.1, 0.5, 0.9];

/// Files and folders by path: folders have no content.
pub(super) type Tree = BTreeMap<String, Option<Vec<u8>>>;

/// A disk with a cache of changes before it.
#[derive(Debug)]
pub(super) struct Disk {
    files: Vec<File>,
    folders: Vec<Folder>,
    /// Files by the kernel's number, which is used again after a file is gone.
    inodes: BTreeMap<u64, usize>,
    /// Published files and their contents. Each has been synced, with its name.
    acknowledged: BTreeMap<String, Vec<u8>>,
    /// Published files that were removed.
    removed: BTreeSet<String>,
    /// Names that were given to files under another name first, by that one.
    linked: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
struct File {
    /// What programs see.
    now: Vec<u8>,
    /// What the disk holds.
    durable: Vec<u8>,
    /// Changes since the last sync.
    pending: Vec<FileChange>,
}

#[derive(Debug)]
enum FileChange {
    Write(usize, Vec<u8>),
    SetLength(usize),
}

#[derive(Debug, Default)]
struct Folder {
    now: BTreeMap<String, Node>,
    durable: BTreeMap<String, Node>,
    pending: Vec<FolderChange>,
}

#[derive(Debug)]
enum FolderChange {
    Add(String, Node),
    Remove(String),
    /// Both or neither.
    Rename(String, String, Node),
}

#[derive(Clone, Copy, Debug)]
enum Node {
    File(usize),
    Folder(usize),
}

impl File {
    fn write(&mut self, offset: usize, bytes: Vec<u8>) {
        write(&mut self.now, offset, &bytes);
        self.pending.push(FileChange::Write(offset, bytes));
    }

    fn set_length(&mut self, length: usize) {
        self.now.resize(length, 0);
        self.pending.push(FileChange::SetLength(length));
    }

    fn sync(&mut self) {
        self.durable.clone_from(&self.now);
        self.pending.clear();
    }

    /// What is left of it.
    fn after_cut(&self, mode: Mode, random: &mut Random) -> Vec<u8> {
        let mut left = self.durable.clone();
        if mode != Mode::Pages || self.pending.is_empty() {
            return left;
        }
        let share = KEPT_SHARES[random.below(3) as usize];
        for change in &self.pending {
            match change {
                FileChange::SetLength(length) if random.share() < share => left.resize(*length, 0),
                FileChange::SetLength(_) => {}
                FileChange::Write(offset, bytes) => {
                    let mut at = 0;
                    while at < bytes.len() {
                        let end = bytes.len().min(at + PAGE - (offset + at) % PAGE);
                        if random.share() < share {
                            write(&mut left, offset + at, &bytes[at..end]);
                        }
                        at = end;
                    }
                }
            }
        }
        left
    }
}

fn write(content: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    let end = offset + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[offset..end].copy_from_slice(bytes);
}

impl Folder {
    fn change(&mut self, change: FolderChange) {
        apply(&mut self.now, &change);
        self.pending.push(change);
    }

    fn sync(&mut self) {
        self.durable.clone_from(&self.now);
        self.pending.clear();
    }

    /// What is left of its names.
    fn after_cut(&self, mode: Mode, random: &mut Random) -> BTreeMap<String, Node> {
        match mode {
            Mode::Strict => self.durable.clone(),
            Mode::Names => self.now.clone(),
            Mode::Pages => {
                let share = KEPT_SHARES[random.below(3) as usize];
                let mut left = self.durable.clone();
                let kept = self.pending.iter().filter(|_| random.share() < share);
                kept.for_each(|change| apply(&mut left, change));
                left
            }
        }
    }
}

fn apply(names: &mut BTreeMap<String, Node>, change: &FolderChange) {
    match change {
        FolderChange::Add(name, node) => drop(names.insert(name.clone(), *node)),
        FolderChange::Remove(name) => drop(names.remove(name)),
        FolderChange::Rename(from, to, node) => {
            names.remove(from);
            names.insert(to.clone(), *node);
        }
    }
}

impl Disk {
    /// An empty disk with the run's folder.
    pub(super) fn new() -> Self {
        Self {
            files: Vec::new(),
            folders: vec![Folder::default()],
            inodes: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            removed: BTreeSet::new(),
            linked: BTreeMap::new(),
        }
    }

    /// Makes the next change.
    ///
    /// # Errors
    /// If it is one of a file or folder that the log did not name before.
    pub(super) fn apply(&mut self, change: &Change) -> anyhow::Result<()> {
        match change {
            // The run's own folder is there already.
            Change::MakeFolder { path } if path.is_empty() => {}
            Change::MakeFolder { path } => {
                self.folders.push(Folder::default());
                let node = Node::Folder(self.folders.len() - 1);
                let (folder, name) = self.place(path)?;
                self.folders[folder].change(FolderChange::Add(name, node));
            }
            Change::Create { path, inode } => {
                self.files.push(File::default());
                let file = self.files.len() - 1;
                self.inodes.insert(*inode, file);
                let (folder, name) = self.place(path)?;
                self.folders[folder].change(FolderChange::Add(name, Node::File(file)));
            }
            Change::Write { inode, offset, bytes } => {
                self.file(*inode)?.write(*offset as usize, bytes.clone());
            }
            Change::SetLength { inode, length } => self.file(*inode)?.set_length(*length as usize),
            Change::SyncFile { inode } => self.file(*inode)?.sync(),
            Change::SyncFolder { path } => {
                let folder = self.folder(path)?;
                self.folders[folder].sync();
            }
            Change::Link { from, to } => {
                let node = self.node(from)?;
                let (folder, name) = self.place(to)?;
                self.folders[folder].change(FolderChange::Add(name, node));
                self.linked.insert(from.clone(), to.clone());
            }
            Change::Rename { from, to } => self.rename(from, to)?,
            Change::Remove { path } => {
                let (folder, name) = self.place(path)?;
                self.folders[folder].change(FolderChange::Remove(name));
                if self.acknowledged.remove(path).is_some() {
                    self.removed.insert(path.clone());
                }
                // The name that a file is written under goes once its own is durable.
                if let Some(published) = self.linked.remove(path)
                    && let Node::File(file) = self.node(&published)?
                {
                    self.acknowledged.insert(published, self.files[file].now.clone());
                }
            }
        }
        Ok(())
    }

    fn rename(&mut self, from: &str, to: &str) -> anyhow::Result<()> {
        let node = self.node(from)?;
        let ((old, name), (new, new_name)) = (self.place(from)?, self.place(to)?);
        self.acknowledged.retain(|path, _| path != from && !is_below(path, from));
        if old == new {
            self.folders[old].change(FolderChange::Rename(name, new_name, node));
        } else {
            self.folders[old].change(FolderChange::Remove(name));
            self.folders[new].change(FolderChange::Add(new_name, node));
        }
        Ok(())
    }

    /// Files that were published and not removed since.
    pub(super) fn acknowledged(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.acknowledged
    }

    /// Files that were published and removed since. They may come back: nobody waits until they are
    /// gone for good.
    pub(super) fn removed(&self) -> &BTreeSet<String> {
        &self.removed
    }

    /// What programs see.
    pub(super) fn now(&self) -> Tree {
        self.tree(&|folder| folder.now.clone(), &|file| file.now.clone())
    }

    /// What is left after a power cut at this moment.
    pub(super) fn after_cut(&self, mode: Mode, random: &mut Random) -> Tree {
        // Every file and folder has its own random outcome, one sample after the other.
        let random = std::cell::RefCell::new(random);
        self.tree(&|folder| folder.after_cut(mode, &mut random.borrow_mut()), &|file| {
            file.after_cut(mode, &mut random.borrow_mut())
        })
    }

    fn tree(
        &self,
        names: &dyn Fn(&Folder) -> BTreeMap<String, Node>,
        content: &dyn Fn(&File) -> Vec<u8>,
    ) -> Tree {
        let mut tree = Tree::new();
        let mut left = vec![(String::new(), 0)];
        while let Some((path, folder)) = left.pop() {
            for (name, node) in names(&self.folders[folder]) {
                let path = if path.is_empty() { name } else { format!("{path}/{name}") };
                let entry = match node {
                    Node::File(file) => Some(content(&self.files[file])),
                    Node::Folder(inner) => {
                        left.push((path.clone(), inner));
                        None
                    }
                };
                tree.insert(path, entry);
            }
        }
        tree
    }

    fn file(&mut self, inode: u64) -> anyhow::Result<&mut File> {
        let file = *self.inodes.get(&inode).context("a file that was not there before")?;
        Ok(&mut self.files[file])
    }

    /// The folder that a path is in, and its name there.
    fn place(&self, path: &str) -> anyhow::Result<(usize, String)> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.folder(folder)?, name.to_owned()))
    }

    fn folder(&self, path: &str) -> anyhow::Result<usize> {
        let mut folder = 0;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            match self.folders[folder].now.get(part) {
                Some(&Node::Folder(inner)) => folder = inner,
                _ => anyhow::bail!("the log names {path}, which is no folder"),
            }
        }
        Ok(folder)
    }

    fn node(&self, path: &str) -> anyhow::Result<Node> {
        let (folder, name) = self.place(path)?;
        let node = self.folders[folder].now.get(&name).copied();
        node.with_context(|| format!("the log names {path}, which is not there"))
    }
}

/// Whether `path` lies under the folder `of`.
fn is_below(path: &str, of: &str) -> bool {
    path.strip_prefix(of).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(changes: &[Change]) -> Disk {
        let mut disk = Disk::new();
        for change in changes {
            disk.apply(change).expect("a change of a known file");
        }
        disk
    }

    fn begun() -> Vec<Change> {
        let bytes = vec![7; 3 * PAGE];
        vec![
            Change::MakeFolder { path: "a".to_owned() },
            Change::SyncFolder { path: String::new() },
            Change::Create { path: "a/x#1".to_owned(), inode: 5 },
            Change::Write { inode: 5, offset: 0, bytes },
        ]
    }

    fn published() -> Vec<Change> {
        let from = "a/x#1".to_owned();
        let to = "a/x".to_owned();
        let more = [
            Change::SyncFile { inode: 5 },
            Change::Link { from: from.clone(), to },
            Change::SyncFolder { path: "a".to_owned() },
            Change::Remove { path: from },
        ];
        begun().into_iter().chain(more).collect()
    }

    #[test]
    fn what_was_not_synced_is_lost_by_mode() {
        let disk = disk(&begun());
        let cut = |mode, seed| disk.after_cut(mode, &mut Random::new(seed));
        assert_eq!(cut(Mode::Strict, 1), Tree::from([("a".to_owned(), None)]));
        assert_eq!(cut(Mode::Names, 1)["a/x#1"], Some(Vec::new()));
        let page_lost = (0..50).filter_map(|seed| cut(Mode::Pages, seed).remove("a/x#1").flatten());
        let holes = page_lost.filter(|content| content.contains(&0) && content.contains(&7));
        assert!(holes.count() > 3, "pages are lost one by one");
    }

    #[test]
    fn what_was_published_is_there_after_every_cut() {
        let disk = disk(&published());
        assert_eq!(disk.acknowledged().keys().collect::<Vec<_>>(), ["a/x"]);
        for seed in 0..50 {
            for mode in Mode::ALL {
                let tree = disk.after_cut(mode, &mut Random::new(seed));
                assert_eq!(tree["a/x"].as_ref(), disk.acknowledged().get("a/x"), "{mode:?} {seed}");
            }
        }
    }

    #[test]
    fn a_missing_sync_is_seen() {
        for missing in [4, 6] {
            let mut changes = published();
            changes.remove(missing);
            let disk = disk(&changes);
            let tree = disk.after_cut(Mode::Strict, &mut Random::new(1));
            let left = tree.get("a/x").cloned().flatten();
            assert_ne!(left.as_ref(), disk.acknowledged().get("a/x"), "without change {missing}");
        }
    }
}
