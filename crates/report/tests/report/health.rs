//! A run on disk: files that are read beside the ledger, and the messages about damage.

use std::fs;

use dz_report::{Expected, Report, RunContext};
use dz_store::{Entry, ObjectRef, Record, Run, Stage, layout};

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
    let turn = "{\"cycle\":1,\"turn_ms\":900,\"cpu_ms\":61000,\"peak_bytes\":123000000}\n";
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
    for part in [
        "123 MB",
        "1 min 1 s",
        "Ground truth",
        "class=\"board\"",
        "win 50 %, draw 25 %, loss 25 %",
        "After 4",
    ] {
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

#[test]
fn what_the_preset_is_expected_to_reach_is_drawn_behind() {
    let ledger = ledger::run(6);
    let (_folder, run) = on_disk(&ledger.records);
    let report = Report::read(&run).unwrap();
    let runs = [report.clone(), report];
    let expected = Expected::of("a machine", "rollout-1000", &runs).unwrap();
    assert_eq!(
        (expected.seeds.as_slice(), expected.anchor.as_str()),
        ([7, 7].as_slice(), "rollout-1000")
    );
    let (point, band) = (&runs[0].curve[2], &expected.points[2]);
    assert_eq!((band.generation, band.games), (point.generation, point.games));
    assert!((band.elo_lo - (point.elo - point.error95)).abs() <= 0.5, "{band:?}");
    assert!(!runs[0].to_html().unwrap().contains("a machine"));
    run.replace(layout::EXPECTED, &serde_json::to_vec(&expected).unwrap()).unwrap();
    let report = Report::read_ledger(&run).unwrap();
    assert_eq!(report.expected.as_ref(), Some(&expected));
    // A band above another anchor is moved to the one at 0.
    let random = runs[0].players.iter().find(|player| player.name == "random").unwrap();
    let mut above_random = Expected { anchor: "random".to_owned(), ..expected.clone() };
    for point in &mut above_random.points {
        point.elo_lo -= random.elo;
        point.elo_hi -= random.elo;
    }
    run.replace(layout::EXPECTED, &serde_json::to_vec(&above_random).unwrap()).unwrap();
    let moved = Report::read_ledger(&run).unwrap().expected.unwrap();
    assert_eq!(moved.anchor, "rollout-1000");
    for (moved, point) in moved.points.iter().zip(&expected.points) {
        assert!((moved.elo_lo - point.elo_lo).abs() < 1e-6, "{moved:?} {point:?}");
    }
    assert!(report.to_html().unwrap().contains("expected, on a machine"));
    let unmet = Expected { anchor: "gnugo-1".to_owned(), ..expected.clone() };
    run.replace(layout::EXPECTED, &serde_json::to_vec(&unmet).unwrap()).unwrap();
    let without = Report::read_ledger(&run).unwrap();
    assert_eq!(without.expected, None);
    assert!(says(&without, "it is above gnugo-1, which no network has met"), "{without:?}");
    assert_eq!(Expected::of("a machine", "gnugo-1", &runs), None);
    // A file of another version is reported.
    run.replace(layout::EXPECTED, b"{}").unwrap();
    let report = Report::read_ledger(&run).unwrap();
    assert!(says(&report, "expected.json is not drawn"), "{:?}", report.missing);
    assert_eq!(Expected::of("", "random", &[]), None);
}

#[test]
fn the_time_of_matches_and_the_values_of_solved_positions_are_shown() {
    let ledger = ledger::run(2);
    let (_folder, run) = on_disk(&ledger.records);
    let text = r#"{"cycle":1,"gate_ms":2000,"rating_ms":3000}
{"cycle":1,"gate_ms":0,"rating_ms":1000}
{"cycle":9,"gate_ms":0,"rating_ms":9000000}
{"cycle":1,"truth_playouts":0,"positions":10,"preserving":9,"nontrivial":4,"nontrivial_preserving":3,"value_right":8,"by_ply":[]}
{"cycle":1,"turn_ms":900,"peak_bytes":123000000}
"#;
    fs::write(run.root().join(layout::metrics_path(Stage::Gatekeeper)), text).unwrap();
    let report = Report::read(&run).unwrap();
    let share = report.measures.rating_share.clone().unwrap();
    let wall_ms = report.cycles[0].wall_ms.unwrap() as f64;
    assert_eq!((share.rating, share.gate), (4_000.0 / wall_ms, 2_000.0 / wall_ms));
    assert_eq!(report.measures.truth[0].value_right, Some(8));
    assert_eq!(report.measures.turns.len(), 1);
    let html = report.to_html().unwrap();
    assert!(html.contains("Values with the true outcome") && html.contains("Rating games took"));
    // The ledger alone holds none of it.
    assert!(Report::read_ledger(&run).unwrap().measures.turns.is_empty());
}

#[test]
fn side_by_side_matches_take_what_the_gatekeeper_timed_and_open_cycles_nothing() {
    let ledger = ledger::run(2);
    let (_folder, run) = on_disk(&ledger.records);
    let turns = Report::read(&run).unwrap();
    let stages_ms = |facts: &dz_report::CycleFacts| {
        let (selfplay, rows) = (facts.selfplay.as_ref().unwrap(), facts.rows.as_ref().unwrap());
        selfplay.wall_ms + rows.wall_ms + facts.losses.as_ref().unwrap().wall_ms
    };
    let first = &turns.cycles[0];
    assert_eq!(first.matches_ms, Some(first.wall_ms.unwrap().saturating_sub(stages_ms(first))));

    let config = include_str!("../../../../configs/tictactoe-smoke.toml");
    let set = ["run.mode=asynchronous".to_owned()];
    let aside = dz_config::RunConfig::from_text(config, &set).unwrap().to_toml();
    fs::write(run.root().join(layout::CONFIG), aside).unwrap();
    let text = "{\"cycle\":1,\"gate_ms\":2000,\"rating_ms\":9000000}\n";
    fs::write(run.root().join(layout::metrics_path(Stage::Gatekeeper)), text).unwrap();
    let report = Report::read(&run).unwrap();
    let first = &report.cycles[0];
    assert_eq!((first.matches_ms, first.elapsed_ms), (Some(9_002_000), first.wall_ms.unwrap()));
    assert!(report.to_html().unwrap().contains("Of the running time, side by side, matches"));
}

/// Of two entries that settle the same thing the first counts, and shards given up are no damage.
#[test]
fn doubled_entries_count_once_and_given_up_shards_are_reported() {
    let mut ledger = ledger::run(3);
    let whole = Report::from_ledger(&ledger.records, RunContext::default());
    let doubled = ledger.records.clone();
    for record in doubled {
        ledger.push(record.stage, record.entry);
    }
    let twice = Report::from_ledger(&ledger.records, RunContext::default());
    assert_eq!(twice.curve.last().unwrap().games, whole.curve.last().unwrap().games);
    assert_eq!(twice.cycles[1].gate.as_ref().unwrap().result.games, 100);
    assert_eq!(twice.players[0].played, whole.players[0].played);
    let object = ObjectRef::of("shards/cycle-0001/00000000.dzs", b"gone");
    let paths = vec![object.path.clone()];
    let shard = Entry::Shard {
        cycle: 1,
        generation: 0,
        number: 0,
        games: 1,
        positions: 9,
        object,
        board: None,
    };
    ledger.push(Stage::Selfplay, shard);
    ledger.push(Stage::Shuffler, Entry::Expired { cycle: 3, paths });
    let (_folder, run) = on_disk(&ledger.records);
    let report = Report::read(&run).unwrap();
    assert!(says(&report, "Shards of cycle 1 were given up"), "{:?}", report.missing);
}
