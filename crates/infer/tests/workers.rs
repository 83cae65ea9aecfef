//! Threads that evaluate: what is asked of them comes back, whatever happens to a thread.

use std::{collections::BTreeMap, thread, time::Duration};

use dz_game::{Game, Symmetry, Wdl, games::TicTacToe};
use dz_infer::{Evaluation, Evaluator, EvaluatorError, Leaf, Ticket, Workers};

/// Says how many moves a position has, later for positions with more; panics at a finished board.
#[derive(Default)]
struct Counter {
    done: BTreeMap<Ticket, Vec<Evaluation>>,
}

impl Evaluator<TicTacToe> for Counter {
    fn id(&self) -> &'static str {
        "counter"
    }

    fn submit(&mut self, leaves: &[&Leaf<TicTacToe>]) -> Result<Ticket, EvaluatorError> {
        let ticket = Ticket(self.done.len() as u64);
        let evaluations = leaves.iter().map(|leaf| {
            assert!(!leaf.legal.is_empty(), "a finished game: this test wants a panic");
            thread::sleep(Duration::from_millis(leaf.legal.len() as u64));
            let win = leaf.legal.len() as f32 / 9.0;
            Evaluation { wdl: Wdl { win, draw: 0.0, loss: 1.0 - win }, priors: vec![] }
        });
        self.done.insert(ticket, evaluations.collect());
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.done.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))
    }

    fn handle(&self) -> Option<Box<dyn Evaluator<TicTacToe>>> {
        Some(Box::new(Self::default()))
    }
}

/// A position with so many legal moves.
fn leaf(moves: usize) -> Leaf<TicTacToe> {
    let (state, mut legal) = (TicTacToe.start(), Vec::new());
    TicTacToe.legal_moves(&state, &(), &mut legal);
    legal.truncate(moves);
    let eval_key = TicTacToe.eval_key(&state, &());
    Leaf { state, history: (), legal, eval_key, symmetry: Symmetry::IDENTITY }
}

#[test]
fn answers_go_to_the_batch_that_they_are_for() {
    let mut workers = Workers::of(&Counter::default(), 2).expect("it has handles");
    assert_eq!((workers.id(), workers.batches()), ("counter", 4));
    let batches: Vec<Vec<Leaf<TicTacToe>>> =
        [9, 1, 5, 2, 8].iter().map(|&moves| vec![leaf(moves), leaf(1)]).collect();
    let tickets: Vec<Ticket> = batches
        .iter()
        .map(|batch| workers.submit(&batch.iter().collect::<Vec<_>>()).expect("sent"))
        .collect();
    // Asked for in another order than they are done or were sent.
    for index in [3, 0, 4, 1, 2] {
        let answers = workers.wait(tickets[index]).expect("evaluated");
        let wins: Vec<f32> = answers.iter().map(|answer| answer.wdl.win).collect();
        assert_eq!(wins, [batches[index][0].legal.len() as f32 / 9.0, 1.0 / 9.0]);
        let again = workers.wait(tickets[index]);
        assert!(matches!(again, Err(EvaluatorError::UnknownTicket(_))));
    }
}

#[test]
fn a_thread_that_is_alone_works_when_it_waits() {
    let mut workers = Workers::of(&Counter::default(), 1).expect("it has handles");
    assert_eq!(workers.batches(), 1);
    let tickets: Vec<Ticket> =
        (2..5).map(|moves| workers.submit(&[&leaf(moves)]).expect("queued")).collect();
    for (ticket, moves) in tickets.into_iter().zip(2_u8..5).rev() {
        let answers = workers.wait(ticket).expect("evaluated");
        assert_eq!(answers[0].wdl.win, f32::from(moves) / 9.0);
    }
    let bad = workers.submit(&[&leaf(0)]).expect("queued");
    assert!(workers.wait(bad).is_err());
    let asked = workers.submit(&[&leaf(3)]).and_then(|ticket| workers.wait(ticket));
    assert!(asked.is_err(), "nobody is left");
}

#[test]
fn a_thread_that_panics_is_an_error_and_the_others_go_on() {
    let mut workers = Workers::of(&Counter::default(), 2).expect("it has handles");
    let bad = workers.submit(&[&leaf(0)]).expect("sent");
    let error = workers.wait(bad).expect_err("it panics");
    assert!(error.to_string().contains("panicked"), "{error}");
    let good = workers.submit(&[&leaf(3)]).expect("sent");
    assert_eq!(workers.wait(good).expect("evaluated").len(), 1);
    let last = workers.submit(&[&leaf(0)]).expect("sent");
    assert!(workers.wait(last).is_err());
    // Nobody is left.
    let asked = workers.submit(&[&leaf(3)]).and_then(|ticket| workers.wait(ticket));
    assert!(asked.is_err());
}
