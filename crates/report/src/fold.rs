//! From the ledger's records to a report's facts.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use dz_store::{Entry, MatchPurpose, MatchResult, ObjectRef, PlayerName, RatingRow, Record, Stage};

use crate::curve::{curve, markers};
use crate::facts::{CycleFacts, GateFacts, Model, RunFacts, VerdictFacts};
use crate::gaps::gaps;
use crate::measures::Measures;
use crate::pairings::pairings;
use crate::played::{add_counts, flipped, players};
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
        context.name.clone_into(&mut fold.run.name);
        fold.run.config_toml = context.config_toml.map(str::to_owned);
        fold.finish(context)
    }
}

/// What the records so far say.
#[derive(Default)]
struct Fold {
    run: RunFacts,
    cycles: BTreeMap<u32, CycleFacts>,
    files: Files,
    /// Changes of the configuration, with the cycle that was under way.
    changes: Vec<(u32, String)>,
    /// Rating matches, added up by the two names in order.
    rating_matches: BTreeMap<(String, String), MatchResult>,
    newest_ratings: Vec<RatingRow>,
    first_mover_elo: Option<f64>,
    draw_rate: Option<f64>,
    /// Newest claim of each stage.
    claims: BTreeMap<Stage, u64>,
    /// What entries have settled: of two that say the same thing the first counts, as in
    /// [`dz_store::RunState`].
    seen: BTreeSet<String>,
}

/// What an entry settles for good; `None` for those of which there may be many.
fn settles(entry: &Entry) -> Option<String> {
    Some(match entry {
        Entry::Shard { cycle, number, .. } => format!("shard {cycle} {number}"),
        Entry::Checkpoint { cycle, step, .. } => format!("checkpoint {cycle} {step}"),
        Entry::Match { cycle, purpose, a, b, .. } => format!("match {cycle} {purpose:?} {a} {b}"),
        Entry::GamesDone { cycle, .. }
        | Entry::Rows { cycle, .. }
        | Entry::Candidate { cycle, .. }
        | Entry::Verdict { cycle, .. }
        | Entry::Champion { cycle, .. }
        | Entry::Ratings { cycle, .. }
        | Entry::CycleDone { cycle, .. } => format!("{} {cycle}", entry.kind()),
        Entry::RunStarted { .. } => entry.kind().to_owned(),
        _ => return None,
    })
}

impl Fold {
    fn add(&mut self, record: &Record) {
        if let Entry::Claim { stage, .. } = &record.entry {
            self.claims.insert(*stage, record.number);
        } else if self.claims.get(&record.stage).is_some_and(|&claim| record.epoch < claim) {
            return;
        }
        self.run.entries += 1;
        self.run.newest_unix_ms = record.time_unix_ms;
        if settles(&record.entry).is_some_and(|what| !self.seen.insert(what)) {
            return;
        }
        self.add_run(record);
        self.add_cycle(&record.entry);
        self.add_match(&record.entry);
        self.add_files(record);
    }

    fn add_run(&mut self, record: &Record) {
        match &record.entry {
            Entry::RunStarted { format, config_hash, seed, game, encoding, version } => {
                self.run.format = *format;
                self.run.config_hash.clone_from(config_hash);
                self.run.seed = *seed;
                self.run.game.clone_from(game);
                self.run.encoding.clone_from(encoding);
                self.run.version.clone_from(version);
                self.run.started_unix_ms = record.time_unix_ms;
            }
            Entry::ConfigChanged { config_hash, changes } => {
                self.run.config_hash.clone_from(config_hash);
                self.run.config_changes.extend(changes.iter().cloned());
                let cycle = self.cycles.keys().next_back().copied().unwrap_or(0);
                self.changes.extend(changes.iter().map(|change| (cycle, change.clone())));
                self.run.finished = None;
            }
            Entry::Finished { verdict } => self.run.finished = Some(verdict.clone()),
            _ => {}
        }
    }

    fn add_cycle(&mut self, entry: &Entry) {
        match entry {
            Entry::GamesDone { cycle, generation, summary } => {
                let facts = self.cycle(*cycle);
                facts.generation = Some(*generation);
                facts.selfplay = Some(summary.clone());
            }
            Entry::Rows { cycle, summary, .. } => self.cycle(*cycle).rows = Some(summary.clone()),
            Entry::Candidate { cycle, step, network, losses } => {
                let facts = self.cycle(*cycle);
                facts.step = Some(*step);
                facts.network = Some(network.clone());
                facts.losses = Some(losses.clone());
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
                self.cycle(*cycle).verdict = Some(VerdictFacts {
                    rule: rule.clone(),
                    accepted: *accepted,
                    reason: reason.clone(),
                    score: *score,
                    score_lo95: *score_lo95,
                    score_hi95: *score_hi95,
                    test: test.clone(),
                });
            }
            Entry::Champion { generation, cycle, .. } => {
                self.cycle(*cycle).promoted = Some(*generation);
            }
            Entry::CycleDone { cycle, wall_ms } => self.cycle(*cycle).wall_ms = Some(*wall_ms),
            _ => {}
        }
    }

