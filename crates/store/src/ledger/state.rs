//! The state of a run: the fold of its ledger.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use serde::{Deserialize, Serialize};

use super::entry::{Entry, MatchPurpose, Record, Stage};
use super::parts::{
    CandidateState, ChampionState, CheckpointState, ConfigChange, CycleState, GamesDoneState,
    MatchState, RatingsState, RowsState, RunInfo, ShardState, VerdictState,
};
use crate::ObjectRef;

/// The fold of the whole ledger. Of two entries that claim the same thing (two shards of one
/// number, two verdicts or ratings of one cycle) the first counts. Entries of fenced writers do not
/// count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunState {
    /// Number of the newest record folded in; 0 before the first.
    pub number: u64,
    /// Records that count: all but those of fenced writers.
    pub records: u64,
    /// Wall clock of the newest of them, milliseconds since 1970. Shown to people.
    pub newest_unix_ms: u64,
    /// What the run is; `None` before its `run_started`.
    pub started: Option<RunInfo>,
    /// Hash of the configuration in force.
    pub config_hash: String,
    /// Changes of the configuration since the run began, oldest first.
    pub config_changes: Vec<ConfigChange>,
    /// Epoch of each stage's newest claim.
    pub claims: BTreeMap<Stage, u64>,
    /// The champion; `None` in generation 0, where the bootstrap evaluator plays.
    pub champion: Option<ChampionState>,
    /// What is known of each cycle begun, by its number.
    pub cycles: BTreeMap<u32, CycleState>,
    /// Cycles that are over.
    pub cycles_done: u32,
    /// The newest ratings.
    pub ratings: Option<RatingsState>,
    /// Paths that retention gave up, by [`Entry::Expired`].
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub expired: BTreeSet<String>,
    /// The verdict of a finished run.
    pub finished: Option<String>,
}

impl RunState {
    /// Folds records in their order. Where the log is damaged, records may be missing.
    pub fn fold(records: impl IntoIterator<Item: Borrow<Record>>) -> Self {
        let mut state = Self::default();
        records.into_iter().for_each(|record| state.apply(record.borrow()));
        state
    }

    /// Generation of the champion; 0 where there is none.
    pub fn generation(&self) -> u32 {
        self.champion.as_ref().map_or(0, |c| c.generation)
    }

    /// What is known of `cycle`, where it has begun.
    pub fn cycle_state(&self, cycle: u32) -> Option<&CycleState> {
        self.cycles.get(&cycle)
    }

    /// All shards, by cycle and number.
    pub fn shards(&self) -> impl DoubleEndedIterator<Item = (u32, &ShardState)> {
        self.cycles.iter().flat_map(|(&cycle, c)| c.shards.values().map(move |s| (cycle, s)))
    }

    /// Positions in all shards.
    pub fn positions(&self) -> u64 {
        self.shards().map(|(_, s)| s.positions).sum()
    }

    /// Wall times of the cycles that are over, in milliseconds, in order.
    pub fn walls_ms(&self) -> impl Iterator<Item = u64> {
        self.cycles.values().map_while(|cycle| cycle.wall_ms)
    }

    /// Games in all shards.
    pub fn games(&self) -> u64 {
        self.shards().map(|(_, s)| s.games).sum()
    }

    /// All checkpoints, oldest first: a trainer takes the last good one.
    pub fn checkpoints(&self) -> impl DoubleEndedIterator<Item = (u32, &CheckpointState)> {
        self.cycles.iter().flat_map(|(&cycle, c)| c.checkpoints.iter().map(move |k| (cycle, k)))
    }

    /// The newest checkpoint.
    pub fn checkpoint(&self) -> Option<&CheckpointState> {
        self.checkpoints().next_back().map(|(_, k)| k)
    }

    /// All matches, by cycle and in ledger order.
    pub fn matches(&self) -> impl DoubleEndedIterator<Item = (u32, &MatchState)> {
        self.cycles.iter().flat_map(|(&cycle, c)| c.matches.iter().map(move |m| (cycle, m)))
    }

    /// The matches that ratings count, by cycle and in ledger order: rating matches and, if
    /// `final_too`, final matches.
    pub fn rated_matches(&self, final_too: bool) -> impl Iterator<Item = (u32, &MatchState)> {
        self.matches().filter(move |(_, played)| match played.purpose {
            MatchPurpose::Rating => true,
            MatchPurpose::Final => final_too,
            MatchPurpose::Gate => false,
        })
    }

    /// The newest final match, with its cycle.
    pub fn final_match(&self) -> Option<(u32, &MatchState)> {
        self.matches().rfind(|(_, played)| played.purpose == MatchPurpose::Final)
    }

    /// Every published object that the ledger names, in ledger order within each cycle.
    pub fn objects(&self) -> impl Iterator<Item = &ObjectRef> {
        self.cycles.values().flat_map(CycleState::objects)
    }

    /// What is wrong with a record of a cycle that cannot have begun, because the cycle before it
    /// has not.
    pub(crate) fn skips_cycles(&self, record: &Record) -> Option<String> {
        let (_, cycle) = record.entry.owner()?;
        let newest = self.cycles.keys().next_back().copied().unwrap_or(0);
        let cycle = cycle.filter(|&cycle| cycle > newest.saturating_add(1))?;
        Some(format!("it is of cycle {cycle}, and the run has come to cycle {newest}"))
    }

