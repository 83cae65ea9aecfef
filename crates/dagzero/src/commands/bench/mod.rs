//! `dagzero bench`: figures that the benchmarks' tables are made of.

mod device;
mod engine;
mod infer;
mod peers;
mod python;
mod rules;
mod search;
mod selfplay;

use std::io::Write;

use anyhow::Context;
use clap::ValueEnum;
use dz_game::{Game, GameError, GameSpec, GameVisitor, game_names, with_game};
use dz_shard::BenchRow;

use super::write_line;
use crate::Exit;

/// Measure sizes and speeds on this machine
///
/// Prints one row a figure. benchmarks/ keeps the tables, with what they were measured on.
///
/// Where `DAGZERO_PYTHON` names a Python that has them (pip), others are measured beside ours, a sample
/// of one and a sample of the other in turns: `open_spiel` by `rules` and `search`, `onnx` and
/// `onnxruntime` by `infer`, `pgx` and `mctx` by `selfplay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero bench shard --json\n  \
    DAGZERO_PYTHON=python3 dagzero bench rules --game go:size=9")]
pub(crate) struct Args {
    /// What to measure
    #[arg(value_enum)]
    what: What,
    /// Game and parameters, instead of every game for `rules` and of connect4 for the others
    #[arg(long = "game", value_name = "GAME")]
    game: Option<GameSpec>,
    #[command(flatten)]
    on: device::DeviceArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// Size and speed of shards of random games
    Shard,
    /// Speed of the shuffler's two passes
    Shuffle,
    /// Speed and memory of the search on one thread, and of rollouts
    Search,
    /// Speed of rules on one thread: perft and random playouts
    Rules,
    /// Positions a second that networks of usual sizes evaluate on the processor
    ///
    /// ONNX Runtime is the peer, on the same networks; two threads of ours are two independent batches.
    Infer,
    /// A network of any size on any device, playing and learning with Burn
    ///
    /// `benchmarks/gpu` measures `PyTorch` beside it.
    Device,
    /// Speed of self-play on the processor, with networks of random weights
    ///
    /// Games like those of the quick preset, beside Burn's evaluator in place of ours; and games of 32
    /// playouts a move, beside pgx and mctx on Connect Four.
    Selfplay,
    /// Positions a second that one search has evaluated by itself, beside many searches in lockstep, by its
    /// leaves in flight; and what those cost in solved positions, where the game has a solver
    Engine,
}

/// Games of the shard bench, visits of each of their searches, and repeats of each timing.
const SHARD_GAMES: (u64, u32, u32) = (1500, 200, 5);
/// The same for Go, whose games are long and whose searches are large.
const SHARD_GAMES_GO: (u64, u32, u32) = (300, 400, 5);
/// Shards of the shuffle bench.
const SHUFFLE_SHARDS: u64 = 8;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    if let What::Device = args.what {
        device::rows(&args.on, &mut |row| {
            if !args.json {
                write_row(out, &row)?;
                out.flush()?;
            }
            rows.push(row);
            Ok(())
        })?;
        return if args.json {
            write_line(out, &rows).map(|()| Exit::Done)
        } else {
            Ok(Exit::Done)
        };
    }
    for game in games(args)? {
        let measured = with_game(&game, Bench(args.what))??;
        // Figures come as they are found: all of them take a minute or two.
        if !args.json {
            measured.iter().try_for_each(|row| write_row(out, row))?;
            out.flush()?;
        }
        rows.extend(measured);
    }
    if args.json {
        write_line(out, &rows)?;
    }
    Ok(Exit::Done)
}

/// The games to measure.
fn games(args: &Args) -> anyhow::Result<Vec<GameSpec>> {
    let names: &[&str] = match (&args.game, args.what) {
        (Some(game), _) => return Ok(vec![game.clone()]),
        (None, What::Rules) => game_names(),
        (None, _) => &["connect4"],
    };
    let games = names.iter().map(|name| name.parse());
    Ok(games.collect::<Result<_, GameError>>()?)
}

fn write_row(out: &mut dyn Write, row: &BenchRow) -> anyhow::Result<()> {
    let digits = |value: f64| if value < 1000.0 { 3 } else { 0 };
    write!(out, "{:<64} {:>13.*} {}", row.name, digits(row.value), row.value, row.unit)?;
    if let (Some(peer), Some(value)) = (&row.peer, row.peer_value) {
        write!(out, ", {:.2} x {peer}: {value:.*}", row.value / value, digits(value))?;
    }
    Ok(writeln!(out)?)
}

struct Bench(What);

impl GameVisitor for Bench {
    type Output = anyhow::Result<Vec<BenchRow>>;
    fn visit<G: Game>(self, game: G) -> Self::Output {
        match self.0 {
            What::Shard => {
                let is_go = game.spec().name() == "go";
                let (games, visits, repeats) = if is_go { SHARD_GAMES_GO } else { SHARD_GAMES };
                Ok(dz_shard::bench(&game, games, visits, repeats)?)
            }
            What::Search => search::rows(&game),
            What::Rules => rules::rows(&game),
            What::Infer => infer::rows(),
            // Of no game, so it does not come here.
            What::Device => Ok(Vec::new()),
            What::Selfplay => selfplay::rows(&game),
            What::Engine => engine::rows(&game),
            What::Shuffle => {
                let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
                dz_shuffler::bench(&game, scratch.path(), SHUFFLE_SHARDS)
            }
        }
    }
}
