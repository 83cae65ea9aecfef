//! What is to be played of a cycle, and by which network.

use dz_config::RunConfig;
use dz_stage::{RunBoard, StageContext, run_boards};
use dz_store::{ChampionState, Run, RunState};

use crate::boards::boards_of_shards;
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
    /// The board that is played on.
    pub(crate) board: RunBoard,
    /// Shards of the cycle on that board that are not published, by index.
    pub(crate) missing: Vec<u64>,
}

/// What the games of a cycle take from those of earlier ones.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) resign: CycleResign,
    /// The run's boards, each with what its games take.
    pub(crate) boards: Vec<(RunBoard, Past)>,
}

impl PlayOrder {
    /// Returns the order for the newest champion to play the missing games of a cycle, on the board
    /// of the first missing shard. `config` is the configuration of that cycle, and `first_shard`
    /// the number of its first shard.
    pub(crate) fn of_cycle(
        context: &StageContext,
        config: RunConfig,
        cycle: u32,
        first_shard: u64,
        setup: &Setup,
    ) -> Self {
        let state = context.ledger.state();
        let generation = state.generation();
        let opponents = pool(state, &config, cycle);
        let plan_of = |past: Past| {
            let mut plan = cycle_plan(&config, generation, first_shard, setup.resign.plan, past);
            if let Some(phase) = config.reinforce_phase(cycle).filter(|_| generation > 0) {
                plan = policy_cycle_plan(&plan, &config, phase, opponents.len());
            }
            plan.count = plan.count.max(played_to(state, cycle, plan.games_per_shard));
            plan
        };
        let shards = plan_of(Past::default()).shards();
        let dealt = boards_of_shards(&config, first_shard, shards);
        let mut missing: Vec<u64> =
            (0..shards).filter(|&index| !is_published(state, cycle, index)).collect();
        let first = missing.first().map_or(0, |&index| dealt[index as usize]);
        missing.retain(|&index| dealt[index as usize] == first);
        let (board, past) = setup.boards[first].clone();
        let plan = plan_of(past);
        let run = context.run.clone();
        let champion = state.champion.clone();
        Self { run, config, cycle, generation, champion, opponents, plan, board, missing }
    }

    /// Whether all shards of the order are published.
    pub(crate) fn is_done(&self, state: &RunState) -> bool {
        self.missing.iter().all(|&index| is_published(state, self.cycle, index))
    }
}

impl Setup {
    pub(crate) fn of_cycle(context: &StageContext, cycle: u32) -> anyhow::Result<Self> {
        let StageContext { run, config, ledger, .. } = context;
        let state = ledger.state();
        let resign = cycle_resign(&config.selfplay, run, state, cycle)?;
        let with_past = |board: RunBoard| {
            let past = match config.reinforce_phase(cycle) {
                // Games drawn from policies begin at the start, and none is reanalyzed.
                Some(_) => Past::default(),
                None => Past::of_cycle(run, state, config, cycle, board.name.as_deref())?,
            };
            anyhow::Ok((board, past))
        };
        let boards = run_boards(config).map(|board| with_past(board?)).collect::<Result<_, _>>()?;
        Ok(Self { resign, boards })
    }
}

/// Whether shard `index` of a cycle is published.
fn is_published(state: &RunState, cycle: u32, index: u64) -> bool {
    let now = state.cycle_state(cycle);
    now.is_some_and(|now| now.shards.contains_key(&(index as u32)))
}

/// The end of the last published shard, in games of the cycle. A cycle has no fewer, even if fewer
/// are wanted by now: because the setting was changed, or because the first champion came during
/// the cycle, and cycles with a champion have another size.
fn played_to(state: &RunState, cycle: u32, games_per_shard: u64) -> u64 {
    let last = state.cycle_state(cycle).and_then(|now| now.shards.last_key_value());
    last.map_or(0, |(&index, shard)| u64::from(index) * games_per_shard + shard.games)
}
