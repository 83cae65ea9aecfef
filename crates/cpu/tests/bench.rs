//! The bench measures what it says, and ONNX Runtime computes the same network.

#![allow(clippy::unwrap_used)]

use std::ffi::OsStr;
use std::process::Command;

use dz_cpu::{InferEffort, infer_figures};

/// Enough for one call each.
const SHORT: InferEffort = InferEffort { rounds: 1, seconds: 1e-6 };

#[test]
fn every_network_is_measured_at_every_batch() {
    let scratch = tempfile::tempdir().unwrap();
    let figures = infer_figures(SHORT, None, scratch.path()).unwrap();
    assert_eq!(figures.len(), 18);
    assert!(figures.iter().all(|f| f.value > 0.0 && f.samples == 1 && f.peer_value.is_none()));
    assert_eq!(figures[0].name, "6x7 b4c32, batch 1, 1 thread");
    assert_eq!(figures[17].name, "9x9 b6c96, batch 128, 2 threads");
}

/// Needs Python with `onnx`, `onnxruntime` and `numpy`; `DAGZERO_PYTHON` names the interpreter.
#[test]
fn onnx_runtime_computes_the_same() {
    let python = std::env::var("DAGZERO_PYTHON").unwrap_or_else(|_| "python3".into());
    let imports = ["-c", "import onnx, onnxruntime, numpy"];
    let found = Command::new(&python).args(imports).output().is_ok_and(|o| o.status.success());
    if !found {
        println!("skipped: {python} has no onnxruntime; set DAGZERO_PYTHON to one that has");
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    // Other logits are an error.
    let figures = infer_figures(SHORT, Some(OsStr::new(&python)), scratch.path()).unwrap();
    assert!(figures.iter().all(|f| f.peer_value.is_some_and(|rate| rate > 0.0)));
}