    /// Folds one more record in. Records come in order.
    pub(crate) fn apply(&mut self, record: &Record) {
        debug_assert!(record.number > self.number, "the reader hands records in order");
        self.number = record.number;
        let newest = self.claims.get(&record.stage).copied().unwrap_or(0);
        if record.epoch < newest {
            return;
        }
        self.records += 1;
        self.newest_unix_ms = record.time_unix_ms;
        match &record.entry {
            Entry::RunStarted { .. }
            | Entry::ConfigChanged { .. }
            | Entry::Claim { .. }
            | Entry::Finished { .. } => self.apply_to_run(record),
            Entry::Champion { generation, cycle, network } => {
                if *generation > self.generation() {
                    let champion = ChampionState {
                        generation: *generation,
                        cycle: *cycle,
                        network: network.clone(),
                    };
                    first(&mut self.cycle_mut(*cycle).champion, champion.clone());
                    self.champion = Some(champion);
                }
            }
            Entry::Ratings { cycle, players, first_mover_elo, draw_rate } => {
                if !mem::replace(&mut self.cycle_mut(*cycle).rated, true) {
                    self.ratings = Some(RatingsState {
                        cycle: *cycle,
                        players: players.clone(),
                        first_mover_elo: *first_mover_elo,
                        draw_rate: *draw_rate,
                    });
                }
            }
            Entry::Expired { paths, .. } => self.expired.extend(paths.iter().cloned()),
            Entry::CycleDone { cycle, wall_ms } => {
                first(&mut self.cycle_mut(*cycle).wall_ms, *wall_ms);
                self.cycles_done = self.cycles_done.max(*cycle);
            }
            entry => self.apply_to_cycle(entry),
        }
        self.note(record);
    }

    /// Notes when a cycle's record was written, and its number if it is the first of its kind.
    fn note(&mut self, record: &Record) {
        let kind = match &record.entry {
            // It records when files were given up, and nothing about the cycle.
            Entry::Expired { .. } => return,
            Entry::Match { purpose: MatchPurpose::Gate, .. } => "gate",
            Entry::Match { purpose: MatchPurpose::Rating, .. } => "rating_match",
            Entry::Match { purpose: MatchPurpose::Final, .. } => "final_match",
            entry => entry.kind(),
        };
        let cycle = record.entry.owner().and_then(|(_, cycle)| cycle);
        if let Some(cycle) = cycle.and_then(|cycle| self.cycles.get_mut(&cycle)) {
            cycle.newest_unix_ms = record.time_unix_ms;
            cycle.records.entry(kind.to_owned()).or_insert(record.number);
        }
    }

    fn apply_to_run(&mut self, record: &Record) {
        match &record.entry {
            Entry::RunStarted { format, config_hash, seed, game, encoding, version }
                if self.started.is_none() =>
            {
                self.config_hash.clone_from(config_hash);
                self.started = Some(RunInfo {
                    format: *format,
                    seed: *seed,
                    game: game.clone(),
                    encoding: encoding.clone(),
                    version: version.clone(),
                    time_unix_ms: record.time_unix_ms,
                });
            }
            Entry::ConfigChanged { config_hash, changes } => {
                self.config_hash.clone_from(config_hash);
                let cycle = self.cycles.keys().next_back().copied();
                let changes = changes.iter().map(|text| ConfigChange { cycle, text: text.clone() });
                self.config_changes.extend(changes);
                self.finished = None;
            }
            Entry::Claim { .. } => {
                self.claims.insert(record.stage, record.epoch);
            }
            Entry::Finished { verdict } => first(&mut self.finished, verdict.clone()),
            _ => {}
        }
    }

    fn apply_to_cycle(&mut self, entry: &Entry) {
        match entry.clone() {
            Entry::Shard { cycle, generation, number, games, positions, object, board } => {
                let shard = ShardState { generation, number, games, positions, object, board };
                self.cycle_mut(cycle).shards.entry(number).or_insert(shard);
            }
            Entry::GamesDone { cycle, generation, summary } => {
                first(
                    &mut self.cycle_mut(cycle).games_done,
                    GamesDoneState { generation, summary },
                );
            }
            Entry::Rows { cycle, train, validation, summary } => {
                first(&mut self.cycle_mut(cycle).rows, RowsState { train, validation, summary });
            }
            Entry::Checkpoint { cycle, step, object } => {
                let checkpoint = CheckpointState { step, object };
                let checkpoints = &mut self.cycle_mut(cycle).checkpoints;
                if !checkpoints.contains(&checkpoint) {
                    checkpoints.push(checkpoint);
                }
            }
            Entry::Candidate { cycle, step, network, losses } => {
                let candidate = CandidateState { step, network, losses };
                first(&mut self.cycle_mut(cycle).candidate, candidate);
            }
            Entry::Match { cycle, purpose, a, b, result, games } => {
                let matches = &mut self.cycle_mut(cycle).matches;
                if !matches.iter().any(|m| m.purpose == purpose && m.a == a && m.b == b) {
                    matches.push(MatchState { purpose, a, b, result, games });
                }
            }
            Entry::Verdict {
                cycle,
                rule,
                accepted,
                reason,
                score,
                score_lo95,
                score_hi95,
                test,
            } => {
                let verdict =
                    VerdictState { rule, accepted, reason, score, score_lo95, score_hi95, test };
                first(&mut self.cycle_mut(cycle).verdict, verdict);
            }
            _ => {}
        }
    }

    fn cycle_mut(&mut self, cycle: u32) -> &mut CycleState {
        self.cycles.entry(cycle).or_default()
    }
}

fn first<T>(slot: &mut Option<T>, value: T) {
    if slot.is_none() {
        *slot = Some(value);
    }
}
