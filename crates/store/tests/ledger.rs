//! The ledger: each number once, fencing, damage, snapshots, turns.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::fs;
use std::thread;

use dz_store::{
    Audit, Entry, Ledger, Losses, MatchPurpose, MatchResult, ObjectRef, PlayerName, RatingRow,
    RowsSummary, Run, RunState, SNAPSHOT_EVERY, SelfplaySummary, Stage, StageTurn, StoreError,
};

fn run() -> (tempfile::TempDir, Run) {
    let dir = tempfile::tempdir().unwrap();
    let run = Run::create(dir.path().join("r"), "seed = 1\n").unwrap();
    (dir, run)
}

fn claimed(run: &Run, stage: Stage) -> Ledger {
    let mut ledger = Ledger::open(run).unwrap();
    ledger.claim(stage).unwrap();
    ledger
}

fn object(name: &str) -> ObjectRef {
    ObjectRef::of(name, name.as_bytes())
}

fn shard(cycle: u32, number: u32) -> Entry {
    let object = object(&format!("shards/{cycle}-{number}"));
    Entry::Shard { cycle, generation: 0, number, games: 10, positions: 100, object, board: None }
}

fn candidate(cycle: u32) -> Entry {
    let network = object(&format!("networks/{cycle}"));
    Entry::Candidate { cycle, step: 5, network, losses: Losses::default() }
}

fn games_done(cycle: u32) -> Entry {
    Entry::GamesDone { cycle, generation: 0, summary: SelfplaySummary::default() }
}

fn rows(cycle: u32) -> Entry {
    let train = vec![object(&format!("rows/{cycle}"))];
    Entry::Rows { cycle, train, validation: vec![], summary: RowsSummary::default() }
}

#[test]
fn writers_that_race_get_each_number_once() {
    const EACH: u32 = 60;
    let (_dir, run) = run();
    thread::scope(|scope| {
        for stage in [Stage::Selfplay, Stage::Trainer, Stage::Gatekeeper] {
            let run = &run;
            scope.spawn(move || {
                let mut ledger = claimed(run, stage);
                for number in 0..EACH {
                    let record = ledger.append(shard(1, stage as u32 * EACH + number)).unwrap();
                    assert_eq!(record.number, ledger.state().number);
                }
            });
        }
    });
    let ledger = Ledger::open(&run).unwrap();
    assert_eq!(ledger.state().number, u64::from(3 * (EACH + 1)));
    assert_eq!(ledger.state().shards().count(), 3 * EACH as usize);
    let numbers: Vec<u64> = ledger.records().unwrap().iter().map(|r| r.number).collect();
    assert_eq!(numbers, (1..=ledger.state().number).collect::<Vec<_>>());
}

#[test]
fn a_fenced_writer_cannot_append_and_other_stages_can() {
    let (_dir, run) = run();
    let mut old = claimed(&run, Stage::Trainer);
    let mut other = claimed(&run, Stage::Selfplay);
    old.append(candidate(1)).unwrap();
    let mut new = claimed(&run, Stage::Trainer);
    let error = old.append(candidate(2)).unwrap_err();
    assert!(matches!(error, StoreError::Fenced { stage: Stage::Trainer, ours: 1, newest: 4 }));
    other.append(shard(1, 0)).unwrap();
    new.append(candidate(2)).unwrap();
    assert_eq!(Ledger::open(&run).unwrap().state().cycles.len(), 2);
}

#[test]
fn the_fold_ignores_a_fenced_writers_record() {
    let (_dir, run) = run();
    let mut old = claimed(&run, Stage::Trainer);
    let mut record = old.append(candidate(1)).unwrap();
    claimed(&run, Stage::Trainer);
    // What a writer without the rule would do: a record of the old epoch after the new claim.
    record.number = 4;
    record.entry = candidate(2);
    let path = dz_store::layout::log_path(4);
    run.put_create(&path, &serde_json::to_vec(&record).unwrap()).unwrap();
    let ledger = Ledger::open(&run).unwrap();
    assert_eq!(ledger.state().number, 4);
    assert!(ledger.state().cycle_state(1).is_some() && ledger.state().cycle_state(2).is_none());
}

#[test]
fn appending_needs_a_claim() {
    let (_dir, run) = run();
    let mut ledger = Ledger::open(&run).unwrap();
    assert!(matches!(ledger.append(shard(1, 0)), Err(StoreError::Invalid { .. })));
}

#[test]
fn poll_returns_what_others_wrote() {
    let (_dir, run) = run();
    let mut reader = Ledger::open(&run).unwrap();
    let mut writer = claimed(&run, Stage::Selfplay);
    writer.append(shard(1, 0)).unwrap();
    assert_eq!(reader.poll().unwrap().len(), 2);
    assert!(reader.poll().unwrap().is_empty());
    assert_eq!(reader.state(), writer.state());
}

