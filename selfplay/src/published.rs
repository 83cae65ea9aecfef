//! Reading the games of published shards.

use anyhow::Context;
use dz_game::AnyGame;
use dz_shard::{GameRecord, ShardError, ShardReader};
use dz_store::{Run, ShardState};

/// Hands each game of `shards` to `take`, in their order, with the rules of its board.
///
/// # Errors
/// What reading a shard and `take` report, with the shard's name.
pub(crate) fn each_game<'a>(
    run: &Run,
    shards: impl IntoIterator<Item = &'a ShardState>,
    mut take: impl FnMut(&AnyGame, GameRecord) -> Result<(), ShardError>,
) -> anyhow::Result<()> {
    for shard in shards {
        let mut read = || -> anyhow::Result<()> {
            let mut reader = ShardReader::open(&run.local_path(&shard.object))?;
            let game = AnyGame::of(&reader.header().game.parse()?)?;
            reader.games().try_for_each(|record| Ok(take(&game, record?)?))
        };
        read().with_context(|| format!("cannot read the games of {}", shard.object.path))?;
    }
    Ok(())
}
