//! Several devices as one: batches go to them in turn.

use std::collections::BTreeMap;

use crate::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};

/// Networks of one id, one on each of several devices. Batches go to them round robin, so as many
/// batches in flight as there are devices keep all of them busy.
pub struct InTurns {
    networks: Vec<Box<dyn NetworkEvaluator>>,
    /// Batches that were submitted.
    submitted: u64,
    /// The network that has a batch, and its ticket there.
    in_flight: BTreeMap<Ticket, (usize, Ticket)>,
}

impl InTurns {
    /// One or more networks that give equal outputs.
    ///
    /// # Errors
    /// [`EvaluatorError::Unlike`] if there are none, or two whose ids differ.
    pub fn new(networks: Vec<Box<dyn NetworkEvaluator>>) -> Result<Self, EvaluatorError> {
        let id = |network: Option<&Box<dyn NetworkEvaluator>>| {
            network.map_or_else(|| "none".to_owned(), |network| network.id().to_owned())
        };
        let first = id(networks.first());
        let other = networks.iter().find(|network| network.id() != first);
        if networks.is_empty() || other.is_some() {
            return Err(EvaluatorError::Unlike { first, other: id(other) });
        }
        Ok(Self { networks, submitted: 0, in_flight: BTreeMap::new() })
    }
}

impl NetworkEvaluator for InTurns {
    fn id(&self) -> &str {
        self.networks[0].id()
    }

    fn encoding_id(&self) -> &str {
        self.networks[0].encoding_id()
    }

    fn policy_len(&self) -> usize {
        self.networks[0].policy_len()
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let turn = (self.submitted % self.networks.len() as u64) as usize;
        let theirs = self.networks[turn].submit(batch)?;
        let ticket = Ticket(self.submitted);
        self.submitted += 1;
        self.in_flight.insert(ticket, (turn, theirs));
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        let flight = self.in_flight.remove(&ticket);
        let (turn, theirs) = flight.ok_or(EvaluatorError::UnknownTicket(ticket))?;
        self.networks[turn].wait(theirs)
    }

    fn batches(&self) -> usize {
        self.networks.iter().map(NetworkEvaluator::batches).sum()
    }

    fn has_margins(&self) -> bool {
        self.networks[0].has_margins()
    }

    fn has_errors(&self) -> bool {
        self.networks[0].has_errors()
    }

    fn ownership(&mut self, batch: &EncodedBatch) -> Result<Option<Vec<f32>>, EvaluatorError> {
        self.networks[0].ownership(batch)
    }
}
