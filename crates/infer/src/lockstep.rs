//! Lockstep: many games walk until each needs an evaluation; the leaves go as one batch.
//!
//! There is no queue and no thread of its own. Games stand in two or more groups; while one group
//! walks, the batches of the others are with the device. Which game stands where, and in which step
//! it is answered, depends on nothing but the games, so results are the same for any number of
//! threads.

use dz_game::Game;
use rayon::prelude::*;

use crate::{Evaluation, EvaluatorError, Leaf, Readers, Sources, Ticket};

/// Something that plays, one evaluation at a time: a self-play game, a game of a match.
pub trait Walker<G: Game>: Send {
    /// Goes on until an evaluation is missing (`Some`) or all is done (`None`).
    fn walk(&mut self, readers: &Readers<G>) -> Option<Request<G>>;
    /// Takes the evaluation that `walk` asked for.
    fn apply(&mut self, evaluation: Evaluation);
}

/// Who plays: hands out walkers and takes them back.
pub trait Roster<W> {
    /// What can go wrong with what is handed back.
    type Error: From<EvaluatorError>;
    /// The next walker to start, or `None` when no more are to be started.
    fn next(&mut self) -> Option<W>;
    /// Takes a walker that is done.
    fn finished(&mut self, walker: W, counts: &LockstepCounts) -> Result<(), Self::Error>;
    /// Called once a step, for progress reports.
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

/// A batch with the device.
struct Flight<G: Game> {
    source: usize,
    ticket: Ticket,
    /// The slots that asked, by position in the batch.
    slots: Vec<usize>,
    leaves: Vec<Leaf<G>>,
}

struct Group<G: Game, W> {
    slots: Vec<Option<W>>,
    flights: Vec<Flight<G>>,
}

/// Drives walkers in lockstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lockstep {
    /// Games at once, at least 1.
    pub parallel_games: usize,
    /// Groups that take turns with the device, the games shared out among them; at least 1.
    pub groups: usize,
}

impl Lockstep {
    /// Runs the roster's walkers until it gives no more and all are done; they are handed back in an
    /// order that depends on the walkers alone.
    ///
    /// # Errors
    /// What the evaluators report, or what the roster returns.
    pub fn run<G: Game, W: Walker<G>, R: Roster<W>>(
        &self,
        sources: &mut Sources<G>,
        roster: &mut R,
    ) -> Result<LockstepCounts, R::Error> {
        let mut counts = LockstepCounts::default();
        let games = self.parallel_games.max(1);
        let groups = self.groups.clamp(1, games);
        let mut groups: Vec<Group<G, W>> = (0..groups)
            .map(|group| {
                let places = games / groups + usize::from(group < games % groups);
                Group { slots: (0..places).map(|_| None).collect(), flights: Vec::new() }
            })
            .collect();
        loop {
            let mut busy = false;
            for group in &mut groups {
                Self::land(group, sources)?;
                let requests = Self::walk(group, sources.readers(), roster, &counts)?;
                busy |= !requests.is_empty();
                Self::take_off(group, requests, sources, &mut counts)?;
                roster.step(&counts);
            }
            if !busy {
                return Ok(counts);
            }
        }
    }

    /// Waits for a group's batches and hands out the evaluations.
    fn land<G: Game, W: Walker<G>>(
        group: &mut Group<G, W>,
        sources: &mut Sources<G>,
    ) -> Result<(), EvaluatorError> {
        let mut answers: Vec<Option<Evaluation>> = group.slots.iter().map(|_| None).collect();
        for flight in group.flights.drain(..) {
            let evaluations = sources.wait(flight.source, flight.ticket, &flight.leaves)?;
            for (&slot, evaluation) in flight.slots.iter().zip(evaluations) {
                answers[slot] = Some(evaluation);
            }
        }
        group.slots.par_iter_mut().zip(answers).with_min_len(16).for_each(|(walker, answer)| {
            if let (Some(walker), Some(evaluation)) = (walker, answer) {
                walker.apply(evaluation);
            }
        });
        Ok(())
    }

    /// Lets every walker of a group go on; those that end make room for the next ones, which walk in
    /// the same step. Answers the requests by slot.
    fn walk<G: Game, W: Walker<G>, R: Roster<W>>(
        group: &mut Group<G, W>,
        readers: &Readers<G>,
        roster: &mut R,
        counts: &LockstepCounts,
    ) -> Result<Vec<(usize, Request<G>)>, R::Error> {
        let mut requests = Vec::new();
        let mut fresh: Vec<usize> = (0..group.slots.len()).collect();
        while !fresh.is_empty() {
            for &slot in &fresh {
                if group.slots[slot].is_none() {
                    group.slots[slot] = roster.next();
                }
            }
            let mut walking: Vec<(usize, &mut W)> = group
                .slots
                .iter_mut()
                .enumerate()
                .filter(|(slot, _)| fresh.binary_search(slot).is_ok())
                .filter_map(|(slot, walker)| walker.as_mut().map(|walker| (slot, walker)))
                .collect();
            let walked: Vec<(usize, Option<Request<G>>)> = walking
                .par_iter_mut()
                .with_max_len(8)
                .map(|(slot, walker)| (*slot, walker.walk(readers)))
                .collect();
            fresh.clear();
            for (slot, request) in walked {
                if let Some(request) = request {
                    requests.push((slot, request));
                } else if let Some(walker) = group.slots[slot].take() {
                    roster.finished(walker, counts)?;
                    fresh.push(slot);
                }
            }
        }
        requests.sort_by_key(|(slot, _)| *slot);
        Ok(requests)
    }

    /// Sends a group's requests, one batch a source.
    fn take_off<G: Game, W>(
        group: &mut Group<G, W>,
        requests: Vec<(usize, Request<G>)>,
        sources: &mut Sources<G>,
        counts: &mut LockstepCounts,
    ) -> Result<(), EvaluatorError> {
        if requests.is_empty() {
            return Ok(());
        }
        let mut batches: Vec<(Vec<usize>, Vec<Leaf<G>>)> =
            (0..sources.len()).map(|_| Default::default()).collect();
        counts.places += group.slots.len() as u64;
        for (slot, Request { source, leaf }) in requests {
            batches[source].0.push(slot);
            batches[source].1.push(leaf);
        }
        for (source, (slots, leaves)) in batches.into_iter().enumerate() {
            if !leaves.is_empty() {
                counts.batches += 1;
                counts.evaluations += leaves.len() as u64;
                let ticket = sources.submit(source, &leaves)?;
                group.flights.push(Flight { source, ticket, slots, leaves });
            }
        }
        Ok(())
    }
}
