//! `dagzero bench`: figures that the benchmarks' tables are made of.

use std::io::Write;
use std::process::Command;

use anyhow::Context;
use clap::ValueEnum;
use dz_game::{Game, GameSpec, GameVisitor, with_game};
use dz_play::{Effort, Figure, search_figures};
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
    /// Speed and memory of the search on one thread, and of rollouts
    ///
    /// With `DAGZERO_PYTHON` naming a Python that has `open_spiel`, OpenSpiel's rollouts are measured
    /// beside ours.
    Search,
}

/// Games of the shard bench, visits of each of their searches, and repeats of each timing.
const SHARD_GAMES: (u64, u32, u32) = (1500, 200, 5);
/// The same for Go, whose games are long and whose searches are large.
const SHARD_GAMES_GO: (u64, u32, u32) = (300, 400, 5);
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
                let is_go = game.spec().name() == "go";
                let (games, visits, repeats) = if is_go { SHARD_GAMES_GO } else { SHARD_GAMES };
                Ok(dz_shard::bench(&game, games, visits, repeats)?)
            }
            What::Search => Ok(search_rows(&game)),
            What::Shuffle => {
                let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
                dz_shuffler::bench(&game, scratch.path(), SHUFFLE_SHARDS)
            }
        }
    }
}

fn search_rows<G: Game>(game: &G) -> Vec<BenchRow> {
    let peer = openspiel_rollouts(&game.spec());
    let row = |figure: Figure| {
        let row = BenchRow::new(&figure.name, figure.value, figure.unit, figure.samples);
        match peer.filter(|_| figure.unit == "rollouts/s") {
            Some(rate) => row.beside("OpenSpiel, rollouts in C++", rate),
            None => row,
        }
    };
    search_figures(game, Effort::TABLE).into_iter().map(row).collect()
}

/// OpenSpiel's random games a second from the start of a game, if it is installed and has the game.
fn openspiel_rollouts(game: &GameSpec) -> Option<f64> {
    /// Best of runs of rollouts from one leaf, all of them in C++.
    const SCRIPT: &str = "import sys, time, pyspiel
game = pyspiel.load_game(sys.argv[1])
state, best, rollouts = game.new_initial_state(), 0.0, 20
while rollouts:
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 100, False, 1, False)
    started = time.perf_counter()
    bot.mcts_search(state)
    seconds = time.perf_counter() - started
    best = max(best, rollouts / seconds)
    rollouts = 0 if seconds > 1 else 2 * rollouts
print(best)";
    let size = || game.parameters().iter().find(|(key, _)| key == "size").map(|(_, size)| size);
    let name = match game.name() {
        "connect4" if game.to_string() == "connect4:width=7,height=6,connect=4" => {
            "connect_four".to_owned()
        }
        "tictactoe" => "tic_tac_toe".to_owned(),
        "othello" if size()? == "8" => "othello".to_owned(),
        "go" => format!("go(board_size={})", size()?),
        "hex" => format!("hex(board_size={})", size()?),
        _ => return None,
    };
    let python = std::env::var_os("DAGZERO_PYTHON")?;
    let output = Command::new(python).args(["-c", SCRIPT, &name]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
