//! The games of one cycle: numbered in advance, played in lockstep, collected into shards.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::bail;
use dz_game::{Game, GameSpec, Player, with_game};
use dz_infer::{
    Evaluation, GameTask, Lockstep, LockstepCounts, LockstepTimes, NetworkEvaluator, Readers,
    Request, Roster, Sources,
};
use dz_play::Guide;
use dz_search::SearchCounts;
use dz_shard::GameRecord;

use crate::{GamePlan, PolicyGame, SelfGame};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct CyclePlan {
    /// What the games share.
    pub games: Arc<GamePlan>,
    /// Games of the cycle.
    pub count: u64,
    /// Games of a shard, M.
    pub games_per_shard: u64,
    /// Number of the cycle's first shard; game numbers begin at this times M.
    pub first_shard: u64,
    /// How they are driven.
    pub lockstep: Lockstep,
}

impl CyclePlan {
    /// The same plan with rollouts that move by `guide`.
    #[must_use]
    pub fn guided(&self, guide: Arc<Guide>) -> Self {
        let games = GamePlan { guide, ..(*self.games).clone() };
        Self { games: Arc::new(games), ..self.clone() }
    }

    /// Shards of the cycle; the last one may hold fewer games.
    pub fn shards(&self) -> u64 {
        self.count.div_ceil(self.games_per_shard)
    }

    /// Numbers of the games in shard `index` of the cycle.
    pub fn games_of(&self, index: u64) -> std::ops::Range<u64> {
        let begin = self.first_shard * self.games_per_shard;
        let from = index * self.games_per_shard;
        begin + from..begin + (from + self.games_per_shard).min(self.count)
    }
}

/// What a cycle's games came to so far, in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleTally {
    /// Finished games.
    pub games: u64,
    /// Recorded positions.
    pub positions: u64,
    /// Games of those that were reanalyzed instead of played.
    pub reanalyzed: u64,
    /// Plies, openings included.
    pub plies: u64,
    /// Wins of the first player, draws, wins of the second player.
    pub results: [u64; 3],
    /// Sums over all searches.
    pub search: SearchCounts,
    /// The lockstep's counts.
    pub lockstep: LockstepCounts,
    /// What the time of the driving threads went into; known at the end.
    pub times: LockstepTimes,
}

impl CycleTally {
    /// Counts one finished game.
    pub fn add(&mut self, record: &GameRecord, search: &SearchCounts) {
        self.games += 1;
        self.positions += record.plies.len() as u64;
        self.reanalyzed += u64::from(record.reanalyzed().is_some());
        self.plies += record.plies_total() as u64;
        self.results[match record.outcome.winner {
            Some(Player::First) => 0,
            None => 1,
            Some(Player::Second) => 2,
        }] += 1;
        self.search.add(search);
    }

    /// Adds what a process did before under another champion.
    pub fn add_costs(&mut self, before: &Self) {
        self.search.add(&before.search);
        self.lockstep.add(before.lockstep);
        self.times.add(&before.times);
    }
}

/// Who receives a cycle's shards, and may end it early.
pub trait ShardSink: Send {
    /// Takes shard `index` of the cycle: its games, in order.
    fn shard(&mut self, index: u64, games: Vec<GameRecord>) -> anyhow::Result<()>;
    /// Called once a step; returns false if no more shards are to be begun.
    fn wants_more(&mut self, _tally: &CycleTally) -> bool {
        true
    }
    /// Called when the last game has begun: places that become free from now on stay empty. Not
    /// called where the sink wanted no more.
    fn all_begun(&mut self) {}
    /// Whether nobody wants the games any more: then those in progress are dropped.
    fn is_given_up(&self) -> bool {
        false
    }
}

/// Plays the shards of `plan` that `missing` names and hands each to `sink` when its last game
/// ends. If the sink wants no more, the shards already begun are still finished.
///
/// # Errors
/// What evaluators or the sink report.
pub fn play_cycle<G: Game>(
    game: &G,
    plan: &CyclePlan,
    missing: &[u64],
    sources: &mut Sources<G>,
    sink: &mut dyn ShardSink,
) -> anyhow::Result<CycleTally> {
    let mut missing = missing.iter().copied();
    play_shards(game, plan, &mut || missing.next(), sources, sink)
}

/// As [`play_cycle`] for the game that `spec` names, with one network and `cache_entries` cached
/// evaluations. Self-play is compiled once a game in this crate; callers of this function do not
/// compile it again.
///
/// # Errors
/// As [`play_cycle`]; also if there is no such game or the network is not for it.
pub fn play_cycle_of(
    spec: &GameSpec,
    plan: &CyclePlan,
    network: Box<dyn NetworkEvaluator>,
    cache_entries: usize,
    sink: &mut dyn ShardSink,
) -> anyhow::Result<CycleTally> {
    with_game!(spec, |game| play_all(&game, plan, network, cache_entries, sink))?
}

