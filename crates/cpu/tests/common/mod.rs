//! Random networks and positions, and what evaluators say of them; each test uses a part.
#![allow(dead_code, clippy::unwrap_used)]

pub use dz_cpu::{random_network as network, random_positions as positions};
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_network::NetworkSpec;

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
        squeeze_ratio: 0,
        bottleneck_blocks: 0,
    }
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
