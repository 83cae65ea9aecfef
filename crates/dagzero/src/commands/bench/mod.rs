//! `dagzero bench`: figures that the benchmarks' tables are made of.

mod args;
mod at_once;
mod device;
mod engine;
mod games;
mod infer;
mod peers;
mod python;
mod rows;
mod rules;
mod search;
mod selfplay;
mod soak;

use std::io::Write;

use anyhow::Context;
use clap::ValueEnum;
use dz_game::{Game, GameError, GameSpec, GameVisitor, game_names, with_game};
use dz_shard::BenchRow;

use crate::Exit;

/// Measure sizes and speeds on this machine
///
/// Prints one row a figure. benchmarks/ keeps the tables, with what they were measured on.
///
/// Where `DAGZERO_PYTHON` names a Python that has them (pip), others are measured beside ours, a
/// sample of one and a sample of the other in turns: `open_spiel` by `rules` and `search`, `onnx`
/// and `onnxruntime` by `infer`, `pgx` and `mctx` by `selfplay`.
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
    on: args::DeviceArgs,
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
    /// Speed of the loader, from row files to batches: what training may learn from at most
    Rows,
    /// Speed and memory of the search on one thread, and of rollouts
    Search,
    /// Speed of rules on one thread: perft and random playouts
    Rules,
    /// Positions a second that networks of usual sizes evaluate on the processor
    ///
    /// ONNX Runtime is the peer, on the same networks; two threads of ours are two independent
    /// batches.
    Infer,
    /// A network of any size on any device, playing and learning with Burn
    ///
    /// `benchmarks/gpu` measures `PyTorch` beside it.
    Device,
    /// Speed of self-play on the processor, with networks of random weights
    ///
    /// Games like those of the quick preset, beside Burn's evaluator in place of ours; and games of
    /// 32 playouts a move, beside pgx and mctx on Connect Four.
    Selfplay,
    /// Speed of self-play with a device, beside what the host reaches with one that takes no time,
    /// and what the device reaches without games
    Games,
    /// Memory of host and device while networks take each other's place and while one learns
    Soak,
    /// Positions a second that one search has evaluated by itself, beside many searches in
    /// lockstep, by its leaves in flight; and what those cost in solved positions, where the game
    /// has a solver
    Engine,
}

/// Games of the shard bench, visits of each of their searches, and repeats of each timing.
const SHARD_GAMES: (u64, u32, u32) = (1500, 200, 5);
/// The same for Go, whose games are long and whose searches are large.
const SHARD_GAMES_GO: (u64, u32, u32) = (300, 400, 5);
/// Shards of the shuffle bench.
const SHUFFLE_SHARDS: u64 = 8;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let mut printer = Printer { out, json: args.json, rows: 0 };
    let measured = measure(args, &mut |row| printer.row(&row));
    // A list that was begun ends whatever happens, so that what was measured before can be read.
    if measured.is_ok() || printer.rows > 0 {
        printer.end()?;
    }
    measured.map(|()| Exit::Done)
}

/// Hands each figure to `each` as it is found: all of them take a minute or two.
fn measure(
    args: &Args,
    each: &mut dyn FnMut(BenchRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    match args.what {
        What::Device => return device::rows(&args.on, each),
        What::Soak => return soak::rows(&args.on, each),
        _ => {}
    }
    for game in games(args)? {
        if let What::Games = args.what {
            with_game(&game, Games(&args.on, each))??;
            continue;
        }
        with_game(&game, Bench(args.what))??.into_iter().try_for_each(&mut *each)?;
    }
    Ok(())
}

/// Writes figures as lines for people, or as one JSON list with a figure a line. A reader of a list
/// that was cut off has whole lines.
struct Printer<'a> {
    out: &'a mut dyn Write,
    json: bool,
    rows: u64,
}

impl Printer<'_> {
    fn row(&mut self, row: &BenchRow) -> anyhow::Result<()> {
        if self.json {
            let before = if self.rows == 0 { "[" } else { "," };
            write!(self.out, "{before}\n{}", serde_json::to_string(row)?)?;
        } else {
            write_row(self.out, row)?;
        }
        self.rows += 1;
        Ok(self.out.flush()?)
    }

    fn end(&mut self) -> anyhow::Result<()> {
        if self.json {
            let before = if self.rows == 0 { "[" } else { "" };
            writeln!(self.out, "{before}\n]")?;
        }
        Ok(self.out.flush()?)
    }
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

/// What `bench games` is told, and who takes its figures.
struct Games<'a>(&'a args::DeviceArgs, &'a mut dyn FnMut(BenchRow) -> anyhow::Result<()>);

impl GameVisitor for Games<'_> {
    type Output = anyhow::Result<()>;
    fn visit<G: Game>(self, game: G) -> Self::Output {
        games::rows(&game, self.0, self.1)
    }
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
            What::Rows => rows::rows(&game),
            What::Selfplay => selfplay::rows(&game),
            // Those that are handed on one by one do not come here.
            What::Device | What::Games | What::Soak => Ok(Vec::new()),
            What::Engine => engine::rows(&game),
            What::Shuffle => {
                let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
                dz_shuffler::bench(&game, scratch.path(), SHUFFLE_SHARDS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_json_after_every_number_of_rows_and_its_lines_are_rows() {
        let row = BenchRow::new("a", 1.5, "s", 3);
        for count in 0..3 {
            let mut text = Vec::new();
            let mut printer = Printer { out: &mut text, json: true, rows: 0 };
            for _ in 0..count {
                printer.row(&row).unwrap();
            }
            printer.end().unwrap();
            let text = String::from_utf8(text).unwrap();
            let list: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
            assert_eq!(list.len(), count);
            // What a reader finds who was cut off before the end.
            let lines = text.lines().skip(1).take(count).map(|line| line.trim_end_matches(','));
            for line in lines {
                assert_eq!(serde_json::from_str::<serde_json::Value>(line).unwrap()["value"], 1.5);
            }
        }
    }
}
