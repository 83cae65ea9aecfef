//! Whole turns of the stage on a run's ledger.
#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::{
    fs,
    io::Write,
    path::PathBuf,
    sync::mpsc::{Receiver, channel},
};

use dz_game::games::TicTacToe;
use dz_shard::{Head, Row, RowReader, RowSet, write_random_shard};
use dz_stage::{Event, EventSink, StageContext, Stop};
use dz_store::{Entry, Ledger, ObjectRef, RowsState, SelfplaySummary, Stage};
use dz_testkit_runs::begin_run;

const CONFIG: &str = r#"
format = 1
run = { game = "tictactoe", cycles = 9, seed = 5 }
selfplay = { games = 8 }
bootstrap = { games = 8 }
network = { blocks = 1, channels = 8 }
gate = { rule = "always" }
window = { rows_min = 900, rows_max = 900, scale = 100, validation_share = 0.1 }
shuffle = { bucket_rows = 300, rows_per_file = 256 }
training = { rows_per_new_row = 2.0, batch = 8, validation_rows_max = 50 }
"#;
const GAMES: u64 = 40;

struct Fixture {
    folder: tempfile::TempDir,
    driver: Ledger,
    selfplay: Ledger,
}

impl Fixture {
    fn new() -> Self {
        Self::with("")
    }

    /// With more keys.
    fn with(keys: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = format!("{CONFIG}{keys}");
        let driver = begin_run(&folder.path().join("run"), &config);
        let mut selfplay = Ledger::open(driver.run()).unwrap();
        selfplay.claim(Stage::Selfplay).unwrap();
        Self { folder, driver, selfplay }
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// Publishes two shards of random games as the cycle's, and ends its self-play.
    fn play(&mut self, cycle: u32) {
        let game = TicTacToe::from_spec(&"tictactoe".parse().unwrap()).unwrap();
        for index in 0..2 {
            let number = u64::from(2 * (cycle - 1) + index);
            let made = self.folder.path().join(format!("{number:08}.dzs"));
            write_random_shard(&game, &made, number, GAMES).unwrap();
            let path = format!("shards/cycle-{cycle:04}/{number:08}.dzs");
            let mut file = self.selfplay.run().create_file(&path).unwrap();
            file.write_all(&fs::read(&made).unwrap()).unwrap();
            let object = file.publish().unwrap();
            let shard = Entry::Shard {
                cycle,
                generation: 0,
                number: index,
                games: GAMES,
                positions: 1,
                object,
                board: None,
            };
            self.selfplay.append(shard).unwrap();
        }
        let summary = SelfplaySummary::default();
        self.selfplay.append(Entry::GamesDone { cycle, generation: 0, summary }).unwrap();
    }

    fn end_cycle(&mut self, cycle: u32) {
        self.driver.append(Entry::CycleDone { cycle, wall_ms: 1 }).unwrap();
    }

    fn stage(&self, stop: &Stop) -> (StageContext, Receiver<Event>) {
        let (send, receive) = channel();
        let events = EventSink::channel(send);
        (StageContext::open(&self.dir(), Stage::Shuffler, events, stop.clone()).unwrap(), receive)
    }

    /// One turn in a process of its own.
    fn turn(&self, cycle: u32) -> (RowsState, Vec<Event>) {
        let (mut context, events) = self.stage(&Stop::new());
        shuffler::run(&mut context, cycle).unwrap();
        let rows = context.ledger.state().cycle_state(cycle).unwrap().rows.clone().unwrap();
        drop(context);
        (rows, events.iter().collect())
    }
}

/// Bytes of the files, checked against the ledger and against what they should hold.
fn contents(fixture: &Fixture, files: &[ObjectRef], set: RowSet, rows: u64) -> Vec<Vec<u8>> {
    let run = fixture.driver.run();
    let mut found = 0;
    let bytes = files
        .iter()
        .map(|object| {
            let reader = RowReader::open(&run.local_path(object)).unwrap();
            assert_eq!(reader.header().set, set);
            found += reader.rows();
            run.get(object).unwrap().to_vec()
        })
        .collect();
    assert_eq!(found, rows);
    bytes
}

#[test]
fn turns_follow_the_window_and_old_rows_are_deleted() {
    let mut fixture = Fixture::new();
    let mut earlier: Option<RowsState> = None;
    let mut games = Vec::new();
    for cycle in 1..=4 {
        fixture.play(cycle);
        let (rows, events) = fixture.turn(cycle);
        let summary = &rows.summary;
        contents(&fixture, &rows.train, RowSet::Train, summary.train_rows);
        contents(&fixture, &rows.validation, RowSet::Validation, summary.validation_rows);
        assert!(summary.validation_rows <= 50);
        assert_eq!(summary.train_rows, (2 * summary.new_rows).min(summary.window_rows));
        assert_eq!(rows.train.len() as u64, summary.train_rows.div_ceil(256));
        assert!(matches!(events.last(), Some(Event::TurnDone { .. })));
        if let Some(earlier) = earlier.replace(rows.clone()) {
            for object in earlier.train.iter().chain(&earlier.validation) {
                assert!(!fixture.driver.run().local_path(object).exists(), "{object} has expired");
            }
        }
        games.push(summary.window_games);
        fixture.end_cycle(cycle);
    }
    // About 270 training rows a shard, whole shards until there are 900.
    assert_eq!(games, [80, 160, 160, 160]);
    let work = fixture.dir().join("work/shuffler");
    assert_eq!(fs::read_dir(work).unwrap().count(), 8, "two files for each of four shards");
}

#[test]
fn a_turn_that_was_killed_is_done_again_with_the_same_bytes() {
    let mut fixture = Fixture::new();
    fixture.play(1);
    let (rows, _) = fixture.turn(1);
    let bytes = contents(&fixture, &rows.train, RowSet::Train, rows.summary.train_rows);

    // The same run after a kill just before its entry: files that no entry names, and a work folder
    // that is half done.
    let mut again = Fixture::new();
    again.play(1);
    let folder = again.dir().join("rows/cycle-0001");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("train-0000.dzr"), &bytes[0]).unwrap();
    fs::write(folder.join("train-0001.dzr#1000"), b"half").unwrap();
    let work = again.dir().join("work/shuffler");
    fs::create_dir_all(&work).unwrap();
    fs::write(work.join("00000000000000000000-train.dzr"), b"torn").unwrap();
    let (rows_again, _) = again.turn(1);
    assert_eq!(rows_again.train, rows.train);
    assert_eq!(rows_again.validation, rows.validation);
    assert_eq!(contents(&again, &rows_again.train, RowSet::Train, rows.summary.train_rows), bytes);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), rows.train.len() + rows.validation.len());
}

