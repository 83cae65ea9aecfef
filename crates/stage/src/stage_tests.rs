//! The turn loop with closures that only append entries.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};

use dz_store::{Entry, Losses, ObjectRef, RowsSummary, SelfplaySummary, StoreError};
use dz_testkit_runs::begin_run;

use super::*;
use crate::exit::TRY_AGAIN;

/// The keys that have no default; two cycles.
const CONFIG: &str = r#"
format = 1
run = { game = "tictactoe", cycles = 2 }
selfplay = { games = 8 }
bootstrap = { games = 8 }
network = { blocks = 1, channels = 8 }
gate = { rule = "always" }
"#;

fn new_run() -> (tempfile::TempDir, StageArgs) {
    new_run_of(CONFIG)
}

fn new_run_of(config: &str) -> (tempfile::TempDir, StageArgs) {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join("r");
    begin_run(&path, config);
    (dir, StageArgs { run: path, once: false, programs: None, events: false })
}

fn closing(stage: Stage, cycle: u32) -> Vec<Entry> {
    let network = ObjectRef::of("networks/x", b"x");
    match stage {
        Stage::Selfplay => {
            vec![Entry::GamesDone { cycle, generation: 0, summary: SelfplaySummary::default() }]
        }
        Stage::Shuffler => vec![Entry::Rows {
            cycle,
            train: vec![],
            validation: vec![],
            summary: RowsSummary::default(),
        }],
        Stage::Trainer => {
            vec![Entry::Candidate { cycle, step: 1, network, losses: Losses::default() }]
        }
        _ if cycle == 2 => {
            vec![Entry::CycleDone { cycle, wall_ms: 1 }, Entry::Finished { verdict: "done".into() }]
        }
        _ => vec![Entry::CycleDone { cycle, wall_ms: 1 }],
    }
}

fn append_all(context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
    for entry in closing(context.stage(), cycle) {
        context.ledger.append(entry)?;
    }
    Ok(())
}

fn sink() -> (EventSink, Receiver<Event>) {
    let (send, receive) = mpsc::channel();
    (EventSink::channel(send), receive)
}

fn live_once(stage: Stage, args: &StageArgs) -> anyhow::Result<StageEnd> {
    let args = StageArgs { once: true, ..args.clone() };
    let turn = |(): &mut (), context: &mut StageContext, cycle| append_all(context, cycle);
    live(stage, &args, &sink().0, &Stop::new(), |_| Ok(()), turn)
}

#[test]
fn four_stages_take_turns_to_the_end() {
    let (_dir, args) = new_run();
    let (events, received) = sink();
    thread::scope(|scope| {
        for stage in Stage::WORKERS {
            let args = &args;
            let events = &events;
            scope.spawn(move || {
                let mut cycles = Vec::new();
                let turn = |starts: &mut u32, context: &mut StageContext, cycle| {
                    *starts += 1;
                    cycles.push(cycle);
                    assert_eq!(*starts, cycle);
                    append_all(context, cycle)
                };
                let end = live(stage, args, events, &Stop::new(), |_| Ok(0), turn).unwrap();
                assert_eq!(end, StageEnd::Finished);
                assert_eq!(cycles, [1, 2]);
            });
        }
    });
    let received: Vec<Event> = received.try_iter().collect();
    let count = |of: fn(&Event) -> bool| received.iter().filter(|&e| of(e)).count();
    assert_eq!(count(|e| matches!(e, Event::Started { .. })), 4);
    assert_eq!(count(|e| matches!(e, Event::Stopped { code: 0, .. })), 4);
}

#[test]
fn one_turn_at_a_time_by_hand() {
    let (_dir, args) = new_run();
    assert_eq!(live_once(Stage::Trainer, &args).unwrap(), StageEnd::NotOurs);
    for _ in 1..=2 {
        for stage in Stage::WORKERS {
            assert_eq!(live_once(stage, &args).unwrap(), StageEnd::TurnDone);
        }
    }
    assert_eq!(live_once(Stage::Selfplay, &args).unwrap(), StageEnd::Finished);
}

