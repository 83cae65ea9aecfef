//! The boards of a run, and which one each shard is played on.

use anyhow::Context;
use dz_config::{Deal, RunConfig};
use dz_game::{GameSpec, canonical_spec};

/// A board of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunBoard {
    /// The game on this board.
    pub(crate) game: GameSpec,
    /// See [`dz_store::ShardState::board`]: none is the run's own.
    pub(crate) name: Option<String>,
}

/// The boards of a run, its own first.
///
/// # Errors
/// If there is no such game.
pub(crate) fn run_boards(config: &RunConfig) -> anyhow::Result<Vec<RunBoard>> {
    let board = |(at, game): (usize, &str)| {
        let spec: GameSpec = game.parse()?;
        let canonical =
            canonical_spec(&spec).with_context(|| format!("there is no board {game}"))?;
        let name = (at > 0).then(|| canonical.to_string());
        Ok(RunBoard { game: canonical, name })
    };
    config.boards().iter().map(|board| board.game).enumerate().map(board).collect()
}

/// Which board, as an index into [`run_boards`], each of `count` shards is played on, the first of
/// which has number `first_shard` in the run. Shards are dealt by their number in the run, so short
/// cycles together have the shares of a long one.
pub(crate) fn boards_of_shards(config: &RunConfig, first_shard: u64, count: u64) -> Vec<usize> {
    let deal = Deal::new(config.boards().iter().map(|board| board.weight));
    deal.skip(first_shard as usize).take(count as usize).collect()
}
