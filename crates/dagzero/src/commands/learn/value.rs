//! `dagzero learn value`: how good moves look before a search has tried them.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context;
use dz_game::{Game, GameSpec, canonical_spec, with_game};
use dz_linear::{Lesson, Lessons, LinearValue, learn};
use dz_stage::{count_text, duration_text, stderr_line};
use dz_store::{Ledger, Run};
use serde::Serialize;

use super::{
    super::write_line,
    checks::{check_out, no_stones, share},
};
use crate::{Exit, drive, exit::UsageError};

/// Learn a linear value of local shapes by TD(0), from games that it plays against itself
///
/// For games whose stones lie on the points of a square board: go, gomoku, hex, othello. The
/// features are all configurations of windows of 1x1 to 3x3 points, at their place and anywhere;
/// what symmetries turn into each other shares a weight (Silver, Sutton and Mueller 2007). A search
/// takes its values of moves as heuristics, with the keys `heuristic` and `equivalent_visits` of
/// [search].
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero learn value go:size=9 --out go9.linear\n  \
    dagzero match rollout:500,policy=mogo,equivalent_visits=50,heuristic=linear:go9.linear \\\n      \
        rollout:500,policy=mogo --game go:size=9 --games 100")]
pub(super) struct ValueArgs {
    /// The game, or a run whose game is meant
    #[arg(value_name = "GAME|RUN")]
    subject: String,
    /// Where the function is written
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Games of self-play
    #[arg(long, value_name = "N", default_value_t = Lessons::default().games,
        value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    games: u32,
    /// Share of moves that are random
    #[arg(long, value_name = "SHARE", default_value_t = Lessons::default().epsilon, value_parser = share)]
    epsilon: f64,
    /// How far a value moves to its target, all features together; falls to 0 in the second half
    /// of the games
    #[arg(long, value_name = "SHARE", default_value_t = Lessons::default().step, value_parser = share)]
    step: f64,
    /// Largest side of the windows
    #[arg(long, value_name = "M", default_value_t = dz_linear::SIDE_MAX,
        value_parser = clap::value_parser!(u8).range(1..=i64::from(dz_linear::SIDE_MAX)))]
    side: u8,
    /// Fixes every random choice
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was learned.
#[derive(Debug, Serialize)]
struct Learned {
    game: String,
    games: u32,
    weights: usize,
    weights_met: usize,
    plies_mean: f64,
    /// Mean squared difference of a value and its target, over the last hundredth of the games.
    error: f64,
    seconds: f64,
    bytes: usize,
}

pub(super) fn run(args: &ValueArgs, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let spec = game_of(&args.subject)?;
    check_out(&args.out)?;
    let begun = Instant::now();
    let found = with_game!(&spec, |game| learn_value(&game, args, begun))??;
    let (value, last, bytes) = found;
    fs::write(&args.out, &bytes).with_context(|| format!("cannot write {}", args.out.display()))?;
    let [weights_met, weights] = value.counts();
    let learned = Learned {
        game: value.game().to_string(),
        games: last.games,
        weights,
        weights_met,
        plies_mean: last.plies,
        error: last.error,
        seconds: begun.elapsed().as_secs_f64(),
        bytes: bytes.len(),
    };
    if args.json {
        write_line(out, &learned)?;
    } else {
        let games = count_text(learned.games.into());
        let met = count_text(weights_met as u64);
        let all = count_text(weights as u64);
        let took = duration_text(begun.elapsed());
        let size = dz_report::count::bytes(bytes.len() as u64);
        let path = dz_text::line(&args.out.display().to_string()).into_owned();
        writeln!(out, "{}: {games} games in {took}, {met} of {all} weights learned", learned.game)?;
        writeln!(out, "wrote {path} ({size})")?;
    }
    Ok(Exit::Done)
}

/// A game by its name, or that of a run.
fn game_of(subject: &str) -> anyhow::Result<GameSpec> {
    let path = Path::new(subject);
    if Run::exists(path) {
        let run = Run::open(path)?;
        let ledger = Ledger::open(&run)?;
        return Ok(drive::config_of(&run, ledger.state())?.run.game.parse()?);
    }
    let wrong = |error: dz_game::GameError| {
        UsageError(format!("{subject} is neither a run nor a game: {error}"))
    };
    let spec: GameSpec = subject.parse().map_err(wrong)?;
    Ok(canonical_spec(&spec).map_err(wrong)?)
}

type Found = (LinearValue, Lesson, Vec<u8>);

fn learn_value<G: Game>(game: &G, args: &ValueArgs, begun: Instant) -> anyhow::Result<Found> {
    let lessons = Lessons {
        games: args.games,
        epsilon: args.epsilon,
        step: args.step,
        sides: (1..=args.side).collect(),
        seed: args.seed,
        ..Lessons::default()
    };
    let mut last = Lesson { games: 0, plies: 0.0, error: 0.0 };
    let mut reported = Instant::now();
    let value = learn(game, &lessons, |lesson| {
        last = *lesson;
        if reported.elapsed() > REPORT_EACH {
            reported = Instant::now();
            let done = count_text(lesson.games.into());
            let all = count_text(lessons.games.into());
            let so_far = duration_text(begun.elapsed());
            stderr_line(&format!("{done} of {all} games, error {:.4}, {so_far}", lesson.error));
        }
        true
    });
    let value = value.ok_or_else(|| no_stones(game))?;
    let bytes = value.to_bytes()?;
    Ok((value, last, bytes))
}

/// How often people hear where learning stands.
const REPORT_EACH: Duration = Duration::from_secs(10);
