//! From the ledger's records to a report's facts.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use dz_store::{
    CycleState, Entry, Folded, GateTest, MatchPurpose, MatchState, ObjectRef, PlayerName, Record,
    RunState,
};

use crate::curve::{curve, markers};
use crate::facts::{CycleFacts, GateFacts, Model, RunFacts, VerdictFacts};
use crate::gaps::gaps;
use crate::measures::Measures;
use crate::pairings::pairings;
use crate::played::{Matches, add_counts, flipped, players};
use crate::report::{Files, Report, RunContext};
use crate::scale::Scale;

impl Report {
    /// Folds all records of a run's ledger, in their order. Records of a writer whose stage was
    /// claimed anew are left out, as every reader of the ledger does.
    pub fn from_ledger(
        records: impl IntoIterator<Item: Borrow<Record>>,
        context: RunContext<'_>,
    ) -> Self {
        let mut fold = Fold::default();
        for record in records {
            fold.add(record.borrow());
        }
        fold.finish(context)
    }
}

/// What the records so far say: the state of the run, and what only single records tell.
#[derive(Default)]
struct Fold {
    state: RunState,
    /// Records of writers that were not fenced out.
    entries: u64,
    newest_unix_ms: u64,
    /// Changes of the configuration, with the cycle that was under way.
    changes: Vec<(u32, String)>,
    gate_tests: BTreeMap<u32, GateTest>,
    cycles: BTreeMap<u32, CycleRecords>,
}

/// The records of one cycle.
#[derive(Default)]
struct CycleRecords {
    newest_unix_ms: u64,
    /// Of each kind of entry the number of the first record: where to begin to look.
    first: BTreeMap<String, u64>,
    /// Bytes of the published files, by folder.
    bytes: BTreeMap<String, u64>,
}

impl Fold {
    fn add(&mut self, record: &Record) {
        let folded = self.state.fold(record);
        if folded == Folded::Fenced {
            return;
        }
        self.entries += 1;
        self.newest_unix_ms = record.time_unix_ms;
        if folded == Folded::Repeated {
            return;
        }
        match &record.entry {
            Entry::ConfigChanged { changes, .. } => {
                let cycle = self.state.cycles.keys().next_back().copied().unwrap_or(0);
                self.changes.extend(changes.iter().map(|change| (cycle, change.clone())));
            }
            Entry::Verdict { cycle, test: Some(test), .. } => {
                self.gate_tests.insert(*cycle, test.clone());
            }
            _ => {}
        }
        self.add_record(record);
    }

    fn add_record(&mut self, record: &Record) {
        let kind = match &record.entry {
            Entry::Match { purpose: MatchPurpose::Gate, .. } => "gate",
            Entry::Match { purpose: MatchPurpose::Rating, .. } => "rating_match",
            Entry::Expired { .. } => return,
            entry => entry.kind(),
        };
        let Some((_, Some(cycle))) = record.entry.owner() else { return };
        let records = self.cycles.entry(cycle).or_default();
        records.newest_unix_ms = record.time_unix_ms;
        records.first.entry(kind.to_owned()).or_insert(record.number);
        // The network of a champion is counted as its candidate.
        let objects: Vec<&ObjectRef> = match &record.entry {
            Entry::Rows { train, validation, .. } => train.iter().chain(validation).collect(),
            Entry::Shard { object, .. } | Entry::Checkpoint { object, .. } => vec![object],
            Entry::Candidate { network, .. } => vec![network],
            Entry::Match { games, .. } => vec![games],
            _ => Vec::new(),
        };
        for object in objects {
            let folder = object.path.split('/').next().unwrap_or_default();
            *records.bytes.entry(folder.to_owned()).or_default() += object.bytes;
        }
    }

    fn run(&self, context: RunContext<'_>) -> RunFacts {
        let started = self.state.started.clone();
        let mut facts = RunFacts {
            name: context.name.to_owned(),
            config_hash: self.state.config_hash.clone(),
            config_changes: self.changes.iter().map(|(_, change)| change.clone()).collect(),
            config_toml: context.config_toml.map(str::to_owned),
            newest_unix_ms: self.newest_unix_ms,
            entries: self.entries,
            finished: self.state.finished.clone(),
            ..RunFacts::default()
        };
        if let Some(info) = started {
            facts.format = info.format;
            facts.seed = info.seed;
            facts.game = info.game;
            facts.encoding = info.encoding;
            facts.version = info.version;
            facts.started_unix_ms = info.time_unix_ms;
        }
        facts
    }

    fn cycle(&self, cycle: u32, state: &CycleState) -> CycleFacts {
        let mut facts = CycleFacts { cycle, wall_ms: state.wall_ms, ..CycleFacts::default() };
        if let Some(done) = &state.games_done {
            facts.generation = Some(done.generation);
            facts.selfplay = Some(done.summary.clone());
        }
        facts.rows = state.rows.as_ref().map(|rows| rows.summary.clone());
        if let Some(candidate) = &state.candidate {
            facts.step = Some(candidate.step);
            facts.network = Some(candidate.network.clone());
            facts.losses = Some(candidate.losses.clone());
        }
        facts.gate = gate_of(cycle, state).map(|(played, candidate_is_b)| {
            let (opponent, result) = if candidate_is_b {
                (&played.a, flipped(&played.result))
            } else {
                (&played.b, played.result.clone())
            };
            GateFacts { opponent: opponent.to_string(), result }
        });
        facts.verdict = state.verdict.clone().map(|verdict| VerdictFacts {
            rule: verdict.rule,
            accepted: verdict.accepted,
            reason: verdict.reason,
            score: verdict.score,
            score_lo95: verdict.score_lo95,
            score_hi95: verdict.score_hi95,
            test: self.gate_tests.get(&cycle).cloned(),
        });
        facts.promoted = state.champion.as_ref().map(|champion| champion.generation);
        if let Some(records) = self.cycles.get(&cycle) {
            facts.newest_unix_ms = records.newest_unix_ms;
            facts.bytes.clone_from(&records.bytes);
            facts.records.clone_from(&records.first);
        }
        facts
    }

