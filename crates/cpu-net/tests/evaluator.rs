//! What an evaluator on the processor promises: equal bits everywhere, and clear refusals.

#![allow(clippy::unwrap_used)]

use crate::common;
use crate::common::{network, positions, run, spec};
use dz_cpu_net::CpuEvaluator;
use dz_game::{Encoding, Game, games::TicTacToe};
use dz_infer::{NetworkEvaluator, NetworkOutputs, contract};
use dz_network_file::NetworkSpec;

fn full() -> NetworkSpec {
    NetworkSpec { globals: 2, global_pooling: true, ..spec(5, 7, 2, 24) }
}

/// Everything that a network may have.
fn nested() -> NetworkSpec {
    NetworkSpec { squeeze_ratio: 3, bottleneck_blocks: 2, ..full() }
}

#[test]
fn bits_do_not_depend_on_batch_place_or_threads() {
    let places = [1, 2, 7, 40, 100].map(|len| [0, len / 3, len - 1].map(|place| (len, place)));
    for spec in [full(), nested(), NetworkSpec { squeeze_ratio: 8, ..spec(6, 7, 1, 64) }] {
        for (name, mut evaluator) in CpuEvaluator::load_each(&network(&spec, 1)).unwrap() {
            let positions = |len, seed| positions(&spec, len, seed);
            let checked = contract::check_places(&mut evaluator, positions, places.as_flattened());
            checked.unwrap_or_else(|broken| panic!("{name}: {broken}"));
        }
    }
}

#[test]
fn handles_give_the_same_bits_on_threads_of_their_own() {
    let spec = full();
    let mut evaluator = CpuEvaluator::load(&network(&spec, 1)).unwrap();
    let batches = [1, 7, 100].map(|len| positions(&spec, len, 8));
    let wanted = batches.each_ref().map(|batch| run(&mut evaluator, batch));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let mut handle = evaluator.handle().unwrap();
            assert_eq!(handle.id(), evaluator.id());
            let (batches, wanted) = (&batches, &wanted);
            scope.spawn(move || {
                for _ in 0..5 {
                    assert!(batches.each_ref().map(|batch| run(handle.as_mut(), batch)) == *wanted);
                }
            });
        }
    });
}

#[test]
fn equal_ids_mean_equal_bits() {
    for spec in [full(), nested()] {
        check_ids(&spec);
    }
}

fn check_ids(spec: &NetworkSpec) {
    let file = network(spec, 3);
    let batch = positions(spec, 20, 5);
    let mut kinds = CpuEvaluator::load_each(&file).unwrap();
    let answers: Vec<(String, NetworkOutputs)> =
        kinds.iter_mut().map(|(_, e)| (e.id().to_owned(), run(e, &batch))).collect();
    for (id, outputs) in &answers {
        assert!(id.starts_with(&file.content_id()), "{id}");
        for (other_id, other) in &answers {
            assert_eq!(id == other_id, outputs == other, "{id} {other_id}");
        }
    }
    let mut changed = file.clone();
    changed.tensors.get_mut("policy.linear.bias").unwrap().data[0] += 1.0;
    let (before, after) = (CpuEvaluator::load(&file), CpuEvaluator::load(&changed));
    assert_ne!(before.unwrap().id(), after.unwrap().id());
}

#[test]
fn the_contract_of_evaluators_is_kept() {
    let game = TicTacToe;
    let encoding = game.encoding();
    let planes = encoding.planes();
    let spec = NetworkSpec {
        encoding: encoding.id(),
        channels_in: planes.channels,
        globals: planes.globals,
        policy_len: encoding.policy_len(),
        ..spec(planes.height, planes.width, 2, 16)
    };
    let mut evaluator = CpuEvaluator::load(&network(&spec, 9)).unwrap();
    contract::check_network_evaluator(&game, &mut evaluator, 11, 0.0).unwrap();
    assert_eq!(evaluator.encoding_id(), encoding.id());
}

#[test]
fn a_diverged_network_is_not_hidden() {
    let spec = NetworkSpec { squeeze_ratio: 4, ..spec(6, 7, 2, 16) };
    for tensor in ["blocks.0.conv1.weight", "blocks.1.excite.weight"] {
        let mut file = network(&spec, 1);
        file.tensors.get_mut(tensor).unwrap().data[5] = f32::NAN;
        let batch = positions(&spec, 2, 5);
        for (name, mut evaluator) in CpuEvaluator::load_each(&file).unwrap() {
            let outputs = run(&mut evaluator, &batch);
            assert!(outputs.wdl_logits.iter().any(|x| x.is_nan()), "{name}: {outputs:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let spec = full();
    let file = network(&spec, 1);
    let mut evaluator = CpuEvaluator::load(&file).unwrap();
    let other = positions(&common::spec(5, 7, 1, 8), 2, 0);
    let error = evaluator.submit(other).unwrap_err();
    assert!(error.to_string().contains("does not fit"), "{error}");
    let mut short = positions(&spec, 2, 0);
    short.bits.pop();
    assert!(evaluator.submit(short).is_err());
    assert_eq!(run(&mut evaluator, &positions(&spec, 0, 0)), NetworkOutputs::default());
    let mut broken = file;
    broken.tensors.remove("stem.conv.bias");
    assert!(CpuEvaluator::load(&broken).is_err());
}
