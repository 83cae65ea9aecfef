//! Drives groups of tasks.

use dz_game::Game;

use super::clock::Clock;
use super::counts::LockstepCounts;
use super::game_task::{GameTask, Request, Roster};
use super::shared_roster::SharedRoster;
use crate::parallel::{Task, run_all};
use crate::{Asked, EncodedLeaf, Evaluation, EvaluatorError, Readers, Sources, Ticket};

/// Room for one task. Its request and the answer lie here, in memory that the next request reuses.
struct Slot<T> {
    /// Elsewhere, since slots are looked through by one thread while the others wait.
    task: Option<Box<T>>,
    state: SlotState,
    request: Request,
    evaluation: Evaluation,
}

/// Where a slot's task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotState {
    /// It asks nothing: it was not resumed yet, or is done.
    Idle,
    /// It waits for what `request` asks.
    Asks,
    /// `evaluation` is the answer.
    Answered,
}

/// A batch that was submitted: the group's questions to a source, in the order of the slots.
struct PendingBatch {
    source: usize,
    ticket: Ticket,
}

struct Group<T> {
    slots: Vec<Slot<T>>,
    pending: Vec<PendingBatch>,
}

/// Drives groups in turns.
pub(super) struct Driver<'a, G: Game, T> {
    groups: Vec<Group<T>>,
    sources: &'a mut Sources<G>,
    runner: Runner<G>,
}

/// Lets tasks go on.
struct Runner<G: Game> {
    readers: Readers<G>,
    /// Whether this thread has its groups to itself: it resumes their tasks and evaluates their
    /// batches. Otherwise all threads resume tasks, and a device evaluates.
    is_alone: bool,
    /// The roster gave no more.
    is_exhausted: bool,
    /// What the shared roster does not know yet.
    counts: LockstepCounts,
}

/// Tasks that a thread resumes before it looks for others: few, since some search for long.
const TASKS_AT_ONCE: usize = 8;

/// Groups from which on one is submitted while the next is resumed: the device has the third one's
/// batch then. With two it would have none.
const GROUPS_THAT_OVERLAP: usize = 3;

impl<'a, G: Game, T: GameTask<G>> Driver<'a, G, T> {
    /// One driver whose tasks are resumed on all threads: for groups that take turns with a device.
    pub(super) fn of_all_threads(
        sources: &'a mut Sources<G>,
        slots: impl Iterator<Item = usize>,
    ) -> Self {
        Self::new(sources, slots.map(Group::new).collect(), false)
    }

    /// One of several drivers, each on a thread of its own.
    pub(super) fn of_one_thread(sources: &'a mut Sources<G>, slots: usize) -> Self {
        Self::new(sources, vec![Group::new(slots)], true)
    }

    fn new(sources: &'a mut Sources<G>, groups: Vec<Group<T>>, is_alone: bool) -> Self {
        let readers = sources.readers().clone();
        let counts = LockstepCounts::default();
        Self { groups, sources, runner: Runner { readers, is_alone, is_exhausted: false, counts } }
    }

    /// Plays until the roster gives no more and all tasks are done, or another driver has failed.
    pub(super) fn run<R: Roster<T>>(
        mut self,
        shared: &SharedRoster<'_, R>,
    ) -> Result<(), R::Error> {
        let guard = shared.failure_guard();
        let mut clock = Clock::start(self.runner.is_alone);
        let overlaps = self.groups.len() >= GROUPS_THAT_OVERLAP;
        // The group whose requests are submitted while the next group is resumed.
        let mut unsent = None;
        loop {
            for index in 0..self.groups.len() {
                if shared.has_failed() {
                    return Ok(());
                }
                clock.wait(|| self.groups[index].receive(self.sources))?;
                match unsent.take() {
                    Some(last) => self.resume_and_submit(index, last, &mut clock, shared)?,
                    None => self.runner.resume_group(&mut self.groups[index], shared)?,
                }
                if overlaps {
                    unsent = Some(index);
                } else {
                    let counts = &mut self.runner.counts;
                    clock.submit(|| self.groups[index].submit(self.sources, counts))?;
                }
                shared.step(&mut self.runner.counts);
            }
            if !self.groups.iter().any(Group::has_tasks) {
                let mut inner = shared.lock();
                inner.add(&mut self.runner.counts);
                inner.roster.thread_ended(&clock.times());
                guard.disarm();
                return Ok(());
            }
        }
    }

    /// Resumes group `index` while the requests of group `last` are submitted: launching a batch on
    /// a device keeps one thread busy for a while.
    fn resume_and_submit<R: Roster<T>>(
        &mut self,
        index: usize,
        last: usize,
        clock: &mut Clock,
        shared: &SharedRoster<'_, R>,
    ) -> Result<(), R::Error> {
        let mut submitting = std::mem::take(&mut self.groups[last]);
        let resuming = &mut self.groups[index];
        let sources = &mut *self.sources;
        let runner = &mut self.runner;
        let mut counts = LockstepCounts::default();
        let mut submitted = Ok(());
        let mut resumed = Ok(());
        run_all(vec![
            Box::new(|| {
                submitted = clock.submit(|| submitting.submit(sources, &mut counts));
            }),
            Box::new(|| resumed = runner.resume_group(resuming, shared)),
        ]);
        self.groups[last] = submitting;
        self.runner.counts.add(counts);
        submitted?;
        resumed
    }
}

