//! A card's answers, by our kernels and by Burn's, compared with the processor's. Without a card
//! nothing is tested.

#![allow(clippy::unwrap_used)]

mod common;

use dz_burn_net::{
    BurnEvaluator, BurnLearner, DeviceChoice, EvaluatorOptions, Learner, LearnerOptions, Precision,
    learns_by_cuda_kernels, pick_device, random_rows,
};
use dz_cpu_net::{CpuEvaluator, random_network, random_positions};
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_network_file::{Head, NetworkSpec, PerHead};

/// What `DAGZERO_CARD` names; then the test fails where there is none.
fn card() -> Option<DeviceChoice> {
    match std::env::var("DAGZERO_CARD") {
        Ok(name) => Some(pick_device(&name).unwrap()),
        Err(_) => pick_device("auto").ok().filter(|device| *device != DeviceChoice::Cpu),
    }
}

/// To a batch, after one that was submitted behind it has been answered.
fn answers(evaluator: &mut dyn NetworkEvaluator, batch: &EncodedBatch) -> [NetworkOutputs; 2] {
    let tickets = [(); 2].map(|()| evaluator.submit(batch.clone()).unwrap());
    let [first, second] = tickets;
    let behind = evaluator.wait(second).unwrap();
    [evaluator.wait(first).unwrap(), behind]
}

/// Boards whose points fill tiles and boards whose points do not, channels of one tile and of
/// several groups, and every kind of block.
fn networks() -> Vec<NetworkSpec> {
    let plain = NetworkSpec::plain;
    vec![
        plain([3, 6, 7], 7, 2, 32),
        plain([8, 5, 4], 4, 1, 16),
        plain([5, 8, 8], 64, 1, 64),
        plain([3, 16, 16], 9, 1, 48),
        plain([2, 3, 3], 9, 1, 160),
        plain([24, 4, 4], 9, 1, 32),
        plain([1, 2, 19], 9, 1, 32),
        NetworkSpec {
            any_size: true,
            global_pooling: true,
            heads: Head::ALL.into(),
            ..plain([17, 9, 9], 82, 2, 96)
        },
        NetworkSpec {
            squeeze_ratio: 4,
            globals: 2,
            heads: Head::ALL.into(),
            ..plain([4, 4, 7], 7, 2, 32)
        },
        NetworkSpec { bottleneck_blocks: 2, ..plain([4, 6, 6], 37, 2, 64) },
    ]
}

/// Losses and gradients of two steps, the second one with the weights that the first one made.
#[test]
fn a_card_learns_as_the_processor_does() {
    const ROWS: usize = 61;
    let Some(card) = card() else {
        eprintln!("skipped: there is no card, or this is a build without CUDA");
        return;
    };
    let steps = |spec: &NetworkSpec, device, options: &LearnerOptions| {
        let mut learner = BurnLearner::new(spec.clone(), device, options.clone()).unwrap();
        let rows = random_rows(spec, ROWS);
        let steps = [1e-3, 1e-3].map(|rate| learner.step(&rows, rate).unwrap());
        (learner.has_cuda_kernels(), steps)
    };
    for (i, spec) in networks().into_iter().enumerate() {
        assert!(learns_by_cuda_kernels(&[card], &spec, Precision::Bf16).unwrap(), "{spec:?}");
        let to_measure = |precision| LearnerOptions {
            head_weights: PerHead::from_fn(|_| 1.0),
            ..LearnerOptions::to_measure(precision)
        };
        let f32 = to_measure(Precision::F32);
        let (_, wanted) = steps(&spec, DeviceChoice::Cpu, &f32);
        // By Burn's operations all are learnt alike, and on a stand-in for a card slowly.
        let compute = if i < 2 { &[true, false][..] } else { &[true] };
        for &cuda_kernels in compute {
            let options = LearnerOptions { cuda_kernels, ..to_measure(Precision::Bf16) };
            let (has_cuda_kernels, found) = steps(&spec, card, &options);
            let [c, h, w] = [spec.channels, spec.height, spec.width];
            assert_eq!(has_cuda_kernels, cuda_kernels, "{h}x{w} c{c}");
            for (wanted, found) in wanted.iter().zip(found) {
                let heads = wanted.losses.heads.present().map(|(head, &wanted)| {
                    (head.name(), wanted, found.losses.heads[head].unwrap_or(f32::NAN))
                });
                let others = [
                    ("policy", wanted.losses.policy_loss, found.losses.policy_loss),
                    ("value", wanted.losses.value_loss, found.losses.value_loss),
                    ("gradient", wanted.gradient_norm, found.gradient_norm),
                ];
                for (what, wanted, found) in others.into_iter().chain(heads) {
                    let off = ((found - wanted) / wanted).abs();
                    let what = format!("{h}x{w} c{c}, {what}, on chip {cuda_kernels}");
                    println!("{what}: {found:.4} for {wanted:.4}");
                    assert!(off < 0.05, "{what}: {found} for {wanted}");
                }
            }
        }
    }
}

