//! `dagzero accuracy`: how often a network's move keeps the value of a solved position.

use std::{collections::BTreeMap, fs, io::Write, path::PathBuf};

use anyhow::{Context, bail};
use dz_game::{AnyGame, GameSpec};
use dz_infer::Lockstep;
use dz_play::{PlayerEvaluator, PlayerKind, PositionCheck, Preserved};
use dz_record::{BYTES_MAX, decode};
use serde::Serialize;

use super::{
    players::{CACHE_ENTRIES, Found, find_trained, network_file},
    positions::{generated, position_lines, read_positions},
    value_kept::ValueKept,
    write_line,
};
use crate::{Exit, exit::UsageError};

/// Measure how often a network's move keeps the value of positions whose truth is known
///
/// `--generate` makes the positions: uniform random play up to each ply in turn, solved exactly,
/// the same for the same seed. Connect Four's have 4 to 32 empty points unless `--first-ply` asks
/// for more. Other games with a solver: tic-tac-toe, Hex of size 2 and 3.
///
/// A file has one position a line: `{"moves": "4435", "value_preserving": [4, 5]}`, moves and
/// columns in the game's notation; other fields are not looked at. The move is the one that would
/// be played in a match; with 0 playouts it is the raw policy's. Positions where some legal move
/// loses value are counted apart as non-trivial. Intervals are at 95 % (Wilson).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero accuracy data/connect4-quick --generate 1000 --playouts 0,100\n  \
    dagzero accuracy data/connect4-quick --positions solved.jsonl --playouts 0,100 --json\n  \
    dagzero accuracy data/connect4-quick@5,c_puct=1.0 --generate 1000")]
pub(crate) struct Args {
    /// What is measured: a run's champion, RUN@GENERATION or a network file. Keys of [search] may
    /// follow, as in data/connect4,selection=puct
    #[arg(
        value_name = "RUN",
        required_unless_present_any = ["run_option", "network"],
        conflicts_with_all = ["run_option", "network"]
    )]
    run: Option<PathBuf>,
    /// The same as RUN, as scripts write it that are older than the argument
    #[arg(long = "run", value_name = "RUN", hide = true, conflicts_with = "network")]
    run_option: Option<PathBuf>,
    /// A network file
    #[arg(long, value_name = "PATH")]
    network: Option<PathBuf>,
    /// Solved positions, JSON lines
    #[arg(long, value_name = "FILE", required_unless_present = "generate")]
    positions: Option<PathBuf>,
    /// Make this many solved positions instead of reading them
    #[arg(long, value_name = "N", conflicts_with = "positions",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    generate: Option<u32>,
    /// Which positions to make
    #[arg(long, value_name = "SEED", default_value_t = 1, conflicts_with = "positions")]
    seed: u64,
    /// The earliest positions to make, in plies from the start; Connect Four's take seconds each
    /// before ply 10
    #[arg(long, value_name = "PLY", requires = "generate")]
    first_ply: Option<u32>,
    /// Also write the positions made to this file, so that another network meets the same at once
    #[arg(long, value_name = "FILE", requires = "generate")]
    save: Option<PathBuf>,
    /// Playouts a position, one measurement each; 0 is the raw policy
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "0,100",
        value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    playouts: Vec<u32>,
    /// Positions searched at once
    #[arg(long, value_name = "N", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..=65_536))]
    parallel: u32,
    /// What evaluates the network: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One measurement. Outside programs rely on the names.
#[derive(Debug, Serialize)]
struct Accuracy {
    playouts: u32,
    #[serde(flatten)]
    all: ValueKept,
    /// Positions where some legal move loses value.
    nontrivial: ValueKept,
    by_ply: Vec<AtPly>,
}

