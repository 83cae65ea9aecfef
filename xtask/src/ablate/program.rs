//! The program's commands, for what they do and for what they print.

use std::{
    ffi::OsStr,
    fs::File,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::drive::Drive;

/// Exit code of a stage that should be tried again: another process of a killed run has not ended
/// yet.
const TRY_AGAIN: i32 = 75;
/// How often it is tried, and the pause before.
const TRIES_MAX: u32 = 10;
const PAUSE: Duration = Duration::from_secs(1);

impl Drive<'_> {
    /// A command as it is stored: the run's folder and the base have short names.
    pub(super) fn command_line(&self, words: &[impl AsRef<str>]) -> String {
        let run = self.run.display().to_string();
        let base = self.table.base_path();
        let word = |word: &str| {
            let word = word.replace(&run, "RUN").replace(&*base.to_string_lossy(), "base.toml");
            if word.contains(['"', ' ', '{', '[']) { format!("'{word}'") } else { word }
        };
        let words: Vec<String> = words.iter().map(|text| word(text.as_ref())).collect();
        format!("dagzero {}", words.join(" "))
    }

    /// The program with these words. Stages take their threads from the run, what measures from the
    /// environment.
    pub(super) fn command(&self, words: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(self.program);
        command.args(words).stdin(Stdio::null()).env("RAYON_NUM_THREADS", self.threads.to_string());
        command
    }

    /// Runs a command for what it does.
    pub(super) fn execute(&self, words: &[String]) -> anyhow::Result<()> {
        let log = self.run.with_extension("log");
        for _ in 0..TRIES_MAX {
            let open = File::options().create(true).append(true).open(&log);
            let file = open.with_context(|| log.display().to_string())?;
            let status = self
                .command(words)
                .stdout(file.try_clone()?)
                .stderr(file)
                .status()
                .with_context(|| format!("cannot start {}", self.program.display()))?;
            match status.code() {
                Some(0) => return Ok(()),
                Some(TRY_AGAIN) => thread::sleep(PAUSE),
                _ => {
                    bail!("{} ends with {status}; see {}", self.command_line(words), log.display())
                }
            }
        }
        bail!("{} still asks to be tried again; see {}", self.command_line(words), log.display())
    }

    /// Runs a command for what it prints.
    pub(super) fn ask(&self, words: &[&str]) -> anyhow::Result<Value> {
        let output = self.command(words).output();
        let output = output.with_context(|| format!("cannot start {}", self.program.display()))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        let line = self.command_line(words);
        ensure!(output.status.success(), "{line} ends with {}: {errors}", output.status);
        serde_json::from_slice(&output.stdout).with_context(|| format!("the answer of {line}"))
    }
}