/// As on the processor (`precision.rs`), where activations have 32 bits between layers; on a card
/// these have 16.
#[test]
fn the_losses_of_many_steps_on_a_card_stay_near_those_in_32_bits() {
    const STEPS: u64 = 120;
    let Some(card) = card() else {
        eprintln!("skipped: there is no card, or this is a build without CUDA");
        return;
    };
    let spec = NetworkSpec { global_pooling: true, ..NetworkSpec::plain([3, 4, 5], 7, 2, 16) };
    // Means over forty steps of the policy and value loss, because single batches scatter.
    let curve = |device, precision| {
        let options = LearnerOptions::to_measure(precision);
        let mut learner = BurnLearner::new(spec.clone(), device, options).unwrap();
        let step = |i| {
            let losses = learner.step(&common::rows(&spec, 64, i % 4), 0.002).unwrap().losses;
            losses.policy_loss + losses.value_loss
        };
        let losses: Vec<f32> = (0..STEPS).map(step).collect();
        losses.chunks(40).map(|part| part.iter().sum::<f32>() / 40.0).collect::<Vec<_>>()
    };
    let (whole, half) = (curve(DeviceChoice::Cpu, Precision::F32), curve(card, Precision::Bf16));
    println!("{whole:?} {half:?}");
    assert!(whole[2] < 0.95 * whole[0], "something is learnt");
    for (whole, half) in whole.iter().zip(half) {
        assert!(((whole - half) / whole).abs() < 0.01, "{whole} in 32 bits, {half} in 16");
    }
}

#[test]
fn a_card_answers_as_the_processor_does() {
    let Some(card) = card() else {
        eprintln!("skipped: there is no card, or this is a build without CUDA");
        return;
    };
    for spec in networks() {
        let file = random_network(&spec, 3);
        for (chunk, len) in [(8, 13), (140, 135)] {
            let batch = random_positions(&spec, len, 5);
            let [wanted, _] = answers(&mut CpuEvaluator::load(&file).unwrap(), &batch);
            let logits = wanted.policy_logits.iter().chain(&wanted.wdl_logits);
            let size = logits.fold(1.0, |most: f64, logit| most.max(f64::from(logit.abs())));
            for (precision, tolerance) in [(Precision::F16, 0.01), (Precision::Bf16, 0.08)] {
                for cuda_kernels in [true, false] {
                    let usual = EvaluatorOptions::for_device(card);
                    let options = EvaluatorOptions { precision, cuda_kernels, ..usual };
                    let options =
                        EvaluatorOptions { chunk_max: chunk, chunk_min: chunk, ..options };
                    let mut evaluator = BurnEvaluator::load(&file, card, options).unwrap();
                    assert_eq!(evaluator.id().contains("on-chip"), cuda_kernels);
                    for found in answers(&mut evaluator, &batch) {
                        let off = wanted.difference_max(&found) / size;
                        let [c, h, w] = [spec.channels, spec.height, spec.width];
                        let what =
                            format!("{h}x{w} c{c}, {precision}, {len}, on chip {cuda_kernels}");
                        println!("{what}: {off:.1e}");
                        assert!(off < tolerance, "{what}: {off}");
                    }
                }
            }
        }
    }
}
