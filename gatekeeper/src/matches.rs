//! Matches of a cycle: those that the ledger lacks are played, published and entered.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use dz_config::GateRule;
use dz_game::mix64;
use dz_play::{
    EarlyStop, Match, MatchCounts, MatchPlayer, MatchTask, PlayedGame, PlayedMatch, Seat,
    write_match,
};
use dz_store::{Entry, MatchPurpose, MatchResult, PlayerName, Stage, layout};

use crate::cycle::GateCycle;
use crate::verdict::sprt_plan;
use crate::work_file::WorkStore;

impl GateCycle<'_> {
    /// Plays matches of so many games, which the ledger lacks, at the same time, then publishes and
    /// enters them in their order; false if they were stopped.
    pub(crate) fn play(
        &mut self,
        purpose: MatchPurpose,
        matches: Vec<([MatchPlayer; 2], u32)>,
    ) -> Result<bool> {
        let plan = |(pair, games)| self.plan(purpose, pair, games);
        let plans: Vec<Match> = matches.into_iter().map(plan).collect::<Result<_>>()?;
        let stems: Vec<String> = plans.iter().map(|plan| self.file_stem(purpose, plan)).collect();
        let folder = self.ledger.run().work_dir(Stage::Gatekeeper)?;
        let store = |stem: &String| WorkStore::new(folder.join(format!("{stem}.jsonl")));
        let mut stores: Vec<WorkStore> = stems.iter().map(store).collect();
        let tasks = plans
            .iter()
            .zip(&mut stores)
            .map(|(plan, store)| MatchTask { plan, store: Some(store) })
            .collect();
        let lockstep = self.lockstep();
        let played = self
            .arena
            .play(tasks, &lockstep, self.observer)
            .with_context(|| format!("matches of cycle {}", self.cycle))?;
        if played.len() < plans.len() || !played.iter().all(PlayedMatch::is_whole) {
            return Ok(false);
        }
        for ((plan, stem), played) in plans.iter().zip(&stems).zip(&played) {
            let bytes = write_match(&played.header, &played.games)?;
            let games = self.ledger.run().put_create(&layout::match_path(stem), &bytes)?;
            let [a, b] = names_of(&plan.players);
            let result = result_of(&played.games);
            self.ledger.append(Entry::Match { cycle: self.cycle, purpose, a, b, result, games })?;
        }
        Ok(true)
    }

    /// A match of so many games.
    fn plan(&self, purpose: MatchPurpose, players: [MatchPlayer; 2], games: u32) -> Result<Match> {
        let config = self.config;
        let opening_plies = match purpose {
            MatchPurpose::Gate => config.gate.opening_plies,
            MatchPurpose::Rating | MatchPurpose::Final => config.rating.opening_plies,
        };
        let early_stop = match (purpose, config.gate.rule) {
            (MatchPurpose::Gate, GateRule::Sprt) => Some(EarlyStop::Test(sprt_plan(&config.gate)?)),
            (MatchPurpose::Gate, GateRule::Score) => Some(EarlyStop::Score(config.gate.score_min)),
            _ => None,
        };
        let [a, b] = &players;
        let seed = match_seed(config.run.seed, self.cycle, purpose, [&a.name, &b.name]);
        let plies_max = config.selfplay.plies_max;
        Ok(Match { players, games: games.into(), opening_plies, seed, plies_max, early_stop })
    }

    /// The name of a match's files, without extension.
    fn file_stem(&self, purpose: MatchPurpose, plan: &Match) -> String {
        let word = match purpose {
            MatchPurpose::Gate => "gate",
            MatchPurpose::Rating => "rating",
            MatchPurpose::Final => "final",
        };
        let [a, b] = names_of(&plan.players);
        file_stem(self.cycle, word, [&a, &b], plan.seed)
    }
}

/// Counts the games of a match. Games that repeat an earlier one are counted, but they are no
/// evidence for ratings.
pub fn result_of(games: &[PlayedGame]) -> MatchResult {
    let mut seen = BTreeSet::new();
    let is_new = |game: &&PlayedGame| seen.insert((game.first == Seat::A, game.moves.clone()));
    let mut sorted: Vec<&PlayedGame> = games.iter().collect();
    sorted.sort_by_key(|game| game.number);
    let distinct: Vec<PlayedGame> = sorted.into_iter().filter(is_new).cloned().collect();
    let all = MatchCounts::of(games);
    MatchResult {
        games: all.games,
        wins: all.wins,
        draws: all.draws,
        losses: all.losses,
        pairs: all.pairs,
        duplicates: all.duplicates,
        by_first: MatchCounts::of(&distinct).by_first,
        plies: games.iter().map(|game| game.moves.len() as u64).sum(),
        adjudicated: games.iter().filter(|game| game.adjudicated).count() as u64,
        forfeits: games.iter().filter(|game| game.forfeit.is_some()).count() as u64,
    }
}

/// The seed of a match. It depends on the run's seed and on everything that distinguishes the
/// matches of a run.
fn match_seed(run_seed: u64, cycle: u32, purpose: MatchPurpose, players: [&str; 2]) -> u64 {
    let mut seed = mix64(run_seed ^ 0x6d61_7463_6865_7321);
    seed = mix64(seed ^ u64::from(cycle));
    let kind = match purpose {
        MatchPurpose::Gate => 0,
        MatchPurpose::Rating => 1,
        MatchPurpose::Final => 2,
    };
    seed = mix64(seed ^ kind);
    for name in players {
        for byte in name.bytes() {
            seed = mix64(seed ^ u64::from(byte));
        }
        seed = mix64(seed ^ 0x100);
    }
    seed
}

fn names_of(pair: &[MatchPlayer; 2]) -> [PlayerName; 2] {
    pair.each_ref().map(|player| PlayerName::new(player.name.clone()))
}
/// The name of a match's file: the candidate of the cycle is not named, other players are.
fn file_stem(cycle: u32, word: &str, [a, b]: [&PlayerName; 2], seed: u64) -> String {
    let against = file_word(b.as_str(), seed);
    if *a == PlayerName::network(cycle) {
        return format!("cycle-{cycle:04}-{word}-{against}");
    }
    format!("cycle-{cycle:04}-{word}-{}-{against}", file_word(a.as_str(), seed))
}

/// A player's name as part of a file name. Anchors are named by people: where characters have to
/// give way, the match's seed, which differs by name, keeps the files apart.
fn file_word(name: &str, seed: u64) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let word: String = name.chars().map(plain).collect();
    if word == name && !word.is_empty() { word } else { format!("{word}-{seed:016x}") }
}

#[cfg(test)]
mod tests {
    use dz_store::PlayerName;

    use super::{file_stem, file_word};

    #[test]
    fn matches_of_a_cycle_have_files_of_their_own() {
        let [second, third, fifth] = [2, 3, 5].map(PlayerName::network);
        let stem = |pair| file_stem(5, "rating", pair, 7);
        assert_eq!(stem([&fifth, &third]), "cycle-0005-rating-network-0003");
        // The league lets champions meet again while a candidate meets one of them.
        assert_eq!(stem([&second, &third]), "cycle-0005-rating-network-0002-network-0003");
    }

    #[test]
    fn names_of_people_make_files_of_their_own() {
        assert_eq!(file_word("rollout-1000", 7), "rollout-1000");
        assert_eq!(file_word("../a b", 7), ".._a_b-0000000000000007");
        assert_ne!(file_word("a b", 1), file_word("a/b", 2));
        assert_eq!(file_word("", 1), "-0000000000000001");
    }
}
