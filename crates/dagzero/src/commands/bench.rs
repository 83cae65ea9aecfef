//! `dagzero bench`: figures that the benchmarks' tables are made of.

use std::io::Write;

use dz_bench::{Bench, BenchRow, measure};
use dz_game::{GameError, GameSpec, game_names};

use crate::Exit;

/// Measure sizes and speeds on this machine
///
/// Prints one row a figure. benchmarks/ keeps the tables, with the machines they were measured on.
///
/// Where `DAGZERO_PYTHON` names a Python that has them (pip), others are measured beside ours, a
/// sample of one and a sample of the other in turns: `open_spiel` by `rules` and `search`,
/// `onnxruntime` by `infer`, `pgx` and `mctx` by `selfplay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero bench shard --json\n  \
    DAGZERO_PYTHON=python3 dagzero bench rules --game go:size=9")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Bench,
    /// Game and parameters, instead of every game for `rules` and of connect4 for the others
    #[arg(long = "game", value_name = "GAME", global = true)]
    game: Option<GameSpec>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let mut printer = Printer { out, json: args.json, rows: 0 };
    let games = games(args)?;
    let measured = measure(&args.what, &games, &mut |row| printer.row(&row));
    // A list that was begun is closed whatever happens, so that the rows measured before a failure
    // can be read.
    if measured.is_ok() || printer.rows > 0 {
        printer.end()?;
    }
    measured.map(|()| Exit::Done)
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
    let names: &[&str] = match (&args.game, &args.what) {
        (Some(game), _) => return Ok(vec![game.clone()]),
        (None, Bench::Rules) => game_names(),
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
