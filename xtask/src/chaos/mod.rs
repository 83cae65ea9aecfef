//! Kills a run again and again, lets it resume, and compares the result.
//!
//! First once at every named point of a publication that the undisturbed run reaches
//! (`crates/store/src/faults.rs` lists them), then at random moments. Some kills hit the whole run,
//! like a power cut, some only one stage. When the run has ended, every published byte, and the
//! ledger apart from times, must equal those of an undisturbed run. In asynchronous mode bytes
//! depend on timing. There every record that a kill left must still exist at the end, and each
//! cycle must have its games, its candidate and its verdict exactly once.

mod compare;
mod random;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use compare::broken_promises;
pub(crate) use compare::{Run, differences};
pub(crate) use random::Random;

/// The variable that names points; `dz_store::FAULTS_ENV`.
const FAULTS: &str = "DAGZERO_FAULTS";
/// A run that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_mins(5);
/// Starts without a kill or an end, after which the harness gives up.
const FRUITLESS_MAX: u32 = 6;
/// Of the kills at points every so many hits one stage alone; its driver starts it again after a
/// pause.
const STAGE_ALONE_EVERY: usize = 12;

/// Overrides of `tictactoe-smoke.toml` for tests: two cycles that take a second.
pub const SMALL: [&str; 8] = [
    "run.cycles=2",
    "bootstrap.games=32",
    "bootstrap.playouts=16",
    "selfplay.games=32",
    "window.rows_min=100",
    "gate.games=4",
    "rating.games=2",
    "rating.playouts=8",
];

/// What is run, and how often it is killed.
#[derive(Clone, Debug)]
pub struct Chaos {
    /// The program.
    pub program: PathBuf,
    /// The preset.
    pub config: PathBuf,
    /// Overrides, `key=value`.
    pub set: Vec<String>,
    /// Whether the stages work side by side.
    pub asynchronous: bool,
    /// Folder for runs; must not exist or be empty.
    pub scratch: PathBuf,
    /// Seed of the random moments.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Named points of the undisturbed run, and how many of them a process was killed at.
    pub points: usize,
    /// Points at which it was killed.
    pub killed_at_points: usize,
    /// Kills at random moments.
    pub killed_at_random: u64,
    /// Of all kills, those that hit one stage and not its driver.
    pub stage_alone: u64,
    /// Runs that ended in spite of it; each was compared.
    pub runs: u64,
    /// What differed; empty where nothing did.
    pub differences: Vec<String>,
}

impl Chaos {
    /// One kill at every named point, then random ones until there are `kills` in all; `say` gets
    /// the progress.
    ///
    /// # Errors
    /// If the program cannot be run, or a run does not go on after a kill.
    pub fn run(&self, kills: u64, mut say: impl FnMut(&str)) -> anyhow::Result<Tally> {
        fs::create_dir_all(&self.scratch)?;
        let trace = self.scratch.join("points");
        let begun = Instant::now();
        let whole = self.scratch.join("undisturbed");
        let status = self.start(&whole, &format!("trace={}", trace.display()))?.wait()?;
        ensure!(status.success(), "the undisturbed run ends with {status}");
        let length = begun.elapsed();
        let whole = Run::read(&whole)?;
        let points = points(&fs::read_to_string(&trace).context("the points that were passed")?);
        say(&format!(
            "undisturbed: {} files, {:.1} s, {} named points",
            whole.files.len(),
            length.as_secs_f64(),
            points.len()
        ));
        let mut tally = Tally { points: points.len(), ..Tally::default() };
        self.at_points(&points, &whole, &mut tally, &mut say)?;
        let random = kills.saturating_sub(tally.killed_at_points as u64);
        self.at_random(random, length, &whole, &mut tally, &mut say)?;
        Ok(tally)
    }

    /// One kill at each point; as many runs as that takes.
    fn at_points(
        &self,
        points: &BTreeSet<String>,
        whole: &Run,
        tally: &mut Tally,
        say: &mut impl FnMut(&str),
    ) -> anyhow::Result<()> {
        let fuse = |point: &str| self.scratch.join(format!("fuse-{point}"));
        let rule = |(place, point): (usize, &String)| {
            let kill = if place.is_multiple_of(STAGE_ALONE_EVERY) { "kill" } else { "kill-run" };
            format!("{kill} {point}:* once={}", fuse(point).display())
        };
        let rules: Vec<String> = points.iter().enumerate().map(rule).collect();
        let left = || points.iter().filter(|point| !fuse(point).exists()).count();
        for number in 0.. {
            let before = left();
            if before == 0 {
                break;
            }
            let dir = self.scratch.join(format!("points-{number}"));
            let starts = self.to_the_end(&dir, &rules.join(";"), left)?;
            self.compare(&dir, whole, tally)?;
            let killed = before - left();
            say(&format!(
                "run {number}: killed at {killed} points in {starts} starts, {} left",
                left()
            ));
            if killed == 0 {
                let open: Vec<_> = points.iter().filter(|point| !fuse(point).exists()).collect();
                bail!("no run passes these points a second time: {open:?}");
            }
        }
        tally.killed_at_points = points.len() - left();
        tally.stage_alone += points.len().div_ceil(STAGE_ALONE_EVERY) as u64;
        Ok(())
    }