#[test]
fn a_number_that_is_not_finite_never_reaches_the_log() {
    let (_dir, run) = run();
    let mut writer = claimed(&run, Stage::Trainer);
    for policy in [f64::NAN, f64::INFINITY] {
        let losses = Losses { policy, ..Losses::default() };
        let entry = Entry::Candidate { cycle: 1, step: 1, network: object("networks/1"), losses };
        assert!(matches!(writer.append(entry), Err(StoreError::Invalid { .. })));
    }
    let losses = Losses { validation_value: Some(f64::NAN), ..Losses::default() };
    let entry = Entry::Candidate { cycle: 1, step: 1, network: object("networks/1"), losses };
    assert!(matches!(writer.append(entry), Err(StoreError::Invalid { .. })));
    assert_eq!(Ledger::open(&run).unwrap().state().number, 1);
}

#[test]
fn damaged_records_are_named() {
    let good = {
        let (_dir, run) = run();
        claimed(&run, Stage::Selfplay);
        fs::read_to_string(run.root().join(dz_store::layout::log_path(1))).unwrap()
    };
    let torn = &good[..good.len() / 2];
    let other_number = good.replace("\"number\":1", "\"number\":3");
    let unknown_field = good.replace("\"process_id\"", "\"colour\":1,\"process_id\"");
    let other_digit = good.replace("\"process_id\":", "\"process_id\":1");
    let no_hash = good.replace("\"blake3\":\"", "\"blake4\":\"");
    for text in [torn, "", "garbage", &other_number, &unknown_field, &other_digit, &no_hash] {
        assert_ne!(text, good);
        let (_dir, run) = run();
        let mut writer = claimed(&run, Stage::Selfplay);
        writer.append(shard(1, 0)).unwrap();
        let path = run.root().join(dz_store::layout::log_path(2));
        fs::write(path, text).unwrap();
        let error = Ledger::open(&run).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{message}");
        assert!(message.contains("log/00000000000000000002.json"), "{message}");
        assert!(message.contains("goes on after record 1"), "{message}");
    }
}

#[test]
fn a_missing_record_is_named() {
    let (_dir, run) = run();
    let mut writer = claimed(&run, Stage::Selfplay);
    for number in 0..3 {
        writer.append(shard(1, number)).unwrap();
    }
    run.delete(&dz_store::layout::log_path(2)).unwrap();
    let message = Ledger::open(&run).unwrap_err().to_string();
    assert!(message.contains("00002.json") && message.contains("records up to 4"), "{message}");
}

/// What each worker may do now, with self-play one cycle ahead at most.
fn side_by_side(ledger: &Ledger) -> [Option<StageTurn>; 4] {
    Stage::WORKERS.map(|stage| ledger.state().turn_of(stage, 1))
}

#[test]
fn stages_work_side_by_side_and_self_play_stays_near_the_gate() {
    let (_dir, run) = run();
    let mut ledger = claimed(&run, Stage::Driver);
    let play = |cycle| Some(StageTurn::Selfplay { cycle });
    ledger.append(games_done(1)).unwrap();
    // There is no network yet, so self-play waits.
    assert_eq!(side_by_side(&ledger), [None, Some(StageTurn::Shuffle { cycle: 1 }), None, None]);
    ledger.append(rows(1)).unwrap();
    ledger.append(candidate(1)).unwrap();
    let network = object("networks/1");
    ledger.append(Entry::Champion { generation: 1, cycle: 1, network }).unwrap();
    assert_eq!(side_by_side(&ledger), [play(2), None, None, Some(StageTurn::Gate { cycle: 1 })]);
    ledger.append(games_done(2)).unwrap();
    let (shuffle, gate) =
        (Some(StageTurn::Shuffle { cycle: 2 }), Some(StageTurn::Gate { cycle: 1 }));
    // Two ahead of the gate would be too far.
    assert_eq!(side_by_side(&ledger), [None, shuffle, None, gate]);
    ledger.append(Entry::CycleDone { cycle: 1, wall_ms: 1 }).unwrap();
    assert_eq!(side_by_side(&ledger), [play(3), shuffle, None, None]);
    ledger.append(rows(2)).unwrap();
    ledger.append(games_done(3)).unwrap();
    let all = [Some(StageTurn::Shuffle { cycle: 3 }), Some(StageTurn::Train { cycle: 2 })];
    assert_eq!(side_by_side(&ledger)[1..3], all);
    ledger.append(candidate(2)).unwrap();
    // Where stages take turns, only the oldest of these is one.
    assert_eq!(ledger.state().turn(), StageTurn::Gate { cycle: 2 });
    assert_eq!(ledger.state().turn_of(Stage::Selfplay, 0), None);
}

