//! README and CI give the same command for the tests.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, ensure};

/// The command that README.md gives for all tests: the line of a fenced block that begins with
/// `cargo test`, without its comment.
///
/// # Errors
/// If there is no README or not exactly one such line.
pub fn readme_test_command(root: &Path) -> anyhow::Result<String> {
    let readme = fs::read_to_string(root.join("README.md")).context("README.md")?;
    let mut fenced = false;
    let mut commands = Vec::new();
    for line in readme.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced && line.starts_with("cargo test") {
            commands.push(line.split('#').next().unwrap_or(line).trim().to_owned());
        }
    }
    ensure!(
        commands.len() == 1,
        "README.md gives {} commands for tests: {commands:?}",
        commands.len()
    );
    Ok(commands.remove(0))
}

/// The commands of CI, by step, as `.ci/run --list` prints them.
///
/// # Errors
/// If the script cannot be run.
pub fn steps(root: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let listed = Command::new("bash").args([".ci/run", "--list"]).current_dir(root).output()?;
    let errors = String::from_utf8_lossy(&listed.stderr).into_owned();
    ensure!(listed.status.success(), ".ci/run --list failed: {errors}");
    let text = String::from_utf8(listed.stdout).context("the output of .ci/run --list")?;
    let step = |line: &str| line.split_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned()));
    Ok(text.lines().filter_map(step).collect())
}
