//! Threads that evaluate batches while whoever asked goes on.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use dz_game::Game;

use crate::{Evaluation, Evaluator, EvaluatorError, Leaf, Ticket};

/// Handles of one evaluator, each with a thread of its own: for one search that goes on while its batches
/// are worked on. A batch is evaluated by whichever thread is free, and waits for one where none is.
///
/// Evaluations have the bits that the evaluator gives, whichever thread had the batch.
pub struct Workers<G: Game> {
    id: String,
    /// `None` only while it is dropped.
    jobs: Option<Sender<Job<G>>>,
    answers: Receiver<(Ticket, Answered)>,
    threads: Vec<JoinHandle<()>>,
    in_flight: BTreeSet<Ticket>,
    /// Answers that came before they were waited for.
    early: BTreeMap<Ticket, Answered>,
    next: u64,
}

type Job<G> = (Ticket, Vec<Leaf<G>>);
type Answered = Result<Vec<Evaluation>, EvaluatorError>;

impl<G: Game> Workers<G> {
    /// So many threads, at least one; `None` where the evaluator gives no handles.
    pub fn of(evaluator: &dyn Evaluator<G>, threads: usize) -> Option<Self> {
        let handles: Option<Vec<_>> = (0..threads.max(1)).map(|_| evaluator.handle()).collect();
        let (to_jobs, jobs) = channel();
        let (to_answers, answers) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let threads = handles?.into_iter().map(|handle| {
            let (jobs, answers) = (Arc::clone(&jobs), to_answers.clone());
            thread::spawn(move || work(handle, &jobs, &answers))
        });
        Some(Self {
            id: evaluator.id().to_owned(),
            jobs: Some(to_jobs),
            answers,
            threads: threads.collect(),
            in_flight: BTreeSet::new(),
            early: BTreeMap::new(),
            next: 0,
        })
    }

    fn gone(&self) -> EvaluatorError {
        let message = "its threads have ended: start the program again".to_owned();
        EvaluatorError::Device { device: self.id.clone(), message }
    }
}

/// Does jobs until there will be no more, or nobody listens.
fn work<G: Game>(
    mut handle: Box<dyn Evaluator<G>>,
    jobs: &Mutex<Receiver<Job<G>>>,
    answers: &Sender<(Ticket, Answered)>,
) {
    loop {
        // Taking a job cannot leave the queue half changed, so a panic elsewhere does not matter.
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((ticket, leaves)) = job else { return };
        let evaluated = catch_unwind(AssertUnwindSafe(|| {
            handle.submit(&leaves).and_then(|own| handle.wait(own))
        }));
        // Whoever waits for a batch whose thread has panicked must hear of it; the handle is not used again.
        let panicked = evaluated.is_err();
        let answer = evaluated.unwrap_or_else(|_| {
            let (device, message) = (handle.id().to_owned(), "a thread has panicked".to_owned());
            Err(EvaluatorError::Device { device, message })
        });
        if answers.send((ticket, answer)).is_err() || panicked {
            return;
        }
    }
}

impl<G: Game> Evaluator<G> for Workers<G> {
    fn id(&self) -> &str {
        &self.id
    }

    /// One that is worked on and one that waits for each thread, so that none waits for the search.
    fn batches(&self) -> usize {
        2 * self.threads.len()
    }

    fn submit(&mut self, leaves: &[Leaf<G>]) -> Result<Ticket, EvaluatorError> {
        let ticket = Ticket(self.next);
        let sent =
            self.jobs.as_ref().is_some_and(|jobs| jobs.send((ticket, leaves.to_vec())).is_ok());
        if !sent {
            return Err(self.gone());
        }
        self.next += 1;
        self.in_flight.insert(ticket);
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<Vec<Evaluation>, EvaluatorError> {
        if !self.in_flight.remove(&ticket) {
            return Err(EvaluatorError::UnknownTicket(ticket));
        }
        if let Some(answer) = self.early.remove(&ticket) {
            return answer;
        }
        loop {
            let Ok((done, answer)) = self.answers.recv() else { return Err(self.gone()) };
            if done == ticket {
                return answer;
            }
            self.early.insert(done, answer);
        }
    }
}

impl<G: Game> Drop for Workers<G> {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A thread that has panicked has said so.
            let _ = thread.join();
        }
    }
}

impl<G: Game> fmt::Debug for Workers<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.threads.len();
        f.debug_struct("Workers")
            .field("id", &self.id)
            .field("threads", &threads)
            .finish_non_exhaustive()
    }
}