#[test]
fn the_turn_goes_round() {
    let (_dir, run) = run();
    let mut ledger = claimed(&run, Stage::Driver);
    for cycle in 1..=2 {
        assert_eq!(ledger.state().turn(), StageTurn::Selfplay { cycle });
        ledger.append(shard(cycle, 0)).unwrap();
        assert_eq!(ledger.state().turn(), StageTurn::Selfplay { cycle });
        ledger.append(games_done(cycle)).unwrap();
        assert_eq!(ledger.state().turn(), StageTurn::Shuffle { cycle });
        ledger.append(rows(cycle)).unwrap();
        assert_eq!(ledger.state().turn(), StageTurn::Train { cycle });
        ledger.append(candidate(cycle)).unwrap();
        assert_eq!(ledger.state().turn(), StageTurn::Gate { cycle });
        let network = object(&format!("networks/{cycle}"));
        ledger.append(Entry::Champion { generation: cycle, cycle, network }).unwrap();
        assert_eq!(ledger.state().generation(), cycle);
        ledger.append(Entry::CycleDone { cycle, wall_ms: 1 }).unwrap();
    }
    ledger.append(Entry::Finished { verdict: "done".into() }).unwrap();
    assert_eq!(ledger.state().turn(), StageTurn::Finished);
    let changes = vec!["run.cycles: 2 -> 3".to_owned()];
    ledger.append(Entry::ConfigChanged { config_hash: "x".into(), changes }).unwrap();
    assert_eq!(ledger.state().turn(), StageTurn::Selfplay { cycle: 3 });
}

#[test]
fn the_first_of_two_equal_claims_counts() {
    let (_dir, run) = run();
    let mut ledger = claimed(&run, Stage::Gatekeeper);
    for generation in [1, 1] {
        let network = object(&format!("networks/{}", ledger.state().number));
        ledger.append(Entry::Champion { generation, cycle: 1, network }).unwrap();
    }
    for wins in [3, 4] {
        ledger.append(a_match(1, wins)).unwrap();
    }
    for draw_rate in [0.3, 0.4] {
        let players = Vec::new();
        let entry = Entry::Ratings { cycle: 1, players, first_mover_elo: 0.0, draw_rate };
        ledger.append(entry).unwrap();
    }
    let state = ledger.state();
    assert_eq!(state.ratings.as_ref().unwrap().draw_rate, 0.3);
    assert_eq!(state.champion.as_ref().unwrap().network, object("networks/1"));
    assert_eq!(state.matches().count(), 1);
    assert_eq!(state.matches().next().unwrap().1.result.wins, 3);
}

fn a_match(cycle: u32, wins: u64) -> Entry {
    Entry::Match {
        cycle,
        purpose: MatchPurpose::Rating,
        a: PlayerName::network(cycle),
        b: PlayerName::new("random"),
        result: MatchResult { games: 4, wins, losses: 4 - wins, ..MatchResult::default() },
        games: object(&format!("matches/{cycle}")),
    }
}

/// A seeded entry of any kind; SplitMix64.
fn any_entry(random: &mut u64) -> Entry {
    let mut next = |below: u64| {
        *random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    };
    let cycle = 1 + next(5) as u32;
    let float = next(1 << 53) as f64 / 3e7 - 1e5;
    match next(12) {
        0..=3 => shard(cycle, next(6) as u32),
        4 => games_done(cycle),
        5 => rows(cycle),
        6 => Entry::Checkpoint { cycle, step: next(9), object: object("checkpoints/x") },
        7 => {
            let losses =
                Losses { policy: float, value_accuracy: Some(float / 7.0), ..Losses::default() };
            Entry::Candidate { cycle, step: next(9), network: object("networks/x"), losses }
        }
        8 => a_match(cycle, next(5)),
        9 => Entry::Champion { generation: next(9) as u32, cycle, network: object("networks/y") },
        10 => Entry::Ratings {
            cycle,
            players: vec![RatingRow {
                player: PlayerName::network(cycle),
                elo: float,
                error95: 1.0,
                score: 0.3,
                games: 7,
            }],
            first_mover_elo: float / 3.0,
            draw_rate: 0.1,
        },
        _ => Entry::CycleDone { cycle: 1 + next(2) as u32, wall_ms: next(1000) },
    }
}

