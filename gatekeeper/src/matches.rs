//! Matches of a cycle: those that the ledger lacks are played, published and entered.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use dz_config::GateRule;
use dz_game::Game;
use dz_store::{Entry, MatchPurpose, PlayerName, Stage, layout};

use crate::cycle::GateCycle;
use crate::match_file::write_match;
use crate::verdict::sprt_plan;
use crate::{Bout, Contestant, Decided, Played, Players, match_seed, play_bouts};

impl<G: Game> GateCycle<'_, G> {
    /// Matches of so many games, which the ledger lacks, are played side by side, published and
    /// entered in their order; false if they were stopped.
    pub(crate) fn play(
        &mut self,
        purpose: MatchPurpose,
        matches: Vec<([Contestant; 2], u32)>,
        players: &mut Players<'_, G>,
    ) -> Result<bool> {
        let matches = matches.into_iter();
        let bouts: Vec<(String, Bout)> =
            matches.map(|(pair, games)| self.bout(purpose, pair, games)).collect::<Result<_>>()?;
        let folder = self.ledger.run().work_dir(Stage::Gatekeeper)?;
        let files: Vec<PathBuf> =
            bouts.iter().map(|(stem, _)| folder.join(format!("{stem}.jsonl"))).collect();
        let with_files: Vec<(&Bout, Option<&Path>)> = bouts
            .iter()
            .zip(&files)
            .map(|((_, bout), file)| (bout, Some(file.as_path())))
            .collect();
        let lockstep = self.lockstep();
        let played = play_bouts(&with_files, players, &lockstep, self.observer)
            .with_context(|| format!("matches of cycle {}", self.cycle))?;
        if played.len() < bouts.len() || !played.iter().all(Played::is_whole) {
            return Ok(false);
        }
        for ((stem, bout), played) in bouts.iter().zip(&played) {
            let path = layout::match_path(stem);
            let bytes = write_match(&played.header, &played.games)?;
            let games = self.ledger.run().put_create(&path, &bytes)?;
            let ([a, b], cycle, result) = (names_of(&bout.players), self.cycle, played.result());
            self.ledger.append(Entry::Match { cycle, purpose, a, b, result, games })?;
        }
        Ok(true)
    }

    /// A match of so many games, and the name of its files.
    fn bout(
        &self,
        purpose: MatchPurpose,
        players: [Contestant; 2],
        games: u32,
    ) -> Result<(String, Bout)> {
        let config = self.config;
        let (opening_plies, word) = match purpose {
            MatchPurpose::Gate => (config.gate.opening_plies, "gate"),
            MatchPurpose::Rating => (config.rating.opening_plies, "rating"),
        };
        let decided = match (purpose, config.gate.rule) {
            (MatchPurpose::Gate, GateRule::Sprt) => Some(Decided::Test(sprt_plan(&config.gate)?)),
            (MatchPurpose::Gate, GateRule::Score) => Some(Decided::Score(config.gate.score_min)),
            _ => None,
        };
        let [a, b] = names_of(&players);
        let bout = Bout {
            seed: match_seed(config.run.seed, self.cycle, purpose, [a.as_str(), b.as_str()]),
            players,
            games: games.into(),
            opening_plies,
            plies_max: config.selfplay.plies_max,
            decided,
        };
        Ok((file_stem(self.cycle, word, [&a, &b], bout.seed), bout))
    }
}

fn names_of(pair: &[Contestant; 2]) -> [PlayerName; 2] {
    [&pair[0], &pair[1]].map(|contestant| PlayerName::new(contestant.name.clone()))
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
