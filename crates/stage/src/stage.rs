//! The loop that every stage lives in: wait for the turn, take it, wait again.

use std::path::Path;
use std::process;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use dz_config::RunConfig;
use dz_store::{Ledger, MetricsWriter, Run, RunLock, Stage, StageTurn};

use crate::args::StageArgs;
use crate::disk::check_free;
use crate::event::Event;
use crate::event_sink::EventSink;
use crate::exit::error_text;
use crate::exit_code::exit_code_of;
use crate::in_force::InForce;
use crate::logging::{log_generation, log_to_run};
use crate::memory::TurnBegun;
use crate::noted::NotedProgress;
use crate::parent::die_with_driver;
use crate::pause::{DiskTrouble, Patience, Waiting};
use crate::programs::ProgramsWord;
use crate::spent::Spent;
use crate::stage_end::StageEnd;
use crate::stop::Stop;
use crate::swept::report_swept;
use crate::threads::start_threads;

/// Shortest and longest pause between two looks at the ledger.
const POLL_MIN: Duration = Duration::from_millis(20);
const POLL_MAX: Duration = Duration::from_millis(200);
/// Pause before a run is opened again whose device reports errors.
const OPEN_AGAIN: Duration = Duration::from_millis(100);

/// What a stage works with.
#[derive(Debug)]
pub struct StageContext {
    /// The run.
    pub run: Run,
    /// Its ledger, claimed for this stage.
    pub ledger: Ledger,
    /// The configuration that the ledger named when the stage started; in a turn, its `run.cycles`
    /// are those that fit into `run.hours_max`.
    pub config: RunConfig,
    /// Where progress goes.
    pub events: EventSink,
    /// Whether to stop: then finish what is in flight, publish it, and return.
    pub stop: Stop,
    /// The command line's decision about programs that the run names.
    pub programs: Option<ProgramsWord>,
    /// When the stage's last turn ended or was given up, or the stage started.
    idle_since: Instant,
    /// Of a gatekeeper beside other stages: what the cycle took while it waited for its turn.
    waited: Option<Spent>,
    /// The configuration with `run.cycles` as the run has it.
    kept: RunConfig,
    /// Its hash in the ledger.
    config_hash: String,
    // Held as long as the stage lives.
    lock: Arc<RunLock>,
}

impl StageContext {
    /// Opens the run at `dir` for `stage`: takes its lock, claims it on the ledger, and removes
    /// what a killed predecessor left behind.
    pub fn open(dir: &Path, stage: Stage, events: EventSink, stop: Stop) -> anyhow::Result<Self> {
        let run = Run::open(dir)?;
        run.check_places()?;
        let lock = Arc::new(RunLock::acquire(&run, stage)?);
        let events = NotedProgress::sink(events, &lock);
        let mut ledger = Ledger::open(&run)?;
        // Before the claim, which would fence out a stage that is at work.
        let mut config = InForce::for_stage(&run, &ledger, &events, stage)?;
        let named = ledger.state().config_hash.clone();
        ledger.claim(stage)?;
        if ledger.state().config_hash != named {
            // A driver has entered another one meanwhile.
            config = InForce::for_stage(&run, &ledger, &events, stage)?;
        }
        start_threads(config.run.threads)?;
        log_to_run(&run, stage, ledger.state().generation());
        report_swept(&run.sweep(&lock, ledger.state())?);
        let kept = config.clone();
        let config_hash = ledger.state().config_hash.clone();
        let idle_since = Instant::now();
        Ok(Self {
            run,
            ledger,
            config,
            events,
            stop,
            programs: None,
            idle_since,
            waited: None,
            kept,
            config_hash,
            lock,
        })
    }

    /// The stage.
    pub fn stage(&self) -> Stage {
        self.lock.stage()
    }

    /// The gatekeeper's time for `cycle`, since the gatekeeper ends cycles: its turn, which begins
    /// now, or in asynchronous mode the time since the last cycle ended.
    pub fn spent_on_cycle(&mut self, cycle: u32) -> Spent {
        let waited = self.waited.take().filter(|waited| waited.cycle() == cycle);
        let begun = if self.config.lead_cycles() > 0 { self.idle_since } else { Instant::now() };
        waited.unwrap_or_else(|| Spent::open(&self.run, self.stage(), cycle, begun))
    }

    /// Reads what others entered, waiting for the disk as for a turn; true where there was
    /// something, or somebody asked to stop.
    fn poll(&mut self, patience: &mut Patience) -> anyhow::Result<bool> {
        loop {
            match self.ledger.poll() {
                Ok(fresh) => {
                    patience.reset();
                    return Ok(!fresh.is_empty());
                }
                Err(error) => patience.wait(self.waiting(), error.into())?,
            }
            if self.stop.requested() {
                return Ok(true);
            }
        }
    }

