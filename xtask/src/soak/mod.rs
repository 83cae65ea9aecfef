//! A long run of small cycles whose memory, open files and disk must stay flat.
//!
//! The run is started once and watched from outside: every few seconds each of its processes is
//! asked for its resident memory, open files and threads, and its folder for its bytes. After the
//! time given it is asked to stop. Growth between the second and the last quarter of the time is a
//! leak; the first quarter fills caches.

mod plot;
mod sample;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};

pub use sample::{Process, Sample};

/// What is watched, and for how long.
#[derive(Clone, Debug)]
pub struct Soak {
    /// The program.
    pub program: PathBuf,
    /// The preset.
    pub config: PathBuf,
    /// Overrides, `key=value`.
    pub set: Vec<String>,
    /// The run, and the folder of `soak.jsonl` and `soak.svg`; must not exist.
    pub folder: PathBuf,
    /// How long it runs.
    pub time: Duration,
    /// Time between two looks.
    pub every: Duration,
}

/// How much something may grow from the second quarter to the last and still be flat: allocators
/// keep pages.
const GROWTH_MAX: f64 = 1.1;
/// Bytes that a process may grow by all the same: its ledger's state has a few hundred bytes a
/// cycle.
const BYTES_FREE: f64 = 8e6;
/// Files that may be open for the moment of a look.
const FILES_FREE: f64 = 4.0;

/// One measure over the whole time.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Whose, and of what.
    pub name: String,
    /// Medians of the quarters.
    pub quarters: [f64; 4],
    /// Whether it is flat.
    pub flat: bool,
}

impl Soak {
    /// Lets the run live, and judges.
    ///
    /// # Errors
    /// If the program cannot be started or ends by itself, or the run's processes cannot be looked
    /// at.
    pub fn run(&self, mut say: impl FnMut(&str)) -> anyhow::Result<Vec<Measure>> {
        ensure!(!self.folder.exists(), "{} exists already", self.folder.display());
        fs::create_dir_all(&self.folder)?;
        let mut child = self.start()?;
        let samples = self.watch(&mut child, &mut say);
        // Whatever was seen: the run is not left behind.
        let stopped = stop(&mut child);
        let samples = samples?;
        let measures = judge(&samples);
        fs::write(self.folder.join("soak.svg"), plot::svg(&samples)?)?;
        if let Err(error) = stopped {
            say(&format!("{error:#}"));
        }
        Ok(measures)
    }

    fn start(&self) -> anyhow::Result<Child> {
        let mut command = Command::new(&self.program);
        command.arg("run").arg(&self.config).arg("--dir").arg(self.folder.join("run"));
        for pair in &self.set {
            command.args(["--set", pair]);
        }
        let log = fs::File::create(self.folder.join("run.log"))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        command.spawn().with_context(|| format!("cannot start {}", self.program.display()))
    }

    fn watch(&self, child: &mut Child, say: &mut impl FnMut(&str)) -> anyhow::Result<Vec<Sample>> {
        let begun = Instant::now();
        let mut file = fs::File::create(self.folder.join("soak.jsonl"))?;
        let mut samples = Vec::new();
        while begun.elapsed() < self.time {
            thread::sleep(self.every);
            if let Some(status) = child.try_wait()? {
                anyhow::bail!("the run ended by itself with {status}; see run.log");
            }
            let sample = Sample::take(&self.folder.join("run"), begun.elapsed())?;
            writeln!(file, "{}", sample.to_json())?;
            if samples.len() % 30 == 0 {
                say(&sample.to_string());
            }
            samples.push(sample);
        }
        Ok(samples)
    }
}

/// Judges and plots what an earlier soak left in its folder.
///
/// # Errors
/// If `soak.jsonl` is not there or holds something else.
pub fn look_again(folder: &Path) -> anyhow::Result<Vec<Measure>> {
    let text = fs::read_to_string(folder.join("soak.jsonl")).context("soak.jsonl")?;
    let sample = |line: &str| {
        let value = serde_json::from_str(line)?;
        Sample::from_json(&value).with_context(|| format!("no sample: {line}"))
    };
    let samples: Vec<Sample> = text.lines().map(sample).collect::<anyhow::Result<_>>()?;
    fs::write(folder.join("soak.svg"), plot::svg(&samples)?)?;
    Ok(judge(&samples))
}

