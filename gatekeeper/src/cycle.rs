//! What the gatekeeper does in a cycle, from the candidate to the end of the cycle.
//!
//! Every step looks first whether the ledger has its entry, so a process that was killed anywhere
//! is followed by one that goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use dz_config::{GateRule, RunConfig};
use dz_infer::Lockstep;
use dz_play::{
    Arena, MatchObserver, MatchPlayer, MatchTimes, PlayerEvaluator, SearchPlayer, anchor_player,
    read_match,
};
use dz_stage::Spent;
use dz_store::{
    CycleState, Entry, GateTest, Ledger, MatchPurpose, MatchResult, MetricsWriter, ObjectRef,
    PlayerName, Stage, StoreError,
};

use crate::budget::Planned;
use crate::probes::{Settings, probe};
use crate::verdict::{judge, tested};
use crate::{league, rating, summary, work_file};

/// Who plays for generation 0; not a rated player.
pub const BOOTSTRAP: &str = "bootstrap";

/// Network files by their hashes: a network has several matches.
type NetworkFiles = BTreeMap<String, Arc<[u8]>>;

/// What the gatekeeper works with.
pub struct GateCycle<'a> {
    /// Plays the matches.
    pub arena: &'a mut dyn Arena,
    /// The run's configuration, with `run.cycles` as the cycle's schedules are laid out.
    pub config: &'a RunConfig,
    /// The same with the run's own `run.cycles`, which determines whether this cycle is the last.
    pub unplanned: &'a RunConfig,
    /// The run's ledger, claimed for the gatekeeper.
    pub ledger: &'a mut Ledger,
    /// Follows the matches and may stop them.
    pub observer: &'a mut dyn MatchObserver,
    /// The cycle, whose candidate is published.
    pub cycle: u32,
    /// Anchors whose programs this user has not let the run start: their matches are left out.
    pub denied: &'a BTreeSet<String>,
    /// The turn's time. In asynchronous mode it is the cycle's time, from the end of the previous
    /// cycle.
    pub spent: &'a Spent,
}

/// How the gatekeeper's turn ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEnd {
    /// The cycle is over; one line for people.
    Done(String),
    /// The observer stopped it; what was played is kept.
    Stopped,
}

