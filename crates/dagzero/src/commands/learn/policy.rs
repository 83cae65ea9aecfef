//! `dagzero learn policy`: how rollouts move, learned from the games of a run.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::Context;
use dz_game::{Game, GameSpec, Move, with_game};
use dz_linear::{Judged, PolicyStudent};
use dz_shard::{PlyRecord, SearchKind, ShardReader, replay_with};
use dz_stage::{count_text, duration_text, stderr_line};
use dz_store::{Ledger, Run};
use serde::Serialize;

use super::{
    super::write_line,
    checks::{check_out, no_stones, share},
};
use crate::{Exit, drive, exit::UsageError};

/// Learn a linear policy of local shapes for rollouts, from the games of a run
///
/// For games whose stones lie on the points of a square board: go, gomoku, hex, othello. The
/// features of a move are the configurations of the windows of 1x1 to 3x3 points that cover its
/// point, at their place and anywhere; what symmetries turn into each other shares a weight.
/// Softmax of their sum learns the search's shares of visits, and of imported games the move that
/// was played (AlphaGo's rollout policy is of this form; Silver et al. 2016). Rollouts move by it
/// with the key `rollout` of [search].
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero learn policy data/go9 --out go9.policy\n  \
    dagzero match rollout:1000,policy=policy:go9.policy rollout:1000,policy=mogo \\\n      \
        --game go:size=9 --games 100")]
pub(super) struct PolicyArgs {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Where the policy is written
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How often each game is learned from
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    passes: u32,
    /// Size of the first steps; each weight's shrink with its gradients
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    step: f64,
    /// Largest side of the windows
    #[arg(long, value_name = "M", default_value_t = dz_linear::SIDE_MAX,
        value_parser = clap::value_parser!(u8).range(1..=i64::from(dz_linear::SIDE_MAX)))]
    side: u8,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One game in so many is not learned from: the policy is judged by it.
const HELD_OUT: u64 = 10;

/// What was learned.
#[derive(Debug, Serialize)]
struct Learned {
    game: String,
    /// Games learned from, and those held out.
    games: u64,
    games_held_out: u64,
    /// Positions learned from in one pass, and those held out.
    positions: u64,
    positions_held_out: u64,
    /// Of the positions held out, in nats.
    cross_entropy: f64,
    /// The same of a policy that moves uniformly.
    cross_entropy_uniform: f64,
    /// Share of the positions held out whose likeliest move has the most visits.
    top1: f64,
    weights: usize,
    weights_met: usize,
    seconds: f64,
    bytes: usize,
}

pub(super) fn run(args: &PolicyArgs, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run)?;
    let ledger = Ledger::open(&run)?;
    let config = drive::config_of(&run, ledger.state())?;
    // The policy is for the run's own board.
    let shards: Vec<PathBuf> = run
        .shards_kept(ledger.state())
        .filter(|(_, shard)| shard.board.is_none())
        .map(|(_, shard)| run.local_path(&shard.object))
        .collect();
    if shards.is_empty() {
        let what = format!("{} has no games yet to learn from", args.run.display());
        return Err(UsageError(what).into());
    }
    check_out(&args.out)?;
    let spec: GameSpec = config.run.game.parse()?;
    let (learned, bytes) = with_game!(&spec, |game| learn(&game, args, &shards))??;
    fs::write(&args.out, bytes).with_context(|| format!("cannot write {}", args.out.display()))?;
    if args.json {
        write_line(out, &learned)?;
        return Ok(Exit::Done);
    }
    let Learned { game, cross_entropy, cross_entropy_uniform, top1, .. } = &learned;
    let games = count_text(learned.games);
    let positions = count_text(learned.positions);
    let took = duration_text(Duration::from_secs_f64(learned.seconds));
    writeln!(out, "{game}: {positions} positions of {games} games in {took}")?;
    writeln!(
        out,
        "on {} positions of {} other games: best move {:.1} %, cross-entropy {cross_entropy:.3} \
         (uniform moves: {cross_entropy_uniform:.3})",
        count_text(learned.positions_held_out),
        count_text(learned.games_held_out),
        100.0 * top1
    )?;
    let path = dz_text::line(&args.out.display().to_string()).into_owned();
    writeln!(out, "wrote {path} ({})", dz_report::count::bytes(learned.bytes as u64))?;
    Ok(Exit::Done)
}