#[derive(Debug, Serialize)]
struct AtPly {
    ply: usize,
    #[serde(flatten)]
    all: ValueKept,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let found = match (args.run.as_ref().or(args.run_option.as_ref()), &args.network) {
        (Some(run), _) => find_trained(run, 1)?.ok_or_else(|| {
            let what = "neither a run nor a network file; write RUN, RUN@GENERATION or a file";
            UsageError(format!("{} is {what}", run.display()))
        })?,
        (None, Some(path)) => network_file(path, 1)?,
        (None, None) => bail!("name a run, or a network file with --network"),
    };
    if let PlayerKind::Search(search) = &found.player.kind
        && !matches!(search.evaluator, PlayerEvaluator::Network { .. })
    {
        let name = &found.player.name;
        return Err(UsageError(format!("{name} has no champion yet; let it run on first")).into());
    }
    let game = found.game.clone().context("a network is for a game")?;
    let positions = match (&args.positions, args.generate) {
        (Some(path), _) => {
            let bytes = dz_text::read_input(path, BYTES_MAX as u64)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let decoded = decode(&bytes);
            if let Some(note) = decoded.note {
                let path = path.display().to_string();
                dz_stage::stderr_line(&format!("note: {}: {note}", dz_text::line(&path)));
            }
            read_positions(&AnyGame::of(&game)?, path, &decoded.text)?
        }
        (None, Some(count)) => {
            let positions = generated(&game, count as usize, args.first_ply, args.seed)?;
            if let Some(path) = &args.save {
                let text = position_lines(&AnyGame::of(&game)?, &positions)?;
                fs::write(path, text)
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
            positions
        }
        (None, None) => bail!("give positions with --positions, or make them with --generate"),
    };
    let measured = measure(&game, args, &found, &positions)?;
    if args.json {
        write_line(out, &measured)?;
    } else {
        write_text(&measured, out)?;
    }
    Ok(Exit::Done)
}

/// Measures at each number of playouts.
fn measure(
    game: &GameSpec,
    args: &Args,
    found: &Found,
    positions: &[PositionCheck],
) -> anyhow::Result<Vec<Accuracy>> {
    let device = dz_burn_net::pick_device(&args.device)?;
    let mut arena = dz_gatekeeper::arena(game, &[device], CACHE_ENTRIES)?;
    let lockstep = Lockstep { parallel_games: args.parallel as usize, groups: 2 };
    let mut measured = Vec::new();
    for &playouts in &args.playouts {
        let answers = arena.check(&found.player, positions, playouts, &lockstep)?;
        measured.push(Accuracy::of(playouts, &answers));
    }
    Ok(measured)
}

impl Accuracy {
    fn of(playouts: u32, answers: &[Preserved]) -> Self {
        let mut plies: BTreeMap<usize, Vec<Preserved>> = BTreeMap::new();
        for answer in answers {
            plies.entry(answer.ply).or_default().push(*answer);
        }
        let by_ply = plies.into_iter().map(|(ply, answers)| AtPly { ply, all: kept(&answers) });
        let hard = answers.iter().filter(|answer| answer.nontrivial);
        Self { playouts, all: kept(answers), nontrivial: kept(hard), by_ply: by_ply.collect() }
    }
}

fn kept<'a>(answers: impl IntoIterator<Item = &'a Preserved>) -> ValueKept {
    ValueKept::of(answers.into_iter().map(|answer| answer.preserved))
}

/// As cells of a table.
fn cells(kept: &ValueKept) -> String {
    let ValueKept { positions, preserving, .. } = kept;
    let [share, lo95, hi95] = kept.percent();
    format!("{preserving:>6} of {positions:>6} = {share:6.2} % ({lo95:.2} to {hi95:.2})")
}

fn write_text(measured: &[Accuracy], out: &mut dyn Write) -> anyhow::Result<()> {
    for accuracy in measured {
        let name = match accuracy.playouts {
            0 => "raw policy".to_owned(),
            playouts => format!("{playouts} playouts"),
        };
        writeln!(out, "{name:<16} all          {}", cells(&accuracy.all))?;
        writeln!(out, "{:<16} non-trivial  {}", "", cells(&accuracy.nontrivial))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_counted_by_kind_and_ply() {
        let answer = |index, ply, preserved, nontrivial| Preserved {
            index,
            ply,
            preserved,
            nontrivial,
            value_right: None,
        };
        let answers =
            [answer(0, 4, true, false), answer(1, 4, false, true), answer(2, 9, true, true)];
        let accuracy = Accuracy::of(100, &answers);
        let json = serde_json::to_value(&accuracy).unwrap();
        assert_eq!(json["playouts"], 100);
        assert_eq!((&json["positions"], &json["preserving"]), (&3.into(), &2.into()));
        assert_eq!(json["nontrivial"]["positions"], 2);
        assert_eq!(json["nontrivial"]["share"], 0.5);
        assert_eq!(json["by_ply"][0]["ply"], 4);
        assert_eq!(json["by_ply"][0]["share"], 0.5);
        assert_eq!(json["by_ply"][1]["preserving"], 1);
        assert!(json["lo95"].as_f64().unwrap() < json["share"].as_f64().unwrap());
    }
}
