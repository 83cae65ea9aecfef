//! The processor's own kernels answer what Burn answers, on networks that Burn has trained.

#![allow(clippy::unwrap_used)]

use crate::common::{full, info, learner, nested, positions, rows, small, wide};
use dz_burn_net::{BurnEvaluator, DeviceChoice, EvaluatorOptions, Learner};
use dz_cpu_net::{CpuEvaluator, Reference};
use dz_infer::{NetworkEvaluator, NetworkOutputs};
use dz_network_file::NetworkSpec;

fn agree(spec: &NetworkSpec) {
    let mut learner = learner(spec.clone());
    for i in 0..12 {
        learner.step(&rows(spec, 16, i), 0.01).unwrap();
    }
    let file = learner.export(&info()).unwrap();
    let batch = positions(spec, 19, 99);
    let ask = |network: &mut dyn NetworkEvaluator| {
        let ticket = network.submit(batch.clone()).unwrap();
        network.wait(ticket).unwrap()
    };
    let options = EvaluatorOptions::fixed(8);
    let burn = ask(&mut BurnEvaluator::load(&file, DeviceChoice::Cpu, options).unwrap());
    let plain = Reference(&file).evaluate(&batch);
    assert_near("the reference", &plain, &burn);
    for (name, mut evaluator) in CpuEvaluator::load_each(&file).unwrap() {
        assert_near(&name, &ask(&mut evaluator), &burn);
    }
    // The outputs are not all alike, or the comparison would say nothing.
    assert!((burn.policy_logits[0] - burn.policy_logits[1]).abs() > 1e-3);
}

fn assert_near(name: &str, a: &NetworkOutputs, b: &NetworkOutputs) {
    assert_eq!(a.policy_logits.len(), b.policy_logits.len());
    assert_eq!(a.wdl_logits.len(), b.wdl_logits.len());
    let numbers = a.policy_logits.iter().chain(&a.wdl_logits);
    for (a, b) in numbers.zip(b.policy_logits.iter().chain(&b.wdl_logits)) {
        // A few steps can blow logits up to hundreds, of which 32 bits keep seven digits.
        assert!((a - b).abs() < 1e-4 * b.abs().max(1.0), "{name}: {a}, Burn: {b}");
    }
}

#[test]
fn plain_networks_agree() {
    agree(&small());
    agree(&wide());
}

#[test]
fn pooling_globals_and_odd_sizes_agree() {
    agree(&full());
    let odd = NetworkSpec { height: 9, width: 9, blocks: 4, channels: 45, ..full() };
    agree(&odd);
}

/// Burn computes with the weights of points, the processor's kernels with those of a board.
#[test]
fn boards_of_any_size_agree() {
    let any_size = |spec: NetworkSpec, rest: usize| {
        let policy_len = spec.area() + rest;
        agree(&NetworkSpec { any_size: true, policy_len, ..spec });
    };
    any_size(small(), 0);
    any_size(full(), 1);
    any_size(nested(), 2);
}

#[test]
fn policies_of_planes_agree() {
    let planes = |spec: NetworkSpec, policy_planes: usize| {
        let policy_len = spec.area() * policy_planes;
        agree(&NetworkSpec { policy_planes, policy_len, ..spec });
    };
    planes(small(), 1);
    planes(full(), 3);
    // More planes than a register has numbers, channels of both heads that fill none, and a board
    // with fewer points.
    planes(NetworkSpec { policy_channels: 18, value_channels: 5, ..nested() }, 37);
    planes(NetworkSpec { height: 3, width: 3, ..full() }, 2);
}

#[test]
fn squeeze_excitation_and_bottlenecks_agree() {
    agree(&NetworkSpec { squeeze_ratio: 4, ..full() });
    agree(&nested());
    let odd = NetworkSpec { height: 6, width: 7, blocks: 4, channels: 45, ..nested() };
    agree(&odd);
}
