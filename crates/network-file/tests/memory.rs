//! Networks and checkpoints that somebody made on purpose, with the right hash: read with bounded
//! memory and time.

#[path = "../../../fuzz/src/measure.rs"]
mod measure;

use std::collections::BTreeMap;

use dz_network_file::{NetworkFile, NetworkHeader, NetworkSpec, TensorData, container};
use measure::Worst;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus as Random;
use serde_json::{Value, json};

/// Files of each kind.
const FILES: usize = 1000;
/// Numbers that a reader may count to.
const EXTREMES: [u64; 10] =
    [0, 1, 64, 256, 4_096, 65_535, 1 << 20, 1 << 32, i64::MAX as u64, u64::MAX];

fn network() -> NetworkFile {
    let spec = NetworkSpec {
        game: "tictactoe".to_owned(),
        encoding: "tictactoe-v1:3x3".to_owned(),
        ..NetworkSpec::plain([2, 3, 3], 9, 1, 4)
    };
    let tensor = |shape: Vec<usize>| TensorData { data: vec![0.25; shape.iter().product()], shape };
    let tensors = spec.tensor_shapes().into_iter().map(|(name, shape)| (name, tensor(shape)));
    let tensors = tensors.collect();
    let (config_hash, created_by) = ("abc".to_owned(), "test".to_owned());
    let header = NetworkHeader { spec, config_hash, cycle: 3, step: 12, created_by };
    NetworkFile { header, tensors }
}

fn one_of<T: Clone>(values: &[T], random: &mut Random) -> T {
    values[random.random_range(0..values.len())].clone()
}

/// Replaces a number or flag of the header.
fn change(header: &mut Value, random: &mut Random) {
    let spec = header["spec"].as_object_mut().expect("a specification");
    let more = ["any_size", "policy_planes", "squeeze_ratio", "bottleneck_blocks", "heads"];
    let more = more.map(str::to_owned);
    let names: Vec<String> = spec.keys().cloned().chain(more).collect();
    let value = match random.random_range(0..4) {
        0 => json!(true),
        1 => json!(["ownership", "reply", "soft_policy"]),
        _ => json!(one_of(&EXTREMES, random)),
    };
    spec.insert(one_of(&names, random), value);
}

/// A file with the right hash, or one whose JSON is much of a kind.
fn hostile(kind: &str, good: &NetworkFile, random: &mut Random) -> Vec<u8> {
    let mut header = serde_json::to_value(&good.header).expect("a header");
    for _ in 0..random.random_range(0..4) {
        change(&mut header, random);
    }
    let mut tensors: BTreeMap<String, TensorData> = good.tensors.clone();
    if random.random_bool(0.2) {
        let count = one_of(&[10, 3_000], random);
        let empty = |n: u32| (format!("t{n}"), TensorData { shape: vec![0; 3], data: Vec::new() });
        tensors.extend((0..count).map(empty));
    }
    let format = random.random_range(1..5);
    let mut bytes = container::pack(kind, format, &header, &tensors).expect("tensors fit");
    match random.random_range(0..10) {
        0 => bytes.truncate(random.random_range(0..bytes.len())),
        1 => {
            let at = random.random_range(0..bytes.len());
            bytes[at] ^= 1 << random.random_range(0..8);
        }
        2 => bytes[..8].copy_from_slice(&one_of(&EXTREMES, random).to_le_bytes()),
        3 => {
            let piece = one_of(&["[", "{\"\":", "1,", "{\"\":1},", "\"a\",", "[],", "{},"], random);
            let length = one_of(&[1_000, 400_000], random);
            let json = format!("{{\"x\":[{}", piece.repeat(length / piece.len()));
            let json = format!("{}]}}", json.trim_end_matches(','));
            bytes = [&(json.len() as u64).to_le_bytes()[..], json.as_bytes()].concat();
        }
        _ => {}
    }
    bytes
}

#[test]
fn a_thousand_hostile_networks_and_checkpoints_take_bounded_memory_and_time() {
    let good = network();
    for kind in ["network", "checkpoint"] {
        let mut random = Random::seed_from_u64(33);
        let mut worst = Worst::default();
        let mut accepted = 0;
        for number in 0..FILES {
            let file = hostile(kind, &good, &mut random);
            worst.read(&format!("{kind} {number}"), &file, |file| {
                let is_good = if kind == "network" {
                    NetworkFile::from_bytes(file).is_ok_and(|file| file.on_own_board().is_ok())
                } else {
                    let read = container::unpack::<NetworkHeader>(kind, 1, file);
                    read.is_ok_and(|(header, _)| header.spec.validate().is_ok())
                };
                accepted += u32::from(is_good);
            });
        }
        println!("{accepted} of them are accepted");
        worst.finish(kind, FILES);
        assert!(accepted > 0, "unchanged files are good ones");
    }
}
