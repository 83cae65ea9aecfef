//! A worker at a plan of matches: segments are claimed one after another, played, and handed in.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use dz_burn_net::DeviceChoice;
use dz_config::RunConfig;
use dz_fleet::{
    Board, EvaluatorRule, FleetError, MatchSegments, MatchesPlan, PlanObject, PlayerPlan, UnitKind,
    UnitNote, plan_path,
};
use dz_game::Game;
use dz_infer::{Lockstep, NetworkEvaluator};
use dz_play::{
    BoxError, Match, MatchHeader, MatchScheduler, MatchTask, NetworkLoader, NoObserver, PlayedGame,
    PlayerPool, PreparedMatch, RemoteEvent, SharedMatch, play_scheduled_matches,
};

use super::cache;
use super::match_players::player_of;
use super::options::WorkerRefused;
use super::ready_matches::ReadyMatches;
use super::segment::{SegmentHeader, evaluators_of, write_segment};
use super::session::{Choice, HandIn, Picker, Stay, UnitSize};
use super::task::Played;
use super::worker::Worker;

/// Networks on this worker's devices.
struct OnDevices(Vec<DeviceChoice>);

impl<G: Game> NetworkLoader<G> for OnDevices {
    fn load(
        &self,
        game: &G,
        bytes: &[u8],
        optimism: f64,
    ) -> Result<Box<dyn NetworkEvaluator>, BoxError> {
        Ok(dz_burn_net::optimistic_evaluator_on(game, bytes, &self.0, optimism)?)
    }
}

impl Worker<'_> {
    /// Plays segments of a plan of matches until there is none to begin. `ready` keeps what was
    /// loaded.
    pub(super) fn play_segments<G: Game>(
        &mut self,
        game: &G,
        plan: &MatchesPlan,
        board: Board,
        config: &RunConfig,
        ready: &mut Option<ReadyMatches<G>>,
        tried: &mut BTreeSet<u32>,
    ) -> anyhow::Result<Played> {
        if ready.as_ref().is_none_or(|ready| ready.number != plan.number) {
            *ready = None;
            *ready = match self.load_matches(game, plan, config) {
                // Its self-play games may well be welcome.
                Err(error) if is_of_evaluator(&error) => {
                    (self.print)(&format!(
                        "the matches of plan {} are left out: {error}",
                        plan.number
                    ));
                    self.left_out = Some(plan.number);
                    return Ok(Played::Missing("its matches want another evaluator"));
                }
                loaded => loaded?,
            };
        }
        let Some(ready) = ready else {
            return Ok(Played::Missing("a network of its matches is not there"));
        };
        let stay = Stay {
            mailbox: &self.matches,
            plan: plan.number,
            units: plan.units(),
            identity: &self.identity,
            open: &self.open_matches,
            counters: &self.counters,
        };
        let evaluators: BTreeSet<&str> =
            ready.evaluators.iter().flatten().map(String::as_str).collect();
        let evaluators = evaluators.into_iter().collect::<Vec<_>>().join(" ");
        let picker = Picker {
            stay,
            evaluator: evaluators.trim(),
            choice: self.options.units.clone().map_or(Choice::Board, Choice::Given),
            tried,
            offer: board.offer,
            looked: Instant::now(),
            backoff: &mut self.backoff,
            samples: &mut self.samples,
            stop: self.waiting.stop,
            trouble: None,
        };
        let patience = self.options.patience;
        let hand_in = HandIn { stay, kind: UnitKind::Match, patience, units: 0 };
        let (evaluators, played) = (&ready.evaluators, BTreeMap::new());
        let mut scheduler = Segments { plan, evaluators, picker, hand_in, played };
        let tasks = ready.matches.iter().map(|plan| MatchTask { plan, store: None }).collect();
        let lockstep = ready.lockstep;
        play_scheduled_matches(tasks, &mut ready.pool, &lockstep, &mut NoObserver, &mut scheduler)?;
        Ok(Played::Units(scheduler.hand_in.units, scheduler.picker.trouble))
    }

    /// Makes the players of a plan ready, and checks that they play the home's games. None where a
    /// network is not in the mailbox any more.
    fn load_matches<G: Game>(
        &self,
        game: &G,
        plan: &MatchesPlan,
        config: &RunConfig,
    ) -> anyhow::Result<Option<ReadyMatches<G>>> {
        let mut config = config.clone();
        if let Some(device) = self.options.device {
            config.run.device = device;
            config.gate.devices = Vec::new();
        }
        let folder = self.options.cache.clone().unwrap_or_else(cache::default_folder);
        let mut files: BTreeMap<&str, Arc<[u8]>> = BTreeMap::new();
        for network in plan.networks() {
            match cache::network(&folder, &self.matches, network)? {
                Some(bytes) => files.insert(&network.blake3, bytes.into()),
                None => return Ok(None),
            };
        }
        let devices = dz_burn_net::pick_devices(&config.run.devices_or(&config.gate.devices))?;
        let lockstep = Lockstep {
            parallel_games: config.gate.parallel_games as usize,
            groups: config.selfplay.groups_on(config.gate.devices.len()),
        };
        let cache_entries = config.selfplay.cache_entries as usize;
        let mut pool = PlayerPool::new(game, OnDevices(devices), cache_entries);
        let (mut matches, mut evaluators) = (Vec::new(), Vec::new());
        for segments in &plan.matches {
            let theirs: MatchHeader = serde_json::from_str(&segments.header)
                .map_err(|error| damaged(plan, &error.to_string()))?;
            if theirs.games != segments.games {
                return Err(damaged(plan, "a header has another number of games").into());
            }
            let file_of = |player: &PlayerPlan| files.get(player.network()?.blake3.as_str());
            let player =
                |player: &PlayerPlan| player_of(player, &config, file_of(player).map(Arc::clone));
            let [a, b] = &segments.players;
            let planned = Match {
                players: [player(a)?, player(b)?],
                games: theirs.games,
                opening_plies: theirs.opening_plies,
                seed: theirs.seed,
                plies_max: theirs.plies_max,
                // The home decides.
                early_stop: None,
            };
            let prepared = PreparedMatch::new(&planned, &mut pool)?;
            check_header(prepared.header(), segments, &theirs, plan.evaluators)?;
            evaluators.push(evaluators_of(prepared.header()));
            matches.push(planned);
        }
        let (number, units) = (plan.number, plan.units());
        (self.print)(&format!(
            "match plan {number}: cycle {}, {} matches in {units} segments",
            plan.cycle,
            plan.matches.len()
        ));
        Ok(Some(ReadyMatches { number, matches, evaluators, pool, lockstep }))
    }
}

