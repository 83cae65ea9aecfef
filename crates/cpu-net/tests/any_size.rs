//! Networks for boards of any size: what the kernels compute on each board is what the weights of a
//! point say, in plain loops.

#![allow(clippy::unwrap_used)]

use crate::common::{network, positions, run, spec};
use dz_cpu_net::{CpuEvaluator, Reference};
use dz_infer::NetworkEvaluator;
use dz_network_file::{Board, Head, NetworkError, NetworkFile, NetworkSpec};

/// A network for Go, with everything that a network may have.
fn go(size: usize) -> NetworkSpec {
    NetworkSpec {
        game: format!("go:size={size},komi=7"),
        encoding: format!("go-v1:{size}x{size},history_planes=1"),
        policy_len: size * size + 1,
        globals: 3,
        global_pooling: true,
        squeeze_ratio: 4,
        any_size: true,
        heads: [Head::Margin, Head::Ownership, Head::ShortTermError].into(),
        ..spec(size, size, 2, 20)
    }
}

fn board(spec: &NetworkSpec) -> Board<'_> {
    let NetworkSpec { game, encoding, height, width, policy_len, .. } = spec;
    Board { game, encoding, height: *height, width: *width, policy_len: *policy_len }
}

#[test]
fn a_network_of_one_board_plays_on_others() {
    let trained = network(&go(9), 3);
    for size in [5, 9, 13] {
        let spec = go(size);
        // The same weights, on another board by plain loops.
        let mut there = trained.clone();
        there.header.spec = spec.clone();
        let batch = positions(&spec, 6, size as u64);
        let wanted = Reference(&there).evaluate(&batch);
        let owners = Reference(&there).ownership(&batch).unwrap();
        let file = trained.on_board(&board(&spec)).unwrap();
        for (name, mut evaluator) in CpuEvaluator::load_each(&file).unwrap() {
            let difference = run(&mut evaluator, &batch).difference_max(&wanted);
            assert!(difference < 2e-5, "{name}, {size}: {difference}");
            let found = evaluator.ownership(&batch).unwrap().unwrap();
            assert!(found.iter().zip(&owners).all(|(a, b)| (a - b).abs() < 2e-5), "{name}, {size}");
        }
        // On its own board it needs nobody to say which.
        if size == 9 {
            let evaluator = &mut CpuEvaluator::load(&trained).unwrap();
            assert!(run(evaluator, &batch).difference_max(&wanted) < 2e-5);
        }
    }
}

/// A stone more in a corner of an empty board: whichever corner it is, the points next to it are
/// seen alike.
#[test]
fn points_of_a_large_board_are_judged_alike() {
    let spec = NetworkSpec {
        global_pooling: false,
        squeeze_ratio: 0,
        heads: [].into(),
        globals: 0,
        ..go(5)
    };
    let large = NetworkSpec {
        game: "go:size=13".to_owned(),
        encoding: "go-v1:13x13,history_planes=1".to_owned(),
        height: 13,
        width: 13,
        policy_len: 170,
        ..spec.clone()
    };
    let trained = network(&spec, 5);
    let file = trained.on_board(&board(&large)).unwrap();
    let shape = dz_cpu_net::plane_shape(&large);
    let mut batch = dz_infer::EncodedBatch::zeroed(shape, 2);
    for (position, point) in batch.bits.chunks_exact_mut(shape.packed_bytes()).zip([84, 85]) {
        position[point / 8] |= 1 << (point % 8);
    }
    let logits = run(&mut CpuEvaluator::load(&file).unwrap(), &batch).policy_logits;
    let (one, other) = logits.split_at(170);
    // In the middle of the board the whole picture moves by a column with the stone.
    for (row, column) in (5..8).flat_map(|row| (5..8).map(move |column| (row, column))) {
        let at = row * 13 + column;
        assert!((one[at] - other[at + 1]).abs() < 1e-5, "{row} {column}");
    }
    assert!((one[84] - one[0]).abs() > 1e-3, "the stone is seen");
}

#[test]
fn other_games_and_encodings_are_refused() {
    let file: NetworkFile = network(&go(9), 3);
    let refusal = |change: &dyn Fn(&mut NetworkSpec)| {
        let mut spec = go(13);
        change(&mut spec);
        file.on_board(&board(&spec)).unwrap_err()
    };
    let komi = NetworkSpec { game: "go:size=13,komi=0.5".to_owned(), ..go(13) };
    assert!(file.on_board(&board(&komi)).is_ok(), "the encoding shows komi");
    let hex = refusal(&|spec| spec.game = "hex:size=13".to_owned());
    assert!(matches!(hex, NetworkError::OtherGame { .. }), "{hex}");
    let fewer = refusal(&|spec| spec.encoding = "go-v1:13x13".to_owned());
    assert!(matches!(fewer, NetworkError::OtherEncoding { .. }), "{fewer}");
    let newer = refusal(&|spec| spec.encoding = "go-v2:13x13,history_planes=1".to_owned());
    assert!(matches!(newer, NetworkError::OtherEncoding { .. }), "{newer}");
    let passless = refusal(&|spec| spec.policy_len = 169);
    assert!(matches!(passless, NetworkError::OtherEncoding { .. }), "{passless}");
    let mut dense = file.clone().on_own_board().unwrap().into_owned();
    assert!(dense.on_board(&board(&go(13))).is_err(), "one board's weights are for that board");
    dense.header.spec.game.push('!');
    assert!(dense.on_board(&board(&go(9))).is_err());
}
