//! What the lockstep drives, and who hands it out.

use dz_game::Game;

use super::counts::{LockstepCounts, LockstepTimes};
use crate::{EncodedLeaf, Evaluation, EvaluatorError, Readers};

/// Something that plays, one evaluation at a time: a self-play game, a game of a match.
pub trait GameTask<G: Game>: Send {
    /// Goes on until an evaluation is missing, and says which in `request`. Returns false if all is
    /// done instead.
    fn resume(&mut self, readers: &Readers<G>, request: &mut Request) -> bool;
    /// Takes the evaluation that `resume` asked for.
    fn apply(&mut self, evaluation: &Evaluation);
}

/// Hands out tasks and takes them back. One thread at a time calls it.
pub trait Roster<T>: Send {
    /// What can go wrong with what is handed back.
    type Error: From<EvaluatorError> + Send;
    /// The next task to start, or `None` when no more are to be started; it stays at that.
    fn next(&mut self) -> Option<T>;
    /// Takes a task that is done.
    ///
    /// # Errors
    /// What ends the run: tasks in progress are dropped.
    fn finished(&mut self, task: T, counts: &LockstepCounts) -> Result<(), Self::Error>;
    /// Takes what a driving thread spent its time on. Called once by each, at its end.
    fn thread_ended(&mut self, _times: &LockstepTimes) {}
    /// Called once a step, for progress reports; not while another thread has the roster.
    fn step(&mut self, _counts: &LockstepCounts) {}
}

/// A position to evaluate and which of the sources is to do it.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Index of the source.
    pub source: usize,
    /// The position, by [`Readers::encode`].
    pub leaf: EncodedLeaf,
}
