//! ONNX Runtime computes the same networks, with blocks of every kind.
//!
//! Needs Python with `onnx`, `onnxruntime` and `numpy`; `DAGZERO_PYTHON` names the interpreter.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{network, positions, run, spec};
use dz_cpu::CpuEvaluator;
use dz_game::unpack_planes;
use dz_network::NetworkSpec;

#[test]
fn blocks_of_every_kind() {
    let python = std::env::var("DAGZERO_PYTHON").unwrap_or_else(|_| "python3".into());
    let imports = ["-c", "import onnx, onnxruntime, numpy"];
    let found = Command::new(&python).args(imports).output().is_ok_and(|o| o.status.success());
    if !found {
        println!("skipped: {python} has no onnxruntime; set DAGZERO_PYTHON to one that has");
        return;
    }
    let pooling = NetworkSpec { global_pooling: true, ..spec(5, 7, 3, 24) };
    let squeezed = NetworkSpec { squeeze_ratio: 3, ..pooling.clone() };
    let nested = NetworkSpec { bottleneck_blocks: 2, ..squeezed.clone() };
    for spec in [pooling, squeezed, nested] {
        compare(&python, &spec);
    }
}

fn compare(python: &str, spec: &NetworkSpec) {
    let scratch = tempfile::tempdir().unwrap();
    let paths = ["network.dzn", "planes.f32", "outputs.f32"];
    let [file, planes, outputs] = paths.map(|name| scratch.path().join(name));
    let network = network(spec, 3);
    let batch = positions(spec, 4, 5);
    fs::write(&file, network.to_bytes().unwrap()).unwrap();
    let mut numbers = vec![0.0; batch.len * batch.shape.bits()];
    for (i, numbers) in numbers.chunks_exact_mut(batch.shape.bits()).enumerate() {
        unpack_planes(batch.shape, batch.position(i), numbers);
    }
    fs::write(&planes, numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/onnx_peer.py");
    let mut peer = Command::new(python);
    peer.args([&script, &file, &planes, &outputs]).arg("1").stdin(Stdio::null());
    assert!(peer.output().unwrap().status.success());
    let theirs = fs::read(&outputs).unwrap();
    let theirs = theirs.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
    let ours = run(&mut CpuEvaluator::load(&network).unwrap(), &batch);
    let ours = [ours.policy_logits, ours.wdl_logits].concat();
    assert_eq!(theirs.len(), ours.len());
    for (theirs, ours) in theirs.zip(ours) {
        assert!((theirs - ours).abs() < 2e-5, "{theirs} {ours} of {spec:?}");
    }
}
