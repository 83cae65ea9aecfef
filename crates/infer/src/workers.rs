//! Threads that evaluate batches while the caller goes on.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use crate::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};

/// Handles of one network, one a thread, for a search that goes on while its batches are evaluated.
/// The thread that waits for a batch is one of them. Instead of sleeping it evaluates batches that
/// no thread has begun, so there need be no more threads than cores.
///
/// Outputs have the bits that the network gives, whichever thread had the batch.
pub struct Workers {
    id: String,
    encoding_id: String,
    policy_len: usize,
    has_margins: bool,
    has_errors: bool,
    jobs: Arc<Jobs>,
    answers: Receiver<(Ticket, Answered)>,
    threads: Vec<JoinHandle<()>>,
    /// For the thread that waits; `None` once it has panicked.
    own: Option<Box<dyn NetworkEvaluator>>,
    in_flight: BTreeSet<Ticket>,
    /// Answers that came before they were waited for.
    early: BTreeMap<Ticket, Answered>,
    next: u64,
}

type Job = (Ticket, EncodedBatch);
type Answered = Result<NetworkOutputs, EvaluatorError>;

/// Batches that nobody has begun, the oldest first.
struct Jobs {
    queue: Mutex<Queue>,
    /// Notified of a batch that was added, and of the end.
    changed: Condvar,
}

struct Queue {
    waiting: VecDeque<Job>,
    /// There will be no more.
    closed: bool,
}

impl Workers {
    /// Workers on `threads` threads, including the one that waits. `None` if the network gives no
    /// handles.
    pub fn of(network: &dyn NetworkEvaluator, threads: usize) -> Option<Self> {
        let own = Some(network.handle()?);
        let handles: Option<Vec<_>> = (1..threads).map(|_| network.handle()).collect();
        let queue = Mutex::new(Queue { waiting: VecDeque::new(), closed: false });
        let jobs = Arc::new(Jobs { queue, changed: Condvar::new() });
        let (to_answers, answers) = channel();
        let threads = handles?.into_iter().map(|handle| {
            let jobs = Arc::clone(&jobs);
            let answers = to_answers.clone();
            // Where the system gives no thread, the others do its work.
            thread::Builder::new().spawn(move || work(handle, &jobs, &answers)).ok()
        });
        Some(Self {
            id: network.id().to_owned(),
            encoding_id: network.encoding_id().to_owned(),
            policy_len: network.policy_len(),
            has_margins: network.has_margins(),
            has_errors: network.has_errors(),
            threads: threads.flatten().collect(),
            jobs,
            answers,
            own,
            in_flight: BTreeSet::new(),
            early: BTreeMap::new(),
            next: 0,
        })
    }

    /// Evaluates a batch that no thread has begun, on the calling thread. Returns false if there is
    /// none, or no handle.
    fn help(&mut self) -> bool {
        let Some(own) = &mut self.own else { return false };
        let Some((ticket, batch)) = self.jobs.queue().waiting.pop_front() else { return false };
        let (answer, panicked) = evaluate(own.as_mut(), batch);
        if panicked {
            self.own = None;
        }
        self.early.insert(ticket, answer);
        true
    }

    fn gone(&self) -> EvaluatorError {
        let message = "its threads have ended: start the program again".to_owned();
        EvaluatorError::Device { device: self.id.clone(), message }
    }
}

impl Jobs {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // What is done under the lock cannot stop half way, so a panic elsewhere does not matter.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a batch. `None` once there will be no more.
    fn take(&self) -> Option<Job> {
        let idle = |queue: &mut Queue| queue.waiting.is_empty() && !queue.closed;
        let queue = self.changed.wait_while(self.queue(), idle);
        queue.unwrap_or_else(PoisonError::into_inner).waiting.pop_front()
    }
}

/// Works until there are no more jobs, or nobody takes the answers.
fn work(mut handle: Box<dyn NetworkEvaluator>, jobs: &Jobs, answers: &Sender<(Ticket, Answered)>) {
    while let Some((ticket, batch)) = jobs.take() {
        let (answer, panicked) = evaluate(handle.as_mut(), batch);
        if answers.send((ticket, answer)).is_err() || panicked {
            return;
        }
    }
}

/// Returns a batch's answer, and whether the handle has panicked. A handle that has panicked is not
/// used again, and the caller must learn of it.
fn evaluate(handle: &mut dyn NetworkEvaluator, batch: EncodedBatch) -> (Answered, bool) {
    let evaluated = catch_unwind(AssertUnwindSafe(|| {
        handle.submit(batch).and_then(|ticket| handle.wait(ticket))
    }));
    let panicked = evaluated.is_err();
    let answer = evaluated.unwrap_or_else(|_| {
        let device = handle.id().to_owned();
        let message = "a thread has panicked".to_owned();
        Err(EvaluatorError::Device { device, message })
    });
    (answer, panicked)
}

impl NetworkEvaluator for Workers {
    fn id(&self) -> &str {
        &self.id
    }

    fn encoding_id(&self) -> &str {
        &self.encoding_id
    }

    fn policy_len(&self) -> usize {
        self.policy_len
    }

    /// For each thread a batch that it evaluates and one that waits, so that no thread waits for
    /// the search. A single thread works only while the search waits.
    fn batches(&self) -> usize {
        if self.threads.is_empty() { 1 } else { 2 * (self.threads.len() + 1) }
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let ticket = Ticket(self.next);
        self.next += 1;
        self.in_flight.insert(ticket);
        self.jobs.queue().waiting.push_back((ticket, batch));
        self.jobs.changed.notify_one();
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        if !self.in_flight.remove(&ticket) {
            return Err(EvaluatorError::UnknownTicket(ticket));
        }
        loop {
            self.early.extend(self.answers.try_iter());
            if let Some(answer) = self.early.remove(&ticket) {
                return answer;
            }
            if !self.help() {
                let Ok((done, answer)) = self.answers.recv() else { return Err(self.gone()) };
                self.early.insert(done, answer);
            }
        }
    }

    fn has_margins(&self) -> bool {
        self.has_margins
    }

    fn has_errors(&self) -> bool {
        self.has_errors
    }

    fn ownership(&mut self, batch: &EncodedBatch) -> Result<Option<Vec<f32>>, EvaluatorError> {
        match &mut self.own {
            Some(own) => own.ownership(batch),
            None => Err(self.gone()),
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let mut queue = self.jobs.queue();
        // Nobody waits for batches that were not begun.
        queue.waiting.clear();
        queue.closed = true;
        drop(queue);
        self.jobs.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic has been reported.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.threads.len() + 1;
        f.debug_struct("Workers")
            .field("id", &self.id)
            .field("threads", &threads)
            .finish_non_exhaustive()
    }
}
