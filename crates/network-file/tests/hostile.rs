//! Networks that nobody wrote: the body of a fuzz target on a good file and on mutations of it.

#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../fuzz/src/networks.rs"]
mod networks;

use dz_network_file::{NetworkFile, NetworkHeader, NetworkSpec, TensorData};

#[test]
fn network_files() {
    let spec = NetworkSpec {
        game: "tictactoe".to_owned(),
        encoding: "tictactoe-v1:3x3".to_owned(),
        globals: 1,
        policy_channels: 1,
        value_channels: 1,
        value_hidden: 4,
        ..NetworkSpec::plain([2, 3, 3], 9, 1, 4)
    };
    let tensor = |shape: Vec<usize>| TensorData { data: vec![0.25; shape.iter().product()], shape };
    let tensors = spec.tensor_shapes().into_iter().map(|(name, shape)| (name, tensor(shape)));
    let tensors = tensors.collect();
    let (config_hash, created_by) = ("abc".to_owned(), "test".to_owned());
    let header = NetworkHeader { spec, config_hash, cycle: 3, step: 12, created_by };
    let bytes = NetworkFile { header, tensors }.to_bytes().expect("a network");
    mutate::run_on(&[bytes], 4000, networks::networks);
}

#[test]
fn headers_with_the_right_hash() {
    mutate::run("headers", 4000, networks::headers);
}
