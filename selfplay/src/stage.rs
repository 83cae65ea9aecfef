//! The stage: one turn is one cycle's games.

use std::time::{Duration, Instant};

use anyhow::bail;
use dz_game::{Game, with_game};
use dz_search::SearchCounts;
use dz_stage::{Spent, StageContext};
use dz_store::{Entry, SelfplaySummary, Stage};

use crate::collector::{Assignment, Collector};
use crate::fleet;
use crate::head_start::HeadStart;
use crate::play::{EvaluatorInfo, Play, Report};
use crate::play_order::{PlayOrder, Setup};
use crate::published::each_game;
use crate::sources::{champion_sources, guide_of};
use crate::summary::{Costs, line, load, summary};
use crate::{CycleTally, ResignTally, ShardSink, add_pool, first_shard, play_cycle};

/// How long the stage waits for games at once.
const WAIT: Duration = Duration::from_millis(20);

/// The stage between turns.
#[derive(Debug)]
pub struct SelfplayStage {
    version: String,
    head_starts: HeadStarts,
    /// Games of the next cycle that have begun already.
    next: Option<HeadStart>,
}

/// Whether the games of the next cycle begin while the last ones of a cycle end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadStarts {
    /// Never: for a caller who wants one turn.
    Never,
    /// Where a device evaluates, which would idle while batches run empty.
    OnDevices,
    /// Wherever stages work side by side.
    Always,
}

/// Plays the missing games of a cycle and closes the turn.
///
/// # Errors
/// The errors of store, shards, network or device. A requested stop is no error.
pub fn run(context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
    SelfplayStage::new(env!("CARGO_PKG_VERSION"), HeadStarts::Never).turn(context, cycle)
}

impl SelfplayStage {
    /// The stage in a program of this version: workers of another one are refused.
    pub fn new(version: &str, head_starts: HeadStarts) -> Self {
        Self { version: version.to_owned(), head_starts, next: None }
    }

    /// The cycle whose games have begun before the cycle before it was closed, if any.
    pub fn cycle_begun(&self) -> Option<u32> {
        self.next.as_ref().map(|next| next.play.order.cycle)
    }

