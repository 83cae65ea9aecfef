//! From positions to planes and from logits to evaluations.

use std::{collections::BTreeMap, fmt};

use dz_game::{Encoding, Game, Move, PlaneShape, PlaneWriter, Wdl};
use rayon::prelude::*;

use crate::parallel::{Task, run_all};
use crate::{
    EncodedBatch, Evaluation, Evaluator, EvaluatorError, Leaf, NetworkEvaluator, NetworkOutputs,
    Note, Ticket,
};

/// An [`Evaluator`] over a [`NetworkEvaluator`]: encodes leaves, then takes the softmax of policy
/// logits over legal moves and of the WDL logits.
pub struct Encoded<G: Game> {
    encoding: G::Encoding,
    network: Box<dyn NetworkEvaluator>,
    /// Batches in flight.
    in_flight: BTreeMap<Ticket, PolicyIndices>,
    /// Positions that one thread encodes and finishes at least; all of a batch where no other
    /// thread helps.
    part_len: usize,
}

/// Positions that are worth handing to another thread.
const PART_LEN: usize = 32;

/// Policy indices of the legal moves of a batch's leaves.
#[derive(Debug)]
struct PolicyIndices {
    /// Of all leaves, one after another.
    indices: Vec<u32>,
    /// Where each leaf's end.
    ends: Vec<usize>,
}

impl<G: Game> Encoded<G> {
    /// The adapter for `game`'s current encoding.
    ///
    /// # Errors
    /// [`EvaluatorError::WrongEncoding`] or [`EvaluatorError::WrongPolicy`] if the network is not
    /// for this game's encoding.
    pub fn new(game: &G, network: impl NetworkEvaluator + 'static) -> Result<Self, EvaluatorError> {
        let encoding = game.encoding();
        if network.encoding_id() != encoding.id() {
            return Err(EvaluatorError::WrongEncoding {
                network: network.encoding_id().to_owned(),
                game: encoding.id(),
            });
        }
        let network_len = network.policy_len();
        let game_len = encoding.policy_len();
        if network_len != game_len {
            return Err(EvaluatorError::WrongPolicy { network: network_len, game: game_len });
        }
        let network = Box::new(network);
        Ok(Self { encoding, network, in_flight: BTreeMap::new(), part_len: PART_LEN })
    }

    fn check_length(&self, got: usize, wanted: usize) -> Result<(), EvaluatorError> {
        if got == wanted {
            return Ok(());
        }
        Err(EvaluatorError::WrongLength { evaluator: self.network.id().to_owned(), got, wanted })
    }
}

impl<G: Game> Evaluator<G> for Encoded<G> {
    fn id(&self) -> &str {
        self.network.id()
    }

    fn submit(&mut self, leaves: &[&Leaf<G>]) -> Result<Ticket, EvaluatorError> {
        let (batch, indices) = encode::<G>(&self.encoding, leaves, self.part_len);
        let ticket = self.network.submit(batch)?;
        self.in_flight.insert(ticket, indices);
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
        let indices =
            self.in_flight.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))?;
        let outputs = self.network.wait(ticket)?;
        let policy_len = self.network.policy_len();
        self.check_length(outputs.policy_logits.len(), indices.len() * policy_len)?;
        self.check_length(outputs.wdl_logits.len(), indices.len() * 3)?;
        let evaluations = evaluations(&indices, &outputs, policy_len, self.part_len, note);
        evaluations
            .ok_or_else(|| EvaluatorError::NotFinite { evaluator: self.network.id().to_owned() })
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
        Some(Box::new(Self {
            encoding: self.encoding.clone(),
            network: self.network.handle()?,
            in_flight: BTreeMap::new(),
            part_len: usize::MAX,
        }))
    }
}

impl<G: Game> fmt::Debug for Encoded<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Encoded").field(&self.network.id()).finish()
    }
}

/// Encodes each leaf as its mover sees it, through the leaf's symmetry.
pub fn encode_leaves<G: Game>(encoding: &G::Encoding, leaves: &[Leaf<G>]) -> EncodedBatch {
    encode(encoding, &leaves.iter().collect::<Vec<_>>(), usize::MAX).0
}

