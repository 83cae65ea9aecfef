//! From positions to planes and from logits to evaluations.

use std::collections::BTreeMap;

use dz_game::{Encoding, Game, Move, PlaneWriter, Symmetry, Wdl};
use rayon::prelude::*;

use crate::{EncodedBatch, Evaluation, Evaluator, EvaluatorError, Leaf, NetworkEvaluator, Ticket};

/// An [`Evaluator`] over a [`NetworkEvaluator`]: encodes leaves, then takes the softmax of policy
/// logits over legal moves and of the WDL logits.
#[derive(Debug)]
pub struct Encoded<G: Game, N> {
    encoding: G::Encoding,
    network: N,
    /// For each batch in flight, where each leaf's legal moves stand in the policy.
    in_flight: BTreeMap<Ticket, Vec<Vec<usize>>>,
    /// Positions that are finished on one thread at least; all of a batch where it has one only.
    together: usize,
}

/// Positions whose softmaxes are worth handing to another thread.
const TOGETHER: usize = 64;

impl<G: Game, N: NetworkEvaluator> Encoded<G, N> {
    /// The adapter for `game`'s current encoding.
    ///
    /// # Errors
    /// [`EvaluatorError::WrongEncoding`] or [`EvaluatorError::WrongPolicy`] if the network is not for
    /// this game's encoding.
    pub fn new(game: &G, network: N) -> Result<Self, EvaluatorError> {
        let encoding = game.encoding();
        if network.encoding_id() != encoding.id() {
            return Err(EvaluatorError::WrongEncoding {
                network: network.encoding_id().to_owned(),
                game: encoding.id(),
            });
        }
        let (network_len, game_len) = (network.policy_len(), encoding.policy_len());
        if network_len != game_len {
            return Err(EvaluatorError::WrongPolicy { network: network_len, game: game_len });
        }
        Ok(Self { encoding, network, in_flight: BTreeMap::new(), together: TOGETHER })
    }

    fn check_length(&self, got: usize, wanted: usize) -> Result<(), EvaluatorError> {
        if got == wanted {
            return Ok(());
        }
        Err(EvaluatorError::WrongLength { evaluator: self.network.id().to_owned(), got, wanted })
    }

    fn indices(&self, state: &G::State, legal: &[Move], symmetry: Symmetry) -> Vec<usize> {
        legal.iter().map(|&mv| self.encoding.policy_index(state, mv, symmetry)).collect()
    }
}

impl<G: Game, N: NetworkEvaluator + 'static> Evaluator<G> for Encoded<G, N> {
    fn id(&self) -> &str {
        self.network.id()
    }

    fn submit(&mut self, leaves: &[Leaf<G>]) -> Result<Ticket, EvaluatorError> {
        let batch = encode_leaves(&self.encoding, leaves);
        let indices = leaves
            .iter()
            .map(|leaf| self.indices(&leaf.state, &leaf.legal, leaf.symmetry))
            .collect();
        let ticket = self.network.submit(batch)?;
        self.in_flight.insert(ticket, indices);
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<Vec<Evaluation>, EvaluatorError> {
        let indices =
            self.in_flight.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))?;
        let outputs = self.network.wait(ticket)?;
        let policy_len = self.network.policy_len();
        self.check_length(outputs.policy_logits.len(), indices.len() * policy_len)?;
        self.check_length(outputs.wdl_logits.len(), indices.len() * 3)?;
        let evaluations: Vec<Evaluation> = indices
            .par_iter()
            .with_min_len(self.together)
            .zip(outputs.policy_logits.par_chunks_exact(policy_len))
            .zip(outputs.wdl_logits.par_chunks_exact(3))
            .map(|((indices, policy), wdl)| {
                let mut priors: Vec<f32> = indices.iter().map(|&i| policy[i]).collect();
                softmax(&mut priors);
                let mut chances = [wdl[0], wdl[1], wdl[2]];
                softmax(&mut chances);
                Evaluation { wdl: Wdl::from_array(chances), priors }
            })
            .collect();
        if evaluations.iter().all(is_finite) {
            Ok(evaluations)
        } else {
            Err(EvaluatorError::NotFinite { evaluator: self.network.id().to_owned() })
        }
    }

    /// Where points have owners, the move to a point has the point's number, and its place in the policy is the
    /// point's as seen through the symmetry.
    fn ownership(&mut self, leaf: &Leaf<G>) -> Result<Option<Vec<f32>>, EvaluatorError> {
        if !self.encoding.targets().ownership {
            return Ok(None);
        }
        let batch = encode_leaves(&self.encoding, std::slice::from_ref(leaf));
        let Some(logits) = self.network.ownership(&batch)? else { return Ok(None) };
        let area = self.encoding.planes().area();
        self.check_length(logits.len(), 3 * area)?;
        let owned = (0..area).map(|point| {
            let mv = Move(point as u16);
            let seen = self.encoding.policy_index(&leaf.state, mv, leaf.symmetry);
            let mut shares = [logits[3 * seen], logits[3 * seen + 1], logits[3 * seen + 2]];
            softmax(&mut shares);
            shares[0] - shares[2]
        });
        let owned: Vec<f32> = owned.collect();
        if owned.iter().all(|share| share.is_finite()) {
            return Ok(Some(owned));
        }
        Err(EvaluatorError::NotFinite { evaluator: self.network.id().to_owned() })
    }

    /// With a device one is worked on while the next is made.
    fn batches(&self) -> usize {
        if self.network.handle().is_some() { 1 } else { 2 }
    }

    fn handle(&self) -> Option<Box<dyn Evaluator<G>>> {
        let (network, encoding) = (self.network.handle()?, self.encoding.clone());
        let in_flight = BTreeMap::new();
        Some(Box::new(Self { encoding, network, in_flight, together: usize::MAX }))
    }
}

/// Draws each leaf as its mover sees it, through the leaf's symmetry.
pub fn encode_leaves<G: Game>(encoding: &G::Encoding, leaves: &[Leaf<G>]) -> EncodedBatch {
    let shape = encoding.planes();
    let mut batch = EncodedBatch::zeroed(shape, leaves.len());
    let mut globals = batch.globals.as_mut_slice();
    for (leaf, bits) in leaves.iter().zip(batch.bits.chunks_exact_mut(shape.packed_bytes())) {
        let (own, rest) = globals.split_at_mut(shape.globals);
        globals = rest;
        let mut writer = PlaneWriter::new(shape, bits, own);
        encoding.encode(&leaf.state, &leaf.history, leaf.symmetry, &mut writer);
    }
    batch
}

fn is_finite(evaluation: &Evaluation) -> bool {
    let chances = evaluation.wdl.to_array();
    chances.iter().chain(&evaluation.priors).all(|share| share.is_finite())
}

/// Softmax in place, in the order of the elements, so that the bits do not depend on anything else.
fn softmax(values: &mut [f32]) {
    let top = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = (*value - top).exp();
        sum += *value;
    }
    for value in values.iter_mut() {
        *value /= sum;
    }
}
