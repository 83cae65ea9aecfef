//! `cargo xtask CHORE`: what is done to the repository now and then.

use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::Context;
use xtask::{manifest, root, sources};

const HELP: &str = "cargo xtask CHORE

  ci [STEP...]   every step that CI runs, or some of them; `ci --list` names them
  goldens        writes all golden files anew; read `git diff` before you commit them";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci", steps @ ..] => {
            finish(Command::new("bash").arg(".ci/run").args(steps).current_dir(root()))
        }
        ["goldens"] => goldens(&root()),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprintln!("{HELP}");
            Ok(ExitCode::from(2))
        }
    }
}

/// Runs the tests of every crate that has golden files, with `UPDATE_GOLDEN` set.
fn goldens(root: &Path) -> anyhow::Result<ExitCode> {
    let mut test = Command::new("cargo");
    test.arg("test").env("UPDATE_GOLDEN", "1").current_dir(root);
    for member in manifest::members(root)? {
        let files = sources::files(&root.join(&member.folder), &["rs"])?;
        let mentions = |path| fs::read_to_string(path).is_ok_and(|t| t.contains("UPDATE_GOLDEN"));
        if member.name != "xtask" && files.iter().any(mentions) {
            test.args(["-p", &member.name]);
        }
    }
    finish(&mut test)
}

/// Runs a command and passes its exit code on.
fn finish(command: &mut Command) -> anyhow::Result<ExitCode> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
