//! What needs no Python: refusals, and that equal networks give equal bytes.

#![allow(clippy::unwrap_used)]

use dz_cpu_net::random_network;
use dz_network_file::{NetworkError, NetworkSpec};
use dz_onnx::{Meaning, to_onnx};

#[test]
fn equal_networks_give_equal_bytes() {
    let spec = NetworkSpec::plain([3, 5, 4], 21, 2, 8);
    let bytes = |seed| to_onnx(&random_network(&spec, seed), &Meaning::default()).unwrap();
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn a_file_that_was_not_checked_is_refused() {
    let mut file = random_network(&NetworkSpec::plain([3, 5, 4], 21, 2, 8), 1);
    file.tensors.remove("stem.conv.bias");
    let refused = to_onnx(&file, &Meaning::default());
    assert!(matches!(refused, Err(NetworkError::BadTensors { .. })), "{refused:?}");
}
