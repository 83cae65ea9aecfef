//! Who drives groups of walkers.

use dz_game::Game;
use rayon::prelude::*;

use super::clock::Clock;
use super::counts::LockstepCounts;
use super::shared_roster::SharedRoster;
use super::walker::{Request, Roster, Walker};
use crate::{Evaluation, EvaluatorError, Leaf, Readers, Sources, Ticket};

/// Where a walker stands.
struct Place<G: Game, W> {
    walker: Option<W>,
    /// What it asks, until it has heard the answer.
    request: Option<Request<G>>,
    /// What it is to hear before it goes on.
    answer: Option<Evaluation>,
}

/// A batch that was submitted.
struct Flight {
    source: usize,
    ticket: Ticket,
    /// The places that asked, by position in the batch.
    places: Vec<usize>,
}

struct Group<G: Game, W> {
    places: Vec<Place<G, W>>,
    flights: Vec<Flight>,
}

/// Drives groups in turns.
pub(super) struct Driver<'a, G: Game, W> {
    groups: Vec<Group<G, W>>,
    sources: &'a mut Sources<G>,
    steps: Steps<G>,
    /// Whether this thread evaluates its batches itself.
    evaluates: bool,
}

/// How walkers go on, without those whom they ask.
struct Steps<G: Game> {
    readers: Readers<G>,
    /// Places that go on together, on all threads. One after another, a game that ends makes room
    /// for the next before others have gone on, and an answer is heard while it is in the cache.
    together: usize,
    /// The roster gave no more.
    exhausted: bool,
    /// What the shared roster does not know yet.
    counts: LockstepCounts,
}

/// Walkers that all threads share out among themselves at a time: few, since some walk far.
const WALKERS_A_THREAD: usize = 8;

/// Groups from which on one is sent while the next walks: the device has the third one's batch
/// then. With two it would have none.
const GROUPS_THAT_OVERLAP: usize = 3;

impl<'a, G: Game, W: Walker<G>> Driver<'a, G, W> {
    /// One driver for all, whose walkers walk on all threads: for groups that take turns with a
    /// device.
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
        let (readers, counts) = (sources.readers().clone(), LockstepCounts::default());
        let steps = Steps { readers, together, exhausted: false, counts };
        Self { groups, sources, steps, evaluates: together == 1 }
    }

    /// Plays until the roster gives no more and all walkers are done, or another driver has failed.
    pub(super) fn run<R: Roster<W>>(
        mut self,
        shared: &SharedRoster<'_, R>,
    ) -> Result<(), R::Error> {
        let guard = shared.failure_guard();
        let mut clock = Clock::start(self.evaluates);
        let overlaps = self.groups.len() >= GROUPS_THAT_OVERLAP;
        // Whose requests are sent while the next group walks.
        let mut unsent = None;
        loop {
            for index in 0..self.groups.len() {
                if shared.has_failed() {
                    return Ok(());
                }
                clock.wait(|| self.groups[index].land(self.sources))?;
                match unsent.take() {
                    Some(last) => self.walk_while_sending(index, last, &mut clock, shared)?,
                    None => self.steps.walk(&mut self.groups[index], shared)?,
                }
                if overlaps {
                    unsent = Some(index);
                } else {
                    let (group, counts) = (&mut self.groups[index], &mut self.steps.counts);
                    clock.submit(|| group.take_off(self.sources, counts))?;
                }
                shared.step(&mut self.steps.counts);
            }
            if !self.groups.iter().any(Group::has_walkers) {
                let mut inner = shared.lock();
                inner.add(&mut self.steps.counts);
                inner.roster.driven(&clock.times());
                guard.disarm();
                return Ok(());
            }
        }
    }

    /// Lets group `index` walk while the requests of another one are sent: to tell a device what to
    /// do takes one thread a while.
    fn walk_while_sending<R: Roster<W>>(
        &mut self,
        index: usize,
        last: usize,
        clock: &mut Clock,
        shared: &SharedRoster<'_, R>,
    ) -> Result<(), R::Error> {
        let mut sending = std::mem::take(&mut self.groups[last]);
        let (sources, steps) = (&mut *self.sources, &mut self.steps);
        let mut counts = LockstepCounts::default();
        let walking = &mut self.groups[index];
        let (sent, walked) = rayon::join(
            || clock.submit(|| sending.take_off(sources, &mut counts)),
            || steps.walk(walking, shared),
        );
        self.groups[last] = sending;
        self.steps.counts.add(counts);
        sent?;
        walked
    }
}

