//! From the ledger's records to a report's facts.

use std::collections::BTreeMap;

use dz_stats::Record as Wdl;
use dz_store::{Entry, MatchPurpose, MatchResult, PlayerName, RatingRow, Record, Stage};

use crate::facts::{
    CycleFacts, GateFacts, PlayerFacts, Report, RunContext, RunFacts, VerdictFacts,
};
use crate::scale::Scale;

impl Report {
    /// Folds all records of a run's ledger, in their order. Records of a writer whose stage was
    /// claimed anew are left out, as every reader of the ledger does.
    pub fn from_ledger<'a>(
        records: impl IntoIterator<Item = &'a Record>,
        context: RunContext<'_>,
    ) -> Self {
        let mut fold = Fold::default();
        for record in records {
            fold.add(record);
        }
        context.name.clone_into(&mut fold.run.name);
        fold.run.config_toml = context.config_toml.map(str::to_owned);
        fold.finish()
    }
}

/// What the records so far say.
#[derive(Default)]
struct Fold {
    run: RunFacts,
    cycles: BTreeMap<u32, CycleFacts>,
    /// Rating matches, added up by the two names in order.
    rating_matches: BTreeMap<(String, String), MatchResult>,
    newest_ratings: Vec<RatingRow>,
    first_mover_elo: Option<f64>,
    draw_rate: Option<f64>,
    /// Newest claim of each stage.
    claims: BTreeMap<Stage, u64>,
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
        self.add_run(record);
        self.add_cycle(&record.entry);
        self.add_match(&record.entry);
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
            Entry::Verdict { cycle, rule, accepted, reason, score, score_lo95, score_hi95 } => {
                self.cycle(*cycle).verdict = Some(VerdictFacts {
                    rule: rule.clone(),
                    accepted: *accepted,
                    reason: reason.clone(),
                    score: *score,
                    score_lo95: *score_lo95,
                    score_hi95: *score_hi95,
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

    fn cycle(&mut self, cycle: u32) -> &mut CycleFacts {
        self.cycles.entry(cycle).or_insert_with(|| CycleFacts { cycle, ..CycleFacts::default() })
    }

    fn finish(self) -> Report {
        let mut cycles: Vec<CycleFacts> = self.cycles.into_values().collect();
        let mut elapsed_ms = 0;
        for cycle in &mut cycles {
            elapsed_ms += cycle.wall_ms.unwrap_or_else(|| cycle.stages_ms());
            cycle.elapsed_ms = elapsed_ms;
        }
        let mut players: Vec<PlayerFacts> = self
            .newest_ratings
            .iter()
            .map(|row| player(row, &cycles, &self.rating_matches))
            .collect();
        players.sort_by(|a, b| b.elo.total_cmp(&a.elo).then_with(|| a.name.cmp(&b.name)));
        Report {
            run: self.run,
            cycles,
            players,
            first_mover_elo: self.first_mover_elo,
            draw_rate: self.draw_rate,
            scale: Scale::fit(&self.rating_matches),
        }
    }
}

fn player(
    row: &RatingRow,
    cycles: &[CycleFacts],
    matches: &BTreeMap<(String, String), MatchResult>,
) -> PlayerFacts {
    let trained_by = cycles.iter().find(|facts| PlayerName::network(facts.cycle) == row.player);
    let name = row.player.to_string();
    let mut counts = Wdl::default();
    for ((a, b), result) in matches {
        if *a == name {
            add_distinct(&mut counts, result);
        } else if *b == name {
            add_distinct(&mut counts, &flipped(result));
        }
    }
    PlayerFacts {
        generation: trained_by.and_then(|facts| facts.promoted),
        cycle: trained_by.map(|facts| facts.cycle),
        name,
        elo: row.elo,
        error95: row.error95,
        score: row.score,
        games: row.games,
        wins: counts.wins,
        draws: counts.draws,
        losses: counts.losses,
    }
}

/// The same match in the other player's view.
fn flipped(result: &MatchResult) -> MatchResult {
    let mut pairs = result.pairs;
    pairs.reverse();
    let [by_a, by_b] = result.by_first;
    MatchResult {
        wins: result.losses,
        losses: result.wins,
        pairs,
        by_first: [by_b, by_a],
        ..result.clone()
    }
}

fn add_counts(sum: &mut MatchResult, more: &MatchResult) {
    sum.games += more.games;
    sum.wins += more.wins;
    sum.draws += more.draws;
    sum.losses += more.losses;
    sum.duplicates += more.duplicates;
    for (pairs, more) in sum.pairs.iter_mut().zip(more.pairs) {
        *pairs += more;
    }
    let counts = sum.by_first.as_flattened_mut().iter_mut();
    for (count, more) in counts.zip(more.by_first.as_flattened()) {
        *count += more;
    }
}

/// Adds the first player's games that ratings count: repeated ones are left out.
fn add_distinct(sum: &mut Wdl, result: &MatchResult) {
    let [[won, drawn, lost], [other_won, other_drawn, other_lost]] = result.by_first;
    sum.wins += won + other_lost;
    sum.draws += drawn + other_drawn;
    sum.losses += lost + other_won;
}
