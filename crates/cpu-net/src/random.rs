//! Networks with random weights and random positions, for benches and tests.

use dz_game::{Encoding, Game, mix64};
use dz_infer::EncodedBatch;
use dz_network_file::{NetworkFile, NetworkHeader, NetworkSpec, TensorData};

use crate::plane_shape;

/// Weights that keep the size of activations about the same from layer to layer, with biases.
pub fn random_network(spec: &NetworkSpec, seed: u64) -> NetworkFile {
    let mut numbers = Numbers(seed);
    let tensors = spec.tensor_shapes().into_iter().map(|(name, shape)| {
        let inputs: usize = shape[1..].iter().product();
        let bound = if shape.len() == 1 { 0.1 } else { (3.0 / inputs as f32).sqrt() };
        let data = (0..shape.iter().product()).map(|_| bound * numbers.next()).collect();
        (name, TensorData { shape, data })
    });
    let header = NetworkHeader {
        spec: spec.clone(),
        config_hash: "random".to_owned(),
        cycle: 1,
        step: 0,
        created_by: "random".to_owned(),
    };
    NetworkFile { tensors: tensors.collect(), header }
}

/// A random network for `game`, with heads as in the presets.
pub fn random_network_of<G: Game>(
    game: &G,
    blocks: usize,
    channels: usize,
    seed: u64,
) -> NetworkFile {
    random_network(&network_spec_of(game, blocks, channels), seed)
}

/// The specification of a plain network for `game`, with heads as in the presets.
pub fn network_spec_of<G: Game>(game: &G, blocks: usize, channels: usize) -> NetworkSpec {
    let encoding = game.encoding();
    let planes = encoding.planes();
    let shape = [planes.channels, planes.height, planes.width];
    NetworkSpec {
        game: game.spec().to_string(),
        encoding: encoding.id(),
        globals: planes.globals,
        ..NetworkSpec::plain(shape, encoding.policy_len(), blocks, channels)
    }
}

/// `len` positions of which a quarter of the bits are set, with globals in [-1, 1).
pub fn random_positions(spec: &NetworkSpec, len: usize, seed: u64) -> EncodedBatch {
    let shape = plane_shape(spec);
    let mut numbers = Numbers(seed);
    let mut batch = EncodedBatch::zeroed(shape, len);
    for position in batch.bits.chunks_exact_mut(shape.packed_bytes()) {
        for bit in 0..shape.bits() {
            position[bit / 8] |= u8::from(numbers.next() > 0.5) << (bit % 8);
        }
    }
    for x in &mut batch.globals {
        *x = numbers.next();
    }
    batch
}

/// A stream of numbers in [-1, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        (mix64(self.0) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}
