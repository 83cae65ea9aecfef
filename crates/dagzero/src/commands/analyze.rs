//! `dagzero analyze`: a game with what a player thinks of every move.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use clap::ArgGroup;
use dz_engine::{Judgement, ReviewedPly, Session, comment, review};
use dz_game::Move;
use dz_record::{Format, Record, RecordedMove, Sheet, decode, read};
use serde::Serialize;

use super::{
    create,
    engine::{PLAYOUTS, session_of},
    match_cmd::game_of,
    players::{ChampionArgs, PlayerArg, TableArgs},
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
    group = ArgGroup::new("who").args(["player", "run", "network"]),
    after_help = "Examples:\n  \
    dagzero analyze data/connect4-quick --moves \"4453226\"\n  \
    dagzero analyze data/go9 game.sgf --playouts 800 --out commented.sgf\n  \
    dagzero analyze rollout:400 --game connect4 --moves \"44\" --json"
)]
pub(crate) struct Args {
    /// Who thinks, as `dagzero match` names players, unless an option names it; and a file with the game,
    /// SGF, PGN, plain or JSON, unless --moves has it
    #[arg(value_name = "PLAYER|FILE", num_args = 1..=2)]
    words: Vec<String>,
    /// The moves of the game
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Which game of the file, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
    /// Who thinks
    #[arg(long)]
    player: Option<PlayerArg>,
    #[command(flatten)]
    champion: ChampionArgs,
    #[command(flatten)]
    table: TableArgs,
    /// Playouts a position [default: the player's own, else 400]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    playouts: Option<u32>,
    /// Write the game with comments to this file, which must not exist: .sgf, .pgn, .txt or .jsonl
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
    let (player, file) = args.who_and_what()?;
    let sheet = file.map(|path| args.sheet(&path)).transpose()?;
    let what = "random thinks nothing of moves; name a player that searches or knows";
    ensure!(player != Some(PlayerArg::Random), UsageError(what.to_owned()));
    let own = player.as_ref().and_then(PlayerArg::own_playouts);
    let playouts = args.playouts.or(own).unwrap_or(PLAYOUTS);
    let found = args.champion.find(player.as_ref(), playouts)?;
    let known = sheet.as_ref().and_then(|sheet| sheet.game.clone());
    // A record says little about rules; what a player is for says all.
    let given = if found.game.is_some() && !found.any_size {
        args.table.game.as_ref()
    } else {
        args.table.game.as_ref().or(known.as_ref())
    };
    let spec = game_of(given, std::slice::from_ref(&found))?;
    let mut session = session_of(found, &spec, &args.table)?;
    let mut record = match (&sheet, &args.moves) {
        (Some(sheet), _) => session.read_record(sheet).map(|played| played.record),
        (None, moves) => {
            let list = Sheet::of_moves(&spec, moves.as_deref().unwrap_or_default());
            session.read_record(&list).map(|played| played.record)
        }
    }
    .map_err(|error| UsageError(error.to_string()))?;
    // What cannot be written is known before anything is searched.
    let format = args.out.as_deref().map(|path| writable(&*session, path)).transpose()?;
    let file = args.out.as_deref().map(create).transpose()?;
    if let Some(start) = &record.start {
        session.begin_game(Some(start))?;
    }
    let moves: Vec<Move> = record.moves.iter().map(|recorded| recorded.mv).collect();
    let mut told = |ply: usize| {
        if ply.is_multiple_of(20) {
            dz_stage::stderr_line(&format!("{ply}/{} plies", moves.len()));
        }
    };
    let plies = review(&mut *session, &moves, playouts, &mut told)?;
    if let (Some(path), Some(mut file), Some(format)) = (&args.out, file, format) {
        annotate(&mut record, &plies);
        let text = session.write_record(&record, format)?;
        let done = file.write_all(text.as_bytes());
        done.with_context(|| format!("cannot write {}", path.display()))?;
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
    /// The player, unless a run or a network is named, and the file of the game, unless its moves are given.
    fn who_and_what(&self) -> anyhow::Result<(Option<PlayerArg>, Option<PathBuf>)> {
        let mut words = self.words.iter();
        let mut player = self.player.clone();
        if player.is_none() && !self.champion.is_named() {
            let what = "who thinks? write a run, another player or a network file first";
            let word = words.next().ok_or_else(|| UsageError(what.to_owned()))?;
            player = Some(word.parse().map_err(UsageError)?);
        }
        let file = words.next().map(PathBuf::from);
        let what = "write either a file with the game or --moves";
        ensure!(file.is_some() != self.moves.is_some(), UsageError(what.to_owned()));
        let what = "there is one file too many: the player is named already";
        ensure!(words.next().is_none(), UsageError(what.to_owned()));
        Ok((player, file))
    }

    /// The game of the file.
    fn sheet(&self, path: &Path) -> anyhow::Result<Sheet> {
        let name = path.display();
        let bytes = fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let sheets =
            read(&decode(&bytes)).map_err(|error| UsageError(format!("{name}: {error}")))?;
        let (count, number) = (sheets.len(), self.number as usize);
        let what =
            || UsageError(format!("{name} has {count} games; --number is from 1 to {count}"));
        Ok(sheets.into_iter().nth(number - 1).ok_or_else(what)?)
    }
}

/// The format that a file's name asks for.
fn writable(session: &dyn Session, path: &Path) -> anyhow::Result<Format> {
    let name = path.display();
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
