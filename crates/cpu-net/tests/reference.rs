//! The kernels against the plain loops, on every kind of vectors that this processor has.

#![allow(clippy::unwrap_used)]

use crate::common::{network, positions, run, spec};
use dz_cpu_net::{CpuEvaluator, Reference};
use dz_infer::{NetworkEvaluator, NetworkOutputs};
use dz_network_file::{Head, NetworkSpec};
use proptest::prelude::*;

/// Logits here are of the size of 1.
const TOLERANCE: f64 = 2e-5;

fn compare(spec: &NetworkSpec, boards: usize, seed: u64) {
    let file = network(spec, seed);
    let batch = positions(spec, boards, seed);
    let wanted = Reference(&file).evaluate(&batch);
    for (name, mut evaluator) in CpuEvaluator::load_each(&file).unwrap() {
        let difference = run(&mut evaluator, &batch).difference_max(&wanted);
        println!("{name}: {difference:.1e}");
        assert!(difference < TOLERANCE, "{name}: {difference} for {spec:?}");
    }
}

#[test]
fn networks_of_the_presets_sizes() {
    compare(&spec(6, 7, 4, 32), 5, 1);
    compare(&spec(6, 7, 6, 64), 3, 2);
    compare(&NetworkSpec { global_pooling: true, ..spec(9, 9, 6, 96) }, 2, 3);
}

#[test]
fn blocks_of_every_kind() {
    let squeezed = NetworkSpec { squeeze_ratio: 8, ..spec(6, 7, 4, 64) };
    compare(&squeezed, 3, 4);
    let nested = NetworkSpec { bottleneck_blocks: 2, ..spec(9, 9, 4, 96) };
    compare(&nested, 20, 5);
    compare(&NetworkSpec { squeeze_ratio: 5, global_pooling: true, ..nested }, 2, 6);
}

/// The head is asked for apart: it changes no bit of policy and value, and networks without it have
/// no answer.
#[test]
fn whose_points_are_is_asked_for_apart() {
    for plain in [
        spec(6, 7, 2, 34),
        NetworkSpec { squeeze_ratio: 8, global_pooling: true, ..spec(9, 5, 2, 16) },
        NetworkSpec { bottleneck_blocks: 1, globals: 2, ..spec(3, 3, 1, 96) },
    ] {
        let owning = NetworkSpec { heads: [Head::Ownership].into(), ..plain.clone() };
        let (file, boards) = (network(&owning, 8), 25);
        let batch = positions(&owning, boards, 9);
        let wanted = Reference(&file).ownership(&batch).unwrap();
        assert_eq!(wanted.len(), boards * owning.area() * 3);
        let mut without = file.clone();
        without.header.spec = plain;
        without.tensors.retain(|name, _| !name.starts_with("ownership"));
        let pairs = CpuEvaluator::load_each(&file).unwrap().into_iter();
        for ((name, mut evaluator), (_, mut plain)) in
            pairs.zip(CpuEvaluator::load_each(&without).unwrap())
        {
            let got = evaluator.ownership(&batch).unwrap().unwrap();
            assert_eq!(got.len(), wanted.len());
            let far = got.iter().zip(&wanted).map(|(a, b)| f64::from((a - b).abs()));
            let far = far.fold(0.0, f64::max);
            assert!(far < TOLERANCE, "{name}: {far} for {owning:?}");
            assert_eq!(evaluator.handle().unwrap().ownership(&batch).unwrap(), Some(got));
            assert_eq!(run(&mut evaluator, &batch), run(&mut plain, &batch));
            assert_eq!(plain.ownership(&batch).unwrap(), None);
            let other = positions(&spec(2, 2, 1, 1), 1, 1);
            assert!(evaluator.ownership(&other).is_err(), "another shape is refused");
        }
    }
}

/// Margin and error are computed beside win, draw and loss: they change no bit of these.
#[test]
fn margins_and_errors_come_beside_the_value() {
    for plain in [
        spec(6, 7, 2, 34),
        NetworkSpec { value_hidden: 13, global_pooling: true, ..spec(9, 5, 2, 16) },
    ] {
        let heads = [Head::Margin, Head::ShortTermError].into();
        let scoring = NetworkSpec { heads, ..plain.clone() };
        compare(&scoring, 11, 3);
        let file = network(&scoring, 8);
        let batch = positions(&scoring, 25, 9);
        let mut without = file.clone();
        without.header.spec = plain;
        without
            .tensors
            .retain(|name, _| !name.starts_with("margin") && !name.starts_with("short_term_error"));
        let pairs = CpuEvaluator::load_each(&file).unwrap().into_iter();
        for ((name, mut scoring), (_, mut plain)) in
            pairs.zip(CpuEvaluator::load_each(&without).unwrap())
        {
            assert!(scoring.has_margins() && !plain.has_margins());
            assert!(scoring.has_errors() && !plain.has_errors());
            let outputs = run(&mut scoring, &batch);
            assert_eq!((outputs.margins.len(), outputs.error_logits.len()), (25, 25), "{name}");
            assert_ne!(outputs.margins, outputs.error_logits, "{name}");
            assert!(outputs.margins.iter().any(|margin| *margin != outputs.margins[0]), "{name}");
            let bare = NetworkOutputs { margins: Vec::new(), error_logits: Vec::new(), ..outputs };
            assert_eq!(bare, run(&mut plain, &batch));
        }
    }
}

/// Small, for slow ways to run it: an emulator, an interpreter.
#[test]
fn a_small_network_with_everything() {
    let everything = NetworkSpec {
        globals: 1,
        policy_channels: 2,
        value_channels: 1,
        value_hidden: 4,
        global_pooling: true,
        squeeze_ratio: 8,
        bottleneck_blocks: 1,
        heads: [Head::ShortTermError].into(),
        ..spec(3, 5, 2, 34)
    };
    compare(&everything, 2, 7);
}

fn any_spec() -> impl Strategy<Value = NetworkSpec> {
    let board = (1_usize..=13, 1_usize..=13, 0_usize..=3);
    let sizes = (1_usize..=70, 1_usize..=5, 1_usize..=20, 1_usize..=20, 1_usize..=40);
    let kind = (any::<bool>(), any::<bool>(), 1_usize..=20, 0_usize..=2);
    (board, sizes, 0_usize..=3, kind).prop_map(
        |((height, width, blocks), (channels, planes, policy, value, hidden), globals, kind)| {
            let (pooling, squeezes, ratio, nested) = kind;
            let nested = if channels > 1 { nested } else { 0 };
            NetworkSpec {
                channels_in: planes,
                policy_channels: policy,
                value_channels: value,
                value_hidden: hidden,
                globals,
                global_pooling: pooling && channels > if nested > 0 { 3 } else { 1 },
                squeeze_ratio: if squeezes { ratio.min(channels) } else { 0 },
                bottleneck_blocks: nested,
                ..spec(height, width, blocks, channels)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn networks_of_any_shape(spec in any_spec(), boards in 1_usize..=5, seed in any::<u64>()) {
        compare(&spec, boards, seed);
    }
}
