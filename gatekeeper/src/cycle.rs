//! What the gatekeeper does in a cycle, from the candidate to the end of the cycle.
//!
//! Every step looks first whether the ledger has its entry, so a process that was killed anywhere is
//! followed by one that goes on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use dz_config::{GateRule, RunConfig};
use dz_game::Game;
use dz_infer::Lockstep;
use dz_play::MatchTimes;
use dz_store::{
    CycleState, Entry, GateTest, Ledger, MatchPurpose, MatchResult, MetricsWriter, ObjectRef,
    PlayerName, Stage, layout,
};

use crate::budget::Planned;
use crate::match_file::{read_match, write_match};
use crate::probes::{Settings, probe};
use crate::verdict::{judge, sprt_plan, tested};
use crate::{
    Bout, Contestant, ContestantKind, Decided, Mind, NetworkLoader, Observer, Played, Players,
    league, match_seed, play_bouts, rating, summary, work_file,
};

/// Who plays for generation 0; not a rated player.
pub const BOOTSTRAP: &str = "bootstrap";

/// Network files by their hashes: a network has several matches.
type NetworkFiles = BTreeMap<String, Arc<[u8]>>;

/// What the gatekeeper works with.
pub struct GateCycle<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The run's configuration.
    pub config: &'a RunConfig,
    /// The run's ledger, claimed for the gatekeeper.
    pub ledger: &'a mut Ledger,
    /// What makes evaluators of network files.
    pub networks: &'a dyn NetworkLoader<G>,
    /// Is told how it goes.
    pub observer: &'a mut dyn Observer,
    /// The cycle, whose candidate is published.
    pub cycle: u32,
    /// When the cycle before was over, where stages work side by side: a cycle takes the time from one
    /// end to the next then. `None` where they take turns and their times add up.
    pub overlaps_since: Option<Instant>,
}

/// How the gatekeeper's turn ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEnd {
    /// The cycle is over; one line for people.
    Done(String),
    /// The observer stopped it; what was played is kept.
    Stopped,
}

