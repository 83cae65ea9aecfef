//! Games of a cycle that begin before the cycle before it is closed.

use dz_config::{Resign, RunConfig};
use dz_game::{AnyGame, Game, GameSpec};
use dz_stage::StageContext;

use crate::play::{Play, PlayOrder};
use crate::{CyclePlan, CycleResign, Past, cycle_plan, cycle_resign};

/// A cycle whose games begin before the one before it is closed.
#[derive(Debug)]
pub(crate) struct HeadStart {
    pub(crate) play: Play,
    pub(crate) setup: Setup,
}

/// What the games of a cycle take from those of earlier ones.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) resign: CycleResign,
    pub(crate) past: Past,
}

impl Setup {
    pub(crate) fn of_cycle(
        spec: &GameSpec,
        context: &StageContext,
        cycle: u32,
    ) -> anyhow::Result<Self> {
        let StageContext { run, config, ledger, .. } = context;
        let state = ledger.state();
        let resign = cycle_resign(&AnyGame::of(spec)?, &config.selfplay, run, state, cycle)?;
        let past = match config.reinforce_phase(cycle) {
            // Games drawn from policies begin at the start, and none is reanalyzed.
            Some(_) => Past::default(),
            None => Past::of_cycle(run, state, config, cycle)?,
        };
        Ok(Self { resign, past })
    }
}

impl HeadStart {
    /// Begins the cycle that follows a play whose last games have begun, with the newest champion,
    /// if it may begin by now.
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
        let setup = Setup::of_cycle(&context.config.run.game.parse()?, context, cycle)?;
        let mut config = context.config.clone();
        config.run.cycles = context.cycles_for(cycle);
        let first = play.order.plan.first_shard + play.order.plan.shards();
        let generation = context.ledger.state().generation();
        let plan = cycle_plan(&config, generation, first, setup.resign.plan, setup.past.clone());
        let order = PlayOrder { config, ..order(context, cycle, &plan) };
        let next = Play::begin(game, order)?;
        play.is_followed();
        Ok(Some(Self { play: next, setup }))
    }

    /// Whether this is the cycle whose first shard has this number.
    pub(crate) fn is_of(&self, cycle: u32, first_shard: u64) -> bool {
        let order = &self.play.order;
        order.cycle == cycle && order.plan.first_shard == first_shard
    }
}

/// Whether nothing of a cycle depends on the games of the cycle before it.
fn can_begin_early(config: &RunConfig, cycle: u32) -> bool {
    let section = &config.selfplay;
    let is_searched = config.reinforce_phase(cycle).is_none();
    let adapts = matches!(section.resign, Resign::Adaptive(_));
    is_searched && !adapts && section.fork_share == 0.0 && section.reanalyse_share == 0.0
}

/// The newest champion is to play what is missing of a cycle.
pub(crate) fn order(context: &StageContext, cycle: u32, plan: &CyclePlan) -> PlayOrder {
    let state = context.ledger.state();
    PlayOrder {
        run: context.run.clone(),
        config: context.config.clone(),
        cycle,
        generation: state.generation(),
        champion: state.champion.clone(),
        plan: plan.clone(),
        missing: missing(context, cycle, plan),
    }
}

/// Shards of the cycle that are not published, by index.
pub(crate) fn missing(context: &StageContext, cycle: u32, plan: &CyclePlan) -> Vec<u64> {
    let state = context.ledger.state().cycle_state(cycle);
    let is_published =
        |index: u64| state.is_some_and(|now| now.shards.contains_key(&(index as u32)));
    (0..plan.shards()).filter(|&index| !is_published(index)).collect()
}