/// Asks a run to stop and waits.
fn stop(child: &mut Child) -> anyhow::Result<()> {
    Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status()?;
    let asked = Instant::now();
    while asked.elapsed() < Duration::from_mins(1) {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    child.kill()?;
    child.wait()?;
    anyhow::bail!("the run did not stop within a minute of being asked")
}

/// Each measure's quarters, and whether it grew.
pub fn judge(samples: &[Sample]) -> Vec<Measure> {
    let mut names: Vec<&str> = samples.iter().flat_map(Sample::stages).collect();
    names.sort_unstable();
    names.dedup();
    let mut measures = Vec::new();
    for name in names {
        let of = |what: fn(&Process) -> u64| -> Vec<f64> {
            samples.iter().filter_map(|s| s.process(name)).map(|p| what(p) as f64).collect()
        };
        measures.push(measure(
            format!("{name} memory, MB"),
            &of(|p| p.resident_bytes),
            BYTES_FREE,
            1e6,
        ));
        measures.push(measure(
            format!("{name} open files"),
            &of(|p| p.open_files),
            FILES_FREE,
            1.0,
        ));
        measures.push(measure(format!("{name} threads"), &of(|p| p.threads), 0.0, 1.0));
    }
    let disk: Vec<f64> = samples.iter().map(|s| s.disk_bytes as f64).collect();
    measures.push(measure("the run on disk, MB".to_owned(), &disk, BYTES_FREE, 1e6));
    measures
}

fn measure(name: String, values: &[f64], free: f64, unit: f64) -> Measure {
    let quarter = |number: usize| {
        let len = values.len();
        let mut part = values[len * number / 4..len * (number + 1) / 4].to_vec();
        part.sort_by(f64::total_cmp);
        part.get(part.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let quarters = [0, 1, 2, 3].map(quarter);
    let flat = quarters[3] <= quarters[1] * GROWTH_MAX + free;
    Measure { name, quarters: quarters.map(|value| value / unit), flat }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(second: u64, resident_bytes: u64) -> Sample {
        let trainer =
            Process { stage: "trainer".into(), resident_bytes, open_files: 9, threads: 3 };
        Sample {
            seconds: second as f64,
            cycles: second,
            disk_bytes: 1 << 20,
            processes: vec![trainer],
        }
    }

    #[test]
    fn an_earlier_soak_is_read_as_it_was_written_and_plotted() {
        let folder = tempfile::tempdir().expect("a folder");
        let samples: Vec<Sample> = (0..9).map(|s| sample(s, 50_000_000)).collect();
        let lines: Vec<String> = samples.iter().map(|s| s.to_json().to_string()).collect();
        let text = lines.join("\n");
        fs::write(folder.path().join("soak.jsonl"), text).expect("written");
        assert_eq!(look_again(folder.path()).expect("samples"), judge(&samples));
        let svg = fs::read_to_string(folder.path().join("soak.svg")).expect("a picture");
        assert!(svg.contains("<svg") && svg.contains("resident memory"), "{svg}");
    }

    #[test]
    fn what_grows_by_half_is_no_longer_flat() {
        let flat: Vec<Sample> = (0..40).map(|s| sample(s, 100_000_000)).collect();
        assert!(judge(&flat).iter().all(|m| m.flat), "{:?}", judge(&flat));
        let leak: Vec<Sample> = (0..40).map(|s| sample(s, 100_000_000 + s * 2_000_000)).collect();
        let grown: Vec<String> =
            judge(&leak).into_iter().filter(|m| !m.flat).map(|m| m.name).collect();
        assert_eq!(grown, ["trainer memory, MB"]);
    }
}