impl GateCycle<'_> {
    /// Plays gate and rating matches, decides, rates, and ends the cycle.
    ///
    /// # Errors
    /// What the store, the evaluators or the fit report.
    pub fn run(mut self) -> Result<TurnEnd> {
        let begun = Instant::now();
        let judged = self.judge()?;
        let gate_ms = begun.elapsed().as_millis() as u64;
        let whole = judged && self.rating_matches()?;
        self.note_times(gate_ms, begun.elapsed().as_millis() as u64 - gate_ms)?;
        if !whole {
            self.spent.note_last(());
            return Ok(TurnEnd::Stopped);
        }
        let final_is_rated = self.config.rates_final_match();
        let mut fit = rating::fit(self.ledger.state(), final_is_rated)?;
        if fit.is_some() && !self.state().rated {
            // Before the entry, which says that this is done; of lines that a kill doubles the last
            // ones count.
            self.probe()?;
        }
        // The final match's time is not part of the cycle's, which determines how many cycles fit
        // into a limit.
        let wall_ms = self.wall_ms();
        if self.state().wall_ms.is_none() && !self.final_match(wall_ms)? {
            self.spent.note_last(());
            return Ok(TurnEnd::Stopped);
        }
        if self.has_final_match() {
            fit = rating::fit(self.ledger.state(), final_is_rated)?;
        }
        if let Some(fit) = &fit
            && !self.state().rated
        {
            let champion = self.ledger.state().champion.as_ref().map(|champion| champion.cycle);
            self.ledger.append(rating::entry(fit, self.cycle, champion))?;
        }
        if self.state().wall_ms.is_none() {
            self.ledger.append(Entry::CycleDone { cycle: self.cycle, wall_ms })?;
        }
        work_file::clear(&self.ledger.run().work_dir(Stage::Gatekeeper)?)?;
        let anchors = &self.config.rating.anchors;
        let rule = self.config.gate.rule;
        let line = summary::turn_line(self.cycle, self.state(), fit.as_ref(), rule, anchors);
        Ok(TurnEnd::Done(line))
    }

    /// What the cycle has taken so far, the final match aside.
    fn wall_ms(&self) -> u64 {
        let overlaps = self.config.lead_cycles() > 0;
        let before_ms = if overlaps { 0 } else { stages_wall_ms(self.state()) };
        before_ms + self.spent.wall_ms()
    }

    /// Writes down what this process spent on matches; nothing depends on it.
    fn note_times(&self, gate_ms: u64, rating_ms: u64) -> Result<()> {
        let mut metrics = MetricsWriter::open(self.ledger.run(), Stage::Gatekeeper)?;
        Ok(metrics.write(&MatchTimes { cycle: self.cycle, gate_ms, rating_ms })?)
    }

    /// The gate match, the verdict and, if it is accepted, the champion; false if it was stopped.
    fn judge(&mut self) -> Result<bool> {
        if self.state().verdict.is_none() {
            let Some((opponent, result)) = self.gate_match()? else { return Ok(false) };
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

    /// The test of the gate's match, from its games in the order in which they were scheduled; none
    /// of another rule.
    fn gate_test(&self, opponent: &str) -> Result<Option<GateTest>> {
        let a = PlayerName::network(self.cycle);
        let b = PlayerName::new(opponent);
        let found = self.state().find_match(MatchPurpose::Gate, &a, &b);
        let (GateRule::Sprt, Some(played)) = (self.config.gate.rule, found) else {
            return Ok(None);
        };
        let bytes = self.ledger.run().get(&played.games)?;
        let games = read_match(&String::from_utf8_lossy(&bytes))?.games;
        Ok(Some(tested(&self.config.gate, &games)?))
    }

    /// The opponent's name and the counts, none where no games are played; `None` if stopped.
    fn gate_match(&mut self) -> Result<Option<(String, Option<MatchResult>)>> {
        let gate = &self.config.gate;
        let playouts = gate.playouts;
        let champion = self.ledger.state().champion.clone();
        let opponent = if let Some(champion) = champion {
            self.network(champion.cycle, &champion.network, playouts)?
        } else {
            let evaluator = self.config.bootstrap.evaluator.into();
            let search = SearchPlayer::of_run(evaluator, &self.config.search, playouts);
            MatchPlayer::search(BOOTSTRAP, search)
        };
        let name = opponent.name.clone();
        if gate.games == 0 {
            return Ok(Some((name, None)));
        }
        let a = PlayerName::network(self.cycle);
        let b = PlayerName::new(name.clone());
        if self.state().find_match(MatchPurpose::Gate, &a, &b).is_none() {
            let candidate = self.network(self.cycle, &self.candidate()?, playouts)?;
            let matches = vec![([candidate, opponent], gate.games)];
            if !self.play(MatchPurpose::Gate, matches)? {
                return Ok(None);
            }
        }
        let played = self.state().find_match(MatchPurpose::Gate, &a, &b);
        let played = played.context("a match that was played has no entry; please report this")?;
        Ok(Some((name, Some(played.result.clone()))))
    }

    /// The matches that the league plans, the candidate accepted or not; false if they were
    /// stopped.
    fn rating_matches(&mut self) -> Result<bool> {
        if self.state().rated {
            return Ok(true);
        }
        let scheduled = league::scheduled(self.ledger.state(), self.config, self.cycle)?;
        let mut files = NetworkFiles::new();
        let mut matches = Vec::new();
        for Planned { players: [a, b], games } in scheduled {
            let is_denied = [&a, &b].into_iter().any(|name| self.denied.contains(name.as_str()));
            if !is_denied && self.state().find_match(MatchPurpose::Rating, &a, &b).is_none() {
                match [self.rated(&a, &mut files), self.rated(&b, &mut files)] {
                    [Ok(a), Ok(b)] => matches.push(([a, b], games)),
                    // Nothing but ratings depends on these games.
                    [Err(error), _] | [_, Err(error)] if is_lost(&error) => {
                        tracing::warn!("rating games of {a} and {b} are left out: {error:#}");
                    }
                    [Err(error), _] | [_, Err(error)] => return Err(error),
                }
            }
        }
        self.play(MatchPurpose::Rating, matches)
    }

    /// A player of rating games by its name: an anchor, or a network of the run.
    fn rated(&self, name: &PlayerName, files: &mut NetworkFiles) -> Result<MatchPlayer> {
        let rating = &self.config.rating;
        if let Some(anchor) = rating.anchors.iter().find(|anchor| anchor.name == name.as_str()) {
            return Ok(anchor_player(anchor)?);
        }
        let of = |cycle: u32| self.ledger.state().cycle_state(cycle)?.candidate.as_ref();
        // The root's evaluation is the first playout: with one, the likeliest move is played.
        let playouts = if name.policy_cycle().is_some() { 1 } else { rating.playouts };
        let cycle = name.cycle().or(name.policy_cycle());
        let cycle = cycle.with_context(|| format!("{name} is no player of this run"))?;
        let network = of(cycle).with_context(|| format!("{name} has no network"))?.network.clone();
        let player = self.network_of(files, cycle, &network, playouts)?;
        Ok(MatchPlayer { name: name.to_string(), ..player })
    }

    /// Measures for the report; results do not depend on it.
    fn probe(&mut self) -> Result<()> {
        let playouts = self.config.rating.playouts;
        let candidate = self.network(self.cycle, &self.candidate()?, playouts)?;
        let settings = Settings {
            seed: self.config.run.seed,
            cycle: self.cycle,
            playouts,
            lockstep: self.lockstep(),
        };
        probe(self.arena, self.ledger.run(), &candidate, settings)
    }

    /// How games share batches.
    pub(crate) fn lockstep(&self) -> Lockstep {
        Lockstep {
            parallel_games: self.config.gate.parallel_games as usize,
            groups: self.config.selfplay.groups_on(self.config.gate.devices.len()),
        }
    }

    pub(crate) fn network(
        &self,
        cycle: u32,
        network: &ObjectRef,
        playouts: u32,
    ) -> Result<MatchPlayer> {
        self.network_of(&mut NetworkFiles::new(), cycle, network, playouts)
    }

    /// A network with a search, its file read if `files` has it not.
    fn network_of(
        &self,
        files: &mut NetworkFiles,
        cycle: u32,
        network: &ObjectRef,
        playouts: u32,
    ) -> Result<MatchPlayer> {
        let hash = network.blake3.clone();
        let bytes = match files.get(&hash) {
            Some(bytes) => Arc::clone(bytes),
            None => self.ledger.run().get(network)?.as_ref().into(),
        };
        files.insert(hash.clone(), Arc::clone(&bytes));
        let evaluator = PlayerEvaluator::Network { hash, bytes };
        let search = SearchPlayer::of_run(evaluator, &self.config.search, playouts);
        Ok(MatchPlayer::search(PlayerName::network(cycle).as_str(), search))
    }

    fn candidate(&self) -> Result<ObjectRef> {
        let candidate = self.state().candidate.as_ref();
        let candidate = candidate.context("the cycle has no candidate; the trainer comes first")?;
        Ok(candidate.network.clone())
    }

    pub(crate) fn state(&self) -> &CycleState {
        static EMPTY: std::sync::LazyLock<CycleState> =
            std::sync::LazyLock::new(CycleState::default);
        self.ledger.state().cycle_state(self.cycle).unwrap_or(&EMPTY)
    }
}

/// Whether an error is that a published file is gone or damaged.
pub(crate) fn is_lost(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref();
    matches!(cause, Some(StoreError::NotFound { .. } | StoreError::Corrupt { .. }))
}

/// What the other stages say that they took, in milliseconds.
fn stages_wall_ms(now: &CycleState) -> u64 {
    let games = now.games_done.as_ref().map_or(0, |done| done.summary.wall_ms);
    let rows = now.rows.as_ref().map_or(0, |rows| rows.summary.wall_ms);
    let training = now.candidate.as_ref().map_or(0, |candidate| candidate.losses.wall_ms);
    games + rows + training
}
