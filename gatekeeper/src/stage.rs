//! The stage: one turn is one cycle's gate and ratings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Once;

use anyhow::Result;
use dz_burn_net::DeviceChoice;
use dz_config::RunConfig;
use dz_game::{Game, GameError, GameSpec, with_game};
use dz_infer::NetworkEvaluator;
use dz_play::{Arena, BoxError, MatchObserver, MatchProgress, NetworkLoader, PlayerPool};
use dz_stage::{EventSink, Permissions, Progress, Rates, Spent, StageContext, Stop};
use dz_store::{RunState, Stage};

use crate::cycle::{GateCycle, TurnEnd};
use crate::{final_match, league};

/// Plays what is missing of a cycle's matches and ends the cycle.
///
/// # Errors
/// The errors of store, networks, device or fit. A requested stop is no error.
pub fn run(context: &mut StageContext, cycle: u32) -> Result<()> {
    run_with(context, cycle, &|arena, _| arena)
}

/// Makes another arena of this machine's: one that plays matches together with other machines.
pub type ArenaOf<'a> = &'a dyn Fn(Box<dyn Arena>, &StageContext) -> Box<dyn Arena>;

/// As [`run`], with matches in the arena that `arena_of` makes.
///
/// # Errors
/// As [`run`].
pub fn run_with(context: &mut StageContext, cycle: u32, arena_of: ArenaOf<'_>) -> Result<()> {
    // Players load the run's own policies of rollouts by their places on this machine.
    let config = context.config.clone().with_policies_in(context.run.root());
    let spec: GameSpec = config.run.game.parse()?;
    let denied = denied(context, cycle)?;
    let devices = dz_burn_net::pick_devices(&config.run.devices_or(&config.gate.devices))?;
    let arena = arena(&spec, &devices, config.selfplay.cache_entries as usize)?;
    let mut arena = arena_of(arena, context);
    let spent = context.spent_on_cycle(cycle);
    let unplanned = context.unplanned_config();
    let mut watch = Watch::new(context, &spent);
    let turn = GateCycle {
        arena: arena.as_mut(),
        config: &config,
        unplanned: &unplanned,
        ledger: &mut context.ledger,
        observer: &mut watch,
        cycle,
        denied: &denied,
        spent: &spent,
    };
    if let TurnEnd::Done(line) = turn.run()? {
        context.events.turn_done(Stage::Gatekeeper, cycle, line);
    }
    Ok(())
}

/// The arena of a game, with networks on these devices. Each network gets a cache of
/// `cache_entries` evaluations.
///
/// # Errors
/// If there is no such game.
pub fn arena(
    spec: &GameSpec,
    devices: &[DeviceChoice],
    cache_entries: usize,
) -> Result<Box<dyn Arena>, GameError> {
    with_game!(spec, |game| boxed(&game, devices, cache_entries))
}

fn boxed<G: Game>(game: &G, devices: &[DeviceChoice], cache_entries: usize) -> Box<dyn Arena> {
    Box::new(PlayerPool::new(game, OnDevices(devices.to_vec()), cache_entries))
}

/// Networks on one device or more, which take turns.
#[derive(Clone, Debug)]
pub struct OnDevices(pub Vec<DeviceChoice>);

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

/// Anchors whose programs may not be started, or are optional and not here; reports that once in
/// the life of a process.
fn denied(context: &StageContext, cycle: u32) -> Result<BTreeSet<String>> {
    static SAID: Once = Once::new();
    static SAID_MISSING: Once = Once::new();
    let anchors = &context.config.rating.anchors;
    if dz_stage::programs(anchors).next().is_none() {
        return Ok(BTreeSet::new());
    }
    let missing = dz_play::missing_anchors(anchors);
    let mut denied = Permissions::of(&context.run, context.programs)?.denied(anchors);
    denied.retain(|name| !missing.contains(name));
    let say = |once: &Once, names: &BTreeSet<String>, which: &str, advice: &str| {
        if names.is_empty() {
            return;
        }
        let names: Vec<_> = names.iter().map(|name| dz_text::line(name)).collect();
        let names = names.join(", ");
        let line = format!("cycle {cycle}: {which} are left out of the ratings: {names}{advice}");
        once.call_once(|| context.events.note(Stage::Gatekeeper, line));
    };
    say(&SAID_MISSING, &missing, "optional programs that are not installed here", "");
    let which = "programs that you have not let this run start";
    say(&SAID, &denied, which, "; dagzero resume with --programs allow starts them");
    denied.extend(missing);
    Ok(denied)
}

/// Turns the progress of matches into the turn's.
struct Watch<'a> {
    events: EventSink,
    stop: Stop,
    spent: &'a Spent,
    generation: u32,
    /// Games of matches that are over.
    games_before: u64,
    /// Games of all matches of the turn.
    games_total: u64,
    /// The matches under way, by their players: how far they are.
    now: BTreeMap<(String, String), MatchProgress>,
}

impl<'a> Watch<'a> {
    fn new(context: &StageContext, spent: &'a Spent) -> Self {
        let state = context.ledger.state();
        let cycle = spent.cycle();
        let done = state.cycle_state(cycle).map(|now| now.matches.iter().map(|m| m.result.games));
        Self {
            events: context.events.clone(),
            stop: context.stop.clone(),
            spent,
            generation: state.generation(),
            games_before: done.map_or(0, Iterator::sum),
            games_total: games_of_turn(&context.config, state, cycle)
                + final_match::games_expected(&context.unplanned_config(), state, cycle),
            now: BTreeMap::new(),
        }
    }
}

impl MatchObserver for Watch<'_> {
    fn begins(&mut self, progress: &MatchProgress) {
        self.now.insert((progress.a.clone(), progress.b.clone()), progress.clone());
    }

    fn progress(&mut self, progress: &MatchProgress) {
        self.spent.note(|| ());
        self.begins(progress);
        let under_way: u64 = self.now.values().map(|progress| progress.games).sum();
        let begun: u64 = self.now.values().map(|progress| progress.games_total).sum();
        let rates = Rates::from([
            ("evaluations/s".to_owned(), progress.evaluations_per_second),
            (format!("score against {}", progress.b), progress.score),
        ]);
        self.events.progress(Progress {
            stage: Stage::Gatekeeper,
            cycle: self.spent.cycle(),
            generation: self.generation,
            done: self.games_before + under_way,
            // Where time is limited, only the end of a cycle shows whether it is the last.
            total: self.games_total.max(self.games_before + begun),
            unit: "games".to_owned(),
            rates,
        });
    }

    fn over(&mut self) {
        // One that was decided early has no more games to come.
        let over = std::mem::take(&mut self.now);
        self.games_before += over.values().map(|progress| progress.games_total).sum::<u64>();
    }

    fn stopped(&self) -> bool {
        self.stop.requested()
    }
}

/// Games of a cycle's gate and rating matches.
fn games_of_turn(config: &RunConfig, state: &RunState, cycle: u32) -> u64 {
    // A plan that fails is reported when the games are to begin.
    let planned = league::scheduled(state, config, cycle).unwrap_or_default();
    let rating: u64 = planned.iter().map(|planned| u64::from(planned.games)).sum();
    u64::from(config.gate.games) + rating
}
