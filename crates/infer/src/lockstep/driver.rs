//! Who drives groups of walkers, and the desk at which drivers meet.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dz_game::Game;
use rayon::prelude::*;

use super::clock::Clock;
use super::{LockstepCounts, Request, Roster, Walker};
use crate::{Evaluation, EvaluatorError, Leaf, Readers, Sources, Ticket};

/// Where a walker stands.
struct Place<G: Game, W> {
    walker: Option<W>,
    /// What it is to hear before it goes on.
    answer: Option<Evaluation>,
    /// What it asks.
    request: Option<Request<G>>,
}

/// A batch that was submitted.
struct Flight<G: Game> {
    source: usize,
    ticket: Ticket,
    /// The places that asked, by position in the batch.
    places: Vec<usize>,
    leaves: Vec<Leaf<G>>,
}

struct Group<G: Game, W> {
    places: Vec<Place<G, W>>,
    flights: Vec<Flight<G>>,
}

/// Drives groups in turns.
pub(super) struct Driver<'a, G: Game, W> {
    groups: Vec<Group<G, W>>,
    sources: &'a mut Sources<G>,
    /// Places that go on together, on all threads. One after another, a game that ends makes room for
    /// the next before others have gone on, and an answer is heard while it is in the cache.
    together: usize,
    /// Whether this thread evaluates its batches itself.
    evaluates: bool,
    /// The roster gave no more.
    exhausted: bool,
    /// What the desk does not know yet.
    counts: LockstepCounts,
}

/// Walkers that all threads share out among themselves at a time: few, since some walk far.
const WALKERS_A_THREAD: usize = 8;

impl<'a, G: Game, W: Walker<G>> Driver<'a, G, W> {
    /// One driver for all, whose walkers walk on all threads: for groups that take turns with a device.
    pub(super) fn of_all_threads(
        sources: &'a mut Sources<G>,
        places: impl Iterator<Item = usize>,
    ) -> Self {
        Self::new(sources, places.map(Group::new).collect(), usize::MAX)
    }

    /// One of several drivers, each on a thread of its own.
    pub(super) fn of_one_thread(sources: &'a mut Sources<G>, places: usize) -> Self {
        Self::new(sources, vec![Group::new(places)], 1)
    }

    fn new(sources: &'a mut Sources<G>, groups: Vec<Group<G, W>>, together: usize) -> Self {
        let counts = LockstepCounts::default();
        let evaluates = together == 1;
        Self { groups, sources, together, evaluates, exhausted: false, counts }
    }

    /// Plays until the roster gives no more and all walkers are done, or another driver has failed.
    pub(super) fn run<R: Roster<W>>(mut self, desk: &Desk<'_, R>) -> Result<(), R::Error> {
        let mut fate = Fate { failed: &desk.failed, is_good: false };
        let mut groups = std::mem::take(&mut self.groups);
        let mut clock = Clock::start(self.evaluates);
        loop {
            let mut busy = false;
            for group in &mut groups {
                if desk.failed.load(Ordering::Relaxed) {
                    return Ok(());
                }
                clock.wait(|| group.land(self.sources))?;
                for places in group.chunks(self.together) {
                    self.walk(places, desk)?;
                }
                busy |= clock.submit(|| group.take_off(self.sources, &mut self.counts))? > 0;
                desk.step(&mut self.counts);
            }
            if !busy {
                let mut open = desk.lock();
                open.add(&mut self.counts);
                open.roster.driven(&clock.times());
                fate.is_good = true;
                return Ok(());
            }
        }
    }

    /// Lets walkers go on until each has a request; those that end make room for the next ones.
    fn walk<R: Roster<W>>(
        &mut self,
        places: &mut [Place<G, W>],
        desk: &Desk<'_, R>,
    ) -> Result<(), R::Error> {
        loop {
            if !self.exhausted && places.iter().any(|place| place.walker.is_none()) {
                let mut open = desk.lock();
                for place in places.iter_mut().filter(|place| place.walker.is_none()) {
                    place.walker = open.roster.next();
                    self.exhausted |= place.walker.is_none();
                }
            }
            let readers = self.sources.readers();
            let all = places.par_iter_mut().with_max_len(WALKERS_A_THREAD);
            all.for_each(|place| place.go_on(readers));
            let mut ended = false;
            for place in places.iter_mut().filter(|place| place.request.is_none()) {
                if let Some(walker) = place.walker.take() {
                    let mut open = desk.lock();
                    open.add(&mut self.counts);
                    let counts = open.counts;
                    open.roster.finished(walker, &counts)?;
                    ended = true;
                }
            }
            if !ended {
                return Ok(());
            }
        }
    }
}

