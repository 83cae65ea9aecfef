//! A network of the tests: its outputs are a function of the planes, so that they can be foretold.

#![allow(dead_code)] // Each test binary uses a part.

use std::collections::BTreeMap;
use std::thread::{self, ThreadId};

use dz_game::{Encoding, Game, mix64};
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};

#[derive(Debug)]
pub struct FakeNetwork {
    pub encoding_id: String,
    pub policy_len: usize,
    pub waiting: BTreeMap<Ticket, NetworkOutputs>,
    pub submitted: u64,
    /// Faults to show, for the checks of outputs.
    pub fault: Option<Fault>,
    /// Whether it gives handles.
    pub gives_handles: bool,
    /// The one thread that may use it, once a handle was used.
    pub thread: Option<ThreadId>,
    pub is_handle: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    NotANumber,
    TooShort,
    Unstable,
}

impl FakeNetwork {
    pub fn of<G: Game>(game: &G) -> Self {
        let encoding = game.encoding();
        Self {
            encoding_id: encoding.id(),
            policy_len: encoding.policy_len(),
            waiting: BTreeMap::new(),
            submitted: 0,
            fault: None,
            gives_handles: false,
            thread: None,
            is_handle: false,
        }
    }
}

/// Output `index` of a position with these planes, and the globals' bytes after them, in [-2, 2).
pub fn logit(seen: &[u8], index: usize) -> f32 {
    let word = seen.iter().fold(index as u64, |hash, &byte| mix64(hash ^ u64::from(byte)));
    (word >> 56) as f32 / 64.0 - 2.0
}

impl NetworkEvaluator for FakeNetwork {
    fn id(&self) -> &'static str {
        "fake"
    }
    fn encoding_id(&self) -> &str {
        &self.encoding_id
    }
    fn policy_len(&self) -> usize {
        self.policy_len
    }
    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        self.submitted += 1;
        if self.is_handle {
            let here = thread::current().id();
            assert_eq!(*self.thread.get_or_insert(here), here, "a handle has one thread");
        }
        let mut outputs = NetworkOutputs::default();
        let globals = batch.shape.globals;
        for i in 0..batch.len {
            let mut seen = batch.position(i).to_vec();
            let own = &batch.globals[i * globals..(i + 1) * globals];
            seen.extend(own.iter().flat_map(|number| number.to_le_bytes()));
            let logits = |range: std::ops::Range<usize>| {
                range.map(|index| logit(&seen, index)).collect::<Vec<_>>()
            };
            outputs.policy_logits.extend(logits(0..self.policy_len));
            outputs.wdl_logits.extend(logits(1000..1003));
        }
        match self.fault {
            Some(Fault::NotANumber) => outputs.wdl_logits[0] = f32::NAN,
            Some(Fault::TooShort) => _ = outputs.policy_logits.pop(),
            Some(Fault::Unstable) => outputs.wdl_logits[0] += batch.len as f32 * 1e-3,
            None => {}
        }
        let ticket = Ticket(self.submitted);
        self.waiting.insert(ticket, outputs);
        Ok(ticket)
    }
    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        self.waiting.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))
    }
    fn handle(&self) -> Option<Box<dyn NetworkEvaluator>> {
        let handle = || Self {
            encoding_id: self.encoding_id.clone(),
            policy_len: self.policy_len,
            waiting: BTreeMap::new(),
            submitted: 0,
            fault: self.fault,
            gives_handles: false,
            thread: None,
            is_handle: true,
        };
        self.gives_handles.then(|| Box::new(handle()) as Box<dyn NetworkEvaluator>)
    }
}