    /// Plays the missing games of a cycle and closes the turn. In asynchronous mode, games of the
    /// next cycle may have begun by then. Its turn continues them.
    ///
    /// # Errors
    /// As [`run`].
    pub fn turn(&mut self, context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
        let spent = Spent::<Costs>::open(&context.run, Stage::Selfplay, cycle, Instant::now());
        let first = first_shard(context.ledger.state(), cycle);
        let begun = self.next.take().filter(|next| next.is_of(cycle, first));
        let (mut begun, setup) = match begun {
            Some(HeadStart { play, setup }) => (Some(play), setup),
            None => (None, Setup::of_cycle(context, cycle)?),
        };
        let mut played = CycleTally::default();
        // Once around for each board, where stages take turns; else also for each champion.
        let (generation, evaluator) = loop {
            let newest =
                || PlayOrder::of_cycle(context, context.config.clone(), cycle, first, &setup);
            let order = begun.as_ref().map_or_else(newest, |play| play.order.clone());
            let generation = order.generation;
            let shards = order.plan.shards();
            let begun = begun.take();
            let costs_before = spent.before().with(&played);
            let assignment = Assignment { order: &order, spent: &spent, costs_before };
            let (tally, evaluator) = with_game!(&order.board.game, |game| self
                .play_on(&game, context, assignment, begun))??;
            played.add_costs(&tally);
            if published(context, cycle) == shards {
                break (generation, evaluator);
            }
            if context.stop.requested() {
                spent.note_last(spent.before().with(&played));
                return Ok(());
            }
            let next = context.ledger.state().generation();
            if next == generation && order.is_done(context.ledger.state()) {
                continue;
            }
            if next == generation {
                bail!("cycle {cycle} lacks games although all were played; please report this");
            }
            context.events.note(
                Stage::Selfplay,
                format!("generation {next} plays on in place of generation {generation}"),
            );
        };
        let (total, resigned) = totals(context, cycle)?;
        let summary = SelfplaySummary {
            wall_ms: spent.wall_ms(),
            evaluator,
            resign: resigned.summary(&setup.resign),
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

    /// Plays the missing shards of the cycle with a champion, until all are there, somebody asks to
    /// stop, or there is another champion. Shards that were begun are finished. `begun` are games
    /// of the order that have started already. Returns the new tally and the evaluator's name.
    fn play_on<G: Game>(
        &mut self,
        game: &G,
        context: &mut StageContext,
        assignment: Assignment<'_>,
        begun: Option<Play>,
    ) -> anyhow::Result<(CycleTally, String)> {
        if assignment.order.champion.is_some() {
            let devices = context.config.run.devices_or(&context.config.selfplay.devices);
            let devices = dz_burn_net::pick_devices(&devices)?;
            if let Some(note) = dz_burn_net::first_start_note(&devices) {
                context.events.note(Stage::Selfplay, note);
            }
        }
        // Games drawn from policies need earlier networks and take seconds, so the home plays them.
        let is_searched = assignment.order.plan.games.policies.is_none();
        let mailbox = context.config.mailbox().filter(|_| is_searched).map(str::to_owned);
        match mailbox {
            None if is_searched && context.config.lead_cycles() > 0 => {
                self.play_beside(game, context, assignment, begun)
            }
            mailbox => self.play_here(game, context, assignment, mailbox.as_deref()),
        }
    }

    /// Plays on other threads, so that games of the next cycle can begin before the last ones end.
    fn play_beside<G: Game>(
        &mut self,
        game: &G,
        context: &mut StageContext,
        assignment: Assignment<'_>,
        begun: Option<Play>,
    ) -> anyhow::Result<(CycleTally, String)> {
        let mut play = match begun {
            Some(play) => play,
            None => Play::begin(game, assignment.order.clone())?,
        };
        let evaluator = play.evaluator()?;
        let looks_ahead = match self.head_starts {
            HeadStarts::Never => false,
            HeadStarts::OnDevices => evaluator.is_device,
            HeadStarts::Always => true,
        };
        let mut collector = Collector::new(context, assignment, &evaluator, play.began)?;
        let mut all_begun = false;
        loop {
            match play.report(WAIT) {
                Report::Shard(index, games) => collector.shard(index, games)?,
                Report::AllBegun => all_begun = true,
                Report::Ready(_) | Report::Nothing => {}
                Report::Over => return Ok((play.end()?, evaluator.id)),
            }
            if !collector.wants_more(&play.tally()) {
                play.begin_no_more();
            }
            if looks_ahead && all_begun && self.next.is_none() {
                self.next = HeadStart::after(game, &play, collector.context)?;
            }
        }
    }

    /// Plays on this thread, with workers where the run has a mailbox.
    fn play_here<G: Game>(
        &self,
        game: &G,
        context: &mut StageContext,
        assignment: Assignment<'_>,
        mailbox: Option<&str>,
    ) -> anyhow::Result<(CycleTally, String)> {
        let PlayOrder { run, config, champion, opponents, plan, missing, .. } = assignment.order;
        let (mut sources, network) = champion_sources(game, run, config, champion.as_ref())?;
        if champion.is_some() {
            add_pool(game, run, config, opponents, &mut sources)?;
        }
        let evaluator = EvaluatorInfo::of(&sources, network);
        let mut collector = Collector::new(context, assignment, &evaluator, Instant::now())?;
        let tally = match mailbox {
            None => {
                let plan = plan.guided(guide_of(game, config, run.root())?);
                play_cycle(game, &plan, missing, &mut sources, &mut collector)?
            }
            Some(address) => {
                let version = &self.version;
                fleet::play_with_workers(game, missing, &mut sources, collector, address, version)?
            }
        };
        Ok((tally, evaluator.id))
    }
}

/// Published shards of the cycle.
fn published(context: &StageContext, cycle: u32) -> u64 {
    let state = context.ledger.state().cycle_state(cycle);
    state.map_or(0, |state| state.shards.len() as u64)
}

/// Counts of the cycle's published shards, so that they are the same after any number of kills.
fn totals(context: &StageContext, cycle: u32) -> anyhow::Result<(CycleTally, ResignTally)> {
    let Some(state) = context.ledger.state().cycle_state(cycle) else {
        bail!("cycle {cycle} has no shards although its games were played; please report this");
    };
    let mut total = CycleTally::default();
    let mut resigned = ResignTally::default();
    each_game(&context.run, state.shards.values(), |game, record| {
        total.add(&record, &SearchCounts::default());
        resigned.add(game, &record)
    })?;
    Ok((total, resigned))
}