    fn add_match(&mut self, entry: &Entry) {
        match entry {
            Entry::Match { cycle, purpose: MatchPurpose::Gate, a, b, result, .. } => {
                let candidate_is_b = *b == PlayerName::network(*cycle);
                let (opponent, result) =
                    if candidate_is_b { (a, flipped(result)) } else { (b, result.clone()) };
                let gate = GateFacts { opponent: opponent.to_string(), result };
                self.cycle(*cycle).gate = Some(gate);
            }
            Entry::Match { purpose: MatchPurpose::Rating, a, b, result, .. } => {
                let (names, result) = if a <= b {
                    ((a.to_string(), b.to_string()), result.clone())
                } else {
                    ((b.to_string(), a.to_string()), flipped(result))
                };
                add_counts(self.rating_matches.entry(names).or_default(), &result);
            }
            Entry::Ratings { players, first_mover_elo, draw_rate, .. } => {
                self.newest_ratings.clone_from(players);
                self.first_mover_elo = Some(*first_mover_elo);
                self.draw_rate = Some(*draw_rate);
            }
            _ => {}
        }
    }

    /// Notes what was published, and which record says what of a cycle.
    fn add_files(&mut self, record: &Record) {
        let (kind, cycle, objects): (&str, u32, Vec<&ObjectRef>) = match &record.entry {
            Entry::Shard { cycle, object, .. } => {
                self.files.shards.entry(*cycle).or_default().push(object.clone());
                ("shard", *cycle, vec![object])
            }
            Entry::Expired { paths, .. } => {
                return self.files.expired.extend(paths.iter().cloned());
            }
            Entry::Rows { cycle, train, validation, .. } => {
                ("rows", *cycle, train.iter().chain(validation).collect())
            }
            Entry::Checkpoint { cycle, object, .. } => ("checkpoint", *cycle, vec![object]),
            Entry::Candidate { cycle, network, .. } => ("candidate", *cycle, vec![network]),
            Entry::Match { cycle, purpose, b, games, .. } => {
                if *purpose == MatchPurpose::Gate {
                    let candidate_is_b = *b == PlayerName::network(*cycle);
                    self.files.gates.insert(*cycle, (games.clone(), candidate_is_b));
                    ("gate", *cycle, vec![games])
                } else {
                    ("rating_match", *cycle, vec![games])
                }
            }
            Entry::GamesDone { cycle, .. } => ("games_done", *cycle, Vec::new()),
            Entry::Verdict { cycle, .. } => ("verdict", *cycle, Vec::new()),
            Entry::Champion { cycle, .. } => ("champion", *cycle, Vec::new()),
            Entry::Ratings { cycle, .. } => ("ratings", *cycle, Vec::new()),
            Entry::CycleDone { cycle, .. } => ("cycle_done", *cycle, Vec::new()),
            _ => return,
        };
        let facts = self.cycle(cycle);
        facts.newest_unix_ms = record.time_unix_ms;
        // Of a kind with many records the first one tells where to begin to look.
        facts.records.entry(kind.to_owned()).or_insert(record.number);
        for object in objects {
            let folder = object.path.split('/').next().unwrap_or_default();
            *facts.bytes.entry(folder.to_owned()).or_default() += object.bytes;
        }
    }

    fn cycle(&mut self, cycle: u32) -> &mut CycleFacts {
        self.cycles.entry(cycle).or_insert_with(|| CycleFacts { cycle, ..CycleFacts::default() })
    }

    fn finish(self, context: RunContext<'_>) -> Report {
        let mut cycles: Vec<CycleFacts> = self.cycles.into_values().collect();
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
        let zero = self.newest_ratings.iter().find(|row| row.error95 == 0.0);
        let zero = zero.map_or("random", |row| row.player.as_str());
        let scale = Scale::fit(&self.rating_matches, zero);
        let rated_by_ledger = !self.newest_ratings.is_empty();
        let rows = scale.rows(self.newest_ratings);
        let players = players(&rows, &cycles, &self.rating_matches);
        let (first_mover_elo, draw_rate) = scale.terms().unzip();
        let mut curve = curve(&cycles, &players, &self.rating_matches);
        let curve_error95 = scale.place_within(&mut curve);
        let mut report = Report {
            run: self.run,
            curve,
            curve_error95,
            markers: markers(&cycles, &self.changes),
            cycles,
            pairings: pairings(&self.rating_matches, &scale),
            players,
            first_mover_elo: first_mover_elo.or(self.first_mover_elo),
            draw_rate: draw_rate.or(self.draw_rate),
            model: Model::of_run(),
            expected: None,
            measures: Measures::default(),
            missing: Vec::new(),
            findings: Vec::new(),
            compared: Vec::new(),
            scale,
            rating_matches: self.rating_matches,
            files: self.files,
        };
        report.compare_players();
        report.missing = gaps(&report, context.config, rated_by_ledger);
        report
    }
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
