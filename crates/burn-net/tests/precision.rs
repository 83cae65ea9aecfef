//! Learning with factors of 16 bits: the same curve, exact resume, and what is refused.

#![allow(clippy::unwrap_used)]

use crate::common::{full, nested, options, rows};
use dz_burn_net::{BurnLearner, DeviceChoice, Learner, LearnerOptions, Precision};
use dz_network_file::NetworkSpec;

const STEPS: u64 = 160;
/// Steps of a mean: losses of single batches scatter.
const WINDOW: usize = 20;

fn learner(spec: &NetworkSpec, precision: Precision) -> BurnLearner {
    let options = LearnerOptions { precision, ..options() };
    BurnLearner::new(spec.clone(), DeviceChoice::Cpu, options).unwrap()
}

/// Policy and value losses of each step. Batches come again, so that there is something to learn.
fn curve(learner: &mut BurnLearner) -> Vec<[f32; 2]> {
    let spec = learner.spec().clone();
    let step = |i| {
        let losses = learner.step(&rows(&spec, 64, i % 4), 0.002).unwrap().losses;
        [losses.policy_loss, losses.value_loss]
    };
    (0..STEPS).map(step).collect()
}

fn means(curve: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let mean = |steps: &[[f32; 2]]| {
        [0, 1].map(|i| steps.iter().map(|losses| losses[i]).sum::<f32>() / WINDOW as f32)
    };
    curve.chunks_exact(WINDOW).map(mean).collect()
}

#[test]
fn the_loss_curve_is_within_a_hundredth_of_the_one_in_32_bits() {
    let weight = options().value_weight as f32;
    for spec in [full(), nested()] {
        let [whole, half] = [Precision::F32, Precision::Bf16]
            .map(|precision| means(&curve(&mut learner(&spec, precision))));
        println!("{whole:?}\n{half:?}");
        let (first, last) = (whole[0], whole[whole.len() - 1]);
        assert!(last[0] < 0.9 * first[0] && last[1] < 0.9 * first[1], "something is learnt");
        assert_ne!(whole, half, "halves are used");
        let apart = |whole: f32, half: f32| (whole - half).abs() / whole;
        for (whole, half) in whole.iter().zip(&half) {
            // What training makes smaller is the sum. Four batches of random rows, again and again,
            // are soon learnt by heart, and then small differences grow: a part alone was up to 2.6
            // % off.
            let sums = [whole, half].map(|losses| losses[0] + weight * losses[1]);
            assert!(apart(sums[0], sums[1]) < 0.01, "{sums:?} in 32 and 16 bits");
            for (whole, half) in whole.iter().zip(half) {
                assert!(apart(*whole, *half) < 0.03, "{whole} in 32 bits, {half} in 16");
            }
        }
    }
}

/// The weights between steps have 32 bits: steps far below the resolution of 16 bits add up.
#[test]
fn master_weights_keep_small_steps() {
    let spec = full();
    let mut learner = learner(&spec, Precision::Bf16);
    let before = learner.save().unwrap();
    for _ in 0..3 {
        learner.step(&rows(&spec, 16, 1), 1e-7).unwrap();
    }
    let weights = |bytes: &[u8]| {
        let (_, tensors): (serde_json::Value, std::collections::BTreeMap<_, _>) =
            dz_network_file::container::unpack("checkpoint", 1, bytes).unwrap();
        tensors["parameters.policy.linear.weight"].data.clone()
    };
    let (before, after) = (weights(&before), weights(&learner.save().unwrap()));
    let moved = before.iter().zip(&after).filter(|(a, b)| a != b).count();
    assert!(moved * 2 > before.len(), "{moved} of {} weights moved", before.len());
    assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn resume_is_exact_in_16_bits_too() {
    let spec = full();
    let train = |learner: &mut BurnLearner, steps: std::ops::Range<u64>| {
        for i in steps {
            learner.step(&rows(&spec, 24, i), 0.003).unwrap();
        }
        learner.save().unwrap()
    };
    let whole = train(&mut learner(&spec, Precision::Bf16), 0..5);
    let half = train(&mut learner(&spec, Precision::Bf16), 0..2);
    let mut resumed = learner(&spec, Precision::Bf16);
    resumed.load(&half).unwrap();
    assert_eq!(train(&mut resumed, 2..5), whole);
}

#[test]
fn the_format_in_which_gradients_vanish_is_refused() {
    let options = LearnerOptions { precision: Precision::F16, ..options() };
    let error = BurnLearner::new(full(), DeviceChoice::Cpu, options).unwrap_err();
    assert!(error.to_string().contains("f32 or bf16"), "{error}");
}
