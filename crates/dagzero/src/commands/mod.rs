//! One file a command: its arguments, and what it prints.

pub(crate) mod accuracy;
pub(crate) mod bench;
pub(crate) mod inspect;
pub(crate) mod match_cmd;
pub(crate) mod perft;
mod players;
mod positions;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod shard;
pub(crate) mod stages;
pub(crate) mod status;

use std::io::Write;

use dz_game::{Game, GameError, GameSpec};
use serde::Serialize;

/// Which game, and from which position.
#[derive(Debug, clap::Args)]
pub(crate) struct PositionArgs {
    #[command(flatten)]
    game: GameArgs,
    /// A position in the game's notation, instead of the start
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,
}

/// Which game.
#[derive(Debug, clap::Args)]
pub(crate) struct GameArgs {
    /// Game and parameters, `name:key=value,...`: connect4, connect4:width=9,height=7, tictactoe
    #[arg(long = "game", value_name = "GAME")]
    spec: GameSpec,
}

impl PositionArgs {
    /// The state to begin with; its history is empty.
    fn start<G: Game>(&self, game: &G) -> Result<G::State, GameError> {
        self.position.as_ref().map_or_else(|| Ok(game.start()), |text| game.parse_position(text))
    }
}

/// Writes `object` as one line of JSON.
fn write_line(out: &mut dyn Write, object: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    Ok(out.write_all(b"\n")?)
}