impl<G: Game> Steps<G> {
    /// Lets a group's walkers go on.
    fn walk<W: Walker<G>, R: Roster<W>>(
        &mut self,
        group: &mut Group<G, W>,
        shared: &SharedRoster<'_, R>,
    ) -> Result<(), R::Error> {
        group.places.chunks_mut(self.together).try_for_each(|places| self.go_on(places, shared))
    }

    /// Lets walkers go on until each has a request; those that end make room for the next ones.
    fn go_on<W: Walker<G>, R: Roster<W>>(
        &mut self,
        places: &mut [Place<G, W>],
        shared: &SharedRoster<'_, R>,
    ) -> Result<(), R::Error> {
        loop {
            if !self.exhausted && places.iter().any(|place| place.walker.is_none()) {
                let mut inner = shared.lock();
                for place in places.iter_mut().filter(|place| place.walker.is_none()) {
                    place.walker = inner.roster.next();
                    self.exhausted |= place.walker.is_none();
                }
            }
            let awake: Vec<_> = places.iter_mut().filter(|place| place.is_awake()).collect();
            let awake = awake.into_par_iter().with_max_len(WALKERS_A_THREAD);
            awake.for_each(|place| place.go_on(&self.readers));
            let mut ended = false;
            for place in places.iter_mut().filter(|place| place.request.is_none()) {
                if let Some(walker) = place.walker.take() {
                    let mut inner = shared.lock();
                    inner.add(&mut self.counts);
                    let counts = inner.counts;
                    inner.roster.finished(walker, &counts)?;
                    ended = true;
                }
            }
            if !ended {
                return Ok(());
            }
        }
    }
}

impl<G: Game, W> Default for Group<G, W> {
    fn default() -> Self {
        Self { places: Vec::new(), flights: Vec::new() }
    }
}

impl<G: Game, W: Walker<G>> Group<G, W> {
    fn new(places: usize) -> Self {
        let empty = || Place { walker: None, request: None, answer: None };
        Self { places: std::iter::repeat_with(empty).take(places).collect(), flights: Vec::new() }
    }

    fn has_walkers(&self) -> bool {
        self.places.iter().any(|place| place.walker.is_some())
    }

    /// Waits for the batches and hands out the evaluations; answers how many batches.
    fn land(&mut self, sources: &mut Sources<G>) -> Result<usize, EvaluatorError> {
        let count = self.flights.len();
        for Flight { source, ticket, places } in self.flights.drain(..) {
            let leaves: Vec<&Leaf<G>> =
                places.iter().filter_map(|&place| self.places[place].leaf()).collect();
            let evaluations = sources.wait(source, ticket, &leaves)?;
            for (place, evaluation) in places.into_iter().zip(evaluations) {
                self.places[place].answer = Some(evaluation);
            }
        }
        Ok(count)
    }

    /// Sends the requests, one batch a source; answers how many batches. What is asked stays where
    /// it is: positions are large, and this thread is alone here.
    fn take_off(
        &mut self,
        sources: &mut Sources<G>,
        counts: &mut LockstepCounts,
    ) -> Result<usize, EvaluatorError> {
        let mut batches: Vec<(Vec<usize>, Vec<&Leaf<G>>)> =
            (0..sources.len()).map(|_| Default::default()).collect();
        for (index, place) in self.places.iter().enumerate() {
            if let Some(Request { source, leaf }) = &place.request {
                batches[*source].0.push(index);
                batches[*source].1.push(leaf);
            }
        }
        for (source, (places, leaves)) in batches.into_iter().enumerate() {
            if !leaves.is_empty() {
                counts.batches += 1;
                counts.evaluations += leaves.len() as u64;
                let ticket = sources.submit(source, &leaves)?;
                self.flights.push(Flight { source, ticket, places });
            }
        }
        let sent = self.flights.len();
        counts.places += if sent > 0 { self.places.len() as u64 } else { 0 };
        Ok(sent)
    }
}

impl<G: Game, W: Walker<G>> Place<G, W> {
    fn leaf(&self) -> Option<&Leaf<G>> {
        self.request.as_ref().map(|request| &request.leaf)
    }

    /// Whether there is a walker that does not wait for an answer.
    fn is_awake(&self) -> bool {
        self.walker.is_some() && (self.request.is_none() || self.answer.is_some())
    }

    /// Lets the walker hear its answer and go on.
    fn go_on(&mut self, readers: &Readers<G>) {
        if let Some(walker) = &mut self.walker {
            if let Some(answer) = self.answer.take() {
                walker.apply(answer);
            }
            self.request = walker.walk(readers);
        }
    }
}
