//! Small networks and random rows for the tests, each of which uses a part.
#![allow(dead_code, clippy::unwrap_used)]

use dz_burn_net::{
    BurnLearner, DeviceChoice, ExportInfo, HeadRows, LearnerOptions, Optimizer, Precision,
    TrainBatch, ValueLoss,
};
pub use dz_cpu_net::random_positions as positions;
use dz_game::mix64;
use dz_network_file::{Head, HeadOutput, NetworkSpec, PerHead};

/// A 5x4 board with 3 planes, 6 moves, one block of 8 channels.
pub fn small() -> NetworkSpec {
    NetworkSpec {
        encoding: "test-v1".to_owned(),
        policy_channels: 4,
        value_channels: 4,
        value_hidden: 8,
        ..NetworkSpec::plain([3, 5, 4], 6, 1, 8)
    }
}

/// The same with everything that a network may have: two blocks, the second of them pooling,
/// globals.
pub fn full() -> NetworkSpec {
    NetworkSpec { blocks: 2, globals: 2, global_pooling: true, ..small() }
}

/// The same in bottlenecks of two residual blocks, with squeeze-excitation.
pub fn nested() -> NetworkSpec {
    NetworkSpec { squeeze_ratio: 4, bottleneck_blocks: 2, ..full() }
}

/// Connect Four's board and 64 channels: matrix products are so large that they use several
/// threads.
pub fn wide() -> NetworkSpec {
    NetworkSpec { height: 6, width: 7, policy_len: 7, channels: 64, ..small() }
}

pub fn options() -> LearnerOptions {
    LearnerOptions {
        optimizer: Optimizer::AdamW,
        weight_decay: 1e-4,
        clip_norm: 5.0,
        ema_decay: 0.9,
        value_loss: ValueLoss::CrossEntropy,
        value_weight: 1.0,
        head_weights: PerHead::default(),
        precision: Precision::F32,
        cuda_kernels: true,
        seed: 7,
        config_hash: "test".to_owned(),
    }
}

pub fn learner(spec: NetworkSpec) -> BurnLearner {
    BurnLearner::new(spec, DeviceChoice::Cpu, options()).unwrap()
}

pub fn info() -> ExportInfo {
    ExportInfo { config_hash: "test".to_owned(), cycle: 1, created_by: "test".to_owned() }
}

/// A stream of numbers in [0, 1).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        (mix64(self.0) >> 40) as f32 / (1 << 24) as f32
    }
}

/// Random rows whose targets favour one move and one outcome each.
pub fn rows(spec: &NetworkSpec, len: usize, seed: u64) -> TrainBatch {
    let mut numbers = Numbers(seed ^ 0xABCD);
    let mut policy = Vec::new();
    let mut wdl = Vec::new();
    for _ in 0..len {
        policy.extend(target(&mut numbers, spec.policy_len));
        wdl.extend(target(&mut numbers, 3));
    }
    TrainBatch {
        planes: positions(spec, len, seed),
        policy,
        wdl,
        policy_weights: vec![1.0; len],
        value_weights: vec![1.0; len],
        heads: PerHead::default(),
    }
}

/// The same network with all heads.
pub fn all_heads(spec: NetworkSpec) -> NetworkSpec {
    NetworkSpec { heads: Head::ALL.into_iter().collect(), ..spec }
}

/// Weights that make each head's loss count about as much as the policy's.
pub fn head_weights() -> PerHead<f64> {
    PerHead::from_fn(|_| 0.5)
}

/// Random rows as [`rows`] makes them, with targets for the network's heads that count `weight`.
pub fn rows_with_heads(spec: &NetworkSpec, len: usize, seed: u64, weight: f32) -> TrainBatch {
    let mut batch = rows(spec, len, seed);
    let mut numbers = Numbers(seed ^ 0x1234);
    for &head in spec.heads.iter().filter(|head| head.is_in_rows()) {
        let length = spec.target_len(head);
        let mut targets = Vec::new();
        for _ in 0..len {
            match head.output() {
                HeadOutput::Number(_) => targets.push(12.0 * numbers.next() - 6.0),
                HeadOutput::Policy => targets.extend(target(&mut numbers, length)),
                _ => (0..length / 3).for_each(|_| targets.extend(target(&mut numbers, 3))),
            }
        }
        batch.heads[head] = HeadRows { targets, weights: vec![weight; len] };
    }
    batch
}

/// Nine tenths on one of `len`, the rest on all.
fn target(numbers: &mut Numbers, len: usize) -> Vec<f32> {
    let favourite = (numbers.next() * len as f32) as usize;
    (0..len).map(|i| 0.1 / len as f32 + if i == favourite { 0.9 } else { 0.0 }).collect()
}

/// Runs `work` on a pool of its own.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}
