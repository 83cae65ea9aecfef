//! A position's outputs have the same bits whatever the batch, its place in it and the threads.

#![allow(clippy::unwrap_used)]

mod common;

use common::{full, info, learner, on_threads, positions, rows, small, wide};
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_net::{BurnEvaluator, DeviceChoice, EvaluatorOptions, Learner, NetError};
use dz_network::{NetworkFile, NetworkSpec};

/// A network after a few steps, so that no weight is special.
fn network(spec: &NetworkSpec) -> NetworkFile {
    let mut learner = learner(spec.clone());
    for i in 0..4 {
        learner.step(&rows(spec, 16, i), 0.01).unwrap();
    }
    learner.export(&info()).unwrap()
}

fn load(file: &NetworkFile, chunk: usize) -> BurnEvaluator {
    BurnEvaluator::load(file, DeviceChoice::Cpu, EvaluatorOptions::fixed(chunk)).unwrap()
}

fn run(evaluator: &mut BurnEvaluator, batch: EncodedBatch) -> NetworkOutputs {
    let ticket = evaluator.submit(batch).unwrap();
    evaluator.wait(ticket).unwrap()
}

/// Bits of position `i`'s outputs.
fn bits(outputs: &NetworkOutputs, i: usize, policy_len: usize) -> Vec<u32> {
    let policy = &outputs.policy_logits[i * policy_len..(i + 1) * policy_len];
    policy.iter().chain(&outputs.wdl_logits[i * 3..(i + 1) * 3]).map(|x| x.to_bits()).collect()
}

/// `batch` with position `from` of `source` put at `to`.
fn put(batch: &mut EncodedBatch, to: usize, source: &EncodedBatch, from: usize) {
    let (bytes, globals) = (batch.shape.packed_bytes(), batch.shape.globals);
    batch.bits[to * bytes..(to + 1) * bytes].copy_from_slice(source.position(from));
    batch.globals[to * globals..(to + 1) * globals]
        .copy_from_slice(&source.globals[from * globals..(from + 1) * globals]);
}

fn same_bits_everywhere(spec: &NetworkSpec, chunk: usize) {
    let file = network(spec);
    let probe = positions(spec, 1, 1234);
    let mut evaluator = load(&file, chunk);
    let alone = bits(&run(&mut evaluator, probe.clone()), 0, spec.policy_len);
    for (len, threads) in [(1, 2), (7, 1), (7, 2), (64, 1), (64, 2), (100, 1), (100, 2)] {
        // Every place of a chunk, and the chunks of a batch in turn.
        for place in 0..chunk.min(len) {
            let place = if len == 100 { (place * 37) % len } else { place };
            let mut batch = positions(spec, len, place as u64);
            put(&mut batch, place, &probe, 0);
            let outputs = on_threads(threads, || run(&mut evaluator, batch));
            let here = bits(&outputs, place, spec.policy_len);
            assert_eq!(here, alone, "place {place} of {len}, {threads} threads, chunk {chunk}");
        }
    }
}

#[test]
fn bits_do_not_depend_on_batch_place_or_threads() {
    same_bits_everywhere(&small(), 32);
}

#[test]
fn nor_with_pooling_globals_and_odd_sizes() {
    let spec = NetworkSpec { channels: 13, value_hidden: 11, policy_channels: 3, ..full() };
    same_bits_everywhere(&spec, 8);
}

#[test]
fn nor_where_matrix_products_use_several_threads() {
    same_bits_everywhere(&wide(), 16);
}

#[test]
fn positions_keep_their_order_and_padding_is_dropped() {
    let spec = small();
    let file = network(&spec);
    let mut evaluator = load(&file, 8);
    let batch = positions(&spec, 21, 5);
    let together = run(&mut evaluator, batch.clone());
    assert_eq!(together.policy_logits.len(), 21 * spec.policy_len);
    assert_eq!(together.wdl_logits.len(), 21 * 3);
    for i in 0..21 {
        let mut one = EncodedBatch::zeroed(batch.shape, 1);
        put(&mut one, 0, &batch, i);
        let one = run(&mut evaluator, one);
        assert_eq!(bits(&one, 0, spec.policy_len), bits(&together, i, spec.policy_len));
    }
    assert_ne!(bits(&together, 0, spec.policy_len), bits(&together, 1, spec.policy_len));
}

#[test]
fn several_batches_may_be_in_flight_and_tickets_are_used_once() {
    let spec = small();
    let file = network(&spec);
    let mut evaluator = load(&file, 8);
    let (a, b) = (positions(&spec, 3, 1), positions(&spec, 4, 2));
    let (first, second) = (evaluator.submit(a.clone()).unwrap(), evaluator.submit(b).unwrap());
    assert_eq!(evaluator.wait(second).unwrap().wdl_logits.len(), 12);
    let waited = evaluator.wait(first).unwrap();
    assert_eq!(waited, run(&mut evaluator, a));
    for ticket in [first, Ticket(999)] {
        assert!(matches!(evaluator.wait(ticket), Err(EvaluatorError::UnknownTicket(_))));
    }
    assert_eq!(run(&mut evaluator, positions(&spec, 0, 0)), NetworkOutputs::default());
}

#[test]
fn the_id_names_content_backend_and_precision() {
    let spec = small();
    let file = network(&spec);
    let evaluator = load(&file, 8);
    assert!(evaluator.id().starts_with(&file.content_id()), "{}", evaluator.id());
    assert!(evaluator.id().contains("-flex-") && evaluator.id().contains("-f32"));
    assert_eq!(evaluator.encoding_id(), "test-v1");
    let mut other = file.clone();
    other.tensors.get_mut("policy.linear.bias").unwrap().data[0] += 1.0;
    assert_ne!(load(&other, 8).id(), evaluator.id());
}

#[test]
fn what_does_not_fit_is_refused() {
    let spec = small();
    let file = network(&spec);
    let wrong = positions(&full(), 2, 0);
    let error = load(&file, 8).submit(wrong).unwrap_err();
    assert!(error.to_string().contains("does not fit"), "{error}");
    let mut short = positions(&spec, 2, 0);
    short.bits.pop();
    assert!(load(&file, 8).submit(short).is_err());
    let mut broken = file.clone();
    broken.tensors.remove("stem.conv.bias");
    let options = EvaluatorOptions::fixed(8);
    let error = BurnEvaluator::load(&broken, DeviceChoice::Cpu, options).unwrap_err();
    assert!(matches!(error, NetError::File(_)), "{error}");
    let options = EvaluatorOptions::fixed(0);
    assert!(BurnEvaluator::load(&file, DeviceChoice::Cpu, options).is_err());
}
