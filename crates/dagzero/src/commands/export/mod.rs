//! `dagzero export`: games and networks in formats that other programs read.

pub(in crate::commands) mod games;
mod network;
mod sink;
mod tensorboard;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use dz_game::{AnyGame, GameSpec};
use dz_record::Format;

use self::{
    games::{ExportedGame, GameFilter, Source},
    sink::Sink,
};
use crate::{Exit, exit::UsageError};

/// Write games as records that other programs read
///
/// Go, Hex, Othello and Gomoku are written as SGF, chess as PGN, other games as plain text; every
/// game can be had as plain text or JSON, too. All games go one after the other to standard output
/// or into one file, which is a collection that SGF and PGN readers take as it is. Every move is
/// checked against the rules on the way.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero export data/go-smoke --generation 2 --out games.sgf\n  \
    dagzero export data/chess-smoke --matches --comments > matches.pgn\n  \
    dagzero export data/connect4-quick --game 17 --format json\n  \
    dagzero export data/go-smoke --limit 100 --out games/      (one file a game)\n  \
    dagzero export data/go-smoke --onnx go9.onnx              (the champion)\n  \
    dagzero export network data/go-smoke --out go9.safetensors\n  \
    dagzero export tensorboard data/connect4-quick --out logs")]
#[command(subcommand_negates_reqs = true, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    target: Option<Target>,
    #[command(flatten)]
    games: Option<GamesArgs>,
}

/// What else can be exported.
#[derive(Debug, clap::Subcommand)]
enum Target {
    Network(network::Args),
    Tensorboard(tensorboard::Args),
}

/// Which games, and how.
#[derive(Debug, clap::Args)]
struct GamesArgs {
    /// A run's directory, a shard, or a match file (`dagzero match --out`); with --onnx a run,
    /// RUN@GENERATION or a network file
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Write the network instead, as ONNX to this file, which may not exist
    #[arg(long, value_name = "FILE", conflicts_with_all =
        ["game", "generation", "matches", "format", "out", "limit", "comments"])]
    onnx: Option<PathBuf>,
    /// Only the game of this number
    #[arg(long, value_name = "ID")]
    game: Option<u64>,
    /// Only games that this generation played against itself
    #[arg(long, value_name = "N", conflicts_with = "matches")]
    generation: Option<u32>,
    /// The run's matches instead of its self-play
    #[arg(long)]
    matches: bool,
    /// sgf, pgn, plain or json [default: the game's own]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Write to this file, or with a / at the end one file a game into this folder; no file is
    /// overwritten
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// At most so many games
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Say at each move of self-play what its search found: the root's value for the player to
    /// move, and visits
    #[arg(long)]
    comments: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    match (&args.target, &args.games) {
        (Some(Target::Tensorboard(args)), _) => tensorboard::run(args, out),
        (Some(Target::Network(args)), _) => network::run(args),
        (None, Some(args)) => games(args, out),
        (None, None) => Err(UsageError("name a run, a shard or a match file".to_owned()).into()),
    }
}

fn games(args: &GamesArgs, out: &mut dyn Write) -> anyhow::Result<Exit> {
    if let Some(onnx) = &args.onnx {
        network::onnx(&args.path, onnx)?;
        return Ok(Exit::Done);
    }
    let source = Source::find(&args.path, args.matches)?;
    let spec: GameSpec = source.game()?.parse()?;
    let path = &args.path;
    let format = args.format.unwrap_or(Format::of(&AnyGame::of(&spec)?));
    let filter =
        GameFilter { game: args.game, generation: args.generation, comments: args.comments };
    let mut sink = Sink::new(args.out.as_deref(), format, out)?;
    let limit = args.limit.unwrap_or(u64::MAX);
    source.each(&filter, &mut |ExportedGame { name, rules, record }| {
        if sink.written() < limit {
            let sheet = record.sheet(&rules, format).map_err(|e| usage_or(e, path))?;
            sink.write(&name, &sheet.to_string())?;
        }
        Ok(sink.written() < limit)
    })?;
    let written = sink.finish()?;
    if written == 0 && limit > 0 {
        let what = format!("{} has no such game", path.display());
        return Err(UsageError(what).into());
    }
    if let Some(path) = &args.out {
        dz_stage::stderr_line(&format!("{written} games in {}", path.display()));
    }
    Ok(Exit::Done)
}

/// A format that the game does not have is wrong usage; any other fault lies in the files.
fn usage_or(error: dz_record::RecordError, path: &Path) -> anyhow::Error {
    if matches!(error, dz_record::RecordError::WrongFormat { .. }) {
        return UsageError(error.to_string()).into();
    }
    anyhow::Error::new(error).context(path.display().to_string())
}