    fn files(&self) -> Files {
        let mut files = Files { expired: self.state.expired.clone(), ..Files::default() };
        for (&cycle, state) in &self.state.cycles {
            if !state.shards.is_empty() {
                let shards = state.shards.values().map(|shard| shard.object.clone());
                files.shards.insert(cycle, shards.collect());
            }
            if let Some((played, candidate_is_b)) = gate_of(cycle, state) {
                files.gates.insert(cycle, (played.games.clone(), candidate_is_b));
            }
        }
        files
    }

    /// Rating matches, added up by the two names in order.
    fn rating_matches(&self) -> Matches {
        let mut matches = Matches::new();
        let rated = |played: &&MatchState| played.purpose == MatchPurpose::Rating;
        for played in self.state.matches().map(|(_, played)| played).filter(rated) {
            let [a, b] = [&played.a, &played.b].map(ToString::to_string);
            let (names, result) = if a <= b {
                ((a, b), played.result.clone())
            } else {
                ((b, a), flipped(&played.result))
            };
            add_counts(matches.entry(names).or_default(), &result);
        }
        matches
    }

    fn finish(self, context: RunContext<'_>) -> Report {
        let states = self.state.cycles.iter();
        let mut cycles: Vec<CycleFacts> =
            states.map(|(&cycle, state)| self.cycle(cycle, state)).collect();
        let (mut elapsed_ms, mut device_ms) = (0, 0);
        let overlaps = context.config.is_some_and(|config| config.lead_cycles() > 0);
        for cycle in &mut cycles {
            // Side by side a cycle under way runs within the time of one that was over before.
            let so_far = if overlaps { 0 } else { cycle.stages_ms() };
            let wall_ms = cycle.wall_ms.unwrap_or(so_far);
            elapsed_ms += wall_ms;
            if !overlaps {
                let stages_ms = cycle.stages_ms();
                cycle.matches_ms = cycle.wall_ms.map(|wall_ms| wall_ms.saturating_sub(stages_ms));
            }
            // The device waits for the shuffler where stages take turns, and only there.
            let shuffling = cycle.rows.as_ref().map_or(0, |rows| rows.wall_ms);
            device_ms += if overlaps { wall_ms } else { wall_ms.saturating_sub(shuffling) };
            (cycle.elapsed_ms, cycle.device_ms) = (elapsed_ms, device_ms);
        }
        // Whoever the ledger has at 0; where it has no ratings, random play.
        let ratings = self.state.ratings.as_ref();
        let newest_ratings = ratings.map_or_else(Vec::new, |ratings| ratings.players.clone());
        let zero = newest_ratings.iter().find(|row| row.error95 == 0.0);
        let zero = zero.map_or("random", |row| row.player.as_str());
        let rating_matches = self.rating_matches();
        let scale = Scale::fit(&rating_matches, zero);
        let rated_by_ledger = !newest_ratings.is_empty();
        let rows = scale.rows(newest_ratings);
        let players = players(&rows, &cycles, &rating_matches);
        let (first_mover_elo, draw_rate) = scale.terms().unzip();
        let mut curve = curve(&cycles, &players, &rating_matches);
        let curve_error95 = scale.place_within(&mut curve);
        let mut report = Report {
            run: self.run(context),
            curve,
            curve_error95,
            markers: markers(&cycles, &self.changes),
            cycles,
            pairings: pairings(&rating_matches, &scale),
            players,
            first_mover_elo: first_mover_elo.or(ratings.map(|ratings| ratings.first_mover_elo)),
            draw_rate: draw_rate.or(ratings.map(|ratings| ratings.draw_rate)),
            model: Model::of_run(),
            expected: None,
            measures: Measures::default(),
            missing: Vec::new(),
            findings: Vec::new(),
            compared: Vec::new(),
            scale,
            rating_matches,
            files: self.files(),
        };
        report.compare_players();
        report.missing = gaps(&report, context.config, rated_by_ledger);
        report
    }
}

/// The gate match of a cycle, and whether its candidate is player B.
fn gate_of(cycle: u32, state: &CycleState) -> Option<(&MatchState, bool)> {
    let played = state.matches.iter().find(|played| played.purpose == MatchPurpose::Gate)?;
    Some((played, played.b == PlayerName::network(cycle)))
}

impl Report {
    /// Sets every player beside the newest champion, and tells how surely the pairs of games place
    /// it.
    fn compare_players(&mut self) {
        let zero = self.players.iter().find(|player| player.error95 == 0.0);
        if let Some(zero) = zero.map(|player| player.name.clone()) {
            for player in self.players.iter_mut().filter(|player| player.name != zero) {
                player.error95_pairs =
                    self.scale.error95_of_pairs(&self.rating_matches, &player.name, &zero);
            }
        }
        let Some(champion) = self.champion().cloned() else { return };
        let gains: Vec<_> =
            self.players.iter().map(|player| self.gain(player, &champion)).collect();
        for (player, gain) in self.players.iter_mut().zip(gains) {
            if player.name != champion.name {
                player.behind = Some(gain.elo.0);
                player.behind_error95 = Some(gain.error95.0);
                player.behind_los = Some(gain.los);
            }
        }
    }
}
