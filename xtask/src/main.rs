//! `cargo xtask CHORE`: what is done to the repository now and then.

use std::{
    env, fs,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use xtask::{
    chaos::{Chaos, Tally},
    manifest, root,
    soak::{Soak, look_again},
    sources,
};

const HELP: &str = "cargo xtask CHORE

  ci [STEP...]   every step that CI runs, or some of them; `ci --list` names them
  chaos [--kills N] [--seed S] [--mode synchronous|asynchronous] [--config FILE] [--set KEY=VALUE]...
        [--program FILE]
                 kills a small run at every named point of a publication, then up to N times in all, and
                 compares what it ends with to a run that nobody disturbed; the program is
                 target/release/dagzero unless given
  soak [--minutes M] [--config FILE] [--set KEY=VALUE]... [--program FILE] [--out FOLDER]
                 lets a run of endless small cycles live for M minutes (60) and says whether its memory, open files
                 and disk are flat; FOLDER gets soak.jsonl and soak.svg; `--again FOLDER` judges an earlier one
  goldens        writes all golden files anew; read `git diff` before you commit them";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci", steps @ ..] => {
            finish(Command::new("bash").arg(".ci/run").args(steps).current_dir(root()))
        }
        ["chaos", words @ ..] => chaos(words),
        ["soak", words @ ..] => soak(words),
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

/// Kills runs; see [`xtask::chaos`].
fn chaos(words: &[&str]) -> anyhow::Result<ExitCode> {
    let mut chaos = Chaos {
        program: root().join("target/release/dagzero"),
        config: root().join("configs/tictactoe-smoke.toml"),
        set: Vec::new(),
        asynchronous: false,
        scratch: env::temp_dir().join(format!("dagzero-chaos-{}", std::process::id())),
        seed: 1,
    };
    let mut kills = 200;
    for pair in words.chunks(2) {
        match pair {
            ["--kills", number] => kills = number.parse().context("--kills")?,
            ["--seed", number] => chaos.seed = number.parse().context("--seed")?,
            ["--mode", "synchronous"] => chaos.asynchronous = false,
            ["--mode", "asynchronous"] => chaos.asynchronous = true,
            ["--config", file] => chaos.config = file.into(),
            ["--program", file] => chaos.program = file.into(),
            ["--set", pair] => chaos.set.push((*pair).to_owned()),
            _ => bail!("{pair:?} is no option of chaos\n{HELP}"),
        }
    }
    let begun = Instant::now();
    let tally = chaos.run(kills, |line| println!("{line}"))?;
    let Tally { points, killed_at_points, killed_at_random, stage_alone, runs, differences } =
        tally;
    println!(
        "{} kills in {:.0} s: at {killed_at_points} of {points} named points, {killed_at_random} at random \
         moments, {stage_alone} of one stage alone; {runs} runs ended and were compared",
        killed_at_points as u64 + killed_at_random,
        begun.elapsed().as_secs_f64()
    );
    if differences.is_empty() {
        println!(
            "{}",
            if chaos.asynchronous {
                "every one kept its records, and every cycle has its games and its verdict once"
            } else {
                "every one ended in the bytes of the undisturbed run"
            }
        );
        fs::remove_dir_all(&chaos.scratch)?;
        return Ok(ExitCode::SUCCESS);
    }
    for what in differences {
        println!("DIFFERENT {what}");
    }
    Ok(ExitCode::FAILURE)
}

/// Watches a long run; see [`xtask::soak`].
fn soak(words: &[&str]) -> anyhow::Result<ExitCode> {
    let mut soak = Soak {
        program: root().join("target/release/dagzero"),
        config: root().join("configs/tictactoe-smoke.toml"),
        set: ["run.cycles=1000000", "storage.disk_budget_mb=100"].map(str::to_owned).to_vec(),
        folder: env::temp_dir().join(format!("dagzero-soak-{}", std::process::id())),
        time: Duration::from_hours(1),
        every: Duration::from_secs(5),
    };
    let mut again = None;
    for pair in words.chunks(2) {
        match pair {
            ["--again", folder] => again = Some(*folder),
            ["--minutes", number] => {
                soak.time = Duration::from_mins(number.parse().context("--minutes")?);
            }
            ["--config", file] => soak.config = file.into(),
            ["--program", file] => soak.program = file.into(),
            ["--out", folder] => soak.folder = folder.into(),
            ["--set", pair] => soak.set.push((*pair).to_owned()),
            _ => bail!("{pair:?} is no option of soak\n{HELP}"),
        }
    }
    let measures = if let Some(folder) = again {
        soak.folder = folder.into();
        look_again(&soak.folder)?
    } else {
        soak.run(|line| println!("{line}"))?
    };
    println!("{:<28} {:>9} {:>9} {:>9} {:>9}", "median of the quarter", 1, 2, 3, 4);
    for measure in &measures {
        let [a, b, c, d] = measure.quarters;
        let word = if measure.flat { "" } else { "  GROWS" };
        println!("{:<28} {a:>9.1} {b:>9.1} {c:>9.1} {d:>9.1}{word}", measure.name);
    }
    println!("{}", soak.folder.display());
    let flat = measures.iter().all(|measure| measure.flat);
    Ok(if flat { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a command and passes its exit code on.
fn finish(command: &mut Command) -> anyhow::Result<ExitCode> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
