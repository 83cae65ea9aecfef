//! `dagzero rate`: ratings of everybody in a file of results.

mod jsonl;
mod pgn;
mod read;
mod results;
mod standings;
mod text;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::ValueEnum;
use dz_record::decode;
use dz_stats::Draws;
use dz_store::{Ledger, Run, layout};

use super::write_line;
use crate::{Exit, drive::config_of, exit::UsageError};
use results::Results;
use standings::{Standings, Terms};

/// Rate all players of a run or of files of results, from all games at once
///
/// A file is PGN (the tags White, Black and Result are read, White moves first), a match file of a
/// run, or one result a line: {"first": NAME, "second": NAME, "winner": "first", "second", "draw"
/// or null for an unfinished game}. A run stands for the files of the matches that its ratings
/// count. Several are rated as one.
///
/// The model is Bradley-Terry: 400 Elo points more are odds of ten to one. Errors are half the
/// 95 % interval of the difference to the anchor, so name one player as the anchor to see how sure
/// the differences to it are. Without --anchor the best-connected anchor of a run is at 0, as in
/// its report, or the mean of all players where no network of a run plays.
///
/// Runs alone are rated as in their reports: draws by Davidson, and two virtual draws between each
/// network and the one before it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero rate games.pgn\n  \
    dagzero rate data/connect4-quick --anchor rollout-1000\n  \
    dagzero rate results.jsonl --draws davidson --first-mover off --prior 0 --json\n\n\
    Exit code 1 says that something is missing from the ratings; what it is stands above them.")]
pub(crate) struct Args {
    /// Runs, or results as PGN or JSON lines
    #[arg(value_name = "RUN|FILE", required = true)]
    files: Vec<PathBuf>,
    /// The player at 0 Elo; without it the best-connected anchor of a run, or the mean
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    /// Draws as half a win and half a loss each, or as a third result with its own probability.
    /// Default: `davidson` for runs and `half` for files
    #[arg(long, value_enum)]
    draws: Option<DrawsArg>,
    /// Whether moving first is worth something, the same for everybody
    #[arg(long, value_enum, default_value = "on")]
    first_mover: Switch,
    /// Virtual draws of every player with one and the same virtual player: they keep ratings finite
    /// where the games alone do not; 0 is maximum likelihood
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = prior,
        allow_negative_numbers = true)]
    prior: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How draws count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DrawsArg {
    /// Half a win and half a loss
    Half,
    /// A third result (Davidson 1970)
    Davidson,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let mut results = Results::default();
    let mut complete = true;
    let mut notes = Vec::new();
    for path in &files_of(&args.files)? {
        let bytes = dz_text::read_input(path, u64::MAX)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let decoded = decode(&bytes);
        drop(bytes);
        notes.extend(decoded.note.iter().map(|note| format!("{}: {note}", path.display())));
        results.lossy = decoded.note.is_some() && decoded.text.contains('\u{fffd}');
        read::read(&decoded.text, &mut results);
        let faults = std::mem::take(&mut results.faults);
        let remarks = std::mem::take(&mut results.remarks);
        complete &= faults.is_empty();
        notes.extend(text::faults(path, &faults, "games or lines are not right"));
        notes.extend(text::faults(path, &remarks, "tags or names are unusual"));
    }
    let are_runs = args.files.iter().all(Run::exists);
    let usual = if are_runs { DrawsArg::Davidson } else { DrawsArg::Half };
    let terms = Terms {
        draws: match args.draws.unwrap_or(usual) {
            DrawsArg::Half => Draws::HalfPoints,
            DrawsArg::Davidson => Draws::Davidson,
        },
        first_mover: args.first_mover == Switch::On,
        prior: args.prior,
        // Networks of two runs have the same names.
        lineage: are_runs && args.files.len() == 1,
    };
    let anchor = args.anchor.as_deref().or_else(|| results.best_connected());
    let standings = Standings::of(&results, &terms, anchor, notes);
    if args.json {
        write_line(out, &standings)?;
    } else {
        standings.write_text(out)?;
    }
    Ok(if complete && standings.is_complete { Exit::Done } else { Exit::Wrong })
}

/// The files themselves, and of a run those of the matches that its ratings count.
fn files_of(given: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in given {
        if !Run::exists(path) {
            files.push(path.clone());
            continue;
        }
        let run = Run::open(path)?;
        let mut matches = run.list(layout::MATCHES)?;
        let is_jsonl = |name: &str| Path::new(name).extension().is_some_and(|end| end == "jsonl");
        let ledger = Ledger::open(&run)?;
        let config = config_of(&run, ledger.state());
        let final_too = config.is_ok_and(|config| config.rates_final_match());
        let is_rating = |name: &String| name.contains("-rating-");
        let is_rated = |name: &String| is_rating(name) || final_too && name.contains("-final-");
        matches.retain(|name| is_jsonl(name) && is_rated(name));
        matches.sort();
        if !matches.iter().any(is_rating) {
            bail!(UsageError(format!("{} has no rated games yet", path.display())));
        }
        files.extend(matches.into_iter().map(|name| run.root().join(name)));
    }
    Ok(files)
}

fn prior(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(draws) if draws.is_finite() && draws >= 0.0 => Ok(draws),
        _ => Err("write a number of draws, 0 or more".to_owned()),
    }
}