impl<G: Game> Runner<G> {
    /// Lets a group's tasks go on. A thread alone takes them one after another: a game that ends
    /// makes room for the next before others have gone on, and an answer is read while it is in the
    /// processor's cache.
    fn resume_group<T: GameTask<G>, R: Roster<T>>(
        &mut self,
        group: &mut Group<T>,
        shared: &SharedRoster<'_, R>,
    ) -> Result<(), R::Error> {
        let together = if self.is_alone { 1 } else { usize::MAX };
        group.slots.chunks_mut(together).try_for_each(|slots| self.resume_slots(slots, shared))
    }

    /// Lets tasks go on until each has a request; those that end make room for the next ones.
    fn resume_slots<T: GameTask<G>, R: Roster<T>>(
        &mut self,
        slots: &mut [Slot<T>],
        shared: &SharedRoster<'_, R>,
    ) -> Result<(), R::Error> {
        loop {
            if !self.is_exhausted && slots.iter().any(|slot| slot.task.is_none()) {
                let mut inner = shared.lock();
                for slot in slots.iter_mut().filter(|slot| slot.task.is_none()) {
                    slot.task = inner.roster.next().map(Box::new);
                    self.is_exhausted |= slot.task.is_none();
                }
            }
            self.resume_ready(slots);
            let mut has_ended = false;
            for slot in slots.iter_mut().filter(|slot| slot.state == SlotState::Idle) {
                if let Some(task) = slot.task.take() {
                    let mut inner = shared.lock();
                    inner.add(&mut self.counts);
                    let counts = inner.counts;
                    inner.roster.finished(*task, &counts)?;
                    has_ended = true;
                }
            }
            if !has_ended {
                return Ok(());
            }
        }
    }

    /// Resumes the tasks that wait for no answer.
    fn resume_ready<T: GameTask<G>>(&self, slots: &mut [Slot<T>]) {
        let ready = slots.iter_mut().filter(|slot| slot.is_ready());
        if self.is_alone {
            ready.for_each(|slot| slot.resume(&self.readers));
            return;
        }
        let mut ready: Vec<_> = ready.collect();
        let a_thread = ready.len().div_ceil(4 * rayon::current_num_threads());
        let parts = ready.chunks_mut(a_thread.clamp(1, TASKS_AT_ONCE));
        let tasks = parts.map(|part| -> Task<'_> {
            Box::new(move || part.iter_mut().for_each(|slot| slot.resume(&self.readers)))
        });
        run_all(tasks.collect());
    }
}

impl<T> Default for Group<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), pending: Vec::new() }
    }
}

impl<T> Group<T> {
    fn new(slots: usize) -> Self {
        let empty = || Slot {
            task: None,
            state: SlotState::Idle,
            request: Request::default(),
            evaluation: Evaluation::default(),
        };
        Self { slots: std::iter::repeat_with(empty).take(slots).collect(), pending: Vec::new() }
    }

    fn has_tasks(&self) -> bool {
        self.slots.iter().any(|slot| slot.task.is_some())
    }

    /// Waits for the batches and hands out the evaluations; returns the number of batches.
    fn receive<G: Game>(&mut self, sources: &mut Sources<G>) -> Result<usize, EvaluatorError> {
        let count = self.pending.len();
        for PendingBatch { source, ticket } in self.pending.drain(..) {
            let mut asked = Vec::with_capacity(self.slots.len());
            for slot in self.slots.iter_mut().filter(|slot| slot.asks(source)) {
                slot.state = SlotState::Answered;
                asked.push(Asked { leaf: &slot.request.leaf, evaluation: &mut slot.evaluation });
            }
            sources.wait(source, ticket, asked)?;
        }
        Ok(count)
    }

    /// Submits the requests, one batch a source; returns the number of batches.
    fn submit<G: Game>(
        &mut self,
        sources: &mut Sources<G>,
        counts: &mut LockstepCounts,
    ) -> Result<usize, EvaluatorError> {
        for source in 0..sources.len() {
            let asks = self.slots.iter().filter(|slot| slot.asks(source));
            let leaves: Vec<&EncodedLeaf> = asks.map(|slot| &slot.request.leaf).collect();
            if !leaves.is_empty() {
                counts.batches += 1;
                counts.evaluations += leaves.len() as u64;
                let ticket = sources.submit(source, &leaves)?;
                self.pending.push(PendingBatch { source, ticket });
            }
        }
        let submitted = self.pending.len();
        counts.places += if submitted > 0 { self.slots.len() as u64 } else { 0 };
        Ok(submitted)
    }
}

impl<T> Slot<T> {
    /// Whether it waits for an answer of this source.
    fn asks(&self, source: usize) -> bool {
        self.state == SlotState::Asks && self.request.source == source
    }

    /// Whether there is a task that waits for no answer.
    fn is_ready(&self) -> bool {
        self.task.is_some() && self.state != SlotState::Asks
    }

    /// Gives the task its answer and lets it go on.
    fn resume<G: Game>(&mut self, readers: &Readers<G>)
    where
        T: GameTask<G>,
    {
        if let Some(task) = &mut self.task {
            if self.state == SlotState::Answered {
                task.apply(&self.evaluation);
            }
            let asks = task.resume(readers, &mut self.request);
            self.state = if asks { SlotState::Asks } else { SlotState::Idle };
        }
    }
}
