//! The boards of a run, by the names that the ledger has for them.

use anyhow::Context;
use dz_config::RunConfig;
use dz_game::{GameSpec, canonical_spec};

/// A board of a run.
#[derive(Clone, Debug)]
pub struct RunBoard {
    /// The game on this board, with every parameter.
    pub game: GameSpec,
    /// See [`dz_store::ShardState::board`]: none is the run's own.
    pub name: Option<String>,
}

/// Returns the boards of a run, its own first. A board is an error if there is no such game.
pub fn run_boards(config: &RunConfig) -> impl Iterator<Item = anyhow::Result<RunBoard>> {
    config.boards().into_iter().enumerate().map(|(at, board)| {
        let spec: GameSpec = board.game.parse()?;
        let game =
            canonical_spec(&spec).with_context(|| format!("there is no board {}", board.game))?;
        let name = (at > 0).then(|| game.to_string());
        Ok(RunBoard { game, name })
    })
}
