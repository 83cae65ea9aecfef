//! Networks with random weights and random positions, each test uses a part.
#![allow(dead_code, clippy::unwrap_used)]

use dz_game::{PlaneShape, mix64};
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_network::{NetworkFile, NetworkHeader, NetworkSpec, TensorData};

/// A stream of numbers in [-1, 1).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        (mix64(self.0) >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

pub fn spec(height: usize, width: usize, blocks: usize, channels: usize) -> NetworkSpec {
    NetworkSpec {
        game: "test".to_owned(),
        encoding: "test-v1".to_owned(),
        channels_in: 3,
        height,
        width,
        globals: 0,
        policy_len: width + 1,
        blocks,
        channels,
        policy_channels: 16,
        value_channels: 8,
        value_hidden: 64,
        global_pooling: false,
    }
}

/// Weights that keep the size of activations about the same from layer to layer, with biases.
pub fn network(spec: &NetworkSpec, seed: u64) -> NetworkFile {
    let mut numbers = Numbers(seed);
    let tensors = spec.tensor_shapes().into_iter().map(|(name, shape)| {
        let inputs: usize = shape[1..].iter().product();
        let bound = if shape.len() == 1 { 0.1 } else { (3.0 / inputs as f32).sqrt() };
        let data = (0..shape.iter().product()).map(|_| bound * numbers.next()).collect();
        (name, TensorData { shape, data })
    });
    let header = NetworkHeader {
        spec: spec.clone(),
        config_hash: "test".to_owned(),
        cycle: 1,
        step: 1,
        created_by: "test".to_owned(),
    };
    NetworkFile { tensors: tensors.collect(), header }
}

/// `len` random positions.
pub fn positions(spec: &NetworkSpec, len: usize, seed: u64) -> EncodedBatch {
    let shape = PlaneShape {
        channels: spec.channels_in,
        height: spec.height,
        width: spec.width,
        globals: spec.globals,
    };
    let mut numbers = Numbers(seed);
    let mut batch = EncodedBatch::zeroed(shape, len);
    for position in batch.bits.chunks_exact_mut(shape.packed_bytes()) {
        for bit in 0..shape.bits() {
            position[bit / 8] |= u8::from(numbers.next() > 0.4) << (bit % 8);
        }
    }
    for x in &mut batch.globals {
        *x = numbers.next();
    }
    batch
}

pub fn run(evaluator: &mut impl NetworkEvaluator, batch: &EncodedBatch) -> NetworkOutputs {
    let ticket = evaluator.submit(batch.clone()).unwrap();
    evaluator.wait(ticket).unwrap()
}

/// The largest difference between numbers of two outputs.
pub fn difference(a: &NetworkOutputs, b: &NetworkOutputs) -> f32 {
    let numbers = |x: &NetworkOutputs| [&x.policy_logits[..], &x.wdl_logits[..]].concat();
    assert_eq!(numbers(a).len(), numbers(b).len());
    numbers(a).iter().zip(numbers(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
