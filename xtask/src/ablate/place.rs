//! With what, when and where a cell was made.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, ensure};

/// The program's own version, which names the commit that it was built from.
pub(super) fn program(program: &Path) -> anyhow::Result<String> {
    said(Command::new(program).arg("--version"))
}

/// This moment, UTC.
pub(super) fn date() -> anyhow::Result<String> {
    said(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M"]))
}

/// Processor and number of cores.
pub(super) fn machine() -> anyhow::Result<String> {
    let text = fs::read_to_string("/proc/cpuinfo").context("/proc/cpuinfo")?;
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().context("the number of cores")?;
    Ok(format!("{cores} cores, {model}"))
}

fn said(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(output.status.success(), "{command:?} ends with {}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
