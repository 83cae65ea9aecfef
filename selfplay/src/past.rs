//! Games that were published before.

use anyhow::Context;
use dz_config::RunConfig;
use dz_shard::{GameRecord, ShardError, ShardReader};
use dz_store::{Run, RunState, ShardState};

use crate::{Forks, Reanalyses};

/// Hands each game of `shards` to `take`, in their order.
///
/// # Errors
/// What reading a shard and `take` report, with the shard's name.
pub(crate) fn each_game<'a>(
    run: &Run,
    shards: impl IntoIterator<Item = &'a ShardState>,
    mut take: impl FnMut(GameRecord) -> Result<(), ShardError>,
) -> anyhow::Result<()> {
    for shard in shards {
        let mut read = || {
            let mut reader = ShardReader::open(&run.local_path(&shard.object))?;
            reader.games().try_for_each(|record| take(record?))
        };
        read().with_context(|| format!("cannot read the games of {}", shard.object.path))?;
    }
    Ok(())
}

/// What the games of a cycle take from those of earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The games that some begin as forks of.
    pub forks: Option<Forks>,
    /// The games that are not played but searched anew.
    pub reanalyses: Option<Reanalyses>,
}

impl Past {
    /// What the configuration asks for.
    ///
    /// # Errors
    /// What reading a shard reports.
    pub(crate) fn of_cycle(
        (run, state): (&Run, &RunState),
        config: &RunConfig,
        cycle: u32,
    ) -> anyhow::Result<Self> {
        let selfplay = &config.selfplay;
        let forks = || Forks::of_cycle_before((run, state), cycle, selfplay.fork_share);
        let reanalyses = || Reanalyses::of_window((run, state), config, cycle);
        Ok(Self {
            forks: (selfplay.fork_share > 0.0).then(forks).transpose()?,
            reanalyses: (selfplay.reanalyse_share > 0.0).then(reanalyses).transpose()?,
        })
    }
}