    /// Where and for whom this stage waits for the disk.
    fn waiting(&self) -> Waiting<'_> {
        Waiting {
            run: &self.run,
            lock: &self.lock,
            free_min_mb: self.config.storage.disk_free_min_mb,
            events: &self.events,
            stop: &self.stop,
        }
    }

    /// Notes that the cycle takes time while the stage waits for its turn, where it is for it to
    /// say how much.
    fn note_waiting(&mut self) {
        if self.stage() == Stage::Gatekeeper && self.config.lead_cycles() > 0 {
            let cycle = self.ledger.state().cycle();
            let run = &self.run;
            let since = self.idle_since;
            let open = || Spent::open(run, Stage::Gatekeeper, cycle, since);
            self.waited.get_or_insert_with(open).note(|| ());
        }
    }

    /// The turn that the stage may take, where the run has begun and it is to be taken at all.
    fn turn(&self) -> Option<StageTurn> {
        let state = self.ledger.state();
        let turn = state.turn_of(self.stage(), self.config.lead_cycles())?;
        let planned = self.kept.cycles_planned(state.walls_ms());
        let beyond = turn.cycle().is_some_and(|cycle| cycle > planned);
        // After its last cycle the run waits for its verdict.
        (state.started.is_some() && !beyond).then_some(turn)
    }

    /// Returns whether games of `cycle` may begin before the previous cycle is closed. They may in
    /// asynchronous mode, if the cycle is one of the run's and not further ahead of the gate than
    /// allowed.
    pub fn may_begin(&self, cycle: u32) -> bool {
        let state = self.ledger.state();
        let lead = self.config.lead_cycles();
        let is_allowed = lead > 0 && state.champion.is_some() && state.finished.is_none();
        let newest = state.cycle().saturating_add(lead);
        is_allowed && cycle <= newest.min(self.kept.cycles_planned(state.walls_ms()))
    }

    /// Whether the ledger names another configuration than the one that this stage works by.
    fn is_reconfigured(&mut self) -> bool {
        let named = &self.ledger.state().config_hash;
        // Before its first entry a run has the configuration of its file.
        if self.config_hash.is_empty() && *named == self.kept.hash() {
            self.config_hash.clone_from(named);
        }
        *named != self.config_hash
    }

    /// The cycles that schedules of `cycle` are laid out over; see [`RunConfig::cycles_for`].
    pub fn cycles_for(&self, cycle: u32) -> u32 {
        self.kept.cycles_for(cycle, self.ledger.state().walls_ms())
    }

    /// The configuration with `run.cycles` as the run has it, whatever fits: its hash is the same
    /// in every cycle.
    pub fn unplanned_config(&self) -> RunConfig {
        let mut config = self.config.clone();
        config.run.cycles = self.kept.run.cycles;
        config
    }
}

/// Lives as `stage` until the run is finished or somebody asks to stop. `turn` is called with the
/// cycle whenever the stage may take its next turn; it returns when the turn's closing entry is
/// appended, or early where `stop` was requested. A turn that was cut short is called again at the
/// next start, with all that was published in the ledger's state.
pub fn run_stage(
    stage: Stage,
    args: &StageArgs,
    mut turn: impl FnMut(&mut StageContext, u32) -> anyhow::Result<()>,
) -> anyhow::Result<StageEnd> {
    run_stage_with(stage, args, |_| Ok(()), |(), context, cycle| turn(context, cycle))
}

/// As [`run_stage`], with something that `start` makes once and all turns share: a device, kernels,
/// buffers. The stage counts as started when `start` returns.
pub fn run_stage_with<S>(
    stage: Stage,
    args: &StageArgs,
    start: impl FnOnce(&mut StageContext) -> anyhow::Result<S>,
    turn: impl FnMut(&mut S, &mut StageContext, u32) -> anyhow::Result<()>,
) -> anyhow::Result<StageEnd> {
    let stop = Stop::of_stage()?;
    die_with_driver(&stop)?;
    let events = if args.events { EventSink::json() } else { EventSink::people() };
    live(stage, args, &events, &stop, start, turn)
}

