//! `dagzero bench`: figures that the benchmarks' tables are made of.

use std::io::Write;

use anyhow::Context;
use clap::ValueEnum;
use dz_game::{Game, GameSpec, GameVisitor, with_game};
use dz_shard::BenchRow;

use super::write_line;
use crate::Exit;

/// Measure sizes and speeds on this machine
///
/// Prints one row a figure. benchmarks/ keeps the tables, with what they were measured on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  dagzero bench shard --json")]
pub(crate) struct Args {
    /// What to measure
    #[arg(value_enum)]
    what: What,
    /// Game and parameters
    #[arg(long = "game", value_name = "GAME", default_value = "connect4")]
    game: GameSpec,
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
}

/// Games of the shard bench, visits of each of their searches, and repeats of each timing.
const SHARD_GAMES: (u64, u32, u32) = (1500, 200, 5);
/// Shards of the shuffle bench.
const SHUFFLE_SHARDS: u64 = 8;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let rows = with_game(&args.game, Bench(args.what))??;
    if args.json {
        write_line(out, &rows)?;
    } else {
        for row in rows {
            write!(out, "{:<40} {:>14.3} {}", row.name, row.value, row.unit)?;
            if let (Some(peer), Some(value)) = (&row.peer, row.peer_value) {
                write!(out, "   ({peer}: {value})")?;
            }
            writeln!(out)?;
        }
    }
    Ok(Exit::Done)
}

struct Bench(What);

impl GameVisitor for Bench {
    type Output = anyhow::Result<Vec<BenchRow>>;
    fn visit<G: Game>(self, game: G) -> Self::Output {
        match self.0 {
            What::Shard => {
                let (games, visits, repeats) = SHARD_GAMES;
                Ok(dz_shard::bench(&game, games, visits, repeats)?)
            }
            What::Shuffle => {
                let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
                dz_shuffler::bench(&game, scratch.path(), SHUFFLE_SHARDS)
            }
        }
    }
}
