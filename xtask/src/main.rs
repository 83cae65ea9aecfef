//! `cargo xtask CHORE`: what is done to the repository now and then.

use std::{
    env, fs, io,
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use xtask::{
    ablate::{Ablate, section, with_section},
    book,
    chaos::{Chaos, Tally},
    fleet, imports, manifest,
    powercut::{self, PowerCut},
    root,
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
  powercut [--cuts N] [--seed S] [--config FILE] [--set KEY=VALUE]... [--jobs N] [--program FILE]
                 records every change that a small run makes to its files, cuts the power after N of them (300), lets
                 the run go on from what a disk may hold then, and compares; wants a C compiler (cc)
  soak [--minutes M] [--config FILE] [--set KEY=VALUE]... [--program FILE] [--out FOLDER]
                 lets a run of endless small cycles live for M minutes (60) and says whether its memory, open files
                 and disk are flat; FOLDER gets soak.jsonl and soak.svg; `--again FOLDER` judges an earlier one
  ablate [--table FILE] [--only VARIANT]... [--seeds N,...] [--jobs N] [--threads N] [--runs FOLDER] [--keep]
         [--evaluations N] [--dry-run | --page] [--program FILE]
                 makes the cells of an ablation table that are not stored (benchmarks/ablation/connect4-5x4.toml unless
                 given), N at once, and writes the table on benchmarks/ablation.md; `--evaluations` tries another
                 budget, whose cells and table stay with the runs; a cell that was interrupted goes on where it was; `--page`
                 makes no cell
  fleet TRIAL [--program FILE] [OPTION]...
                 a trial of workers on other machines (benchmarks/fleet/README.md): trial, scaling, home, slurm or
                 kubernetes with target/release/dagzero unless another is given, the simulation of 10,000 workers, or
                 the tests of buckets
  book           what mdBook calls (docs/book/book.toml): a book as JSON in, and out with a page for each file that is
                 linked to; `mdbook build docs/book` builds the book
  circles [SRC]  circles of imports between files of one crate; with SRC, a crate's `src`, every import there
  goldens        writes all golden files anew; read `git diff` before you commit them";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["help"] | [.., "--help" | "-h"] => {
            println!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        ["ci", steps @ ..] => {
            finish(Command::new("bash").arg(".ci/run").args(steps).current_dir(root()))
        }
        ["chaos", words @ ..] => chaos(words),
        ["powercut", words @ ..] => power_cut(words),
        ["soak", words @ ..] => soak(words),
        ["ablate", words @ ..] => ablate(words),
        ["fleet", trial, words @ ..] => finish(&mut fleet::command(&root(), trial, words)?),
        ["book", words @ ..] => book_pages(words),
        ["circles", folder @ ..] => circles(folder.first().copied()),
        ["goldens"] => goldens(&root()),
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

/// Is mdBook's preprocessor; see [`xtask::book`].
fn book_pages(words: &[&str]) -> anyhow::Result<ExitCode> {
    // `supports RENDERER` asks whether the preprocessor is meant for a renderer.
    if let ["supports", renderer] = words {
        return Ok(ExitCode::from(u8::from(*renderer != "html")));
    }
    let book = book::preprocess(&root(), &io::read_to_string(io::stdin())?)?;
    println!("{book}");
    Ok(ExitCode::SUCCESS)
}

/// Prints imports and their circles; see [`xtask::imports`].
fn circles(folder: Option<&str>) -> anyhow::Result<ExitCode> {
    let listed = folder.map(|folder| imports::imports(Path::new(folder))).transpose()?;
    for (from, to) in listed.unwrap_or_default() {
        println!("{from} -> {to}");
    }
    let findings = imports::findings(&root())?;
    for finding in &findings {
        println!("{finding}");
    }
    Ok(ExitCode::from(u8::from(!findings.is_empty())))
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

/// Cuts the power of a run; see [`xtask::powercut`].
fn power_cut(words: &[&str]) -> anyhow::Result<ExitCode> {
    let mut cut = PowerCut {
        program: root().join("target/release/dagzero"),
        config: root().join("configs/tictactoe-smoke.toml"),
        set: Vec::new(),
        scratch: env::temp_dir().join(format!("dagzero-powercut-{}", std::process::id())),
        seed: 1,
        jobs: 2,
    };
    let mut cuts = 300;
    for pair in words.chunks(2) {
        match pair {
            ["--cuts", number] => cuts = number.parse().context("--cuts")?,
            ["--seed", number] => cut.seed = number.parse().context("--seed")?,
            ["--jobs", number] => cut.jobs = number.parse().context("--jobs")?,
            ["--config", file] => cut.config = file.into(),
            ["--program", file] => cut.program = file.into(),
            ["--set", pair] => cut.set.push((*pair).to_owned()),
            _ => bail!("{pair:?} is no option of powercut\n{HELP}"),
        }
    }
    let begun = Instant::now();
    let powercut::Tally { changes, resumed, with_records, acknowledged, with_notes, faults } =
        cut.run(cuts, |line| println!("{line}"))?;
    let [strict, pages, names] = resumed;
    println!(
        "{cuts} cuts in {:.0} s, at random ones of {changes} changes: {strict} left nothing that was not synced, {pages} \
         random pages and names, {names} names without content; {with_records} runs had records, \
         {acknowledged} published files were looked for, verify noted damaged metrics or working files in {with_notes}",
        begun.elapsed().as_secs_f64()
    );
    if faults.is_empty() {
        println!("nothing that was published is lost, and every run ended in the same bytes");
        fs::remove_dir_all(&cut.scratch)?;
        return Ok(ExitCode::SUCCESS);
    }
    for what in faults {
        println!("FAULT {what}");
    }
    println!("what was left of these runs is in {}", cut.scratch.display());
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

/// Fills an ablation table; see [`xtask::ablate`].
fn ablate(words: &[&str]) -> anyhow::Result<ExitCode> {
    let page_only = words.contains(&"--page");
    let ablate = ablate_options(words)?;
    let made = if page_only { Ok(0) } else { ablate.run(|line| println!("{line}")) };
    // What was made before a failure is reported all the same.
    let table = ablate.read_table()?;
    let text = section(&table, &table.cells()?);
    if ablate.evaluations.is_some() {
        println!("{text}");
    } else if !ablate.dry_run {
        let path = root().join("benchmarks/ablation.md");
        let page = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        fs::write(&path, with_section(&page, &table, &text)?)?;
        println!("{}", path.display());
    }
    made.map(|_| ExitCode::SUCCESS)
}

fn ablate_options(words: &[&str]) -> anyhow::Result<Ablate> {
    let mut ablate = Ablate {
        program: root().join("target/release/dagzero"),
        table: root().join("benchmarks/ablation/connect4-5x4.toml"),
        only: Vec::new(),
        seeds: None,
        jobs: 1,
        threads: 1,
        runs: root().join("data/ablation"),
        keep: false,
        evaluations: None,
        dry_run: false,
    };
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "--keep" => ablate.keep = true,
            "--dry-run" => ablate.dry_run = true,
            "--page" => {}
            _ => {
                let value = *words.next().with_context(|| format!("{word} needs a value"))?;
                match word {
                    "--table" => ablate.table = value.into(),
                    "--only" => ablate.only.push(value.to_owned()),
                    "--seeds" => {
                        let seeds: Result<_, _> = value.split(',').map(str::parse).collect();
                        ablate.seeds = Some(seeds.context("--seeds")?);
                    }
                    "--jobs" => ablate.jobs = value.parse().context("--jobs")?,
                    "--threads" => ablate.threads = value.parse().context("--threads")?,
                    "--runs" => ablate.runs = value.into(),
                    "--evaluations" => {
                        ablate.evaluations = Some(value.parse().context("--evaluations")?);
                    }
                    "--program" => ablate.program = value.into(),
                    _ => bail!("{word} is no option of ablate\n{HELP}"),
                }
            }
        }
    }
    // Runs of different tables and budgets must not meet.
    let stem = ablate.table.file_stem().context("a table's file has a name")?;
    let try_of = |n: u64| format!("-{n}");
    let budget = ablate.evaluations.map(try_of).unwrap_or_default();
    ablate.runs = ablate.runs.join(format!("{}{budget}", stem.to_string_lossy()));
    Ok(ablate)
}

/// Runs a command and passes its exit code on.
fn finish(command: &mut Command) -> anyhow::Result<ExitCode> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
