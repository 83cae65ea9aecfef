//! The stage: one turn is one cycle's games.

use std::time::Instant;

use anyhow::bail;
use dz_game::{AnyGame, Game, GameSpec, with_game};
use dz_search::SearchCounts;
use dz_stage::{Spent, StageContext};
use dz_store::{ChampionState, Entry, RunState, SelfplaySummary, Stage};

use crate::collector::Collector;
use crate::fleet;
use crate::published::each_game;
use crate::sources::champion_sources;
use crate::summary::{Costs, line, load, summary};
use crate::{
    CyclePlan, CycleTally, Past, ResignTally, ShardPublisher, add_pool, cycle_plan, cycle_resign,
    first_shard, play_cycle, policy_cycle_plan, pool,
};

/// Plays what is missing of a cycle's games and closes the turn.
///
/// # Errors
/// What store, shards, network or device report; a stop that was asked for is none.
pub fn run(context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
    run_as(env!("CARGO_PKG_VERSION"), context, cycle)
}

/// As [`run`], by a program of this version: workers of another one are refused.
///
/// # Errors
/// As [`run`].
pub fn run_as(version: &str, context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
    let spec: GameSpec = context.config.run.game.parse()?;
    let spent = Spent::<Costs>::open(&context.run, Stage::Selfplay, cycle, Instant::now());
    let state = context.ledger.state();
    let section = &context.config.selfplay;
    let resign = cycle_resign(&AnyGame::of(&spec)?, section, &context.run, state, cycle)?;
    let past = match context.config.reinforce_phase(cycle) {
        // Games drawn from policies begin at the start, and none is reanalyzed.
        Some(_) => Past::default(),
        None => Past::of_cycle(&context.run, state, &context.config, cycle)?,
    };
    let mut played = CycleTally::default();
    // Once around where stages take turns; else once for each champion that plays.
    let (generation, evaluator) = loop {
        let state = context.ledger.state();
        let generation = state.generation();
        let first = first_shard(state, cycle);
        let mut plan = cycle_plan(&context.config, generation, first, resign.plan, past.clone());
        let opponents = pool(state, &context.config, cycle);
        if let Some(phase) = context.config.reinforce_phase(cycle).filter(|_| generation > 0) {
            plan = policy_cycle_plan(&plan, &context.config, phase, opponents.len());
        }
        plan.count = plan.count.max(played_to(state, cycle, plan.games_per_shard));
        let (tally, evaluator) = with_game!(&spec, |game| play_on(
            &game, context, &spent, &played, &plan, &opponents, version
        ))??;
        played.add_costs(&tally);
        if is_whole(context, cycle, &plan) {
            break (generation, evaluator);
        }
        if context.stop.requested() {
            spent.note_last(spent.before().with(&played));
            return Ok(());
        }
        let next = context.ledger.state().generation();
        if next == generation {
            bail!("cycle {cycle} lacks games although all were played; please report this");
        }
        context.events.note(
            Stage::Selfplay,
            format!("generation {next} plays on in place of generation {generation}"),
        );
    };
    let (total, resigned) = totals(&AnyGame::of(&spec)?, context, cycle)?;
    let summary = SelfplaySummary {
        wall_ms: spent.wall_ms(),
        evaluator,
        resign: resigned.summary(&resign),
        load: load(&played),
        ..summary(&total, &spent.before().with(&played))
    };
    let previous = context.ledger.state().cycle_state(cycle.saturating_sub(1));
    let previous = previous.and_then(|now| now.games_done.as_ref()).map(|done| &done.summary);
    let line = line(&summary, previous, generation, total.reanalyzed);
    context.ledger.append(Entry::GamesDone { cycle, generation, summary })?;
    context.events.turn_done(Stage::Selfplay, cycle, line);
    Ok(())
}

/// Plays the missing shards of the cycle with the current champion, until all are there, somebody
/// asks to stop, or there is another champion. Shards that were begun are finished. `played` is
/// what this process played of the cycle under earlier champions. Returns the new tally and the
/// evaluator's name.
fn play_on<G: Game>(
    game: &G,
    context: &mut StageContext,
    spent: &Spent<Costs>,
    played: &CycleTally,
    plan: &CyclePlan,
    opponents: &[ChampionState],
    version: &str,
) -> anyhow::Result<(CycleTally, String)> {
    let state = context.ledger.state();
    let cycle = spent.cycle();
    let generation = state.generation();
    let published = state.cycle_state(cycle).map(|c| c.shards.clone()).unwrap_or_default();
    if state.champion.is_some() {
        let devices = context.config.run.devices_or(&context.config.selfplay.devices);
        if let Some(note) = dz_burn_net::first_start_note(&dz_burn_net::pick_devices(&devices)?) {
            context.events.note(Stage::Selfplay, note);
        }
    }
    let (mut sources, network) =
        champion_sources(game, &context.run, &context.config, state.champion.as_ref())?;
    if state.champion.is_some() {
        add_pool(game, &context.run, &context.config, opponents, &mut sources)?;
    }
    let evaluator = sources.ids()[0].clone();
    let config = context.unplanned_config();
    let header = ShardPublisher::header(&config, generation, evaluator.clone(), network)?;
    let missing: Vec<u64> =
        (0..plan.shards()).filter(|&i| !published.contains_key(&(i as u32))).collect();
    let mut collector = Collector {
        plan,
        cycle,
        generation,
        published_games: published.values().map(|shard| shard.games).sum(),
        started: Instant::now(),
        spent,
        costs_before: spent.before().with(played),
        header,
        looked: Instant::now(),
        context,
    };
    // Games drawn from policies need earlier networks and take seconds, so the home plays them.
    let mailbox = collector.context.config.mailbox().filter(|_| plan.games.policies.is_none());
    let tally = match mailbox.map(str::to_owned) {
        None => play_cycle(game, plan, &missing, &mut sources, &mut collector)?,
        Some(address) => {
            let address = address.as_str();
            fleet::play_with_workers(game, &missing, &mut sources, collector, address, version)?
        }
    };
    Ok((tally, evaluator))
}

/// The end of the last published shard, in games of the cycle. A cycle has no fewer, though fewer
/// be asked for by now: because somebody changed the setting, or because the first champion came in
/// the midst of it, whose cycles are of another size.
fn played_to(state: &RunState, cycle: u32, games_per_shard: u64) -> u64 {
    let last = state.cycle_state(cycle).and_then(|now| now.shards.last_key_value());
    last.map_or(0, |(&index, shard)| u64::from(index) * games_per_shard + shard.games)
}

fn is_whole(context: &StageContext, cycle: u32, plan: &CyclePlan) -> bool {
    let state = context.ledger.state().cycle_state(cycle);
    state.is_some_and(|state| state.shards.len() as u64 == plan.shards())
}

/// Counts of the cycle's published shards, so that they are the same after any number of kills.
fn totals<G: Game>(
    game: &G,
    context: &StageContext,
    cycle: u32,
) -> anyhow::Result<(CycleTally, ResignTally)> {
    let Some(state) = context.ledger.state().cycle_state(cycle) else {
        bail!("cycle {cycle} has no shards although its games were played; please report this");
    };
    let mut total = CycleTally::default();
    let mut resigned = ResignTally::default();
    each_game(&context.run, state.shards.values(), |record| {
        total.add(&record, &SearchCounts::default());
        resigned.add(game, &record)
    })?;
    Ok((total, resigned))
}
