//! From the ledger's records to a report's facts.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use dz_config::RunConfig;
use dz_store::{CycleState, MatchPurpose, MatchState, ObjectRef, PlayerName, Record, RunState};

use crate::curve::{curve, markers};
use crate::facts::{CycleFacts, GateFacts, Model, RunFacts};
use crate::final_match::FinalFacts;
use crate::gaps::gaps;
use crate::measures::Measures;
use crate::pairings::pairings;
use crate::played::{Matches, add_counts, flipped, players};
use crate::report::{Report, RunContext};
use crate::scale::Scale;

impl Report {
    /// The report of a ledger's records, in their order. Some may be missing.
    pub fn from_ledger(
        records: impl IntoIterator<Item: Borrow<Record>>,
        context: RunContext<'_>,
    ) -> Self {
        Self::of_state(RunState::fold(records), context)
    }

    /// The report of a ledger's folded records.
    pub(crate) fn of_state(state: RunState, context: RunContext<'_>) -> Self {
        let overlaps = context.config.is_some_and(|config| config.lead_cycles() > 0);
        let cycles = cycles(&state, overlaps);
        let final_too = context.config.is_some_and(RunConfig::rates_final_match);
        let matches = rated_matches(&state, final_too);
        let ratings = state.ratings.as_ref();
        let rated = ratings.map_or(&[][..], |ratings| &ratings.players);
        // Where no network has met an anchor, whoever the ledger has at 0.
        let of_ledger = || rated.iter().find(|row| row.error95 == 0.0);
        let zero = state.anchor().or_else(|| Some(of_ledger()?.player.as_str()));
        let scale = Scale::fit(&matches, zero);
        let players = players(&scale.rows(rated.to_vec()), &cycles, &matches);
        let (first_mover_elo, draw_rate) = scale.terms().unzip();
        let mut curve = curve(&cycles, &players, &matches);
        let curve_error95 = scale.place_within(&mut curve);
        let mut report = Self {
            run: run_facts(&state, context),
            curve,
            curve_error95,
            markers: markers(&cycles, &state.config_changes),
            cycles,
            pairings: pairings(&matches, &scale),
            players,
            first_mover_elo: first_mover_elo.or(ratings.map(|ratings| ratings.first_mover_elo)),
            draw_rate: draw_rate.or(ratings.map(|ratings| ratings.draw_rate)),
            model: Model::of_run(),
            final_match: FinalFacts::of(&state, context.config),
            expected: None,
            measures: Measures::default(),
            missing: Vec::new(),
            findings: Vec::new(),
            compared: Vec::new(),
            scale,
            rated_matches: matches,
            state,
        };
        report.compare_players();
        report.missing = gaps(&report, context.config);
        report
    }
}

fn run_facts(state: &RunState, context: RunContext<'_>) -> RunFacts {
    let facts = RunFacts {
        name: context.name.to_owned(),
        config_hash: state.config_hash.clone(),
        config_changes: state.config_changes.iter().map(|change| change.text.clone()).collect(),
        config_toml: context.config_toml.map(str::to_owned),
        newest_unix_ms: state.newest_unix_ms,
        entries: state.records,
        finished: state.finished.clone(),
        ..RunFacts::default()
    };
    let Some(started) = &state.started else { return facts };
    RunFacts {
        game: started.game.clone(),
        encoding: started.encoding.clone(),
        seed: started.seed,
        version: started.version.clone(),
        format: started.format,
        started_unix_ms: started.time_unix_ms,
        ..facts
    }
}

/// All cycles, with the time spent up to the end of each. `overlaps`: the stages work side by side.
fn cycles(state: &RunState, overlaps: bool) -> Vec<CycleFacts> {
    let facts = state.cycles.iter().map(|(&cycle, state)| cycle_facts(cycle, state));
    let mut cycles: Vec<CycleFacts> = facts.collect();
    let mut elapsed_ms = 0;
    let mut device_ms = 0;
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
        cycle.elapsed_ms = elapsed_ms;
        cycle.device_ms = device_ms;
    }
    cycles
}

fn cycle_facts(cycle: u32, state: &CycleState) -> CycleFacts {
    let games_done = state.games_done.as_ref();
    let candidate = state.candidate.as_ref();
    CycleFacts {
        cycle,
        generation: games_done.map(|done| done.generation),
        selfplay: games_done.map(|done| done.summary.clone()),
        rows: state.rows.as_ref().map(|rows| rows.summary.clone()),
        losses: candidate.map(|candidate| candidate.losses.clone()),
        step: candidate.map(|candidate| candidate.step),
        network: candidate.map(|candidate| candidate.network.clone()),
        gate: gate_match(cycle, state).map(|(played, candidate_is_b)| {
            let opponent = if candidate_is_b { &played.a } else { &played.b };
            let result = &played.result;
            let result = if candidate_is_b { flipped(result) } else { result.clone() };
            GateFacts { opponent: opponent.to_string(), result }
        }),
        verdict: state.verdict.clone(),
        promoted: state.champion.as_ref().map(|champion| champion.generation),
        wall_ms: state.wall_ms,
        newest_unix_ms: state.newest_unix_ms,
        bytes: bytes_by_folder(state),
        records: state.records.clone(),
        ..CycleFacts::default()
    }
}

/// The gate match of a cycle, and whether the candidate is player B.
pub(crate) fn gate_match(cycle: u32, state: &CycleState) -> Option<(&MatchState, bool)> {
    let played = state.matches.iter().rfind(|played| played.purpose == MatchPurpose::Gate)?;
    Some((played, played.b == PlayerName::network(cycle)))
}

/// Bytes that a cycle published. A champion's file is its candidate's, so it counts once.
fn bytes_by_folder(state: &CycleState) -> BTreeMap<String, u64> {
    let objects: BTreeMap<&str, &ObjectRef> =
        state.objects().map(|object| (object.path.as_str(), object)).collect();
    let mut bytes = BTreeMap::new();
    for (path, object) in objects {
        let folder = path.split('/').next().unwrap_or_default();
        *bytes.entry(folder.to_owned()).or_default() += object.bytes;
    }
    bytes
}

/// Matches that ratings count, added up by the two names in order.
fn rated_matches(state: &RunState, final_too: bool) -> Matches {
    let mut matches = Matches::new();
    for (_, MatchState { a, b, result, .. }) in state.rated_matches(final_too) {
        if a <= b {
            add_counts(matches.entry((a.to_string(), b.to_string())).or_default(), result);
        } else {
            let result = flipped(result);
            add_counts(matches.entry((b.to_string(), a.to_string())).or_default(), &result);
        }
    }
    matches
}

impl Report {
    /// Compares every player with the newest champion, and computes its error from pairs of games.
    fn compare_players(&mut self) {
        let zero = self.players.iter().find(|player| player.error95 == 0.0);
        if let Some(zero) = zero.map(|player| player.name.clone()) {
            for player in self.players.iter_mut().filter(|player| player.name != zero) {
                player.error95_pairs =
                    self.scale.error95_of_pairs(&self.rated_matches, &player.name, &zero);
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
