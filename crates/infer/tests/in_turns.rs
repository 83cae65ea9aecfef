//! Several networks that take batches in turn are one network.

#![allow(clippy::unwrap_used)]

use crate::common::FakeNetwork;
use dz_game::{Encoding, Game, games::TicTacToe};
use dz_infer::contract::{check_network_evaluator, random_leaves};
use dz_infer::{
    EncodedBatch, EvaluatorError, InTurns, NetworkEvaluator, NetworkOutputs, Ticket, encode_leaves,
};

fn network() -> FakeNetwork {
    FakeNetwork::of(&TicTacToe)
}

/// Takes batches as long as it has a place for them: a device that holds one at a time.
struct OneAtATime {
    inner: FakeNetwork,
    held: usize,
    id: &'static str,
}

impl NetworkEvaluator for OneAtATime {
    fn id(&self) -> &str {
        self.id
    }
    fn encoding_id(&self) -> &str {
        self.inner.encoding_id()
    }
    fn policy_len(&self) -> usize {
        self.inner.policy_len()
    }
    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        assert_eq!(self.held, 0, "the other device has nothing to do");
        self.held += 1;
        self.inner.submit(batch)
    }
    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        self.held -= 1;
        self.inner.wait(ticket)
    }
}

#[test]
fn the_contract_is_kept() {
    let boxed = || Box::new(network()) as Box<dyn NetworkEvaluator>;
    let mut three = InTurns::new((0..3).map(|_| boxed()).collect()).unwrap();
    check_network_evaluator(&TicTacToe, &mut three, 3, 0.0).unwrap();
    assert!(three.handle().is_none(), "batches go to devices");
    assert_eq!(three.encoding_id(), TicTacToe.encoding().id());
    assert_eq!(three.batches(), 6, "one to work on and one that waits, for each device");
}

#[test]
fn batches_are_spread_and_answers_find_their_way() {
    let one = |id| {
        let inner = network();
        Box::new(OneAtATime { inner, held: 0, id }) as Box<dyn NetworkEvaluator>
    };
    let mut both = InTurns::new(vec![one("a"), one("a")]).unwrap();
    let leaves = random_leaves(&TicTacToe, 8, 2);
    let batch = |part: std::ops::Range<usize>| {
        encode_leaves::<TicTacToe>(&TicTacToe.encoding(), &leaves[part])
    };
    let answer = |part| {
        let mut alone = network();
        let ticket = alone.submit(batch(part)).unwrap();
        alone.wait(ticket).unwrap()
    };
    for _ in 0..3 {
        let tickets = [both.submit(batch(0..3)).unwrap(), both.submit(batch(3..8)).unwrap()];
        assert_eq!(both.wait(tickets[1]).unwrap(), answer(3..8));
        assert_eq!(both.wait(tickets[0]).unwrap(), answer(0..3));
        assert!(both.wait(tickets[0]).is_err());
    }
    let refused = InTurns::new(vec![one("a"), one("b")]).err().unwrap();
    assert!(refused.to_string().contains("'a' and 'b'"), "{refused}");
    assert!(InTurns::new(Vec::new()).is_err());
}