impl<G: Game> GateCycle<'_, G> {
    /// Plays gate and rating matches, decides, rates, and ends the cycle.
    ///
    /// # Errors
    /// What the store, the evaluators or the fit report.
    pub fn run(mut self) -> Result<TurnEnd> {
        let begun = Instant::now();
        let mut players =
            Players::new(self.game, self.networks, self.config.selfplay.cache_entries as usize);
        let judged = self.judge(&mut players)?;
        let gate_ms = begun.elapsed().as_millis() as u64;
        let whole = judged && self.rating_matches(&mut players)?;
        self.tell_times(gate_ms, begun.elapsed().as_millis() as u64 - gate_ms)?;
        if !whole {
            return Ok(TurnEnd::Stopped);
        }
        let fit = rating::fit(self.ledger.state(), &self.config.rating.anchors)?;
        if let Some(fit) = &fit
            && !self.state().rated
        {
            // Before the entry, which says that this is done; of lines that a kill doubles the last ones count.
            self.probe()?;
            let champion = self.ledger.state().champion.as_ref().map(|champion| champion.cycle);
            self.ledger.append(rating::entry(fit, self.cycle, champion))?;
        }
        if self.state().wall_ms.is_none() {
            let wall_ms = match self.overlaps_since {
                Some(since) => since.elapsed().as_millis() as u64,
                None => stages_wall_ms(self.state()) + begun.elapsed().as_millis() as u64,
            };
            self.ledger.append(Entry::CycleDone { cycle: self.cycle, wall_ms })?;
        }
        work_file::clear(&self.ledger.run().work_dir(Stage::Gatekeeper)?)?;
        let anchors = &self.config.rating.anchors;
        Ok(TurnEnd::Done(summary::turn_line(self.cycle, self.state(), fit.as_ref(), anchors)))
    }

    /// Writes down what this process spent on matches; nothing depends on it.
    fn tell_times(&self, gate_ms: u64, rating_ms: u64) -> Result<()> {
        let mut metrics = MetricsWriter::open(self.ledger.run(), Stage::Gatekeeper)?;
        Ok(metrics.write(&MatchTimes { cycle: self.cycle, gate_ms, rating_ms })?)
    }

    /// The gate match, the verdict and, if it is accepted, the champion; false if it was stopped.
    fn judge(&mut self, players: &mut Players<'_, G>) -> Result<bool> {
        if self.state().verdict.is_none() {
            let Some((opponent, result)) = self.gate_match(players)? else { return Ok(false) };
            let test = self.gate_test(&opponent)?;
            let judged = judge(&self.config.gate, &opponent, result.as_ref(), test.as_ref());
            self.ledger.append(Entry::Verdict {
                cycle: self.cycle,
                rule: self.config.gate.rule.to_string(),
                accepted: judged.accepted,
                reason: judged.reason,
                score: judged.score.map(|interval| interval.score.0),
                score_lo95: judged.score.map(|interval| interval.lo95.0),
                score_hi95: judged.score.map(|interval| interval.hi95.0),
                test,
            })?;
        }
        let now = self.state();
        let accepted = now.verdict.as_ref().is_some_and(|verdict| verdict.accepted);
        if accepted && now.champion.is_none() {
            let generation = self.ledger.state().generation() + 1;
            let network = self.candidate()?;
            self.ledger.append(Entry::Champion { generation, cycle: self.cycle, network })?;
        }
        Ok(true)
    }

    /// The test of the gate's match, from its games in the order in which they were scheduled; none of
    /// another rule.
    fn gate_test(&self, opponent: &str) -> Result<Option<GateTest>> {
        let (a, b) = (PlayerName::network(self.cycle), PlayerName::new(opponent));
        let found = self.state().find_match(MatchPurpose::Gate, &a, &b);
        let (GateRule::Sprt, Some(played)) = (self.config.gate.rule, found) else {
            return Ok(None);
        };
        let bytes = self.ledger.run().get(&played.games)?;
        let (_, games) = read_match(&String::from_utf8_lossy(&bytes))?;
        Ok(Some(tested(&self.config.gate, &games)?))
    }

    /// The opponent's name and the counts, none where no games are played; `None` if stopped.
    fn gate_match(
        &mut self,
        players: &mut Players<'_, G>,
    ) -> Result<Option<(String, Option<MatchResult>)>> {
        let gate = &self.config.gate;
        let playouts = gate.playouts;
        let champion = self.ledger.state().champion.clone();
        let opponent = if let Some(champion) = champion {
            self.network(champion.cycle, &champion.network, playouts)?
        } else {
            let mind = Mind::Bootstrap(self.config.bootstrap.evaluator);
            let search = self.config.search.clone();
            let kind = ContestantKind::Search { mind, search, playouts };
            Contestant { name: BOOTSTRAP.to_owned(), kind }
        };
        let name = opponent.name.clone();
        if gate.games == 0 {
            return Ok(Some((name, None)));
        }
        let candidate = self.network(self.cycle, &self.candidate()?, playouts)?;
        let games = gate.games;
        let matches = vec![([candidate, opponent], games)];
        let results = self.recorded(MatchPurpose::Gate, matches, players)?;
        Ok(results.map(|results| (name, results.into_iter().next())))
    }

    /// The matches that the league plans, the candidate accepted or not; false if they were stopped.
    fn rating_matches(&mut self, players: &mut Players<'_, G>) -> Result<bool> {
        if self.state().rated {
            return Ok(true);
        }
        let scheduled = league::scheduled(self.ledger.state(), self.config, self.cycle)?;
        let mut files = NetworkFiles::new();
        let mut matches = Vec::new();
        for Planned { players: [a, b], games } in scheduled {
            if self.state().find_match(MatchPurpose::Rating, &a, &b).is_none() {
                let pair = [self.rated(&a, &mut files)?, self.rated(&b, &mut files)?];
                matches.push((pair, games));
            }
        }
        Ok(self.recorded(MatchPurpose::Rating, matches, players)?.is_some())
    }

    /// A player of rating games by its name: an anchor, or a network of the run.
    fn rated(&self, name: &PlayerName, files: &mut NetworkFiles) -> Result<Contestant> {
        let rating = &self.config.rating;
        if let Some(anchor) = rating.anchors.iter().find(|anchor| anchor.name == name.as_str()) {
            let kind = ContestantKind::Anchor(anchor.kind.clone());
            return Ok(Contestant { name: anchor.name.clone(), kind });
        }
        let of = |cycle: u32| self.ledger.state().cycle_state(cycle)?.candidate.as_ref();
        // The root's evaluation is the first playout: with one, the likeliest move is played.
        let playouts = if name.policy_cycle().is_some() { 1 } else { rating.playouts };
        let cycle = name.cycle().or(name.policy_cycle());
        let cycle = cycle.with_context(|| format!("{name} is no player of this run"))?;
        let network = of(cycle).with_context(|| format!("{name} has no network"))?.network.clone();
        let player = self.network_of(files, cycle, &network, playouts)?;
        Ok(Contestant { name: name.to_string(), ..player })
    }

    /// Measures for the report; results do not depend on it.
    fn probe(&mut self) -> Result<()> {
        let playouts = self.config.rating.playouts;
        let candidate = self.network(self.cycle, &self.candidate()?, playouts)?;
        let settings = Settings {
            seed: self.config.run.seed,
            cycle: self.cycle,
            playouts,
            cache_entries: self.config.selfplay.cache_entries as usize,
            lockstep: self.lockstep(),
        };
        probe(self.game, self.networks, self.ledger.run(), &candidate, settings)
    }

    /// How games share batches.
    fn lockstep(&self) -> Lockstep {
        Lockstep {
            parallel_games: self.config.gate.parallel_games as usize,
            groups: self.config.selfplay.groups as usize,
        }
    }

    /// The counts of matches of so many games, in their order: from the ledger, or else those that it lacks are played, side by
    /// side, published and entered. `None` if they were stopped.
    fn recorded(
        &mut self,
        purpose: MatchPurpose,
        matches: Vec<([Contestant; 2], u32)>,
        players: &mut Players<'_, G>,
    ) -> Result<Option<Vec<MatchResult>>> {
        let names: Vec<[PlayerName; 2]> = matches.iter().map(|(pair, _)| names_of(pair)).collect();
        let is_missing =
            |[a, b]: &[PlayerName; 2]| self.state().find_match(purpose, a, b).is_none();
        let missing = matches.into_iter().filter(|(pair, _)| is_missing(&names_of(pair)));
        let bouts: Vec<(String, Bout)> =
            missing.map(|(pair, games)| self.bout(purpose, pair, games)).collect::<Result<_>>()?;
        let folder = self.ledger.run().work_dir(Stage::Gatekeeper)?;
        let files: Vec<PathBuf> =
            bouts.iter().map(|(stem, _)| folder.join(format!("{stem}.jsonl"))).collect();
        let bouts_files: Vec<(&Bout, Option<&Path>)> = bouts
            .iter()
            .zip(&files)
            .map(|((_, bout), file)| (bout, Some(file.as_path())))
            .collect();
        let lockstep = self.lockstep();
        let played = play_bouts(&bouts_files, players, &lockstep, self.observer)
            .with_context(|| format!("matches of cycle {}", self.cycle))?;
        if played.len() < bouts.len() || !played.iter().all(Played::is_whole) {
            return Ok(None);
        }
        for ((stem, bout), played) in bouts.iter().zip(&played) {
            let path = format!("{}/{stem}.jsonl", layout::MATCHES);
            let bytes = write_match(&played.header, &played.games)?;
            let games = self.ledger.run().put_create(&path, &bytes)?;
            let ([a, b], cycle, result) = (names_of(&bout.players), self.cycle, played.result());
            self.ledger.append(Entry::Match { cycle, purpose, a, b, result, games })?;
        }
        let result =
            |[a, b]: &[PlayerName; 2]| Some(self.state().find_match(purpose, a, b)?.result.clone());
        let all: Option<Vec<MatchResult>> = names.iter().map(result).collect();
        all.map(Some).context("a match that was played has no entry; please report this")
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

    fn network(&self, cycle: u32, network: &ObjectRef, playouts: u32) -> Result<Contestant> {
        self.network_of(&mut NetworkFiles::new(), cycle, network, playouts)
    }

    /// A network with a search, its file read if `files` has it not.
    fn network_of(
        &self,
        files: &mut NetworkFiles,
        cycle: u32,
        network: &ObjectRef,
        playouts: u32,
    ) -> Result<Contestant> {
        let key = network.blake3.clone();
        let bytes = match files.get(&key) {
            Some(bytes) => Arc::clone(bytes),
            None => self.ledger.run().get(network)?.as_ref().into(),
        };
        files.insert(key.clone(), Arc::clone(&bytes));
        let mind = Mind::Network { key, bytes };
        let search = self.config.search.clone();
        let kind = ContestantKind::Search { mind, search, playouts };
        Ok(Contestant { name: PlayerName::network(cycle).as_str().to_owned(), kind })
    }

    fn candidate(&self) -> Result<ObjectRef> {
        let candidate = self.state().candidate.as_ref();
        let candidate = candidate.context("the cycle has no candidate; the trainer comes first")?;
        Ok(candidate.network.clone())
    }

    fn state(&self) -> &CycleState {
        static EMPTY: std::sync::LazyLock<CycleState> =
            std::sync::LazyLock::new(CycleState::default);
        self.ledger.state().cycle_state(self.cycle).unwrap_or(&EMPTY)
    }
}

fn names_of(pair: &[Contestant; 2]) -> [PlayerName; 2] {
    [&pair[0], &pair[1]].map(|contestant| PlayerName::new(contestant.name.clone()))
}

/// What the other stages say that they took, in milliseconds.
fn stages_wall_ms(now: &CycleState) -> u64 {
    let games = now.games_done.as_ref().map_or(0, |done| done.summary.wall_ms);
    let rows = now.rows.as_ref().map_or(0, |rows| rows.summary.wall_ms);
    let training = now.candidate.as_ref().map_or(0, |candidate| candidate.losses.wall_ms);
    games + rows + training
}

/// The name of a match's file: the candidate of the cycle is not named, other players are.
fn file_stem(cycle: u32, word: &str, [a, b]: [&PlayerName; 2], seed: u64) -> String {
    let against = file_word(b.as_str(), seed);
    if *a == PlayerName::network(cycle) {
        return format!("cycle-{cycle:04}-{word}-{against}");
    }
    format!("cycle-{cycle:04}-{word}-{}-{against}", file_word(a.as_str(), seed))
}

/// A player's name as part of a file name. Anchors are named by people: where characters have to give
/// way, the match's seed, which differs by name, keeps the files apart.
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
