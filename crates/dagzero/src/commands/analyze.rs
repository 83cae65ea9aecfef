//! `dagzero analyze`: a game with what a player thinks of every move.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use clap::ArgGroup;
use dz_engine::{Judgement, ReviewedPly, Session, comment, review};
use dz_game::{GameSpec, Move};
use dz_record::{Format, Record, RecordedMove, Sheet, decode, read};
use serde::Serialize;

use super::{
    engine::{no_program, session_of},
    match_cmd::game_of,
    players::{Found, PlayerArg, champion, network_file},
    write_line,
};
use crate::{Exit, exit::UsageError};

/// Say what a player thinks of every move of a game
///
/// Every position is searched. A move's loss is the expected score (a draw is half a point) that it gave
/// away against the search's own choice: from 0.05 on it is an inaccuracy, from 0.1 a mistake, from 0.15 a
/// blunder. The bar is the first player's score.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "dagzero analyze <PLAYER | --run RUN | --network PATH> \
        <FILE | --moves MOVES> [OPTIONS]",
    group = ArgGroup::new("who").required(true).args(["player", "run", "network"]),
    group = ArgGroup::new("what").required(true).args(["file", "moves"]),
    after_help = "Examples:\n  \
    dagzero analyze --run data/connect4-quick --moves \"4453226\"\n  \
    dagzero analyze --run data/go9-quick game.sgf --playouts 800 --out commented.sgf\n  \
    dagzero analyze --player rollout:400 --game connect4 --moves \"44\" --json"
)]
pub(crate) struct Args {
    /// A file with the game: SGF, PGN, plain or JSON
    file: Option<PathBuf>,
    /// The moves of the game
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Which game of the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
    /// Who thinks: a player as `dagzero match` names it
    #[arg(long)]
    player: Option<PlayerArg>,
    /// A run, whose champion thinks
    #[arg(long, value_name = "RUN")]
    run: Option<PathBuf>,
    /// A network file
    #[arg(long, value_name = "PATH")]
    network: Option<PathBuf>,
    /// The game, where the player has none of its own
    #[arg(long, value_name = "GAME")]
    game: Option<GameSpec>,
    /// Playouts a position
    #[arg(long, value_name = "N", default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    playouts: u32,
    /// Write the game with comments to this file, which must not exist: .sgf, .pgn, .txt or .jsonl
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Fixes every random choice
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// What evaluates networks: auto, cpu, cuda or cuda:N
    #[arg(long, default_value = "auto")]
    device: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is printed. Outside programs rely on the names.
#[derive(Serialize)]
struct Report<'a> {
    game: String,
    player: &'a str,
    playouts: u32,
    plies: &'a [ReviewedPly],
    /// Of the first player and of the second.
    sides: [Side; 2],
}

#[derive(Clone, Copy, Default, Serialize)]
struct Side {
    moves: usize,
    blunders: usize,
    mistakes: usize,
    inaccuracies: usize,
    /// Expected score given away a move.
    loss_mean: f64,
    /// Share of moves that are the search's own.
    best_share: f64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let sheet = args.sheet()?;
    let found = args.found()?;
    let known = sheet.as_ref().and_then(|sheet| sheet.game.clone());
    // A record says little about rules; what a player is for says all.
    let given = if found.game.is_some() {
        args.game.as_ref()
    } else {
        args.game.as_ref().or(known.as_ref())
    };
    let spec = game_of(given, std::slice::from_ref(&found))?;
    let mut session = session_of(found, &spec, &args.device, args.seed)?;
    let mut record = match (&sheet, &args.moves) {
        (Some(sheet), _) => session.read_record(sheet).map(|played| played.record),
        (None, moves) => {
            let list = Sheet::of_moves(&spec, moves.as_deref().unwrap_or_default());
            session.read_record(&list).map(|played| played.record)
        }
    }
    .map_err(|error| UsageError(error.to_string()))?;
    let format = args.out.as_deref().map(|path| writable(&*session, path)).transpose()?;
    if let Some(start) = &record.start {
        session.begin_game(Some(start))?;
    }
    let moves: Vec<Move> = record.moves.iter().map(|recorded| recorded.mv).collect();
    let mut told = |ply: usize| {
        if ply.is_multiple_of(20) {
            dz_stage::stderr_line(&format!("{ply}/{} plies", moves.len()));
        }
    };
    // Who knows searches nothing.
    let knows = matches!(args.player, Some(PlayerArg::Solver(_)));
    let playouts = if knows { 1 } else { args.playouts };
    let plies = review(&mut *session, &moves, playouts, &mut told)?;
    if let (Some(path), Some(format)) = (&args.out, format) {
        annotate(&mut record, &plies);
        let text = session.write_record(&record, format)?;
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let player = session.player();
    let sides = ["first", "second"].map(|name| Side::of(&plies, name));
    let report = Report { game: spec.to_string(), player, playouts, plies: &plies, sides };
    if args.json {
        write_line(out, &report)?;
    } else {
        write_text(&report, out)?;
    }
    Ok(Exit::Done)
}

impl Args {
    fn found(&self) -> anyhow::Result<Found> {
        no_program(self.player.as_ref())?;
        match (&self.run, &self.network, &self.player) {
            (Some(run), _, _) => champion(run, None, self.playouts),
            (None, Some(path), _) => network_file(path, self.playouts),
            (None, None, Some(player)) => player.find(self.playouts),
            (None, None, None) => unreachable!("the command line has one of them"),
        }
    }

