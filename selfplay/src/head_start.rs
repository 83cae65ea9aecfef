//! Games of a cycle that begin before the cycle before it is closed.

use dz_config::{Resign, RunConfig};
use dz_game::Game;
use dz_stage::StageContext;

use crate::play::Play;
use crate::play_order::{PlayOrder, Setup};

/// A cycle whose games begin before the one before it is closed.
#[derive(Debug)]
pub(crate) struct HeadStart {
    pub(crate) play: Play,
    pub(crate) setup: Setup,
}

impl HeadStart {
    /// Starts the next cycle with the newest champion, if it may start by now. All games of `play`
    /// have started.
    pub(crate) fn after<G: Game>(
        game: &G,
        play: &Play,
        context: &StageContext,
    ) -> anyhow::Result<Option<Self>> {
        let cycle = play.order.cycle + 1;
        if !can_begin_early(&context.config, cycle)
            || context.stop.requested()
            || !context.may_begin(cycle)
        {
            return Ok(None);
        }
        let setup = Setup::of_cycle(context, cycle)?;
        let mut config = context.config.clone();
        config.run.cycles = context.cycles_for(cycle);
        let first = play.order.plan.first_shard + play.order.plan.shards();
        let order = PlayOrder::of_cycle(context, config, cycle, first, &setup);
        let next = Play::begin(game, order)?;
        play.set_followed();
        Ok(Some(Self { play: next, setup }))
    }

    /// Whether this is the cycle whose first shard has this number.
    pub(crate) fn is_of(&self, cycle: u32, first_shard: u64) -> bool {
        let order = &self.play.order;
        order.cycle == cycle && order.plan.first_shard == first_shard
    }
}

/// Returns whether a cycle needs nothing of the games of the cycle before it, and has one board.
fn can_begin_early(config: &RunConfig, cycle: u32) -> bool {
    let section = &config.selfplay;
    let is_searched = config.reinforce_phase(cycle).is_none();
    let adapts = matches!(section.resign, Resign::Adaptive(_));
    // Games of the next board wait for the last ones of the board before.
    let is_one_board = config.run.boards.is_empty();
    is_searched
        && is_one_board
        && !adapts
        && section.fork_share == 0.0
        && section.reanalyse_share == 0.0
}