/// Whether an error is that the home wants another evaluator.
fn is_of_evaluator(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(WorkerRefused::Evaluator { .. }))
}

fn damaged(plan: &MatchesPlan, what: &str) -> WorkerRefused {
    let path = format!("{}/{}", dz_fleet::MATCHES, plan_path(plan.number));
    WorkerRefused::Mailbox(FleetError::Damaged { path, what: what.to_owned() })
}

/// Refuses a match whose games would be others than the home's.
fn check_header(
    ours: &MatchHeader,
    segments: &MatchSegments,
    theirs: &MatchHeader,
    rule: EvaluatorRule,
) -> anyhow::Result<()> {
    let is_same = |header: &MatchHeader| {
        Ok::<_, serde_json::Error>(serde_json::to_string(header)? == segments.header)
    };
    if is_same(ours)? {
        return Ok(());
    }
    let mut alike = ours.clone();
    for (player, their) in alike.players.iter_mut().zip(&theirs.players) {
        if let (Some(search), Some(their)) = (&mut player.search, &their.search) {
            search.evaluator.clone_from(&their.evaluator);
        }
    }
    let [a, b] = segments.players.each_ref().map(PlayerPlan::name);
    if !is_same(&alike)? {
        let what = format!("the match of {a} and {b} has another header here");
        return Err(WorkerRefused::Configuration { what }.into());
    }
    if rule == EvaluatorRule::Same {
        let [ours, theirs] = [ours, theirs].map(|header| evaluators_of(header).join(" "));
        let (ours, theirs) = (ours.trim().to_owned(), theirs.trim().to_owned());
        return Err(WorkerRefused::Evaluator { ours, theirs }.into());
    }
    Ok(())
}

/// Lets a worker play the segments that it has claimed.
struct Segments<'a> {
    plan: &'a MatchesPlan,
    evaluators: &'a [[String; 2]],
    picker: Picker<'a>,
    hand_in: HandIn<'a>,
    /// Games of units that are not whole.
    played: BTreeMap<u32, BTreeMap<u64, PlayedGame>>,
}

impl MatchScheduler for Segments<'_> {
    fn begin(&mut self, _: &[SharedMatch<'_>]) -> Result<(), BoxError> {
        Ok(())
    }

    fn next(&mut self) -> Option<(usize, Range<u64>)> {
        let segment = self.plan.segment(self.picker.next()?)?;
        Some((segment.match_index, segment.games))
    }

    fn played(&mut self, match_index: usize, game: &PlayedGame) -> Result<(), BoxError> {
        let unit = self.plan.unit_of(match_index, game.number);
        let games = self.played.entry(unit).or_default();
        games.insert(game.number, game.clone());
        let wanted = self.plan.segment(unit).map(|segment| segment.games);
        if wanted.is_none_or(|wanted| games.len() as u64 != wanted.end - wanted.start) {
            return Ok(());
        }
        let games: Vec<PlayedGame> =
            self.played.remove(&unit).unwrap_or_default().into_values().collect();
        let size = UnitSize {
            games: games.len() as u64,
            positions: games.iter().map(|game| game.moves.len() as u64).sum(),
        };
        let evaluators = self.evaluators[match_index].clone();
        let header = SegmentHeader::of(self.plan, match_index, evaluators);
        let bytes = write_segment(&header, &games).map_err(BoxError::from)?;
        let worker = self.hand_in.stay.identity.worker.clone();
        let note = UnitNote { format: UnitNote::FORMAT, worker, ..UnitNote::default() };
        self.hand_in.unit(unit, &bytes, &note, size)?;
        Ok(())
    }

    fn set_over(&mut self, _: usize, _: bool) {}

    fn poll(&mut self, waits: bool) -> Result<Vec<RemoteEvent>, BoxError> {
        // Whoever waits has nothing left to play.
        Ok(if waits { vec![RemoteEvent::End] } else { Vec::new() })
    }

    fn end(&mut self, _: bool) -> Result<(), BoxError> {
        Ok(())
    }
}