#[test]
fn a_stop_leaves_the_turn_for_the_next_start() {
    let mut fixture = Fixture::new();
    fixture.play(1);
    let stop = Stop::new();
    stop.ask();
    let (mut context, _events) = fixture.stage(&stop);
    shuffler::run(&mut context, 1).unwrap();
    assert!(context.ledger.state().cycle_state(1).unwrap().rows.is_none());
    drop(context);
    assert!(fixture.turn(1).0.summary.train_rows > 0);
}

#[test]
fn a_damaged_shard_is_set_aside_with_a_note_and_the_run_goes_on() {
    for restored in [false, true] {
        let mut fixture = Fixture::new();
        fixture.play(1);
        let shard = fixture.dir().join("shards/cycle-0001/00000001.dzs");
        let whole = fs::read(&shard).unwrap();
        fs::write(&shard, &whole[..whole.len() / 2]).unwrap();
        let (rows, events) = fixture.turn(1);
        assert_eq!(rows.summary.window_games, GAMES);
        let note = events.iter().find_map(|event| match event {
            Event::Note { text, .. } => Some(text.clone()),
            _ => None,
        });
        let note = note.unwrap();
        assert!(note.contains("no valid footer") && note.contains("set-aside"), "{note}");
        assert!(!shard.exists());
        let aside = fixture.dir().join("work/shuffler/set-aside/shards-cycle-0001-00000001.dzs");
        assert_eq!(fs::read(aside).unwrap(), whole[..whole.len() / 2]);
        fixture.end_cycle(1);

        // It stays away; a good copy in its place counts again.
        if restored {
            fs::write(&shard, &whole).unwrap();
        }
        fixture.play(2);
        let shards = if restored { 4 } else { 3 };
        assert_eq!(fixture.turn(2).0.summary.window_games, shards * GAMES);
    }
}

#[test]
fn a_missing_shard_is_an_error_until_its_loss_is_entered() {
    let mut fixture = Fixture::new();
    fixture.play(1);
    fs::remove_file(fixture.dir().join("shards/cycle-0001/00000000.dzs")).unwrap();
    let (mut context, _events) = fixture.stage(&Stop::new());
    let error = format!("{:#}", shuffler::run(&mut context, 1).unwrap_err());
    assert!(error.contains("00000000.dzs is missing: put a copy back"), "{error}");
    assert!(error.contains("--quarantine"), "{error}");
    let state = context.ledger.state();
    let shard = state.shards().next().unwrap().1.object.clone();
    assert!(!context.run.is_lost(&shard) && context.run.enter_loss(&shard).unwrap());
    assert!(context.run.is_lost(&shard) && !context.run.enter_loss(&shard).unwrap());
    drop(context);
    assert_eq!(fixture.turn(1).0.summary.window_games, GAMES);
}

