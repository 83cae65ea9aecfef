//! What the games of a cycle take from those of earlier ones.

use dz_config::RunConfig;
use dz_store::{Run, RunState};

use crate::{Forks, Reanalyses};

/// What the games of a cycle take from those of earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The games that some begin as forks of.
    pub forks: Option<Forks>,
    /// The games that are reanalyzed instead of played.
    pub reanalyses: Option<Reanalyses>,
}

impl Past {
    /// What the configuration asks for on one board (see [`dz_store::ShardState::board`]).
    ///
    /// # Errors
    /// What reading a shard reports.
    pub(crate) fn of_cycle(
        run: &Run,
        state: &RunState,
        config: &RunConfig,
        cycle: u32,
        board: Option<&str>,
    ) -> anyhow::Result<Self> {
        let selfplay = &config.selfplay;
        let forks = || Forks::of_cycle_before(run, state, cycle, board, selfplay.fork_share);
        let reanalyses = || Reanalyses::of_window(run, state, config, cycle, board);
        Ok(Self {
            forks: (selfplay.fork_share > 0.0).then(forks).transpose()?,
            reanalyses: (selfplay.reanalyse_share > 0.0).then(reanalyses).transpose()?,
        })
    }
}
