//! From positions to planes and from logits to evaluations.

use std::collections::BTreeMap;

use dz_game::{Encoding, Game, Move, PlaneShape, PlaneWriter, Wdl};
use rayon::prelude::*;

use crate::{
    EncodedBatch, Evaluation, Evaluator, EvaluatorError, Leaf, NetworkEvaluator, Note, Ticket,
};

/// An [`Evaluator`] over a [`NetworkEvaluator`]: encodes leaves, then takes the softmax of policy
/// logits over legal moves and of the WDL logits.
#[derive(Debug)]
pub struct Encoded<G: Game, N> {
    encoding: G::Encoding,
    network: N,
    /// Batches in flight.
    in_flight: BTreeMap<Ticket, Places>,
    /// Positions that are drawn and finished on one thread at least; all of a batch where it has
    /// one only.
    together: usize,
}

/// Positions that are worth handing to another thread.
const TOGETHER: usize = 32;

/// Where the legal moves of a batch's leaves stand in the policy.
#[derive(Debug)]
struct Places {
    /// Of all leaves, one after another.
    indices: Vec<u32>,
    /// Where each leaf's end.
    ends: Vec<usize>,
}

impl<G: Game, N: NetworkEvaluator> Encoded<G, N> {
    /// The adapter for `game`'s current encoding.
    ///
    /// # Errors
    /// [`EvaluatorError::WrongEncoding`] or [`EvaluatorError::WrongPolicy`] if the network is not
    /// for this game's encoding.
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
}

impl<G: Game, N: NetworkEvaluator + 'static> Evaluator<G> for Encoded<G, N> {
    fn id(&self) -> &str {
        self.network.id()
    }

    fn submit(&mut self, leaves: &[&Leaf<G>]) -> Result<Ticket, EvaluatorError> {
        let (batch, places) = draw(&self.encoding, leaves, self.together);
        let ticket = self.network.submit(batch)?;
        self.in_flight.insert(ticket, places);
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
        let places = self.in_flight.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))?;
        let outputs = self.network.wait(ticket)?;
        let (policy_len, len) = (self.network.policy_len(), places.ends.len());
        self.check_length(outputs.policy_logits.len(), len * policy_len)?;
        self.check_length(outputs.wdl_logits.len(), len * 3)?;
        let evaluations: Option<Vec<Evaluation>> = outputs
            .policy_logits
            .par_chunks_exact(policy_len)
            .with_min_len(self.together)
            .zip(outputs.wdl_logits.par_chunks_exact(3))
            .enumerate()
            .map(|(leaf, (policy, wdl))| {
                let evaluation = evaluation_of(places.of(leaf), policy, wdl);
                is_finite(&evaluation).then(|| {
                    note(leaf, &evaluation);
                    evaluation
                })
            })
            .collect();
        let evaluator = || self.network.id().to_owned();
        evaluations.ok_or_else(|| EvaluatorError::NotFinite { evaluator: evaluator() })
    }

    /// Where points have owners, the move to a point has the point's number, and its place in the
    /// policy is the point's as seen through the symmetry.
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
    draw(encoding, &leaves.iter().collect::<Vec<_>>(), usize::MAX).0
}

/// The same and where moves stand in the policy, at least so many leaves on one thread.
fn draw<G: Game>(
    encoding: &G::Encoding,
    leaves: &[&Leaf<G>],
    together: usize,
) -> (EncodedBatch, Places) {
    let shape = encoding.planes();
    let mut batch = EncodedBatch::zeroed(shape, leaves.len());
    let mut places = Places::blank(leaves);
    let (mut bits, mut globals) = (&mut batch.bits[..], &mut batch.globals[..]);
    let mut indices = &mut places.indices[..];
    let mut parts = Vec::new();
    for leaves in leaves.chunks(together.clamp(1, leaves.len().max(1))) {
        let moves = leaves.iter().map(|leaf| leaf.legal.len()).sum();
        let (own_bits, bits_left) = bits.split_at_mut(leaves.len() * shape.packed_bytes());
        let (own_globals, globals_left) = globals.split_at_mut(leaves.len() * shape.globals);
        let (own_indices, indices_left) = indices.split_at_mut(moves);
        (bits, globals, indices) = (bits_left, globals_left, indices_left);
        parts.push(Part { leaves, bits: own_bits, globals: own_globals, indices: own_indices });
    }
    parts.into_par_iter().for_each(|part| part.draw(encoding, shape));
    (batch, places)
}

/// Leaves of a batch, and what is to be made of them.
struct Part<'a, G: Game> {
    leaves: &'a [&'a Leaf<G>],
    bits: &'a mut [u8],
    globals: &'a mut [f32],
    indices: &'a mut [u32],
}

impl<G: Game> Part<'_, G> {
    fn draw(self, encoding: &G::Encoding, shape: PlaneShape) {
        let mut rest = self.globals;
        let mut indices = self.indices.iter_mut();
        for (leaf, bits) in self.leaves.iter().zip(self.bits.chunks_exact_mut(shape.packed_bytes()))
        {
            let Leaf { state, history, legal, symmetry, .. } = leaf;
            // Slices of no numbers have to be cut by hand.
            let (globals, others) = rest.split_at_mut(shape.globals);
            rest = others;
            encoding.encode(state, history, *symmetry, &mut PlaneWriter::new(shape, bits, globals));
            for (&mv, index) in legal.iter().zip(&mut indices) {
                *index = encoding.policy_index(state, mv, *symmetry) as u32;
            }
        }
    }
}

impl Places {
    fn blank<G: Game>(leaves: &[&Leaf<G>]) -> Self {
        let mut sum = 0;
        let ends = leaves.iter().map(|leaf| {
            sum += leaf.legal.len();
            sum
        });
        let ends: Vec<usize> = ends.collect();
        Self { indices: vec![0; sum], ends }
    }

    fn of(&self, leaf: usize) -> &[u32] {
        let begin = leaf.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.indices[begin..self.ends[leaf]]
    }
}

/// Softmaxes of the legal moves' logits, and of those of win, draw and loss.
fn evaluation_of(places: &[u32], policy: &[f32], wdl: &[f32]) -> Evaluation {
    let mut priors: Vec<f32> = places.iter().map(|&index| policy[index as usize]).collect();
    softmax(&mut priors);
    let mut chances = [wdl[0], wdl[1], wdl[2]];
    softmax(&mut chances);
    Evaluation { wdl: Wdl::from_array(chances), priors }
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