    /// Starts a run until it ends well; answers how often. `left` falls with every kill.
    fn to_the_end(
        &self,
        dir: &Path,
        faults: &str,
        left: impl Fn() -> usize,
    ) -> anyhow::Result<u32> {
        let mut fruitless = 0;
        for start in 1.. {
            let before = left();
            let mut child = self.start(dir, faults)?;
            if patient(&mut child, PATIENCE)? {
                return Ok(start);
            }
            self.keep_records(dir)?;
            fruitless = if left() < before { 0 } else { fruitless + 1 };
            ensure!(fruitless < FRUITLESS_MAX, "{} does not go on", dir.display());
        }
        unreachable!("the loop has no end")
    }

    /// Kills at random moments of the time that a run takes.
    fn at_random(
        &self,
        kills: u64,
        length: Duration,
        whole: &Run,
        tally: &mut Tally,
        say: &mut impl FnMut(&str),
    ) -> anyhow::Result<()> {
        let mut random = Random::new(self.seed);
        let mut number = 0;
        while tally.killed_at_random < kills {
            number += 1;
            let dir = self.scratch.join(format!("random-{number}"));
            loop {
                let child = &mut self.start(&dir, "")?;
                if tally.killed_at_random == kills {
                    ensure!(patient(child, PATIENCE)?, "{} does not go on", dir.display());
                    break;
                }
                thread::sleep(length.mul_f64(random.share()));
                if let Some(status) = child.try_wait()? {
                    ensure!(status.success(), "{} ends with {status}", dir.display());
                    break;
                }
                // Half of the kills hit the driver, an eighth each of the stages.
                let stage = ["selfplay", "shuffler", "trainer", "gatekeeper"]
                    .get(random.below(8) as usize)
                    .and_then(|stage| stage_of(&dir, stage, child.id()));
                tally.killed_at_random += 1;
                tally.stage_alone += u64::from(stage.is_some());
                if let Some(stage) = stage {
                    kill(stage)?;
                    // The driver starts it again, or gives up after some; then this harness does.
                    if patient(child, PATIENCE)? {
                        break;
                    }
                } else {
                    child.kill()?;
                    child.wait()?;
                }
                self.keep_records(&dir)?;
            }
            self.compare(&dir, whole, tally)?;
            if number % 10 == 0 {
                say(&format!("{} random kills, {} runs", tally.killed_at_random, tally.runs));
            }
        }
        Ok(())
    }

    fn start(&self, dir: &Path, faults: &str) -> anyhow::Result<Child> {
        let mut command = Command::new(&self.program);
        command.arg("run").arg(&self.config).arg("--dir").arg(dir);
        for pair in &self.set {
            command.args(["--set", pair]);
        }
        if self.asynchronous {
            command.args(["--set", "run.mode=asynchronous"]);
        }
        command.env(FAULTS, faults).env_remove("RUST_LOG");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().with_context(|| format!("cannot start {}", self.program.display()))
    }

    /// Where the ledger's records of a run are kept as they were after a kill.
    fn kept(dir: &Path) -> PathBuf {
        dir.with_extension("kept")
    }

    /// Keeps the records that are there after a kill, to be compared with those at the end.
    fn keep_records(&self, dir: &Path) -> anyhow::Result<()> {
        let log = dir.join("log");
        if !self.asynchronous || !log.exists() {
            return Ok(());
        }
        let kept = Self::kept(dir);
        fs::create_dir_all(&kept)?;
        for record in fs::read_dir(log)? {
            let record = record?;
            let to = kept.join(record.file_name());
            // The first copy is the one that the end is held against.
            if record.path().extension().is_some_and(|kind| kind == "json") && !to.exists() {
                fs::copy(record.path(), to)?;
            }
        }
        Ok(())
    }

    /// Compares a run that ended with the undisturbed one, has it verified, and removes it if it is
    /// good.
    fn compare(&self, dir: &Path, whole: &Run, tally: &mut Tally) -> anyhow::Result<()> {
        tally.runs += 1;
        let name = dir.display();
        let mut found = if self.asynchronous {
            broken_promises(whole, &Run::read(dir)?, dir, &Self::kept(dir))?
        } else {
            differences(whole, &Run::read(dir)?)
        };
        let verified = Command::new(&self.program).arg("verify").arg(dir).output()?;
        if !verified.status.success() {
            found.push(format!("verify: {}", String::from_utf8_lossy(&verified.stdout)));
        }
        if found.is_empty() {
            fs::remove_dir_all(dir)?;
            let kept = Self::kept(dir);
            if kept.exists() {
                fs::remove_dir_all(kept)?;
            }
        }
        tally.differences.extend(found.into_iter().map(|what| format!("{name}: {what}")));
        Ok(())
    }
}

/// Waits for a driver, not longer than `patience`; whether it ended well.
pub(crate) fn patient(child: &mut Child, patience: Duration) -> anyhow::Result<bool> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if begun.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            bail!("a run did not end within {patience:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Class and moment of every point that a trace names.
fn points(trace: &str) -> BTreeSet<String> {
    trace
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(point, _)| point.to_owned())
        .collect()
}

/// The process that holds a stage's lock, if it is a child of `driver`: nobody else's is killed.
fn stage_of(dir: &Path, stage: &str, driver: u32) -> Option<u32> {
    let holder = fs::read_to_string(dir.join(format!("lock-{stage}"))).ok()?;
    let holder: serde_json::Value = serde_json::from_str(&holder).ok()?;
    let process = u32::try_from(holder["process_id"].as_u64()?).ok()?;
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    (parent.trim().parse() == Ok(driver)).then_some(process)
}

fn kill(process: u32) -> anyhow::Result<()> {
    // It may have ended by itself a moment ago.
    Command::new("kill").args(["-KILL", &process.to_string()]).stderr(Stdio::null()).status()?;
    Ok(())
}
