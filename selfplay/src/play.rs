//! The games of a cycle on threads of their own, so that those of the next cycle can begin before
//! the last ones end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use dz_game::Game;
use dz_infer::{LockstepCounts, Sources};
use dz_shard::GameRecord;
use rayon::ThreadPoolBuilder;

use crate::play_order::PlayOrder;
use crate::sources::{champion_sources, guide_of};
use crate::{CycleTally, ShardSink, play_cycle};

/// What evaluates the positions of a play.
#[derive(Clone, Debug)]
pub(crate) struct EvaluatorInfo {
    /// The evaluator's id, for headers.
    pub(crate) id: String,
    /// The network's name, for headers.
    pub(crate) network: String,
    /// Whether a device evaluates, which idles while batches are not full.
    pub(crate) is_device: bool,
}

impl EvaluatorInfo {
    /// Of source 0.
    pub(crate) fn of<G: Game>(sources: &Sources<G>, network: String) -> Self {
        Self { id: sources.ids()[0].clone(), network, is_device: sources.is_device() }
    }
}

/// What a play reports, in order.
pub(crate) enum Report {
    /// The evaluator has loaded.
    Ready(EvaluatorInfo),
    /// A whole shard: its index in the cycle and its games.
    Shard(u64, Vec<GameRecord>),
    /// All games have started, so batches are no longer full from now on.
    AllBegun,
    /// Nothing new for now.
    Nothing,
    /// All that was begun is over.
    Over,
}

/// Games in progress. Dropping it gives them up.
#[derive(Debug)]
pub(crate) struct Play {
    pub(crate) order: PlayOrder,
    pub(crate) began: Instant,
    reports: Receiver<Report>,
    signals: Arc<Signals>,
    thread: Option<JoinHandle<anyhow::Result<CycleTally>>>,
}

/// State shared by a play and its owner.
#[derive(Debug, Default)]
struct Signals {
    /// No more shards are to be begun.
    ends: AtomicBool,
    /// Another play fills the device while the batches of this one are not full.
    is_followed: AtomicBool,
    /// Nobody wants the games any more.
    is_given_up: AtomicBool,
    tally: Mutex<CycleTally>,
}

impl Play {
    /// Starts to play in a thread pool of its own, as large as the caller's. In a shared pool, a
    /// thread of one play that waits for a batch could steal the main task of the other play. It
    /// would return only when the other play is over.
    ///
    /// # Errors
    /// If there can be no more threads.
    pub(crate) fn begin<G: Game>(game: &G, order: PlayOrder) -> anyhow::Result<Self> {
        let (sender, reports) = channel();
        let signals = Arc::new(Signals::default());
        let sink = Sink { reports: sender.clone(), signals: Arc::clone(&signals), followed: None };
        let pool = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build();
        let pool = pool.context("cannot start the threads that play games")?;
        let work = {
            let game = game.clone();
            let order = order.clone();
            move || pool.install(|| play(&game, &order, &sender, sink))
        };
        let name = format!("games of cycle {}", order.cycle);
        let thread = thread::Builder::new().name(name).spawn(work);
        let thread = Some(thread.context("cannot start the thread that plays games")?);
        Ok(Self { order, began: Instant::now(), reports, signals, thread })
    }

    /// Waits for the next report, at most for `wait`.
    pub(crate) fn report(&self, wait: Duration) -> Report {
        match self.reports.recv_timeout(wait) {
            Ok(report) => report,
            Err(RecvTimeoutError::Timeout) => Report::Nothing,
            Err(RecvTimeoutError::Disconnected) => Report::Over,
        }
    }

    /// Waits until the evaluator has loaded.
    ///
    /// # Errors
    /// Why it did not load.
    pub(crate) fn evaluator(&mut self) -> anyhow::Result<EvaluatorInfo> {
        if let Ok(Report::Ready(evaluator)) = self.reports.recv() {
            return Ok(evaluator);
        }
        self.end()?;
        bail!("self-play ended before its evaluator had loaded; please report this")
    }

    /// What the games came to so far.
    pub(crate) fn tally(&self) -> CycleTally {
        *self.signals.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for no more games than have begun.
    pub(crate) fn begin_no_more(&self) {
        self.signals.ends.store(true, Ordering::Relaxed);
    }

    /// Notes that another play fills the device. From now on this play's empty places in batches do
    /// not count.
    pub(crate) fn set_followed(&self) {
        self.signals.is_followed.store(true, Ordering::Relaxed);
    }

    /// Waits for the end of what was begun, and returns what it came to.
    ///
    /// # Errors
    /// What evaluators report.
    pub(crate) fn end(&mut self) -> anyhow::Result<CycleTally> {
        let thread = self.thread.take().context("a play was ended twice; please report this")?;
        thread.join().map_err(|_| anyhow!("the thread that plays games has panicked"))?
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        self.signals.is_given_up.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && let Ok(Err(error)) = thread.join()
        {
            tracing::debug!("games of cycle {} were given up: {error:#}", self.order.cycle);
        }
    }
}

fn play<G: Game>(
    game: &G,
    order: &PlayOrder,
    reports: &Sender<Report>,
    mut sink: Sink,
) -> anyhow::Result<CycleTally> {
    let (mut sources, network): (Sources<G>, String) =
        champion_sources(game, &order.run, &order.config, order.champion.as_ref())?;
    // Where nobody listens any more, the sink ends the games.
    reports.send(Report::Ready(EvaluatorInfo::of(&sources, network))).ok();
    let plan = order.plan.guided(guide_of(game, &order.config, order.run.root())?);
    let tally = play_cycle(game, &plan, &order.missing, &mut sources, &mut sink)?;
    Ok(CycleTally { lockstep: sink.counts(tally.lockstep), ..tally })
}

/// Takes what is played.
struct Sink {
    reports: Sender<Report>,
    signals: Arc<Signals>,
    /// The counts when another play began to fill the device.
    followed: Option<LockstepCounts>,
}

impl Sink {
    /// The counts without the empty places since another play fills the device.
    fn counts(&self, counts: LockstepCounts) -> LockstepCounts {
        let Some(before) = self.followed else { return counts };
        let since = counts.evaluations - before.evaluations;
        LockstepCounts { places: before.places + since, ..counts }
    }
}

impl ShardSink for Sink {
    fn shard(&mut self, index: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        self.reports.send(Report::Shard(index, games)).context("nobody takes the games")
    }

    fn all_begun(&mut self) {
        self.reports.send(Report::AllBegun).ok();
    }

    fn is_given_up(&self) -> bool {
        self.signals.is_given_up.load(Ordering::Relaxed)
    }

    fn wants_more(&mut self, tally: &CycleTally) -> bool {
        if self.followed.is_none() && self.signals.is_followed.load(Ordering::Relaxed) {
            self.followed = Some(tally.lockstep);
        }
        let counted = CycleTally { lockstep: self.counts(tally.lockstep), ..*tally };
        *self.signals.tally.lock().unwrap_or_else(PoisonError::into_inner) = counted;
        !self.signals.ends.load(Ordering::Relaxed)
    }
}