fn play_all<G: Game>(
    game: &G,
    plan: &CyclePlan,
    network: Box<dyn NetworkEvaluator>,
    cache_entries: usize,
    sink: &mut dyn ShardSink,
) -> anyhow::Result<CycleTally> {
    let mut sources = Sources::default();
    sources.add_network(game, network, cache_entries)?;
    let shards: Vec<u64> = (0..plan.shards()).collect();
    play_cycle(game, plan, &shards, &mut sources, sink)
}

/// As [`play_cycle`], of the shards that `next` names one after another. It is asked whenever there
/// is room for more games; once it has none, it should have none any more.
///
/// # Errors
/// As [`play_cycle`].
pub fn play_shards<G: Game>(
    game: &G,
    plan: &CyclePlan,
    next: &mut (dyn FnMut() -> Option<u64> + Send),
    sources: &mut Sources<G>,
    sink: &mut dyn ShardSink,
) -> anyhow::Result<CycleTally> {
    let mut shards = Shards {
        game,
        plan,
        next,
        numbers: 0..0,
        open: BTreeMap::new(),
        stopped: false,
        is_exhausted: false,
        tally: CycleTally::default(),
        sink,
    };
    let lockstep = plan.lockstep.run(sources, &mut shards)?;
    Ok(CycleTally { lockstep, ..shards.tally })
}

/// A game of a cycle in progress.
#[derive(Debug)]
pub enum CycleGame<G: Game> {
    /// Searches choose its moves.
    Searched(Box<SelfGame<G>>),
    /// Its moves are sampled from policies.
    Policy(Box<PolicyGame<G>>),
}

impl<G: Game> CycleGame<G> {
    /// Game `number` of the run, as the plan has it.
    pub fn new(game: &G, plan: &Arc<GamePlan>, number: u64) -> Self {
        let games = Arc::clone(plan);
        match plan.policies {
            None => Self::Searched(Box::new(SelfGame::new(game, games, number))),
            Some(policies) => {
                Self::Policy(Box::new(PolicyGame::new(game, games, policies, number)))
            }
        }
    }

    /// The finished game, and sums over its searches.
    pub fn into_record(self) -> (GameRecord, SearchCounts) {
        match self {
            Self::Searched(game) => game.into_record(),
            Self::Policy(game) => game.into_record(),
        }
    }
}

impl<G: Game> GameTask<G> for CycleGame<G> {
    fn resume(&mut self, readers: &Readers<G>, request: &mut Request) -> bool {
        match self {
            Self::Searched(game) => game.resume(readers, request),
            Self::Policy(game) => game.resume(readers, request),
        }
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        match self {
            Self::Searched(game) => game.apply(evaluation),
            Self::Policy(game) => game.apply(evaluation),
        }
    }
}

struct Shards<'a, G> {
    game: &'a G,
    plan: &'a CyclePlan,
    /// Names the shards to begin.
    next: &'a mut (dyn FnMut() -> Option<u64> + Send),
    /// Games of the newest shard that were not yet begun.
    numbers: std::ops::Range<u64>,
    /// Finished games of unfinished shards, by shard and number.
    open: BTreeMap<u64, BTreeMap<u64, GameRecord>>,
    stopped: bool,
    /// `next` named the last shard before.
    is_exhausted: bool,
    tally: CycleTally,
    sink: &'a mut dyn ShardSink,
}

impl<G: Game> Roster<CycleGame<G>> for Shards<'_, G> {
    type Error = anyhow::Error;

    fn next(&mut self) -> Option<CycleGame<G>> {
        if self.numbers.is_empty() && !self.stopped {
            match (self.next)() {
                Some(index) => self.numbers = self.plan.games_of(index),
                None if !self.is_exhausted => {
                    self.is_exhausted = true;
                    self.sink.all_begun();
                }
                None => {}
            }
        }
        let number = self.numbers.next()?;
        Some(CycleGame::new(self.game, &self.plan.games, number))
    }

    fn finished(&mut self, task: CycleGame<G>, counts: &LockstepCounts) -> anyhow::Result<()> {
        if self.sink.is_given_up() {
            bail!("the games are no longer wanted");
        }
        let (record, search) = task.into_record();
        self.tally.add(&record, &search);
        self.tally.lockstep = *counts;
        let index = record.number / self.plan.games_per_shard - self.plan.first_shard;
        let games = self.open.entry(index).or_default();
        games.insert(record.number, record);
        let wanted = self.plan.games_of(index);
        if games.len() as u64 == wanted.end - wanted.start {
            let games = self.open.remove(&index).unwrap_or_default();
            self.sink.shard(index, games.into_values().collect())?;
        }
        // Evaluators that answer at once let whole games pass between two steps.
        self.stopped |= !self.sink.wants_more(&self.tally);
        Ok(())
    }

    fn thread_ended(&mut self, times: &LockstepTimes) {
        self.tally.times.add(times);
    }

    fn step(&mut self, counts: &LockstepCounts) {
        self.tally.lockstep = *counts;
        self.stopped |= !self.sink.wants_more(&self.tally);
    }
}