#[test]
fn no_cycle_beyond_the_last_is_begun() {
    let (_dir, args) = new_run();
    let run = Run::open(&args.run).unwrap();
    let mut ledger = Ledger::open(&run).unwrap();
    ledger.claim(Stage::Gatekeeper).unwrap();
    for cycle in 1..=2 {
        ledger.append(Entry::CycleDone { cycle, wall_ms: 1 }).unwrap();
    }
    assert_eq!(live_once(Stage::Selfplay, &args).unwrap(), StageEnd::NotOurs);
}

/// How many cycles each turn of self-play is laid out over, under a limit of time and cycles of
/// these milliseconds, until none is begun.
fn laid_out(mode: &str, hours_max: f64, walls_ms: [u64; 4]) -> Vec<u32> {
    let keys = format!("cycles = 9, hours_max = {hours_max}, mode = \"{mode}\"");
    let (_dir, args) = new_run_of(&CONFIG.replace("cycles = 2", &keys));
    let mut found = Vec::new();
    for cycle in 1..=4 {
        for stage in Stage::WORKERS {
            let turn = |(): &mut (), context: &mut StageContext, at: u32| {
                assert_eq!(at, cycle);
                match stage {
                    Stage::Selfplay => found.push(context.config.run.cycles),
                    _ => assert_eq!(found.last(), Some(&context.config.run.cycles), "{stage}"),
                }
                let wall_ms = walls_ms[cycle as usize - 1];
                let entry = match stage {
                    Stage::Gatekeeper => vec![Entry::CycleDone { cycle, wall_ms }],
                    _ => closing(stage, cycle),
                };
                entry.into_iter().try_for_each(|e| context.ledger.append(e).map(drop))?;
                Ok(())
            };
            let once = StageArgs { once: true, ..args.clone() };
            let end = live(stage, &once, &sink().0, &Stop::new(), |_| Ok(()), turn).unwrap();
            if end == StageEnd::NotOurs {
                return found;
            }
        }
    }
    found
}

#[test]
fn every_stage_lays_a_cycle_out_over_as_many_as_fit() {
    let minute = 60_000;
    // 9 are the most; after the second cycle 4 more fit, after the third none.
    let walls = [20 * minute, 7 * minute, 30 * minute, 1];
    assert_eq!(laid_out("synchronous", 1.0, walls), [9, 9, 6]);
    // Side by side each knows one cycle less, and the fourth was begun before the third was over.
    assert_eq!(laid_out("asynchronous", 1.0, walls), [9, 9, 9, 6]);
    assert_eq!(laid_out("asynchronous", 1e-9, walls), [9, 9]);
    assert_eq!(laid_out("synchronous", 0.0, walls), [9; 4]);
}

#[test]
fn a_stop_inside_a_turn_is_an_interruption_and_between_turns_is_not() {
    let (_dir, args) = new_run();
    let stop = Stop::new();
    let turn = |(): &mut (), context: &mut StageContext, _| {
        context.stop.ask();
        Ok(())
    };
    let end = live(Stage::Selfplay, &args, &sink().0, &stop, |_| Ok(()), turn).unwrap();
    assert_eq!((end, end.exit_code()), (StageEnd::Interrupted, TRY_AGAIN));
    let end = live(Stage::Selfplay, &args, &sink().0, &stop, |_| Ok(()), turn).unwrap();
    assert_eq!((end, end.exit_code()), (StageEnd::Stopped, TRY_AGAIN));
}

#[test]
fn a_turn_that_forgets_its_closing_entry_is_an_error() {
    let (_dir, args) = new_run();
    let (events, received) = sink();
    let result = live(Stage::Selfplay, &args, &events, &Stop::new(), |_| Ok(()), |(), _, _| Ok(()));
    let text = format!("{:#}", result.unwrap_err());
    assert!(text.contains("selfplay, cycle 1"), "{text}");
    let last = received.try_iter().last().unwrap();
    assert!(matches!(last, Event::Stopped { code: 1, .. }), "{last:?}");
}

#[test]
fn a_stage_runs_once() {
    let (_dir, args) = new_run();
    let open = || StageContext::open(&args.run, Stage::Trainer, sink().0, Stop::new());
    let first = open().unwrap();
    let error = open().unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(StoreError::InUse { .. })), "{error:#}");
    assert_eq!(exit_code_of(&error), TRY_AGAIN);
    drop(first);
    open().unwrap();
}

