//! Lockstep: many games walk until each needs an evaluation; the leaves go as one batch.
//!
//! There is no queue and no thread of its own. Games stand in groups, and a group's leaves are a
//! batch.
//!
//! - Where batches go to a device, the groups take turns: while one group walks, on all threads,
//!   the batches of the others are with the device.
//! - Where every evaluator gives handles ([`crate::Evaluator::handle`]), a thread has one group,
//!   from beginning to end, with handles of its own. Threads meet only to fetch games, to hand them
//!   back, and in the caches.
//!
//! What a game comes to depends on nothing but the game, so results are the same for any number of
//! threads and however games fall to groups.

mod clock;
mod driver;

use std::time::Duration;

use dz_game::Game;
use rayon::prelude::*;

use crate::{Evaluation, EvaluatorError, Leaf, Readers, Sources};
use driver::{Desk, Driver};

/// Something that plays, one evaluation at a time: a self-play game, a game of a match.
pub trait Walker<G: Game>: Send {
    /// Goes on until an evaluation is missing (`Some`) or all is done (`None`).
    fn walk(&mut self, readers: &Readers<G>) -> Option<Request<G>>;
    /// Takes the evaluation that `walk` asked for.
    fn apply(&mut self, evaluation: Evaluation);
}

/// Who plays: hands out walkers and takes them back. One thread at a time calls it.
pub trait Roster<W>: Send {
    /// What can go wrong with what is handed back.
    type Error: From<EvaluatorError> + Send;
    /// The next walker to start, or `None` when no more are to be started; it stays at that.
    fn next(&mut self) -> Option<W>;
    /// Takes a walker that is done.
    ///
    /// # Errors
    /// What ends the run: walkers in progress are dropped.
    fn finished(&mut self, walker: W, counts: &LockstepCounts) -> Result<(), Self::Error>;
    /// Told once by each thread that drives walkers what its time went into, when it has come to
    /// its end.
    fn driven(&mut self, _times: &LockstepTimes) {}
    /// Called once a step, for progress reports; not while another thread has the roster.
    fn step(&mut self, _counts: &LockstepCounts) {}
}

/// A position to evaluate and which of the sources is to do it.
#[derive(Debug)]
pub struct Request<G: Game> {
    /// Index of the source.
    pub source: usize,
    /// The position.
    pub leaf: Leaf<G>,
}

/// What was done; batch fill is `evaluations / places`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockstepCounts {
    /// Batches sent.
    pub batches: u64,
    /// Positions in them.
    pub evaluations: u64,
    /// Positions that the batches had room for: every place of the group, also those of games that
    /// had ended with none to follow.
    pub places: u64,
}

impl LockstepCounts {
    /// Adds what another thread, or another run of the lockstep, did.
    pub fn add(&mut self, other: Self) {
        self.batches += other.batches;
        self.evaluations += other.evaluations;
        self.places += other.places;
    }
}

/// What the time of those who drive walkers went into; sums over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockstepTimes {
    /// From beginning to end.
    pub running: Duration,
    /// Of that, the processor's own part: walking, and making batches. With a device all that is
    /// not waiting; where threads evaluate themselves, all that is not evaluating.
    pub hosting: Duration,
    /// With a batch or more under way: what an evaluator was busy at most.
    pub flying: Duration,
    /// Waiting for a batch, its read-back and its softmaxes included.
    pub waiting: Duration,
}

impl LockstepTimes {
    /// Adds what another thread did.
    pub fn add(&mut self, other: &Self) {
        self.running += other.running;
        self.hosting += other.hosting;
        self.flying += other.flying;
        self.waiting += other.waiting;
    }
}

/// Drives walkers in lockstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lockstep {
    /// Games at once, at least 1.
    pub parallel_games: usize,
    /// Groups that take turns with a device, the games shared out among them; at least 1. Without a
    /// device there are as many as threads.
    pub groups: usize,
}

impl Lockstep {
    /// Runs the roster's walkers until it gives no more and all are done. With a device, or on one
    /// thread, they are handed back in an order that depends on the walkers alone.
    ///
    /// # Errors
    /// What the evaluators report, or what the roster returns.
    pub fn run<G: Game, W: Walker<G>, R: Roster<W>>(
        &self,
        sources: &mut Sources<G>,
        roster: &mut R,
    ) -> Result<LockstepCounts, R::Error> {
        let games = self.parallel_games.max(1);
        // Places of group `index` of `groups`.
        let share =
            |index: usize, groups: usize| games / groups + usize::from(index < games % groups);
        let mut handles = sources.handles(rayon::current_num_threads().min(games));
        let drivers: Vec<Driver<'_, G, W>> = if handles.is_empty() {
            let groups = self.groups.clamp(1, games);
            let places = (0..groups).map(|index| share(index, groups));
            vec![Driver::of_all_threads(sources, places)]
        } else {
            let groups = handles.len();
            let own = handles.iter_mut().enumerate();
            own.map(|(index, sources)| Driver::of_one_thread(sources, share(index, groups)))
                .collect()
        };
        let desk = Desk::new(roster);
        let ends: Vec<Result<(), R::Error>> =
            drivers.into_par_iter().with_max_len(1).map(|driver| driver.run(&desk)).collect();
        ends.into_iter().collect::<Result<(), R::Error>>()?;
        Ok(desk.counts())
    }
}
