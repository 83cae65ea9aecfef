//! `cargo xtask fleet`: what was tried with workers on other machines, each by one command
//! (`benchmarks/fleet/README.md`).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::bail;

/// Trials that are scripts in `benchmarks/fleet`.
const SCRIPTS: [&str; 5] = ["trial", "scaling", "home", "slurm", "kubernetes"];
/// Trials that are tests: words of `cargo`.
const TESTS: [(&str, &[&str]); 2] = [
    (
        "simulation",
        &[
            "test",
            "--locked",
            "-p",
            "dz-fleet",
            "--test",
            "suite",
            "--",
            "--nocapture",
            "ten_thousand",
        ],
    ),
    (
        "buckets",
        &[
            "test",
            "--locked",
            "-p",
            "dz-store",
            "--features",
            "cloud",
            "--test",
            "suite",
            "--",
            "--nocapture",
            "bucket",
        ],
    ),
];

/// The command of a trial. Scripts run `program`, and get the `rest` of the words.
///
/// # Errors
/// For an unknown trial, with the names of those there are.
pub fn command(root: &Path, trial: &str, rest: &[&str]) -> anyhow::Result<Command> {
    if let Some((_, words)) = TESTS.iter().find(|(name, _)| *name == trial) {
        let mut command = Command::new("cargo");
        command.args(*words).args(rest).current_dir(root);
        return Ok(command);
    }
    if !SCRIPTS.contains(&trial) {
        let tests = TESTS.map(|(name, _)| name).join(", ");
        bail!("{trial:?} is no trial of workers; there are {}, {tests}", SCRIPTS.join(", "));
    }
    let (program, rest) = match rest {
        ["--program", program, rest @ ..] => (PathBuf::from(program), rest),
        rest => (root.join("target/release/dagzero"), rest),
    };
    let mut command = Command::new("python3");
    command.arg(root.join(format!("benchmarks/fleet/{trial}.py"))).arg(program).args(rest);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &Command) -> String {
        let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn scripts_get_the_program_and_the_rest() {
        let root = crate::root();
        for trial in SCRIPTS {
            let file = root.join(format!("benchmarks/fleet/{trial}.py"));
            assert!(file.exists(), "{}", file.display());
        }
        let trial = command(&root, "trial", &["--store", "folder"]).expect("a trial");
        assert!(words(&trial).ends_with("target/release/dagzero --store folder"), "{trial:?}");
        let other = command(&root, "home", &["--program", "P", "--units", "3"]).expect("a trial");
        assert!(words(&other).ends_with("home.py P --units 3"), "{other:?}");
    }

    #[test]
    fn an_unknown_trial_names_those_there_are() {
        let error = command(Path::new("."), "storm", &[]).expect_err("none").to_string();
        assert!(error.contains("simulation") && error.contains("kubernetes"), "{error}");
    }
}
