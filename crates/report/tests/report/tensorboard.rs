//! The real TensorBoard reads what is exported.

use std::process::Command;

use dz_report::{Report, RunContext};

use crate::ledger;

const SCRIPT: &str = "
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={'scalars': 0})
events.Reload()
tags = events.Tags()['scalars']
print(json.dumps({tag: [[e.step, e.value, e.wall_time] for e in events.Scalars(tag)] for tag in tags}))
";

#[test]
fn tensorboard_reads_the_scalars() {
    let Some(python) = std::env::var_os("DAGZERO_PYTHON") else {
        println!("skipped: DAGZERO_PYTHON names no Python with the package tensorboard");
        return;
    };
    let probe = Command::new(&python).args(["-c", "import tensorboard"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("skipped: the Python of DAGZERO_PYTHON has no package tensorboard");
        return;
    }
    let run = ledger::run(6);
    let report = Report::from_ledger(&run.records, RunContext::default());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.out.tfevents.1.test");
    std::fs::write(&file, report.to_tensorboard()).unwrap();
    let output = Command::new(&python).args(["-c", SCRIPT]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let elo = read["elo/champion"].as_array().unwrap();
    assert_eq!(elo.len(), report.curve.len());
    for (event, point) in elo.iter().zip(&report.curve) {
        assert_eq!(event[0], point.cycle);
        assert!((event[1].as_f64().unwrap() - point.elo).abs() < 1e-3);
        assert!(event[2].as_f64().unwrap() > 1.7e9, "a wall time in seconds: {event}");
    }
    assert_eq!(read["loss/policy_train"].as_array().unwrap().len(), 6);
    assert_eq!(read["gate/accepted"][4][1], 0.0, "cycle 5 was refused");
}
