//! What the lockstep drives, and who hands it out.

use dz_game::Game;

use super::counts::{LockstepCounts, LockstepTimes};
use crate::{Evaluation, EvaluatorError, Leaf, Readers};

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
