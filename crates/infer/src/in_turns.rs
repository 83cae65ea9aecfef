//! Several devices as one: batches go to them in turn.

use std::collections::BTreeMap;

use dz_game::Game;

use crate::{Evaluation, Evaluator, EvaluatorError, Leaf, Note, Ticket};

/// Evaluators of one id, one on each of several devices. Batches go to them round robin, so as many
/// batches in flight as there are devices keep all of them busy.
pub struct InTurns<G: Game> {
    evaluators: Vec<Box<dyn Evaluator<G>>>,
    /// Batches that were submitted.
    submitted: u64,
    /// The evaluator that has a batch, and its ticket there.
    in_flight: BTreeMap<Ticket, (usize, Ticket)>,
}

impl<G: Game> InTurns<G> {
    /// One or more evaluators that give equal evaluations.
    ///
    /// # Errors
    /// [`EvaluatorError::Unlike`] if there are none, or two whose ids differ.
    pub fn new(evaluators: Vec<Box<dyn Evaluator<G>>>) -> Result<Self, EvaluatorError> {
        let id = |evaluator: Option<&Box<dyn Evaluator<G>>>| {
            evaluator.map_or_else(|| "none".to_owned(), |evaluator| evaluator.id().to_owned())
        };
        let first = id(evaluators.first());
        let other = evaluators.iter().find(|evaluator| evaluator.id() != first);
        if evaluators.is_empty() || other.is_some() {
            return Err(EvaluatorError::Unlike { first, other: id(other) });
        }
        Ok(Self { evaluators, submitted: 0, in_flight: BTreeMap::new() })
    }
}

impl<G: Game> Evaluator<G> for InTurns<G> {
    fn id(&self) -> &str {
        self.evaluators[0].id()
    }

    fn submit(&mut self, leaves: &[&Leaf<G>]) -> Result<Ticket, EvaluatorError> {
        let turn = (self.submitted % self.evaluators.len() as u64) as usize;
        let theirs = self.evaluators[turn].submit(leaves)?;
        let ticket = Ticket(self.submitted);
        self.submitted += 1;
        self.in_flight.insert(ticket, (turn, theirs));
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.wait_noting(ticket, &|_, _| {})
    }

    fn wait_noting(
        &mut self,
        ticket: Ticket,
        note: &Note<'_>,
    ) -> Result<Vec<Evaluation>, EvaluatorError> {
        let flight = self.in_flight.remove(&ticket);
        let (turn, theirs) = flight.ok_or(EvaluatorError::UnknownTicket(ticket))?;
        self.evaluators[turn].wait_noting(theirs, note)
    }

    fn ownership(&mut self, leaf: &Leaf<G>) -> Result<Option<Vec<f32>>, EvaluatorError> {
        self.evaluators[0].ownership(leaf)
    }
}
