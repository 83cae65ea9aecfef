//! What is to be played of a cycle, and by which network.

use dz_config::RunConfig;
use dz_game::{AnyGame, GameSpec};
use dz_stage::StageContext;
use dz_store::{ChampionState, Run, RunState};

use crate::{CyclePlan, CycleResign, Past, cycle_plan, cycle_resign, policy_cycle_plan, pool};

/// What is to be played of a cycle, and by which network.
#[derive(Clone, Debug)]
pub(crate) struct PlayOrder {
    pub(crate) run: Run,
    pub(crate) config: RunConfig,
    pub(crate) cycle: u32,
    /// Generation of the champion; 0 where there is none.
    pub(crate) generation: u32,
    pub(crate) champion: Option<ChampionState>,
    /// Earlier networks that play against the champion. Only policy gradient has any.
    pub(crate) opponents: Vec<ChampionState>,
    pub(crate) plan: CyclePlan,
    /// Shards of the cycle that are not published, by index.
    pub(crate) missing: Vec<u64>,
}

/// What the games of a cycle take from those of earlier ones.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) resign: CycleResign,
    pub(crate) past: Past,
}

impl PlayOrder {
    /// Returns the order for the newest champion to play what is missing of a cycle. `config` is
    /// the configuration of that cycle, and `first_shard` the number of its first shard.
    pub(crate) fn of_cycle(
        context: &StageContext,
        config: RunConfig,
        cycle: u32,
        first_shard: u64,
        setup: &Setup,
    ) -> Self {
        let state = context.ledger.state();
        let generation = state.generation();
        let Setup { resign, past } = setup;
        let mut plan = cycle_plan(&config, generation, first_shard, resign.plan, past.clone());
        let opponents = pool(state, &config, cycle);
        if let Some(phase) = config.reinforce_phase(cycle).filter(|_| generation > 0) {
            plan = policy_cycle_plan(&plan, &config, phase, opponents.len());
        }
        plan.count = plan.count.max(played_to(state, cycle, plan.games_per_shard));
        let now = state.cycle_state(cycle);
        let is_published =
            |index: u64| now.is_some_and(|now| now.shards.contains_key(&(index as u32)));
        let missing = (0..plan.shards()).filter(|&index| !is_published(index)).collect();
        let run = context.run.clone();
        let champion = state.champion.clone();
        Self { run, config, cycle, generation, champion, opponents, plan, missing }
    }
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

/// The end of the last published shard, in games of the cycle. A cycle has no fewer, though fewer
/// be asked for by now: because somebody changed the setting, or because the first champion came in
/// the midst of it, whose cycles are of another size.
fn played_to(state: &RunState, cycle: u32, games_per_shard: u64) -> u64 {
    let last = state.cycle_state(cycle).and_then(|now| now.shards.last_key_value());
    last.map_or(0, |(&index, shard)| u64::from(index) * games_per_shard + shard.games)
}