/// The same and the policy indices, in parts of `part_len` leaves, each on one thread.
fn encode<G: Game>(
    encoding: &G::Encoding,
    leaves: &[&Leaf<G>],
    part_len: usize,
) -> (EncodedBatch, PolicyIndices) {
    let shape = encoding.planes();
    let mut batch = EncodedBatch::zeroed(shape, leaves.len());
    let mut policy = PolicyIndices::zeroed(leaves);
    let mut bits = &mut batch.bits[..];
    let mut globals = &mut batch.globals[..];
    let mut indices = &mut policy.indices[..];
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for leaves in leaves.chunks(part_len.clamp(1, leaves.len().max(1))) {
        let moves = leaves.iter().map(|leaf| leaf.legal.len()).sum();
        let part = Part {
            leaves,
            bits: take_front(&mut bits, leaves.len() * shape.packed_bytes()),
            globals: take_front(&mut globals, leaves.len() * shape.globals),
            indices: take_front(&mut indices, moves),
        };
        tasks.push(Box::new(move || part.encode(encoding, shape)));
    }
    run_all(tasks);
    (batch, policy)
}

/// Splits the first `len` elements off.
#[expect(clippy::mut_mut, reason = "the slice itself becomes shorter")]
fn take_front<'a, T>(slice: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (front, back) = std::mem::take(slice).split_at_mut(len);
    *slice = back;
    front
}

/// Leaves of a batch, and where their encodings go.
struct Part<'a, G: Game> {
    leaves: &'a [&'a Leaf<G>],
    bits: &'a mut [u8],
    globals: &'a mut [f32],
    indices: &'a mut [u32],
}

impl<G: Game> Part<'_, G> {
    fn encode(mut self, encoding: &G::Encoding, shape: PlaneShape) {
        let mut indices = self.indices.iter_mut();
        for leaf in self.leaves {
            let Leaf { state, history, legal, symmetry, .. } = leaf;
            let bits = take_front(&mut self.bits, shape.packed_bytes());
            let globals = take_front(&mut self.globals, shape.globals);
            encoding.encode(state, history, *symmetry, &mut PlaneWriter::new(shape, bits, globals));
            for (&mv, index) in legal.iter().zip(&mut indices) {
                *index = encoding.policy_index(state, mv, *symmetry) as u32;
            }
        }
    }
}

impl PolicyIndices {
    fn zeroed<G: Game>(leaves: &[&Leaf<G>]) -> Self {
        let mut sum = 0;
        let ends = leaves.iter().map(|leaf| {
            sum += leaf.legal.len();
            sum
        });
        let ends: Vec<usize> = ends.collect();
        Self { indices: vec![0; sum], ends }
    }

    /// Number of leaves.
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn of(&self, leaf: usize) -> &[u32] {
        let begin = leaf.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.indices[begin..self.ends[leaf]]
    }
}

/// Evaluations of a batch, each noted; `None` if a number is not finite. Not generic over the game,
/// so that the parallel loop is compiled once.
fn evaluations(
    indices: &PolicyIndices,
    outputs: &NetworkOutputs,
    policy_len: usize,
    part_len: usize,
    note: &Note<'_>,
) -> Option<Vec<Evaluation>> {
    outputs
        .policy_logits
        .par_chunks_exact(policy_len)
        .with_min_len(part_len)
        .zip(outputs.wdl_logits.par_chunks_exact(3))
        .enumerate()
        .map(|(leaf, (policy, wdl))| {
            let evaluation = evaluation_of(indices.of(leaf), policy, wdl);
            is_finite(&evaluation).then(|| {
                note(leaf, &evaluation);
                evaluation
            })
        })
        .collect()
}

/// Softmaxes of the legal moves' logits, and of those of win, draw and loss.
fn evaluation_of(indices: &[u32], policy: &[f32], wdl: &[f32]) -> Evaluation {
    let mut priors: Vec<f32> = indices.iter().map(|&index| policy[index as usize]).collect();
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
