//! One file a command: its arguments, and what it prints.

pub(crate) mod accuracy;
pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod engine;
pub(crate) mod export;
pub(crate) mod fork;
pub(crate) mod import;
pub(crate) mod inspect;
pub(crate) mod learn;
pub(crate) mod list;
pub(crate) mod match_cmd;
mod networks;
pub(crate) mod new;
pub(crate) mod perft;
pub(crate) mod plan;
pub(crate) mod play;
mod players;
mod positions;
pub(crate) mod presets;
pub(crate) mod rate;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rollout_settings;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod search;
#[cfg(feature = "serve")]
pub(crate) mod serve;
mod session;
pub(crate) mod shard;
pub(crate) mod stages;
pub(crate) mod status;
pub(crate) mod tune_lr;
mod value_kept;
pub(crate) mod verify;
pub(crate) mod watch;
pub(crate) mod worker;

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    time::Duration,
};

use anyhow::Context;
use dz_game::{Game, GameError, GameSpec, Move};
use serde::Serialize;

use crate::exit::UsageError;

/// Which game.
#[derive(Debug, clap::Args)]
pub(crate) struct GameArgs {
    /// Game and parameters, `name:key=value,...`: connect4, go:size=9,komi=7.5, chess
    #[arg(long = "game", value_name = "GAME")]
    spec: GameSpec,
}

/// Which position of it.
#[derive(Debug, clap::Args)]
pub(crate) struct LineArgs {
    /// A position in the game's notation (FEN for chess), instead of the start
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,
    /// Moves to play from there
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    moves: String,
}

impl LineArgs {
    /// The state to begin with; its history is empty.
    fn start<G: Game>(&self, game: &G) -> Result<G::State, GameError> {
        self.position.as_ref().map_or_else(|| Ok(game.start()), |text| game.parse_position(text))
    }

    /// What the moves lead to.
    fn play<G: Game>(&self, game: &G) -> anyhow::Result<Line<G>> {
        Line::play(game, self.start(game)?, &self.moves)
    }
}

/// Moves that were played, and what they lead to.
struct Line<G: Game> {
    state: G::State,
    history: G::History,
    moves: Vec<Move>,
}

impl<G: Game> Line<G> {
    /// Plays a list of moves from `start`. The first that is not legal is an error that names it.
    fn play(game: &G, start: G::State, list: &str) -> anyhow::Result<Self> {
        let mut line = Self { state: start, history: G::History::default(), moves: Vec::new() };
        for text in game.split_moves(list) {
            let mv = game.play_text(&mut line.state, &mut line.history, text);
            line.moves
                .push(mv.with_context(|| format!("move {} of the list", line.moves.len() + 1))?);
        }
        Ok(line)
    }
}

/// A number of seconds above 0, as an argument.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let time = number.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "a number of seconds above 0, such as 0.5".to_owned())
}

/// Writes `object` as one line of JSON, control characters in its strings escaped.
fn write_line(out: &mut dyn Write, object: &impl Serialize) -> anyhow::Result<()> {
    // Errors are those of writing, by which a closed pipe is known.
    dz_text::write_json(out, object)?;
    Ok(out.write_all(b"\n")?)
}

/// A new file; nothing is overwritten.
fn create(path: &Path) -> anyhow::Result<File> {
    File::create_new(path).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            let what = format!("{} exists; name another file", path.display());
            return UsageError(what).into();
        }
        anyhow::Error::new(error).context(format!("cannot write {}", path.display()))
    })
}
