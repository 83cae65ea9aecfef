//! `dagzero perft`: counts of move sequences.

use std::io::Write;

use dz_game::{Game, perft, with_game};
use serde::Serialize;

use super::{GameArgs, LineArgs, write_line};
use crate::Exit;

/// Count the move sequences of each length, to check rules against published numbers
///
/// Prints {"counts": [...]}: leaf nodes at depths 0 to D. A finished position has no successors,
/// and a pass is a ply. Chess counts by the movement of the pieces alone: no draw ends a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  dagzero perft --game connect4 --depth 8")]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    line: LineArgs,
    /// Plies to look ahead
    // A line of play is walked on the stack. No count goes deeper than a game is long.
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(0..=1000))]
    depth: u32,
}

#[derive(Serialize)]
struct Counts {
    counts: Vec<u64>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let counts = with_game!(&args.game.spec, |game| count(&game, args))??;
    write_line(out, &Counts { counts })?;
    Ok(Exit::Done)
}

fn count<G: Game>(game: &G, args: &Args) -> anyhow::Result<Vec<u64>> {
    let line = args.line.play(game)?;
    Ok(perft(game, &line.state, &line.history, args.depth))
}