impl<G: Game, W: Walker<G>> Group<G, W> {
    fn new(places: usize) -> Self {
        let empty = || Place { walker: None, answer: None, request: None };
        Self { places: std::iter::repeat_with(empty).take(places).collect(), flights: Vec::new() }
    }

    /// The places in parts of up to `together`.
    fn chunks(&mut self, together: usize) -> impl Iterator<Item = &mut [Place<G, W>]> {
        self.places.chunks_mut(together)
    }

    /// Waits for the batches and hands out the evaluations; answers how many batches.
    fn land(&mut self, sources: &mut Sources<G>) -> Result<usize, EvaluatorError> {
        let count = self.flights.len();
        for flight in self.flights.drain(..) {
            let evaluations = sources.wait(flight.source, flight.ticket, &flight.leaves)?;
            for (&place, evaluation) in flight.places.iter().zip(evaluations) {
                self.places[place].answer = Some(evaluation);
            }
        }
        Ok(count)
    }

    /// Sends the requests, one batch a source; answers how many batches.
    fn take_off(
        &mut self,
        sources: &mut Sources<G>,
        counts: &mut LockstepCounts,
    ) -> Result<usize, EvaluatorError> {
        let mut batches: Vec<(Vec<usize>, Vec<Leaf<G>>)> =
            (0..sources.len()).map(|_| Default::default()).collect();
        for (index, place) in self.places.iter_mut().enumerate() {
            if let Some(Request { source, leaf }) = place.request.take() {
                batches[source].0.push(index);
                batches[source].1.push(leaf);
            }
        }
        for (source, (places, leaves)) in batches.into_iter().enumerate() {
            if !leaves.is_empty() {
                counts.batches += 1;
                counts.evaluations += leaves.len() as u64;
                let ticket = sources.submit(source, &leaves)?;
                self.flights.push(Flight { source, ticket, places, leaves });
            }
        }
        let sent = self.flights.len();
        counts.places += if sent > 0 { self.places.len() as u64 } else { 0 };
        Ok(sent)
    }
}

impl<G: Game, W: Walker<G>> Place<G, W> {
    /// Lets the walker hear its answer and go on, unless it waits for one.
    fn go_on(&mut self, readers: &Readers<G>) {
        if let (Some(walker), None) = (&mut self.walker, &self.request) {
            if let Some(answer) = self.answer.take() {
                walker.apply(answer);
            }
            self.request = walker.walk(readers);
        }
    }
}

/// The roster, for one driver at a time.
pub(super) struct Desk<'a, R> {
    open: Mutex<Open<'a, R>>,
    /// A driver has failed; the others are to stop.
    failed: AtomicBool,
}

struct Open<'a, R> {
    roster: &'a mut R,
    /// Of all drivers.
    counts: LockstepCounts,
}

impl<'a, R> Desk<'a, R> {
    pub(super) fn new(roster: &'a mut R) -> Self {
        let open = Mutex::new(Open { roster, counts: LockstepCounts::default() });
        Self { open, failed: AtomicBool::new(false) }
    }

    /// What all drivers did.
    pub(super) fn counts(&self) -> LockstepCounts {
        self.lock().counts
    }

    fn lock(&self) -> MutexGuard<'_, Open<'a, R>> {
        // A driver that panicked in here has failed; the others stop before their next step.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports a step, unless another driver is at the desk: reports are not worth waiting for.
    fn step<W>(&self, counts: &mut LockstepCounts)
    where
        R: Roster<W>,
    {
        if let Ok(mut open) = self.open.try_lock() {
            open.add(counts);
            let counts = open.counts;
            open.roster.step(&counts);
        }
    }
}

impl<R> Open<'_, R> {
    /// Takes over what a driver counted.
    fn add(&mut self, counts: &mut LockstepCounts) {
        self.counts.add(std::mem::take(counts));
    }
}

/// Tells the other drivers of an error or a panic, by being dropped before all went well.
struct Fate<'a> {
    failed: &'a AtomicBool,
    is_good: bool,
}

impl Drop for Fate<'_> {
    fn drop(&mut self) {
        if !self.is_good {
            self.failed.store(true, Ordering::Relaxed);
        }
    }
}
