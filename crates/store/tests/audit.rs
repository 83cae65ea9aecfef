//! The audit of a ledger: every record that contradicts earlier ones is named.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::fs;

use dz_store::{
    Audit, Entry, Ledger, Losses, MatchPurpose, MatchResult, ObjectRef, PlayerName, RowsSummary,
    Run, SNAPSHOT_EVERY, SelfplaySummary, Stage, layout,
};

fn object(name: &str) -> ObjectRef {
    ObjectRef::of(name, name.as_bytes())
}

fn append(run: &Run, stage: Stage, entries: impl IntoIterator<Item = Entry>) -> Ledger {
    let mut ledger = Ledger::open(run).unwrap();
    ledger.claim(stage).unwrap();
    for entry in entries {
        ledger.append(entry).unwrap();
    }
    ledger
}

fn started() -> Entry {
    Entry::RunStarted {
        format: 1,
        config_hash: "c".into(),
        seed: 1,
        game: "tictactoe".into(),
        encoding: "tictactoe-v1".into(),
        version: "0".into(),
    }
}

fn shard(number: u32) -> Entry {
    let object = object(&format!("shards/{number}"));
    Entry::Shard { cycle: 1, generation: 0, number, games: 10, positions: 50, object, board: None }
}

fn games_done(games: u64) -> Entry {
    let summary = SelfplaySummary { games, positions: 50, ..SelfplaySummary::default() };
    Entry::GamesDone { cycle: 1, generation: 0, summary }
}

fn rows(cycle: u32) -> Entry {
    let train = vec![object("rows/1")];
    Entry::Rows { cycle, train, validation: vec![], summary: RowsSummary::default() }
}

fn trained(step: u64) -> [Entry; 2] {
    [
        Entry::Checkpoint { cycle: 1, step: 7, object: object("checkpoints/1") },
        Entry::Candidate {
            cycle: 1,
            step,
            network: object("networks/1"),
            losses: Losses::default(),
        },
    ]
}

fn verdict(accepted: bool) -> Entry {
    let (rule, reason) = ("always".into(), String::new());
    let [score, score_lo95, score_hi95] = [None; 3];
    Entry::Verdict { cycle: 1, rule, accepted, reason, score, score_lo95, score_hi95, test: None }
}

fn champion(generation: u32, network: &str) -> Entry {
    Entry::Champion { generation, cycle: 1, network: object(network) }
}

fn gated(entries: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
    entries.into_iter().chain([Entry::CycleDone { cycle: 1, wall_ms: 1 }]).collect()
}

/// One cycle of a run, stage by stage.
fn cycle() -> [(Stage, Vec<Entry>); 5] {
    [
        (Stage::Driver, vec![started()]),
        (Stage::Selfplay, vec![shard(0), games_done(10)]),
        (Stage::Shuffler, vec![rows(1)]),
        (Stage::Trainer, trained(7).to_vec()),
        (Stage::Gatekeeper, gated([verdict(true), champion(1, "networks/1")])),
    ]
}

fn written(stages: &[(Stage, Vec<Entry>)]) -> (tempfile::TempDir, Run) {
    let dir = tempfile::tempdir().unwrap();
    let run = Run::create(dir.path().join("r"), "x = 1\n").unwrap();
    for (stage, entries) in stages {
        append(&run, *stage, entries.clone());
    }
    (dir, run)
}

#[test]
fn a_sound_ledger_has_no_faults() {
    let (_dir, run) = written(&cycle());
    let audit = Audit::of(&run).unwrap();
    assert_eq!(audit.faults, []);
    assert_eq!((audit.without_hash, audit.fenced), (0, 0));
    assert_eq!(&audit.state, Ledger::open(&run).unwrap().state());
    assert_eq!(audit.records.len() as u64, audit.state.number);
    let named: usize = audit.records.iter().map(|r| r.entry.objects().len()).sum();
    assert_eq!(named, audit.state.objects().count());
}

#[test]
fn entries_that_do_not_follow_are_named() {
    let lost = MatchResult { games: 4, wins: 3, ..MatchResult::default() };
    let bad_match = Entry::Match {
        cycle: 1,
        purpose: MatchPurpose::Gate,
        a: PlayerName::new("a"),
        b: PlayerName::new("b"),
        result: lost,
        games: object("matches/1"),
    };
    let cases: [(usize, Vec<Entry>, &str); 12] = [
        (0, vec![started(), started()], "second time"),
        (1, vec![shard(0), shard(0), games_done(10)], "second shard"),
        (1, vec![shard(0), games_done(11)], "not those of the cycle's shards"),
        (1, vec![rows(1)], "an entry of the shuffler"),
        (2, vec![rows(2)], "out of turn"),
        (3, trained(8).to_vec(), "no checkpoint"),
        (4, gated([verdict(true)]), "without its verdict"),
        (4, gated([verdict(false), champion(1, "networks/1")]), "no candidate that a verdict"),
        (4, gated([verdict(true), champion(1, "networks/9")]), "no candidate that a verdict"),
        (4, gated([verdict(true), champion(2, "networks/1")]), "do not follow each other"),
        (4, vec![bad_match], "not as many as games"),
        (4, vec![shard(1)], "an entry of the selfplay"),
    ];
    for (place, entries, says) in cases {
        let mut stages = cycle();
        stages[place].1 = entries;
        let (_dir, run) = written(&stages);
        let faults = Audit::of(&run).unwrap().faults;
        assert!(faults.iter().any(|fault| fault.what.contains(says)), "{says}: {faults:?}");
    }
}

#[test]
fn damaged_and_missing_records_and_snapshots_are_all_named() {
    let (_dir, run) = written(&cycle());
    for number in 0..SNAPSHOT_EVERY {
        append(&run, Stage::Driver, []);
        if Ledger::open(&run).unwrap().state().number > SNAPSHOT_EVERY + 1 {
            assert!(number > 0);
            break;
        }
    }
    assert_eq!(Audit::of(&run).unwrap().faults, []);
    let flip = |path: &str| {
        let path = run.root().join(path);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    flip(&layout::snapshot_path(SNAPSHOT_EVERY));
    let faults = Audit::of(&run).unwrap().faults;
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].path, layout::snapshot_path(SNAPSHOT_EVERY));
    flip(&layout::log_path(5));
    flip(&layout::log_path(9));
    run.delete(&layout::log_path(7)).unwrap();
    let audit = Audit::of(&run).unwrap();
    let paths: Vec<&str> = audit.faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, [5, 7, 9].map(layout::log_path));
    assert_eq!(audit.state.number, 4);
}

#[test]
fn a_fenced_record_is_counted_and_no_fault() {
    let (_dir, run) = written(&cycle()[..2]);
    let mut late = Ledger::open(&run).unwrap();
    late.claim(Stage::Shuffler).unwrap();
    let mut record = late.append(rows(1)).unwrap();
    append(&run, Stage::Shuffler, []);
    record.number += 2;
    let text = serde_json::to_vec(&record).unwrap();
    run.put_create(&layout::log_path(record.number), &text).unwrap();
    let audit = Audit::of(&run).unwrap();
    assert_eq!((audit.fenced, audit.without_hash), (1, 1));
    assert_eq!(audit.faults, []);
}
