//! Several evaluators that take batches in turn are one evaluator.

#![allow(clippy::unwrap_used)]

use crate::common::FakeNetwork;
use dz_game::games::TicTacToe;
use dz_infer::contract::{check_evaluator, random_leaves};
use dz_infer::{Encoded, Evaluation, Evaluator, EvaluatorError, InTurns, Leaf, Ticket};

fn network() -> Box<dyn Evaluator<TicTacToe>> {
    Box::new(Encoded::new(&TicTacToe, FakeNetwork::of(&TicTacToe)).unwrap())
}

/// Takes batches as long as it has a place for them: a device that holds one at a time.
struct OneAtATime(Box<dyn Evaluator<TicTacToe>>, usize, &'static str);

impl Evaluator<TicTacToe> for OneAtATime {
    fn id(&self) -> &str {
        self.2
    }
    fn submit(&mut self, leaves: &[&Leaf<TicTacToe>]) -> Result<Ticket, EvaluatorError> {
        assert_eq!(self.1, 0, "the other device has nothing to do");
        self.1 += 1;
        self.0.submit(leaves)
    }
    fn wait(&mut self, ticket: Ticket) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.1 -= 1;
        self.0.wait(ticket)
    }
}

#[test]
fn the_contract_is_kept() {
    let mut three = InTurns::new((0..3).map(|_| network()).collect()).unwrap();
    check_evaluator(&TicTacToe, &mut three, 3).unwrap();
    assert!(three.handle().is_none(), "batches go to devices");
}

#[test]
fn batches_are_spread_and_answers_find_their_way() {
    let one = |id| Box::new(OneAtATime(network(), 0, id)) as Box<dyn Evaluator<TicTacToe>>;
    let mut both = InTurns::new(vec![one("a"), one("a")]).unwrap();
    let leaves = random_leaves(&TicTacToe, 8, 2);
    let leaves: Vec<_> = leaves.iter().collect();
    let (front, back) = leaves.split_at(3);
    for _ in 0..3 {
        let tickets = [both.submit(front).unwrap(), both.submit(back).unwrap()];
        assert_eq!(both.wait(tickets[1]).unwrap().len(), 5);
        assert_eq!(both.wait(tickets[0]).unwrap().len(), 3);
        assert!(both.wait(tickets[0]).is_err());
    }
    let refused = InTurns::new(vec![one("a"), one("b")]).err().unwrap();
    assert!(refused.to_string().contains("'a' and 'b'"), "{refused}");
    assert!(InTurns::<TicTacToe>::new(Vec::new()).is_err());
}