    /// The game of the file, where there is one.
    fn sheet(&self) -> anyhow::Result<Option<Sheet>> {
        let Some(path) = &self.file else { return Ok(None) };
        let name = path.display();
        let bytes = fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let sheets =
            read(&decode(&bytes)).map_err(|error| UsageError(format!("{name}: {error}")))?;
        let (count, number) = (sheets.len(), self.number as usize);
        let what =
            || UsageError(format!("{name} has {count} games; --number is from 1 to {count}"));
        Ok(Some(sheets.into_iter().nth(number - 1).ok_or_else(what)?))
    }
}

/// The format that a file's name asks for, known before anything is searched.
fn writable(session: &dyn Session, path: &Path) -> anyhow::Result<Format> {
    let name = path.display();
    ensure!(!path.exists(), UsageError(format!("{name} exists; name another file with --out")));
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let own = session.record_format();
    let fits = [own, Format::Plain, Format::Json];
    let found = fits.into_iter().find(|format| format.extension() == extension);
    let ends = own.extension();
    let what = || UsageError(format!("let --out end in .{ends}, .txt or .jsonl: {name} does not"));
    Ok(found.ok_or_else(what)?)
}

fn annotate(record: &mut Record, plies: &[ReviewedPly]) {
    for (RecordedMove { comment: said, .. }, ply) in record.moves.iter_mut().zip(plies) {
        let ours = comment(ply);
        *said = Some(said.take().map_or(ours.clone(), |theirs| format!("{theirs}\n{ours}")));
    }
}

impl Side {
    fn of(plies: &[ReviewedPly], player: &str) -> Self {
        let own: Vec<&ReviewedPly> = plies.iter().filter(|ply| ply.player == player).collect();
        let count = |judged| own.iter().filter(|ply| ply.judgement == judged).count();
        let moves = own.len().max(1) as f64;
        Self {
            moves: own.len(),
            blunders: count(Judgement::Blunder),
            mistakes: count(Judgement::Mistake),
            inaccuracies: count(Judgement::Inaccuracy),
            loss_mean: own.iter().map(|ply| ply.loss).sum::<f64>() / moves,
            best_share: count(Judgement::Best) as f64 / moves,
        }
    }
}

fn write_text(report: &Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "{}, {} with {} playouts a position",
        report.game, report.player, report.playouts
    )?;
    writeln!(out, " ply  move    first player's score         judgement")?;
    for ply in report.plies {
        let full = (20.0 * ply.first_score).round() as usize;
        let bar = format!("{}{}", "#".repeat(full), "-".repeat(20_usize.saturating_sub(full)));
        let words = match ply.judgement {
            Judgement::Best => String::new(),
            Judgement::Good => format!("{} was first choice", ply.best),
            judged => {
                let line = ply.best_line.join(" ");
                format!("{} (-{:.2}): better {line}", judged.word(), ply.loss)
            }
        };
        let line =
            format!("{:>4}  {:<7} {:.2} {bar}  {words}", ply.ply, ply.played, ply.first_score);
        writeln!(out, "{}", line.trim_end())?;
    }
    for (name, side) in ["first", "second"].into_iter().zip(report.sides) {
        writeln!(
            out,
            "{name:<6} {} moves, {:.0} % the search's own, {} blunders, {} mistakes, {} inaccuracies, \
             {:.3} of score given away a move",
            side.moves,
            100.0 * side.best_share,
            side.blunders,
            side.mistakes,
            side.inaccuracies,
            side.loss_mean
        )?;
    }
    Ok(())
}
