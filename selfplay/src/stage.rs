//! The stage: one turn is one cycle's games.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use dz_config::{BootstrapEvaluator, RunConfig};
use dz_game::{Game, GameSpec, with_game};
use dz_infer::{Sources, Uniform};
use dz_play::rollouts_of;
use dz_search::SearchCounts;
use dz_shard::{GameRecord, ShardHeader};
use dz_stage::{Progress, Rates, Spent, StageContext};
use dz_store::{ChampionState, Entry, Run, RunState, SelfplaySummary, Stage};

use crate::published::each_game;
use crate::summary::{Costs, line, load, summary};
use crate::{
    CyclePlan, CycleTally, Past, ResignTally, ShardPublisher, ShardSink, add_pool, cycle_plan,
    cycle_resign, first_shard, play_cycle, policy_cycle_plan, pool,
};

/// How often a cycle in progress asks whether there is another champion.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Plays what is missing of a cycle's games and closes the turn.
///
/// # Errors
/// What store, shards, network or device report; a stop that was asked for is none.
pub fn run(context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
    let spec: GameSpec = context.config.run.game.parse()?;
    let spent = Spent::<Costs>::open(&context.run, Stage::Selfplay, cycle, Instant::now());
    let state = context.ledger.state();
    let section = &context.config.selfplay;
    let resign =
        with_game!(&spec, |game| cycle_resign(&game, section, &context.run, state, cycle))??;
    let past = Past::of_cycle(&context.run, state, &context.config, cycle)?;
    let mut played = CycleTally::default();
    // Once around where stages take turns; else once for each champion that plays.
    let (generation, evaluator) = loop {
        let state = context.ledger.state();
        let generation = state.generation();
        let first = first_shard(state, cycle);
        let mut plan = cycle_plan(&context.config, generation, first, resign.plan, past.clone());
        let opponents = pool(state, &context.config, cycle);
        if let Some(phase) = context.config.reinforce_phase(cycle).filter(|_| generation > 0) {
            plan = policy_cycle_plan(plan, &context.config, phase, opponents.len());
        }
        plan.count = plan.count.max(played_to(state, cycle, plan.games_per_shard));
        let (tally, evaluator) =
            with_game!(&spec, |game| play_on(&game, context, &spent, &played, &plan, &opponents))??;
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
    let (total, resigned) = with_game!(&spec, |game| totals(&game, context, cycle))??;
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
    let tally = play_cycle(game, plan, &missing, &mut sources, &mut collector)?;
    Ok((tally, evaluator))
}

/// The champion as source 0, and the name of its network for headers. Without a champion, source 0
/// is the bootstrap evaluator.
///
/// # Errors
/// If the network is damaged or does not load, or the device is not there.
pub fn champion_sources<G: Game>(
    game: &G,
    run: &Run,
    config: &RunConfig,
    champion: Option<&ChampionState>,
) -> anyhow::Result<(Sources<G>, String)> {
    let mut sources = Sources::default();
    let Some(champion) = champion else {
        match config.bootstrap.evaluator {
            BootstrapEvaluator::Uniform => sources.add_instant(Arc::new(Uniform)),
            BootstrapEvaluator::Rollout => {
                sources.add_instant(Arc::new(rollouts_of(config.search.rollout)))
            }
        };
        let name = sources.ids()[0].clone();
        return Ok((sources, name));
    };
    let bytes = run.get(&champion.network)?;
    let devices = dz_burn_net::pick_devices(&config.run.devices_or(&config.selfplay.devices))?;
    let evaluator = dz_burn_net::network_evaluator_on(game, &bytes, &devices)
        .with_context(|| format!("the champion {} does not load", champion.network.path))?;
    sources.add_batched(evaluator, config.selfplay.cache_entries as usize);
    Ok((sources, champion.network.blake3.clone()))
}

/// Publishes shards as they fill and reports progress.
struct Collector<'a> {
    plan: &'a CyclePlan,
    context: &'a mut StageContext,
    cycle: u32,
    generation: u32,
    /// Games of shards that were published before this process.
    published_games: u64,
    /// When the champion began to play.
    started: Instant,
    /// The cycle's costs over all processes, and what they were before.
    spent: &'a Spent<Costs>,
    costs_before: Costs,
    /// What the headers of all shards share.
    header: ShardHeader,
    /// When the ledger was last asked for another champion.
    looked: Instant,
}

impl Collector<'_> {
    /// Whether another champion is there; the ledger is asked now and then where stages work side
    /// by side.
    fn is_succeeded(&mut self) -> bool {
        let side_by_side = self.context.config.lead_cycles() > 0;
        if side_by_side && self.looked.elapsed() >= LOOK_EVERY {
            self.looked = Instant::now();
            if let Err(error) = self.context.ledger.poll() {
                // The next shard's entry meets the same fault, where it can be dealt with.
                tracing::warn!("the ledger cannot be read: {error}");
            }
        }
        self.context.ledger.state().generation() > self.generation
    }
}

impl ShardSink for Collector<'_> {
    fn shard(&mut self, index: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        let mut publisher = ShardPublisher {
            run: &self.context.run,
            ledger: &mut self.context.ledger,
            cycle: self.cycle,
            header: self.header.clone(),
            first_shard: self.plan.first_shard,
        };
        publisher.publish(index, games)
    }

    fn wants_more(&mut self, tally: &CycleTally) -> bool {
        self.spent.note(|| self.costs_before.with(tally));
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let lockstep = &tally.lockstep;
        let playouts = tally.search.playouts;
        let mut rates = Rates::from([
            ("games/s".to_owned(), tally.games as f64 / seconds),
            ("positions/s".to_owned(), tally.positions as f64 / seconds),
            ("playouts/s".to_owned(), playouts as f64 / seconds),
        ]);
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        if lockstep.places > 0 {
            let evaluations = lockstep.evaluations;
            rates.insert("evaluations/s".to_owned(), evaluations as f64 / seconds);
            rates.insert("batch fill %".to_owned(), share(evaluations, lockstep.places));
            let search = &tally.search;
            let asked = search.evaluations + search.cache_hits;
            rates.insert("cache hits %".to_owned(), share(search.cache_hits, asked));
        }
        let transpositions = tally.search.transpositions;
        rates.insert("transpositions %".to_owned(), share(transpositions, playouts));
        self.context.events.progress(Progress {
            stage: Stage::Selfplay,
            cycle: self.cycle,
            generation: self.generation,
            done: self.published_games + tally.games,
            total: self.plan.count,
            unit: "games".to_owned(),
            rates,
        });
        !self.is_succeeded() && !self.context.stop.requested()
    }
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
