//! Random networks and positions, and what evaluators say of them; each test uses a part.
#![allow(dead_code, unused_imports, clippy::unwrap_used)]

pub use dz_cpu_net::{random_network as network, random_positions as positions};
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_network_file::NetworkSpec;

pub fn spec(height: usize, width: usize, blocks: usize, channels: usize) -> NetworkSpec {
    NetworkSpec::plain([3, height, width], width + 1, blocks, channels)
}

pub fn run(evaluator: &mut dyn NetworkEvaluator, batch: &EncodedBatch) -> NetworkOutputs {
    let ticket = evaluator.submit(batch.clone()).unwrap();
    evaluator.wait(ticket).unwrap()
}
