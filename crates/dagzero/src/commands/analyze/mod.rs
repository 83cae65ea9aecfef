//! `dagzero analyze`: a game with what a player thinks of every move.

pub(super) mod fits;
mod out;
mod source;

use std::{io::Write, path::PathBuf};

use anyhow::{Context, ensure};
use clap::ArgGroup;
use dz_frontends::{Judgement, ReviewedPly, Session, review};
use dz_game::Move;
use dz_record::Record;
use dz_report::count::plural;
use dz_text::{Colour, Look};
use serde::Serialize;

use super::{
    create,
    players::{ChampionArgs, PlayerArg, TableArgs, game_of},
    session::{PLAYOUTS, session_of},
    write_line,
};
use crate::{Exit, exit::UsageError};
use source::Source;

/// Say what a player thinks of every move of a game
///
/// Every position is searched. A move's loss is the expected score (a draw is half a point) that it
/// gave away against the search's own choice: from 0.05 on it is an inaccuracy, from 0.1 a mistake,
/// from 0.15 a blunder. The bar is the first player's score.
///
/// Stones that a record sets up are no moves. Standard error names what was left out or guessed.
/// --out keeps everything in the record, and adds comments.
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
    /// Who thinks, as `dagzero match` names players, unless an option names it; and a file with the
    /// game, SGF, PGN, plain or JSON, unless --moves has it
    #[arg(value_name = "PLAYER|FILE", num_args = 1..=2)]
    words: Vec<String>,
    /// The moves of the game
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Which game of the file, from 1 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    number: Option<u32>,
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
    /// What of the record was left out or guessed.
    notes: &'a [String],
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
    let source = file.map(|path| Source::read(&path, args.number)).transpose()?;
    let what = "random thinks nothing of moves; name a player that searches or knows";
    ensure!(player != Some(PlayerArg::Random), UsageError(what.to_owned()));
    let own = player.as_ref().and_then(PlayerArg::own_playouts);
    let playouts = args.playouts.or(own).unwrap_or(PLAYOUTS);
    let found = args.champion.find(player.as_ref(), playouts)?;
    let known = source.as_ref().and_then(|source| source.sheet.game.clone());
    // A record says little about the rules, but a player for one game determines them all.
    let given = if found.game.is_some() && !found.any_size {
        args.table.game.as_ref()
    } else {
        args.table.game.as_ref().or(known.as_ref())
    };
    let spec = game_of(given, std::slice::from_ref(&found))?;
    let source = source.unwrap_or_else(|| Source::of_moves(&spec, args.moves.as_deref()));
    let mut notes = source.notes.clone();
    let ours = fits::Ours { game: &spec, work: ["analysis", "analysed"], taken: &[] };
    notes.extend(fits::differences(&source.name(), &source.sheet, &ours)?);
    let mut session = session_of(found, &spec, &args.table)?;
    let played = session.read_record(&source.sheet);
    let played = played.map_err(|error| UsageError(source.place(&error)))?;
    notes.extend(played.notes.lines());
    // The writer is made first, so that faults of --out are reported before the search.
    let writer =
        args.out.as_deref().map(|path| out::Writer::new(path, &*session, &source, &played));
    let writer = writer.transpose()?;
    notes.extend(writer.iter().flat_map(|writer| writer.notes.clone()));
    for note in &notes {
        dz_stage::stderr_line(&format!("note: {}", dz_text::line(note)));
    }
    let file = args.out.as_deref().map(create).transpose()?;
    let mut plies = review_record(&mut *session, &played.record, playouts)?;
    // A pass that records leave out is no move of the record.
    plies.retain(|ply| played.sources.get(ply.ply - 1).is_none_or(Option::is_some));
    if let (Some(path), Some(mut file), Some(writer)) = (&args.out, file, writer) {
        let text = writer.text(&*session, &plies)?;
        let done = file.write_all(text.as_bytes());
        done.with_context(|| format!("cannot write {}", path.display()))?;
    }
    let player = session.player();
    let sides = ["first", "second"].map(|name| Side::of(&plies, name));
    let game = spec.to_string();
    let report = Report { game, player, playouts, plies: &plies, sides, notes: &notes };
    if args.json {
        write_line(out, &report)?;
    } else {
        write_text(&report, Look::stdout(), out)?;
    }
    Ok(Exit::Done)
}

/// Reviews all moves of a record, from each position that it sets up.
fn review_record(
    session: &mut dyn Session,
    record: &Record,
    playouts: u32,
) -> anyhow::Result<Vec<ReviewedPly>> {
    let moves: Vec<Move> = record.moves.iter().map(|recorded| recorded.mv).collect();
    if let Some(start) = &record.start {
        session.begin_game(Some(start))?;
    }
    let mut plies = Vec::with_capacity(moves.len());
    let ends = record.breaks.iter().map(|found| (found.ply, Some(&found.position)));
    let mut from = 0;
    for (to, position) in ends.chain([(moves.len(), None)]) {
        if from < to {
            let mut on_ply = |ply: usize| {
                if (from + ply).is_multiple_of(20) {
                    dz_stage::stderr_line(&format!("{}/{} plies", from + ply, moves.len()));
                }
            };
            let found = review(session, &moves[from..to], playouts, &mut on_ply)?;
            plies.extend(found.into_iter().map(|ply| ReviewedPly { ply: from + ply.ply, ..ply }));
        }
        if let Some(position) = position {
            session.begin_game(Some(position))?;
        }
        from = to;
    }
    Ok(plies)
}

impl Args {
    /// The player, unless a run or a network is named, and the file of the game, unless its moves
    /// are given.
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
            // A sum of no numbers is -0.0.
            loss_mean: own.iter().fold(0.0, |sum, ply| sum + ply.loss) / moves,
            best_share: count(Judgement::Best) as f64 / moves,
        }
    }
}

fn write_text(report: &Report<'_>, look: Look, out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "{}, {} with {} playouts a position",
        report.game,
        dz_text::line(report.player),
        report.playouts
    )?;
    writeln!(out, " ply  move    first player's score         judgement")?;
    for ply in report.plies {
        let [full, empty] = look.bar(ply.first_score, 20);
        let bar = look.paint(Colour::Cyan, &full) + look.paint(Colour::Magenta, &empty);
        let words = match ply.judgement {
            Judgement::Best => String::new(),
            Judgement::Good => format!("{} was first choice", ply.best),
            judged => {
                let line = ply.best_line.join(" ");
                let colour =
                    if judged == Judgement::Blunder { Colour::Red } else { Colour::Yellow };
                let word = look.paint(colour, judged.word());
                format!("{word} (-{:.2}): better {line}", ply.loss)
            }
        };
        let line =
            format!("{:>4}  {:<7} {:.2} {bar}  {words}", ply.ply, ply.played, ply.first_score);
        writeln!(out, "{}", line.trim_end())?;
    }
    for (name, side) in ["first", "second"].into_iter().zip(report.sides) {
        writeln!(
            out,
            "{name:<6} {}, {:.0} % the search's own, {}, {}, {}, {:.3} of score given away a move",
            plural(side.moves as u64, "move"),
            100.0 * side.best_share,
            plural(side.blunders as u64, "blunder"),
            plural(side.mistakes as u64, "mistake"),
            plural(side.inaccuracies as u64, "inaccuracy"),
            side.loss_mean
        )?;
    }
    Ok(())
}
