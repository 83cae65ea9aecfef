//! A run on disk: what is read beside the ledger, and what is said where it is damaged.

use std::fs;

use dz_report::Report;
use dz_store::{Record, Run, Stage, layout};

use crate::ledger;

/// Lays a made-up ledger down as a run's directory.
fn on_disk(records: &[Record]) -> (tempfile::TempDir, Run) {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::create(folder.path().join("run"), "format = 1\n").unwrap();
    for record in records {
        let bytes = serde_json::to_vec(record).unwrap();
        run.put_create(&layout::log_path(record.number), &bytes).unwrap();
    }
    (folder, run)
}

fn says(report: &Report, part: &str) -> bool {
    report.missing.iter().any(|sentence| sentence.contains(part))
}

#[test]
fn a_gap_and_a_foreign_record_are_named_and_the_rest_is_shown() {
    let ledger = ledger::run(6);
    let (_folder, run) = on_disk(&ledger.records);
    let whole = Report::read(&run).unwrap();
    assert!(says(&whole, "The configuration does not load"), "{:?}", whole.missing);
    assert!(!says(&whole, "of the ledger"), "{:?}", whole.missing);
    // The rows of the first cycle are gone; a record of another program stands elsewhere.
    fs::remove_file(run.root().join(layout::log_path(3))).unwrap();
    let foreign = r#"{"number":5,"epoch":0,"stage":"driver","time_unix_ms":1,"nonce":"x",
        "entry":{"kind":"from_the_future"}}"#;
    fs::write(run.root().join(layout::log_path(5)), foreign).unwrap();
    let report = Report::read(&run).unwrap();
    assert!(says(&report, "Record 3 of the ledger is missing."), "{:?}", report.missing);
    assert!(says(&report, "log/00000000000000000005.json was left out"), "{:?}", report.missing);
    assert!(says(&report, "Cycle 1 has no rows"), "{:?}", report.missing);
    assert_eq!(report.cycles.len(), whole.cycles.len());
    assert!(report.to_html().unwrap().contains("Record 3 of the ledger is missing."));
}

#[test]
fn metrics_are_shown_and_superseded_steps_are_not() {
    let ledger = ledger::run(2);
    let (_folder, run) = on_disk(&ledger.records);
    let step = |step: u64, policy: f64| {
        format!(
            "{{\"cycle\":1,\"step\":{step},\"policy_loss\":{policy},\"value_loss\":0.5,\
             \"policy_entropy\":0.25}}\n"
        )
    };
    let turn = "{\"cycle\":1,\"turn_ms\":900,\"peak_bytes\":123000000}\n";
    let text = step(1, 2.0) + &step(2, 1.9) + &step(3, 9.0) + turn + "torn\n" + &step(2, 1.5);
    fs::write(run.root().join(layout::metrics_path(Stage::Trainer)), text).unwrap();
    let sample = r#"{"cycle":1,"samples":[{"moves":["4"],"value":[0.25,0.5,0.25],"policy":[["4",0.75],["1",0.25]]}]}
{"cycle":2,"samples":[{"moves":["4"],"value":[0.5,0.25,0.25],"policy":[["3",0.5],["4",0.5]]}]}
{"cycle":2,"truth_playouts":0,"positions":10,"preserving":9,"nontrivial":4,"nontrivial_preserving":3,"by_ply":[{"ply":12,"positions":4,"preserving":3}]}
"#;
    fs::write(run.root().join(layout::metrics_path(Stage::Gatekeeper)), sample).unwrap();
    let report = Report::read(&run).unwrap();
    let steps: Vec<(u64, f64)> =
        report.measures.steps.iter().map(|point| (point.step, point.policy_loss)).collect();
    assert_eq!(steps, [(1, 2.0), (2, 1.5)]);
    assert_eq!(report.measures.turns[0].stage, "trainer");
    let views = &report.measures.samples[0].views;
    assert_eq!(views.iter().map(|view| view.cycle).collect::<Vec<_>>(), [1, 2]);
    let html = report.to_html().unwrap();
    for part in
        ["123 MB", "Ground truth", "class=\"board\"", "win 50 %, draw 25 %, loss 25 %", "After 4"]
    {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn a_run_without_entries_has_a_report() {
    let (_folder, run) = on_disk(&[]);
    let report = Report::read(&run).unwrap();
    assert!(report.to_html().unwrap().contains("No data yet"));
    assert!(report.verdict().starts_with("No data yet"));
}
