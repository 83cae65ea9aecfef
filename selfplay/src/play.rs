//! The games of a cycle on threads of their own, so that those of the next cycle can begin before
//! the last ones end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use dz_config::RunConfig;
use dz_game::Game;
use dz_infer::{LockstepCounts, Sources};
use dz_shard::GameRecord;
use dz_store::{ChampionState, Run};
use rayon::ThreadPoolBuilder;

use crate::sources::champion_sources;
use crate::{CyclePlan, CycleTally, ShardSink, play_cycle};

/// What is to be played, and by whom.
#[derive(Clone, Debug)]
pub(crate) struct PlayOrder {
    pub(crate) run: Run,
    pub(crate) config: RunConfig,
    pub(crate) cycle: u32,
    /// Generation of the champion; 0 where there is none.
    pub(crate) generation: u32,
    pub(crate) champion: Option<ChampionState>,
    pub(crate) plan: CyclePlan,
    /// The shards of the cycle to play, by index.
    pub(crate) missing: Vec<u64>,
}

/// Who plays.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    /// What evaluates, for headers.
    pub(crate) evaluator: String,
    /// Name of its network, for headers.
    pub(crate) network: String,
    /// Whether a device evaluates, which idles while batches run empty.
    pub(crate) is_device: bool,
}

/// What a play reports, in order.
pub(crate) enum Report {
    /// The player has loaded.
    Ready(Player),
    /// A whole shard: its index in the cycle and its games.
    Shard(u64, Vec<GameRecord>),
    /// All games have begun, so from now on places become free.
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
    board: Arc<Board>,
    thread: Option<JoinHandle<anyhow::Result<CycleTally>>>,
}

/// What a play and its owner tell each other at any time.
#[derive(Debug, Default)]
struct Board {
    /// No more shards are to be begun.
    ends: AtomicBool,
    /// Another play uses the places that become free.
    is_followed: AtomicBool,
    /// Nobody wants the games any more.
    is_given_up: AtomicBool,
    tally: Mutex<CycleTally>,
}

impl Play {
    /// Begins to play on as many threads as the caller's pool has. The threads are a pool of their
    /// own: in one pool with another play, a thread that waits for its part of a batch could take
    /// up the whole of the other play before it goes on.
    ///
    /// # Errors
    /// If there can be no more threads.
    pub(crate) fn begin<G: Game>(game: &G, order: PlayOrder) -> anyhow::Result<Self> {
        let (sender, reports) = channel();
        let board = Arc::new(Board::default());
        let sink = Sink { reports: sender.clone(), board: Arc::clone(&board), followed: None };
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
        Ok(Self { order, began: Instant::now(), reports, board, thread })
    }

    /// Waits for the next report, at most for `wait`.
    pub(crate) fn report(&self, wait: Duration) -> Report {
        match self.reports.recv_timeout(wait) {
            Ok(report) => report,
            Err(RecvTimeoutError::Timeout) => Report::Nothing,
            Err(RecvTimeoutError::Disconnected) => Report::Over,
        }
    }

    /// Waits until the player has loaded.
    ///
    /// # Errors
    /// Why it did not load.
    pub(crate) fn player(&mut self) -> anyhow::Result<Player> {
        if let Ok(Report::Ready(player)) = self.reports.recv() {
            return Ok(player);
        }
        self.end()?;
        bail!("a player ended before it had loaded; please report this")
    }

    /// What the games came to so far.
    pub(crate) fn tally(&self) -> CycleTally {
        *self.board.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for no more games than have begun.
    pub(crate) fn begin_no_more(&self) {
        self.board.ends.store(true, Ordering::Relaxed);
    }

    /// Says that another play uses the places that become free, so that they do not count as empty.
    pub(crate) fn is_followed(&self) {
        self.board.is_followed.store(true, Ordering::Relaxed);
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
        self.board.is_given_up.store(true, Ordering::Relaxed);
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
    let evaluator = sources.ids()[0].clone();
    let is_device = order.champion.is_some() && sources.is_device();
    // Where nobody listens any more, the sink ends the games.
    reports.send(Report::Ready(Player { evaluator, network, is_device })).ok();
    let tally = play_cycle(game, &order.plan, &order.missing, &mut sources, &mut sink)?;
    Ok(CycleTally { lockstep: sink.counts(tally.lockstep), ..tally })
}

/// Takes what is played.
struct Sink {
    reports: Sender<Report>,
    board: Arc<Board>,
    /// The counts when another play began to use the free places.
    followed: Option<LockstepCounts>,
}

impl Sink {
    /// The counts without the empty places that another play used.
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
        self.board.is_given_up.load(Ordering::Relaxed)
    }

    fn wants_more(&mut self, tally: &CycleTally) -> bool {
        if self.followed.is_none() && self.board.is_followed.load(Ordering::Relaxed) {
            self.followed = Some(tally.lockstep);
        }
        let counted = CycleTally { lockstep: self.counts(tally.lockstep), ..*tally };
        *self.board.tally.lock().unwrap_or_else(PoisonError::into_inner) = counted;
        !self.board.ends.load(Ordering::Relaxed)
    }
}
