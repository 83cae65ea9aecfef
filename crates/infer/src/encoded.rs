//! From positions to planes.

use dz_game::{Encoding, Game, Move, PlaneShape, PlaneWriter};

use crate::{CacheKey, EncodedBatch, EvaluatorError, Leaf, LeafView, NetworkEvaluator};

/// The input that a network needs of a leaf. The searching thread encodes it while the position is
/// in the processor's caches. It is far smaller than the position. Encoding another leaf into it
/// reuses its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EncodedLeaf {
    /// Under what the cache keeps the evaluation.
    pub key: CacheKey,
    /// Whether the cache keeps it.
    pub cached: bool,
    /// Packed planes, as in [`EncodedBatch::bits`].
    pub bits: Vec<u8>,
    /// Numbers beside the planes.
    pub globals: Vec<f32>,
    /// Policy index of each legal move, in the order of the moves.
    pub policy: Vec<u32>,
}

/// Encodes positions of one game.
#[derive(Clone, Debug)]
pub(crate) struct LeafEncoder<G: Game> {
    encoding: G::Encoding,
    pub(crate) shape: PlaneShape,
}

impl<G: Game> LeafEncoder<G> {
    /// The encoder of a game, for a network.
    ///
    /// # Errors
    /// [`EvaluatorError::WrongEncoding`] or [`EvaluatorError::WrongPolicy`] if the network is not
    /// for this game's encoding.
    pub(crate) fn new(game: &G, network: &dyn NetworkEvaluator) -> Result<Self, EvaluatorError> {
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
        let shape = encoding.planes();
        Ok(Self { encoding, shape })
    }

    /// Encodes a leaf as its mover sees it, through the leaf's symmetry.
    pub(crate) fn encode(&self, leaf: &LeafView<'_, G>, out: &mut EncodedLeaf) {
        let LeafView { state, history, legal, eval_key, symmetry, .. } = *leaf;
        out.key = CacheKey { eval_key, symmetry };
        // The writer zeroes both.
        out.bits.resize(self.shape.packed_bytes(), 0);
        out.globals.resize(self.shape.globals, 0.0);
        let mut planes = PlaneWriter::new(self.shape, &mut out.bits, &mut out.globals);
        self.encoding.encode(state, history, symmetry, &mut planes);
        self.encoding.policy_indices(state, legal, symmetry, &mut out.policy);
    }

    /// For each point the place of its move in the policy, where points have owners.
    pub(crate) fn points(&self, leaf: &LeafView<'_, G>) -> Option<Vec<usize>> {
        let place = |point: usize| {
            self.encoding.policy_index(leaf.state, Move(point as u16), leaf.symmetry)
        };
        let has_owners = self.encoding.targets().ownership;
        has_owners.then(|| (0..self.shape.area()).map(place).collect())
    }
}

impl EncodedBatch {
    /// A batch of leaves, in their order.
    pub fn of_leaves(shape: PlaneShape, leaves: &[&EncodedLeaf]) -> Self {
        let len = leaves.len();
        let mut bits = Vec::with_capacity(len * shape.packed_bytes());
        let mut globals = Vec::with_capacity(len * shape.globals);
        for leaf in leaves {
            bits.extend_from_slice(&leaf.bits);
            globals.extend_from_slice(&leaf.globals);
        }
        Self { shape, len, bits, globals }
    }
}

/// Encodes each leaf as its mover sees it, through the leaf's symmetry.
pub fn encode_leaves<G: Game>(encoding: &G::Encoding, leaves: &[Leaf<G>]) -> EncodedBatch {
    let shape = encoding.planes();
    let mut batch = EncodedBatch::zeroed(shape, leaves.len());
    let bytes = shape.packed_bytes();
    for (index, Leaf { state, history, symmetry, .. }) in leaves.iter().enumerate() {
        let bits = &mut batch.bits[index * bytes..(index + 1) * bytes];
        let globals = &mut batch.globals[index * shape.globals..(index + 1) * shape.globals];
        encoding.encode(state, history, *symmetry, &mut PlaneWriter::new(shape, bits, globals));
    }
    batch
}