/// Sums over positions.
#[derive(Default)]
struct Tally {
    games: u64,
    positions: u64,
    cross_entropy: f64,
    cross_entropy_uniform: f64,
    best: u64,
}

impl Tally {
    fn add(&mut self, judged: Judged, moves: usize) {
        self.positions += 1;
        self.cross_entropy += judged.cross_entropy;
        self.cross_entropy_uniform += (moves as f64).ln();
        self.best += u64::from(judged.is_best);
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.positions.max(1) as f64
    }
}

fn learn<G: Game>(
    game: &G,
    args: &PolicyArgs,
    shards: &[PathBuf],
) -> anyhow::Result<(Learned, Vec<u8>)> {
    let begun = Instant::now();
    let sides: Vec<u8> = (1..=args.side).collect();
    let student = PolicyStudent::new(game, &sides, args.step as f32);
    let mut student = student.ok_or_else(|| no_stones(game))?;
    let mut seen = Tally::default();
    for pass in 1..=args.passes {
        seen = see(game, shards, &mut student, Part::Learned)?;
        if args.passes > 1 || begun.elapsed() > TELL_AFTER {
            let entropy = seen.mean(seen.cross_entropy);
            stderr_line(&format!(
                "pass {pass} of {}: cross-entropy {entropy:.3}, {}",
                args.passes,
                duration_text(begun.elapsed())
            ));
        }
    }
    if seen.positions == 0 {
        let what = "the run's games have no full searches to learn from";
        return Err(UsageError(what.to_owned()).into());
    }
    let held_out = see(game, shards, &mut student, Part::HeldOut)?;
    let policy = student.policy();
    let [weights_met, weights] = policy.counts();
    let bytes = policy.to_bytes()?;
    let learned = Learned {
        game: policy.game().to_string(),
        games: seen.games,
        games_held_out: held_out.games,
        positions: seen.positions,
        positions_held_out: held_out.positions,
        cross_entropy: held_out.mean(held_out.cross_entropy),
        cross_entropy_uniform: held_out.mean(held_out.cross_entropy_uniform),
        top1: held_out.mean(held_out.best as f64),
        weights,
        weights_met,
        seconds: begun.elapsed().as_secs_f64(),
        bytes: bytes.len(),
    };
    Ok((learned, bytes))
}

/// From when on a single pass is reported, too.
const TELL_AFTER: Duration = Duration::from_secs(10);

/// Which games are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Learned,
    HeldOut,
}

/// Shows the student all positions of one part of the games; it learns from those that are not held
/// out.
fn see<G: Game>(
    game: &G,
    shards: &[PathBuf],
    student: &mut PolicyStudent,
    part: Part,
) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let mut legal = Vec::new();
    let mut target = Vec::new();
    for path in shards {
        let mut reader = ShardReader::open(path)?;
        for record in reader.games() {
            let record = record?;
            let is_held_out = record.number % HELD_OUT == 0;
            if is_held_out != (part == Part::HeldOut) {
                continue;
            }
            tally.games += 1;
            replay_with(game, &record, |position, ply| {
                game.legal_moves(&position.state, &position.history, &mut legal);
                if fill_target(ply, &legal, &mut target) {
                    let judged = student.see(game, &position.state, &legal, &target, !is_held_out);
                    tally.add(judged, legal.len());
                }
                Ok(())
            })?;
        }
    }
    Ok(tally)
}

/// Fills in the shares of a full search over the legal moves. False where the ply is no target.
fn fill_target(ply: &PlyRecord, legal: &[Move], target: &mut Vec<f32>) -> bool {
    if ply.kind != SearchKind::Full {
        return false;
    }
    target.clear();
    target.resize(legal.len(), 0.0);
    let mut add = |mv: Move, share: f32| {
        if let Ok(place) = legal.binary_search(&mv) {
            target[place] += share;
        }
    };
    match &ply.target {
        Some(shares) => shares.iter().for_each(|&(mv, share)| add(mv, f32::from(share))),
        None => ply.visits.iter().for_each(|&(mv, visits)| add(mv, visits as f32)),
    }
    let sum: f32 = target.iter().sum();
    for share in &mut *target {
        *share /= sum;
    }
    sum > 0.0
}
