//! A network file for tests.

use std::{collections::BTreeMap, fs};

use dz_game::{Encoding, Game, with_game};
use dz_network_file::{NetworkFile, NetworkHeader, NetworkSpec, TensorData};
use tempfile::TempDir;

/// A network of zeros for a game: every move equally likely, every result too.
pub fn blank_network(dir: &TempDir, game: &str) -> String {
    write_blank(dir, game, false)
}

/// The same for boards of any size.
#[allow(dead_code, reason = "other tests use the rest")]
pub fn blank_network_of_any_size(dir: &TempDir, game: &str) -> String {
    write_blank(dir, game, true)
}

fn write_blank(dir: &TempDir, game: &str, any_size: bool) -> String {
    let spec =
        with_game!(&game.parse().expect("a game"), |game| small_network(&game)).expect("a game");
    let spec = NetworkSpec { any_size, ..spec };
    let zeros = |shape: Vec<usize>| TensorData { data: vec![0.0; shape.iter().product()], shape };
    let tensors: BTreeMap<String, TensorData> =
        spec.tensor_shapes().into_iter().map(|(name, shape)| (name, zeros(shape))).collect();
    let header = NetworkHeader {
        spec,
        config_hash: "none".to_owned(),
        cycle: 1,
        step: 0,
        created_by: "test".to_owned(),
    };
    let path = dir.path().join("blank.safetensors");
    let bytes = NetworkFile { header, tensors }.to_bytes().expect("a network");
    fs::write(&path, bytes).expect("written");
    path.display().to_string()
}

/// The specification of a small network for the game.
fn small_network<G: Game>(game: &G) -> NetworkSpec {
    let encoding = game.encoding();
    let planes = encoding.planes();
    let shape = [planes.channels, planes.height, planes.width];
    NetworkSpec {
        game: game.spec().to_string(),
        encoding: encoding.id(),
        globals: planes.globals,
        policy_channels: 2,
        value_channels: 2,
        value_hidden: 4,
        ..NetworkSpec::plain(shape, encoding.policy_len(), 1, 4)
    }
}
