//! What a run takes at one moment, by `/proc` and the run's folder.

use std::{fmt, fs, path::Path, time::Duration};

use anyhow::Context;
use serde_json::{Value, json};

/// The processes of a run, by the names of their lock files.
const LOCKS: [(&str, &str); 5] = [
    ("driver", "lock"),
    ("selfplay", "lock-selfplay"),
    ("shuffler", "lock-shuffler"),
    ("trainer", "lock-trainer"),
    ("gatekeeper", "lock-gatekeeper"),
];

/// One look.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Since the start.
    pub seconds: f64,
    /// Cycles that were over.
    pub cycles: u64,
    /// Bytes of all files of the run.
    pub disk_bytes: u64,
    /// Its processes that were alive.
    pub processes: Vec<Process>,
}

/// One process.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Which stage it is, or the driver.
    pub stage: String,
    /// Resident memory.
    pub resident_bytes: u64,
    /// Open files.
    pub open_files: u64,
    /// Threads.
    pub threads: u64,
}

impl Sample {
    pub(super) fn take(run: &Path, since: Duration) -> anyhow::Result<Self> {
        let process = |(stage, lock): (&str, &str)| Process::of(stage, &run.join(lock));
        Ok(Self {
            seconds: since.as_secs_f64(),
            cycles: fs::read_dir(run.join("networks")).map_or(0, |files| files.count() as u64),
            disk_bytes: bytes_below(run).with_context(|| run.display().to_string())?,
            processes: LOCKS.into_iter().filter_map(process).collect(),
        })
    }

    pub(super) fn stages(&self) -> impl Iterator<Item = &str> {
        self.processes.iter().map(|process| process.stage.as_str())
    }

    pub(super) fn process(&self, stage: &str) -> Option<&Process> {
        self.processes.iter().find(|process| process.stage == stage)
    }

    pub(super) fn to_json(&self) -> Value {
        let process = |p: &Process| {
            json!({"stage": p.stage, "resident_bytes": p.resident_bytes,
                   "open_files": p.open_files, "threads": p.threads})
        };
        json!({"seconds": self.seconds, "cycles": self.cycles, "disk_bytes": self.disk_bytes,
               "processes": self.processes.iter().map(process).collect::<Vec<_>>()})
    }
}

impl Sample {
    /// What [`Self::to_json`] wrote; `None` of anything else.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let process = |value: &Value| {
            Some(Process {
                stage: value["stage"].as_str()?.to_owned(),
                resident_bytes: value["resident_bytes"].as_u64()?,
                open_files: value["open_files"].as_u64()?,
                threads: value["threads"].as_u64()?,
            })
        };
        Some(Self {
            seconds: value["seconds"].as_f64()?,
            cycles: value["cycles"].as_u64()?,
            disk_bytes: value["disk_bytes"].as_u64()?,
            processes: value["processes"].as_array()?.iter().map(process).collect::<Option<_>>()?,
        })
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        write!(
            f,
            "{:.0} s, {} cycles, disk {:.0} MB;",
            self.seconds,
            self.cycles,
            mb(self.disk_bytes)
        )?;
        for p in &self.processes {
            write!(f, " {} {:.0} MB, {} files;", p.stage, mb(p.resident_bytes), p.open_files)?;
        }
        Ok(())
    }
}

impl Process {
    /// The process that holds a lock; `None` where nobody does at this moment.
    fn of(stage: &str, lock: &Path) -> Option<Self> {
        let holder: Value = serde_json::from_str(&fs::read_to_string(lock).ok()?).ok()?;
        let folder = format!("/proc/{}", holder["process_id"].as_u64()?);
        let status = fs::read_to_string(format!("{folder}/status")).ok()?;
        let number = |key: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.trim_start_matches(':').split_whitespace().next()?.parse().ok()
        };
        Some(Self {
            stage: stage.to_owned(),
            resident_bytes: number("VmRSS")? * 1024,
            open_files: fs::read_dir(format!("{folder}/fd")).ok()?.count() as u64,
            threads: number("Threads")?,
        })
    }
}

/// Bytes of all files below a folder; files that go while one looks count nothing.
fn bytes_below(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        bytes += match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => bytes_below(&path).unwrap_or(0),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        };
    }
    Ok(bytes)
}
