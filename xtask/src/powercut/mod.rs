//! Cuts the power of a run at random moments, resumes it from a state that a disk may hold then,
//! and compares.
//!
//! A preloaded library (`recorder.c`) records every change of a file that an undisturbed run makes,
//! in order, with contents. [`disk::Disk`] replays them up to a random change and leaves a state
//! that a disk may have after a power cut there. The run is resumed from that state and must end
//! with the bytes of the undisturbed one. `dagzero verify` must then exit with 0. Every file that
//! was published before the cut must be there after it, as it was.

mod disk;
mod log;
mod mode;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, mpsc},
    thread,
    time::Duration,
};

use anyhow::{Context, bail, ensure};

use crate::chaos::{Random, Run, differences, patient};
use disk::{Disk, Tree};
use log::Change;
pub use mode::Mode;

/// A run that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_mins(5);
/// Trees that wait for a worker.
const WAITING: usize = 2;

/// What is run, and how often its power is cut.
#[derive(Clone, Debug)]
pub struct PowerCut {
    /// The program.
    pub program: PathBuf,
    /// The preset.
    pub config: PathBuf,
    /// Overrides, `key=value`.
    pub set: Vec<String>,
    /// Folder for runs; must not exist or be empty.
    pub scratch: PathBuf,
    /// Seed of moments and luck.
    pub seed: u64,
    /// Runs that are resumed at once.
    pub jobs: usize,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Changes of files that the undisturbed run made.
    pub changes: usize,
    /// Runs that were resumed after a cut, by [`Mode::ALL`].
    pub resumed: [u64; 3],
    /// Of these, runs that had a record in their ledger.
    pub with_records: u64,
    /// Published files that were looked for after cuts.
    pub acknowledged: u64,
    /// Runs in which `verify` noted damaged metrics or working files, which are no fault.
    pub with_notes: u64,
    /// What was lost or differed; empty where nothing was.
    pub faults: Vec<String>,
}

/// A cut to resume from.
struct Cut {
    number: usize,
    name: String,
    tree: Tree,
    /// Published files that were removed before.
    removed: BTreeSet<String>,
}