/// [`run_stage_with`] without signals: what is left is testable.
pub(crate) fn live<S>(
    stage: Stage,
    args: &StageArgs,
    events: &EventSink,
    stop: &Stop,
    start: impl FnOnce(&mut StageContext) -> anyhow::Result<S>,
    turn: impl FnMut(&mut S, &mut StageContext, u32) -> anyhow::Result<()>,
) -> anyhow::Result<StageEnd> {
    let begun = Instant::now();
    let result = (|| {
        let mut context = open(&args.run, stage, events, stop)?;
        context.programs = args.programs;
        let mut shared = start(&mut context).with_context(|| format!("{stage} cannot start"))?;
        let startup_ms = begun.elapsed().as_millis() as u64;
        events.emit(&Event::Started { stage, process_id: process::id(), startup_ms });
        take_turns(&mut context, &mut shared, args.once, turn)
    })();
    let (code, reason) = match &result {
        Ok(end) => (end.exit_code(), end.reason().to_owned()),
        Err(error) => (exit_code_of(error), error_text(error)),
    };
    events.emit(&Event::Stopped { stage, code, reason });
    result
}

/// Opens the run; a device that reports errors is waited for.
fn open(dir: &Path, stage: Stage, events: &EventSink, stop: &Stop) -> anyhow::Result<StageContext> {
    let mut patience = Patience::default();
    loop {
        let error = match StageContext::open(dir, stage, events.clone(), stop.clone()) {
            Ok(context) => return Ok(context),
            Err(error) => error,
        };
        if DiskTrouble::of(&error) != Some(DiskTrouble::Device) || stop.requested() {
            return Err(error);
        }
        patience.bear(error)?;
        thread::sleep(OPEN_AGAIN);
    }
}

fn take_turns<S>(
    context: &mut StageContext,
    shared: &mut S,
    once: bool,
    mut turn: impl FnMut(&mut S, &mut StageContext, u32) -> anyhow::Result<()>,
) -> anyhow::Result<StageEnd> {
    let stage = context.stage();
    let mut pause = POLL_MIN;
    let mut patience = Patience::default();
    loop {
        if context.stop.requested() {
            return Ok(StageEnd::Stopped);
        }
        if context.is_reconfigured() {
            return Ok(StageEnd::Reconfigured);
        }
        let now = match context.turn() {
            Some(StageTurn::Finished) => return Ok(StageEnd::Finished),
            Some(now) => now,
            None if once => {
                let oldest = context.ledger.state().turn();
                context.events.note(stage, format!("not our turn; the run waits for {oldest}"));
                return Ok(StageEnd::NotOurs);
            }
            None => {
                context.note_waiting();
                thread::sleep(pause);
                pause = if context.poll(&mut patience)? {
                    POLL_MIN
                } else {
                    (pause * 5 / 4).min(POLL_MAX)
                };
                continue;
            }
        };
        let begun = TurnBegun::now();
        if let Err(error) = take_turn(context, shared, now, &mut turn) {
            patience.wait(context.waiting(), error)?;
            if context.stop.requested() {
                return Ok(StageEnd::Interrupted);
            }
            // What an interrupted write may have entered all the same.
            context.poll(&mut patience)?;
            context.idle_since = Instant::now();
            continue;
        }
        patience.reset();
        context.idle_since = Instant::now();
        if context.turn() == Some(now) {
            if context.stop.requested() {
                return Ok(StageEnd::Interrupted);
            }
            bail!("{now}: the turn ended without its closing entry; please report this");
        }
        let cycle = now.cycle().unwrap_or_default();
        if let Err(error) = note_turn(context, stage, cycle, begun) {
            // The turn is done; only the report lacks what it took.
            tracing::warn!("what cycle {cycle} took is not kept: {error:#}");
        }
        if once {
            return Ok(StageEnd::TurnDone);
        }
        pause = POLL_MIN;
    }
}

/// One turn, and what others entered meanwhile.
fn take_turn<S>(
    context: &mut StageContext,
    shared: &mut S,
    now: StageTurn,
    turn: &mut impl FnMut(&mut S, &mut StageContext, u32) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let stage = context.stage();
    let cycle = now.cycle().unwrap_or_default();
    log_generation(context.ledger.state().generation());
    context.config.run.cycles = context.cycles_for(cycle);
    check_free(context.run.root(), context.config.storage.disk_free_min_mb)
        .map_err(anyhow::Error::from)
        .and_then(|()| turn(shared, context, cycle))
        .and_then(|()| context.ledger.poll().map(drop).map_err(anyhow::Error::from))
        .with_context(|| format!("{stage} failed in cycle {cycle}"))
}

/// Writes what a turn took.
fn note_turn(
    context: &StageContext,
    stage: Stage,
    cycle: u32,
    begun: TurnBegun,
) -> anyhow::Result<()> {
    Ok(MetricsWriter::open(&context.run, stage)?.write(&begun.metrics(cycle))?)
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