#[test]
fn a_cycle_that_cannot_have_begun_is_refused() {
    let (_dir, run) = run();
    let mut ledger = claimed(&run, Stage::Selfplay);
    ledger.append(shard(1, 0)).unwrap();
    ledger.append(shard(2, 0)).unwrap();
    let error = ledger.append(shard(4, 0)).unwrap_err().to_string();
    assert!(error.contains("cycle 4") && error.contains("cycle 2"), "{error}");
    let record = ledger.append(shard(3, 0)).unwrap();
    // The same by hand, with the right hash.
    let path = run.root().join(dz_store::layout::log_path(record.number));
    let text = fs::read_to_string(&path).unwrap();
    let body = &text[..text.rfind(",\"blake3\":\"").unwrap()];
    for (cycle, what) in [(4, "has come to cycle 2"), (u32::MAX, "most for the log"), (0, "is 0")] {
        let body = body.replace("\"cycle\":3", &format!("\"cycle\":{cycle}"));
        fs::write(&path, dz_store::seal(format!("{body}}}").as_bytes(), 64)).unwrap();
        let error = Ledger::open(&run).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

/// A configuration may change before the first cycle, for example by `init` and an edit.
#[test]
fn a_snapshot_holds_changes_of_the_configuration_before_the_first_cycle() {
    let (_dir, run) = run();
    let mut driver = claimed(&run, Stage::Driver);
    for change in 0..SNAPSHOT_EVERY {
        let config_hash = change.to_string();
        let changes = vec![format!("gate.games: {change} -> {}", change + 1)];
        driver.append(Entry::ConfigChanged { config_hash, changes }).unwrap();
    }
    let path = dz_store::layout::snapshot_path(SNAPSHOT_EVERY);
    assert!(run.root().join(&path).is_file());
    let audit = Audit::of(&run).unwrap();
    assert!(audit.faults.iter().all(|fault| fault.path != path), "{:?}", audit.faults);
}

#[test]
fn a_snapshot_equals_the_fold() {
    let (_dir, run) = run();
    let mut random = 1;
    let mut writers = [claimed(&run, Stage::Selfplay), claimed(&run, Stage::Trainer)];
    // A cycle follows the one before it, so there is one for every entry that comes.
    (1..=9).for_each(|cycle| drop(writers[0].append(shard(cycle, 0)).unwrap()));
    for step in 0..(2 * SNAPSHOT_EVERY as usize + 40) {
        writers[step % 2].append(any_entry(&mut random)).unwrap();
    }
    writers[1].append(shard(9, 0)).unwrap();
    assert_eq!(run.list("snapshots").unwrap().len(), 2);
    let with: RunState = Ledger::open(&run).unwrap().state().clone();
    assert!(&with == writers[1].state());

    // A snapshot that is damaged, or of another log, is passed over.
    let newest = run.root().join(dz_store::layout::snapshot_path(2 * SNAPSHOT_EVERY));
    let text = fs::read_to_string(&newest).unwrap();
    let lie = text.replace("\"config_hash\":\"\"", "\"config_hash\":\"lie\"");
    assert_ne!(lie, text);
    fs::write(&newest, &lie).unwrap();
    assert!(Ledger::open(&run).unwrap().state() == &with, "its hash is another one");
    // Proof that snapshots are used at all: a lie with the right hash is believed.
    let body = &lie[..lie.rfind(",\"blake3\":\"").unwrap()];
    let hash = blake3::hash(body.as_bytes());
    fs::write(&newest, format!("{body},\"blake3\":\"{hash}\"}}\n")).unwrap();
    assert_eq!(Ledger::open(&run).unwrap().state().config_hash, "lie");
    // A snapshot of an earlier format is folded anew, and is no damage.
    let older = lie.replacen("\"format\":3", "\"format\":2", 1);
    assert_ne!(older, lie);
    let body = &older[..older.rfind(",\"blake3\":\"").unwrap()];
    fs::write(&newest, dz_store::seal(format!("{body}}}").as_bytes(), 64)).unwrap();
    assert!(Ledger::open(&run).unwrap().state() == &with);
    let is_fault = |path: &str| Audit::of(&run).unwrap().faults.iter().any(|f| f.path == path);
    assert!(!is_fault(&dz_store::layout::snapshot_path(2 * SNAPSHOT_EVERY)));
    fs::write(&newest, &text[..text.len() - 9]).unwrap();
    assert!(Ledger::open(&run).unwrap().state() == &with);
    fs::write(&newest, text.replacen("\"blake3\":\"", "\"blake3\":\"0", 1)).unwrap();
    assert!(Ledger::open(&run).unwrap().state() == &with);

    fs::remove_dir_all(run.root().join("snapshots")).unwrap();
    assert!(Ledger::open(&run).unwrap().state() == &with);
}