impl PowerCut {
    /// Records a run, and resumes it after `cuts` cuts; `say` gets the progress.
    ///
    /// # Errors
    /// If the recorder cannot be built or the program cannot be run.
    pub fn run(&self, cuts: usize, say: impl Fn(&str) + Sync) -> anyhow::Result<Tally> {
        fs::create_dir_all(&self.scratch)?;
        let scratch = self.scratch.canonicalize()?;
        let whole = scratch.join("undisturbed");
        let changes = self.record(&whole, &scratch)?;
        let undisturbed = Run::read(&whole)?;
        say(&format!("undisturbed: {} changes of files", changes.len()));
        let tally = Mutex::new(Tally { changes: changes.len(), ..Tally::default() });
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        let receiver = Mutex::new(receiver);
        thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    loop {
                        let next = receiver.lock().expect("no worker panics").recv();
                        let Ok(cut) = next else { break };
                        self.resume(&cut, &scratch, &undisturbed, &tally);
                        if (cut.number + 1) % 100 == 0 {
                            say(&format!("{} cuts", cut.number + 1));
                        }
                    }
                });
            }
            let made = self.cut(&changes, cuts, &sender, &tally);
            drop(sender);
            made
        })?;
        Ok(tally.into_inner().expect("no worker panics"))
    }

    /// An undisturbed run under the recorder, and its recorded changes. The recorder must have seen
    /// all of them.
    fn record(&self, whole: &Path, scratch: &Path) -> anyhow::Result<Vec<Change>> {
        let source = scratch.join("recorder.c");
        let library = scratch.join("recorder.so");
        fs::write(&source, include_str!("recorder.c"))?;
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source);
        let status =
            compiler.status().context("a C compiler is needed (cc): install gcc or clang")?;
        ensure!(status.success(), "cc cannot build the recorder");
        let log = scratch.join("log");
        // Found by its path from the first change on.
        fs::create_dir_all(whole)?;
        let mut command = self.command(whole);
        command.env("LD_PRELOAD", &library).env("RECORD_FOLDER", whole).env("RECORD_LOG", &log);
        let output = command.output().with_context(|| self.program.display().to_string())?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "the undisturbed run ends with {}: {said}", output.status);
        let changes = log::read(&log, whole)?;
        let mut disk = Disk::new();
        changes.iter().try_for_each(|change| disk.apply(change))?;
        let there = on_disk(whole)?;
        let replayed = disk.now();
        let differ = |path: &&String| there.get(*path) != replayed.get(*path);
        if let Some(path) = there.keys().chain(replayed.keys()).find(differ) {
            bail!("the recorder missed a change of {path}");
        }
        Ok(changes)
    }

    /// Replays the changes and sends what is left at each cut.
    fn cut(
        &self,
        changes: &[Change],
        cuts: usize,
        sender: &mpsc::SyncSender<Cut>,
        tally: &Mutex<Tally>,
    ) -> anyhow::Result<()> {
        let mut random = Random::new(self.seed);
        let mut places: Vec<usize> =
            (0..cuts).map(|_| 1 + random.below(changes.len() as u64 - 1) as usize).collect();
        places.sort_unstable();
        let mut disk = Disk::new();
        let mut done = 0;
        for (number, place) in places.into_iter().enumerate() {
            changes[done..place].iter().try_for_each(|change| disk.apply(change))?;
            done = place;
            let mode = Mode::ALL[number % Mode::ALL.len()];
            let tree = disk.after_cut(mode, &mut random);
            let name = format!("cut {number} after change {place}, {mode:?}");
            let mut tally = tally.lock().expect("no worker panics");
            for (path, content) in disk.acknowledged() {
                tally.acknowledged += 1;
                if tree.get(path).and_then(Option::as_ref) != Some(content) {
                    tally.faults.push(format!("{name}: {path} was published and is lost"));
                }
            }
            tally.resumed[number % Mode::ALL.len()] += 1;
            let is_record = |path: &str| path.starts_with("log/") && is_json(path);
            tally.with_records += u64::from(tree.keys().any(|path| is_record(path)));
            drop(tally);
            let removed = disk.removed().clone();
            sender.send(Cut { number, name, tree, removed }).context("the workers have stopped")?;
        }
        Ok(())
    }

    /// Resumes a run from what a cut left, and compares what it ends with.
    fn resume(&self, cut: &Cut, scratch: &Path, undisturbed: &Run, tally: &Mutex<Tally>) {
        let dir = scratch.join(format!("cut-{}", cut.number));
        let found = self.try_resume(cut, &dir, undisturbed);
        let mut tally = tally.lock().expect("no worker panics");
        match found {
            Ok((faults, notes)) => {
                tally.with_notes += u64::from(notes);
                let faults = faults.into_iter().map(|what| format!("{}: {what}", cut.name));
                tally.faults.extend(faults);
            }
            Err(error) => tally.faults.push(format!("{}: {error:#}", cut.name)),
        }
    }

    /// What is wrong after a resume, and whether `verify` noted any file.
    fn try_resume(
        &self,
        cut: &Cut,
        dir: &Path,
        undisturbed: &Run,
    ) -> anyhow::Result<(Vec<String>, bool)> {
        write(&cut.tree, dir)?;
        let errors = dir.with_extension("errors");
        let mut command = self.command(dir);
        command.stdout(Stdio::null()).stderr(fs::File::create(&errors)?);
        let mut child = command.spawn().with_context(|| self.program.display().to_string())?;
        if !patient(&mut child, PATIENCE)? {
            let said = fs::read_to_string(&errors)?;
            let said: Vec<&str> = said.lines().rev().take(3).collect();
            return Ok((vec![format!("the run does not go on: {}", said.join(" | "))], false));
        }
        let mut ended = Run::read(dir)?;
        ended
            .files
            .retain(|path, _| !cut.removed.contains(path) || undisturbed.files.contains_key(path));
        let mut found = differences(undisturbed, &ended);
        for (path, content) in cut.tree.iter().filter(|(path, _)| path.starts_with("log/")) {
            let is_record = is_json(path);
            if is_record && fs::read(dir.join(path)).ok().as_ref() != content.as_ref() {
                found.push(format!("{path} is not as it was after the cut"));
            }
        }
        let verified = Command::new(&self.program).arg("verify").arg(dir).output()?;
        let said = String::from_utf8_lossy(&verified.stdout).into_owned();
        if !verified.status.success() {
            found.push(format!("verify: {said}"));
        }
        if found.is_empty() {
            fs::remove_dir_all(dir)?;
            fs::remove_file(errors)?;
        }
        let notes = said.lines().any(|line| line.starts_with("note "));
        Ok((found, notes))
    }

    fn command(&self, dir: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("run").arg(&self.config).arg("--dir").arg(dir);
        for pair in &self.set {
            command.args(["--set", pair]);
        }
        command.env_remove("DAGZERO_FAULTS").env_remove("RUST_LOG").stdin(Stdio::null());
        command
    }
}

/// Writes files and folders to `dir`.
fn write(tree: &Tree, dir: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(dir)?;
    for (path, content) in tree {
        let path = dir.join(path);
        match content {
            None => fs::create_dir_all(path)?,
            Some(content) => fs::write(path, content)?,
        }
    }
    Ok(())
}

/// Files and folders of `dir`.
fn on_disk(dir: &Path) -> anyhow::Result<Tree> {
    let mut tree = Tree::new();
    let mut left = vec![dir.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.strip_prefix(dir)?.display().to_string();
            if path.is_dir() {
                tree.insert(name, None);
                left.push(path);
            } else {
                tree.insert(name, Some(fs::read(&path)?));
            }
        }
    }
    Ok(tree)
}

/// Whether a path has the ending of a record.
fn is_json(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "json")
}
