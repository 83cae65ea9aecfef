//! What a card answers, by kernels of our own and by Burn's, against the processor. Without a card nothing is tested.

#![allow(clippy::unwrap_used)]

use dz_cpu::{CpuEvaluator, random_network, random_positions};
use dz_infer::{NetworkEvaluator, NetworkOutputs};
use dz_net::{BurnEvaluator, DeviceChoice, EvaluatorOptions, Precision, pick_device};
use dz_network::{NetworkFile, NetworkSpec};

fn answers(evaluator: &mut dyn NetworkEvaluator, spec: &NetworkSpec, len: usize) -> NetworkOutputs {
    let ticket = evaluator.submit(random_positions(spec, len, 5)).unwrap();
    evaluator.wait(ticket).unwrap()
}

/// Largest difference from the processor's answers, for each unit of the largest of these.
fn difference(
    card: DeviceChoice,
    file: &NetworkFile,
    options: EvaluatorOptions,
    len: usize,
) -> f64 {
    let spec = &file.header.spec;
    let wanted = answers(&mut CpuEvaluator::load(file).unwrap(), spec, len);
    let found = answers(&mut BurnEvaluator::load(file, card, options).unwrap(), spec, len);
    let logits = wanted.policy_logits.iter().chain(&wanted.wdl_logits);
    let size = logits.fold(1.0, |most: f64, logit| most.max(f64::from(logit.abs())));
    wanted.difference_max(&found) / size
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
        NetworkSpec { any_size: true, global_pooling: true, ..plain([17, 9, 9], 82, 2, 96) },
        NetworkSpec { squeeze_ratio: 4, globals: 2, ..plain([4, 4, 7], 7, 2, 32) },
        NetworkSpec { bottleneck_blocks: 2, ..plain([4, 6, 6], 37, 2, 64) },
    ]
}

#[test]
fn a_card_answers_as_the_processor_does() {
    let Ok(card @ DeviceChoice::Cuda(_)) = pick_device("auto") else {
        eprintln!("skipped: there is no card, or this is a build without CUDA");
        return;
    };
    let (small, usual) = (8, EvaluatorOptions::for_device(card));
    for spec in networks() {
        let file = random_network(&spec, 3);
        for (precision, tolerance) in [(Precision::F16, 0.01), (Precision::Bf16, 0.08)] {
            for (chunk, len) in [(small, 13), (140, 135)] {
                let chunks = EvaluatorOptions { chunk_max: chunk, chunk_min: chunk, ..usual };
                let ids = [true, false].map(|on_chip| {
                    let options = EvaluatorOptions { precision, on_chip, ..chunks };
                    let found = difference(card, &file, options, len);
                    let [c, h, w] = [spec.channels, spec.height, spec.width];
                    println!("{h}x{w} c{c} {precision} {len} on chip {on_chip}: {found:.1e}");
                    assert!(found < tolerance, "{spec:?} {precision} {len} {on_chip}: {found}");
                    BurnEvaluator::load(&file, card, options).unwrap().id().to_owned()
                });
                assert!(ids[0].contains("on-chip") && !ids[1].contains("on-chip"), "{ids:?}");
            }
        }
    }
}