#[test]
fn a_full_disk_is_waited_for_and_the_turn_is_taken_again() {
    let (_dir, args) = new_run();
    let args = StageArgs { once: true, ..args };
    let (events, received) = sink();
    let mut tries = 0;
    let turn = |(): &mut (), context: &mut StageContext, cycle| {
        tries += 1;
        if tries == 1 {
            let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
            return Err(StoreError::io("shards/x", full).into());
        }
        append_all(context, cycle)
    };
    let end = live(Stage::Selfplay, &args, &events, &Stop::new(), |_| Ok(()), turn).unwrap();
    assert_eq!((end, tries), (StageEnd::TurnDone, 2));
    let notes: Vec<String> = received
        .try_iter()
        .filter_map(|event| match event {
            Event::Note { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    assert!(notes[0].contains("PAUSED") && notes[0].contains("shards/x"), "{notes:?}");
    assert!(notes[1].contains("goes on"), "{notes:?}");
}

#[test]
fn a_stop_ends_a_pause() {
    let (_dir, args) = new_run();
    let stop = Stop::new();
    let turn = |(): &mut (), context: &mut StageContext, _| {
        context.stop.ask();
        Err(StoreError::io("x", std::io::Error::from_raw_os_error(30)).into())
    };
    let end = live(Stage::Selfplay, &args, &sink().0, &stop, |_| Ok(()), turn).unwrap();
    assert_eq!(end, StageEnd::Interrupted);
}

#[test]
fn a_burst_of_device_errors_is_borne_and_an_endless_one_is_not() {
    let (_dir, args) = new_run();
    let args = StageArgs { once: true, ..args };
    let mut tries = 0;
    let turn = |(): &mut (), context: &mut StageContext, cycle| {
        tries += 1;
        if tries <= 25 {
            return Err(StoreError::io("shards/x", std::io::Error::from_raw_os_error(5)).into());
        }
        append_all(context, cycle)
    };
    let end = live(Stage::Selfplay, &args, &sink().0, &Stop::new(), |_| Ok(()), turn).unwrap();
    assert_eq!((end, tries), (StageEnd::TurnDone, 26));
    let mut patience = Patience::default();
    let error = || StoreError::io("x", std::io::Error::from_raw_os_error(5)).into();
    assert_eq!(patience.bear(error()).unwrap(), DiskTrouble::Device);
    patience.since(Instant::now().checked_sub(Duration::from_mins(6)).unwrap());
    assert_eq!(exit_code_of(&patience.bear(error()).unwrap_err()), TRY_AGAIN);
}

#[test]
fn a_stage_says_in_its_lock_what_it_waits_for() {
    let (_dir, args) = new_run();
    let stop = Stop::new();
    let turn = |(): &mut (), context: &mut StageContext, _| {
        // Seen from outside, in the midst of the pause.
        let run = context.run.clone();
        let stop = context.stop.clone();
        thread::spawn(move || {
            let paused = || RunLock::holder(&run, Stage::Selfplay).and_then(|holder| holder.paused);
            let begun = Instant::now();
            while paused().is_none() && begun.elapsed() < Duration::from_secs(20) {
                thread::sleep(Duration::from_millis(5));
            }
            std::fs::write(run.root().join("seen"), paused().unwrap().reason).unwrap();
            stop.ask();
        });
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        Err(StoreError::io("shards/x", full).into())
    };
    live(Stage::Selfplay, &args, &sink().0, &stop, |_| Ok(()), turn).unwrap();
    let seen = std::fs::read_to_string(args.run.join("seen")).unwrap();
    assert!(seen.contains("no space left for shards/x"), "{seen}");
}

#[test]
fn another_configuration_in_the_ledger_ends_a_stage_that_works_by_the_former() {
    let (_dir, args) = new_run();
    let turn = |(): &mut (), context: &mut StageContext, cycle| {
        append_all(context, cycle)?;
        let mut driver = Ledger::open(&context.run)?;
        driver.claim(Stage::Driver)?;
        let config_hash = "0".repeat(64);
        let changes = Vec::new();
        driver.append(Entry::ConfigChanged { config_hash, changes })?;
        Ok(())
    };
    let end = live(Stage::Selfplay, &args, &sink().0, &Stop::new(), |_| Ok(()), turn).unwrap();
    assert_eq!((end, end.exit_code()), (StageEnd::Reconfigured, TRY_AGAIN));
}
