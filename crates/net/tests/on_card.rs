//! What a card answers, by kernels of our own and by Burn's, against the processor. Without a card nothing is tested.

#![allow(clippy::unwrap_used)]

use dz_cpu::{CpuEvaluator, random_network, random_positions};
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_net::{BurnEvaluator, DeviceChoice, EvaluatorOptions, Precision, pick_device};
use dz_network::NetworkSpec;

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

/// Boards whose points fill tiles and boards whose points do not, channels of one tile and of several groups, and every kind of
/// block.
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
        NetworkSpec { any_size: true, global_pooling: true, ..plain([17, 9, 9], 82, 2, 96) },
        NetworkSpec { squeeze_ratio: 4, globals: 2, ..plain([4, 4, 7], 7, 2, 32) },
        NetworkSpec { bottleneck_blocks: 2, ..plain([4, 6, 6], 37, 2, 64) },
    ]
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
                for on_chip in [true, false] {
                    let usual = EvaluatorOptions::for_device(card);
                    let options = EvaluatorOptions { precision, on_chip, ..usual };
                    let options =
                        EvaluatorOptions { chunk_max: chunk, chunk_min: chunk, ..options };
                    let mut evaluator = BurnEvaluator::load(&file, card, options).unwrap();
                    assert_eq!(evaluator.id().contains("on-chip"), on_chip);
                    for found in answers(&mut evaluator, &batch) {
                        let off = wanted.difference_max(&found) / size;
                        let [c, h, w] = [spec.channels, spec.height, spec.width];
                        let what = format!("{h}x{w} c{c}, {precision}, {len}, on chip {on_chip}");
                        println!("{what}: {off:.1e}");
                        assert!(off < tolerance, "{what}: {off}");
                    }
                }
            }
        }
    }
}