/// A power cut may lose a page inside a segment, which is not synced: its two ends are whole, so it
/// shows in pass 2.
#[test]
fn a_segment_that_is_damaged_inside_is_made_again_with_the_same_bytes() {
    let mut fixture = Fixture::new();
    fixture.play(1);
    let (rows, _) = fixture.turn(1);
    for damage in ["zeros", "nothing left"] {
        let mut again = Fixture::new();
        again.play(1);
        let work = again.dir().join("work/shuffler");
        fs::create_dir_all(&work).unwrap();
        for entry in fs::read_dir(fixture.dir().join("work/shuffler")).unwrap() {
            let from = entry.unwrap().path();
            let mut bytes = fs::read(&from).unwrap();
            let frame = RowReader::open(&from).unwrap().footer().frames[0].clone();
            let begin = frame.offset as usize;
            let end = begin + frame.bytes as usize;
            if damage == "zeros" {
                bytes[begin..end].fill(0);
            } else {
                bytes.clear();
            }
            fs::write(work.join(from.file_name().unwrap()), bytes).unwrap();
        }
        let (rows_again, events) = again.turn(1);
        assert_eq!((&rows_again.train, &rows_again.validation), (&rows.train, &rows.validation));
        let is_note = |event: &&Event| matches!(event, Event::Note { text, .. } if text.contains("made again"));
        assert_eq!(events.iter().filter(is_note).count() > 0, damage == "zeros");
    }
}

/// Files of others in the stage's own folder are none of its business.
#[test]
fn the_work_folder_is_tidied_of_segments_alone() {
    let mut fixture = Fixture::new();
    let work = fixture.dir().join("work/shuffler");
    fs::create_dir_all(work.join("00000000000000000000-old")).unwrap();
    let foreign = [
        "notes.unfinished",
        "00000000000000000000-train.dzr.bak",
        "00000000000000000000-notes.txt",
        "00000000000000000000-train-2.dzr",
        "00000000000000000000",
    ];
    for name in foreign {
        fs::write(work.join(name), "mine").unwrap();
    }
    let outside = fixture.folder.path().join("outside");
    fs::write(&outside, "mine").unwrap();
    std::os::unix::fs::symlink(&outside, work.join("00000000000000000009-train.unfinished"))
        .unwrap();
    for cycle in 1..=4 {
        fixture.play(cycle);
        fixture.turn(cycle);
        fixture.end_cycle(cycle);
    }
    for name in foreign {
        assert_eq!(fs::read(work.join(name)).unwrap(), b"mine", "{name}");
    }
    assert!(work.join("00000000000000000000-old").is_dir());
    assert!(work.join("00000000000000000009-train.unfinished").is_symlink());
    assert_eq!(fs::read(outside).unwrap(), b"mine");
}

/// Rows carry the targets of heads and nothing else; the soft policy needs no target.
#[test]
fn rows_carry_what_the_heads_of_the_configuration_learn_from() {
    let turn = |keys: &str| {
        let mut fixture = Fixture::with(keys);
        fixture.play(1);
        let (rows, _) = fixture.turn(1);
        let read = |object: &ObjectRef| {
            let mut reader = RowReader::open(&fixture.driver.run().local_path(object)).unwrap();
            let blocks: Vec<_> = reader.blocks().map(Result::unwrap).collect();
            (reader.header().shape.targets, blocks)
        };
        let files: Vec<_> = rows.train.iter().chain(&rows.validation).map(read).collect();
        (files, contents(&fixture, &rows.train, RowSet::Train, rows.summary.train_rows))
    };
    let (plain, bytes) = turn("");
    let (soft, soft_bytes) = turn("heads = { soft_policy_weight = 8 }\n");
    assert_eq!(bytes, soft_bytes);
    assert!(soft.iter().all(|(targets, _)| targets.is_empty()));
    let (files, _) = turn("heads = { reply_weight = 0.15, plies_left_weight = 1 }\n");
    assert_eq!(files.len(), plain.len());
    let mut replies = 0;
    for ((targets, blocks), (_, plain)) in files.iter().zip(&plain) {
        assert_eq!(targets.iter().collect::<Vec<_>>(), [Head::Reply, Head::PliesLeft]);
        for (block, plain) in blocks.iter().zip(plain) {
            assert_eq!(block.len(), plain.len());
            for (row, plain) in block.rows().zip(plain.rows()) {
                // In the same order, with the same rest.
                assert_eq!(Row { aux: plain.aux, ..row }, plain);
                // Random games are full searches to their end, so the last ply alone has no reply.
                let left = row.aux.plies_left.unwrap();
                assert_eq!(row.aux.reply_index.is_empty(), left == 1);
                assert!(row.aux.short_term.is_none() && left + row.ply <= 9);
                replies += usize::from(left > 1);
            }
        }
    }
    assert!(replies > 100, "{replies}");
    let fixture = Fixture::with("heads = { margin_weight = 1 }\n");
    let (mut context, _) = fixture.stage(&Stop::new());
    let error = format!("{:#}", shuffler::run(&mut context, 1).unwrap_err());
    assert!(error.contains("offers no margin") && error.contains("heads.margin_weight"), "{error}");
}
