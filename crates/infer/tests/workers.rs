//! Threads that evaluate: every request is answered, even if a thread fails.

use std::{collections::BTreeMap, thread, time::Duration};

use dz_game::PlaneShape;
use dz_infer::{
    EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket, Workers,
    contract::check_network_evaluator,
};

use crate::common::FakeNetwork;

/// Says what byte a position has, later for larger ones; panics at a zero.
#[derive(Default)]
struct Counter {
    done: BTreeMap<Ticket, NetworkOutputs>,
}

impl NetworkEvaluator for Counter {
    fn id(&self) -> &'static str {
        "counter"
    }

    fn encoding_id(&self) -> &'static str {
        "bytes"
    }

    fn policy_len(&self) -> usize {
        1
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let ticket = Ticket(self.done.len() as u64);
        let mut outputs = NetworkOutputs::default();
        for &byte in &batch.bits {
            assert!(byte > 0, "a zero: this test wants a panic");
            thread::sleep(Duration::from_millis(byte.into()));
            outputs.policy_logits.push(byte.into());
        }
        self.done.insert(ticket, outputs);
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        self.done.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))
    }

    fn handle(&self) -> Option<Box<dyn NetworkEvaluator>> {
        Some(Box::new(Self::default()))
    }
}

/// Positions of one byte each.
fn batch(bytes: &[u8]) -> EncodedBatch {
    let shape = PlaneShape { channels: 1, height: 1, width: 1, globals: 0 };
    EncodedBatch { shape, len: bytes.len(), bits: bytes.to_vec(), globals: Vec::new() }
}

fn answer(bytes: &[u8]) -> Vec<f32> {
    bytes.iter().copied().map(f32::from).collect()
}

#[test]
fn the_contract_is_kept() {
    let game = dz_game::games::TicTacToe;
    let network = FakeNetwork { gives_handles: true, ..FakeNetwork::of(&game) };
    let mut workers = Workers::of(&network, 3).expect("it has handles");
    check_network_evaluator(&game, &mut workers, 4, 0.0).expect("kept");
    let facts = (workers.encoding_id(), workers.policy_len(), workers.handle().is_none());
    assert_eq!(facts, (network.encoding_id(), 9, true));
    assert!(Workers::of(&FakeNetwork::of(&game), 2).is_none(), "a device gives no handles");
}

#[test]
fn answers_go_to_the_batch_that_they_are_for() {
    let mut workers = Workers::of(&Counter::default(), 2).expect("it has handles");
    assert_eq!((workers.id(), workers.batches()), ("counter", 4));
    let batches: Vec<[u8; 2]> = [9, 1, 5, 2, 8].iter().map(|&byte| [byte, 1]).collect();
    let tickets: Vec<Ticket> =
        batches.iter().map(|bytes| workers.submit(batch(bytes)).expect("sent")).collect();
    // Asked for in another order than they are done or were sent.
    for index in [3, 0, 4, 1, 2] {
        let outputs = workers.wait(tickets[index]).expect("evaluated");
        assert_eq!(outputs.policy_logits, answer(&batches[index]));
        let again = workers.wait(tickets[index]);
        assert!(matches!(again, Err(EvaluatorError::UnknownTicket(_))));
    }
}

#[test]
fn a_thread_that_is_alone_works_when_it_waits() {
    let mut workers = Workers::of(&Counter::default(), 1).expect("it has handles");
    assert_eq!(workers.batches(), 1);
    let tickets: Vec<Ticket> =
        (2..5).map(|byte| workers.submit(batch(&[byte])).expect("queued")).collect();
    for (ticket, byte) in tickets.into_iter().zip(2_u8..5).rev() {
        assert_eq!(workers.wait(ticket).expect("evaluated").policy_logits, answer(&[byte]));
    }
    let bad = workers.submit(batch(&[0])).expect("queued");
    assert!(workers.wait(bad).is_err());
    let asked = workers.submit(batch(&[3])).and_then(|ticket| workers.wait(ticket));
    assert!(asked.is_err(), "nobody is left");
}

#[test]
fn a_thread_that_panics_is_an_error_and_the_others_go_on() {
    let mut workers = Workers::of(&Counter::default(), 2).expect("it has handles");
    let bad = workers.submit(batch(&[0])).expect("sent");
    let error = workers.wait(bad).expect_err("it panics");
    assert!(error.to_string().contains("panicked"), "{error}");
    let good = workers.submit(batch(&[3])).expect("sent");
    assert_eq!(workers.wait(good).expect("evaluated").policy_logits, answer(&[3]));
    let last = workers.submit(batch(&[0])).expect("sent");
    assert!(workers.wait(last).is_err());
    // Nobody is left.
    let asked = workers.submit(batch(&[3])).and_then(|ticket| workers.wait(ticket));
    assert!(asked.is_err());
}
