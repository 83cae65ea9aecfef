//! A position's outputs have the same bits whatever the batch, its place in it and the threads.

#![allow(clippy::unwrap_used)]

use crate::common::{full, info, learner, positions, rows, small, wide};
use dz_burn_net::{BurnEvaluator, DeviceChoice, EvaluatorOptions, Learner, NetError};
use dz_cpu_net::random_network_of;
use dz_game::{Encoding, Game, games::TicTacToe};
use dz_infer::{EvaluatorError, NetworkEvaluator, NetworkOutputs, Ticket, contract};
use dz_network_file::{NetworkFile, NetworkSpec};

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

fn same_bits_everywhere(spec: &NetworkSpec, chunk: usize) {
    // Every place of a chunk, and the chunks of a batch in turn.
    let places = [1, 7, 64, 100].map(|len| {
        let place = move |i| if len == 100 { i * 37 % len } else { i };
        (0..chunk.min(len)).map(move |i| (len, place(i)))
    });
    let places: Vec<(usize, usize)> = places.into_iter().flatten().collect();
    let mut evaluator = load(&network(spec), chunk);
    let positions = |len, seed| positions(spec, len, seed);
    let checked = contract::check_places(&mut evaluator, positions, &places);
    checked.unwrap_or_else(|broken| panic!("chunk {chunk}: {broken}"));
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
fn the_contract_of_evaluators_is_kept() {
    let game = TicTacToe;
    let file = random_network_of(&game, 1, 8, 5);
    let mut evaluator = load(&file, 8);
    contract::check_network_evaluator(&game, &mut evaluator, 11, 0.0).unwrap();
    assert_eq!(evaluator.encoding_id(), game.encoding().id());
    let unknown = evaluator.wait(Ticket(999));
    assert!(matches!(unknown, Err(EvaluatorError::UnknownTicket(_))));
    let ticket = evaluator.submit(positions(&file.header.spec, 0, 0)).unwrap();
    assert_eq!(evaluator.wait(ticket).unwrap(), NetworkOutputs::default());
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
