//! A run with rows of random tic-tac-toe games, and what tests look at.
#![allow(dead_code, clippy::unwrap_used, reason = "test helpers; each test file uses a part")]

pub mod fakes;

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};

use dz_game::{Game, games::TicTacToe};
use dz_shard::{
    GameRecord, RowBlock, RowFileHeader, RowSet, RowShape, RowTargets, RowWriter, random_records,
    rows_of_game,
};
use dz_stage::{Event, EventSink, StageContext, Stop};
use dz_store::{
    CandidateState, Entry, Ledger, ObjectRef, RowsSummary, Run, RunState, SelfplaySummary, Stage,
};
use dz_testkit_runs::{append, begin_run};
use trainer::{Trainer, start};

/// Small batches and frames, so that batches span frames and files.
const CONFIG: &str = r#"
format = 1
run = { game = "tictactoe", cycles = 2, seed = 5, device = "cpu" }
selfplay = { games = 8 }
bootstrap = { games = 8 }
network = { blocks = 1, channels = 8, policy_channels = 4, value_channels = 4, value_hidden = 8 }
gate = { rule = "always" }
training = { batch = 16, warmup_steps = 5, learning_rate = 0.01, value_mix = 0.25 }
"#;

/// Rows of a frame, and frames of a file.
const FRAME: usize = 23;
const FRAMES: usize = 3;

pub fn game() -> TicTacToe {
    TicTacToe::from_spec(&"tictactoe".parse().unwrap()).unwrap()
}

pub fn records(seed: u64, games: u64) -> Vec<GameRecord> {
    random_records(&game(), games, 30, seed)
}

/// Rows of random games; the same for the same seed.
pub fn block(seed: u64, games: u64) -> RowBlock {
    block_with(seed, games, RowTargets::NONE)
}

/// The same with auxiliary targets.
pub fn block_with(seed: u64, games: u64, targets: RowTargets) -> RowBlock {
    let mut rows = RowBlock::new(RowShape::of(&game().encoding()).carrying(targets));
    for record in records(seed, games) {
        rows_of_game(&game(), &record, &mut rows).unwrap();
    }
    rows
}

/// A run in a temporary directory.
pub struct TestRun {
    pub dir: tempfile::TempDir,
    pub path: PathBuf,
    pub run: Run,
    /// What the rows that are published carry beside policy and value.
    pub targets: RowTargets,
}

impl TestRun {
    pub fn new() -> Self {
        Self::with(CONFIG)
    }

    /// With other values of the configuration.
    pub fn changed(from: &str, to: &str) -> Self {
        assert!(CONFIG.contains(from));
        Self::with(&CONFIG.replace(from, to))
    }

    fn with(config: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r");
        let run = begin_run(&path, config).run().clone();
        Self { dir, path, run, targets: RowTargets::NONE }
    }

    pub fn append(&self, stage: Stage, entry: Entry) {
        append(&self.run, stage, [entry]);
    }

    pub fn state(&self) -> RunState {
        Ledger::open(&self.run).unwrap().state().clone()
    }

    /// Publishes the rows of `games` random games for a cycle, and some for validation.
    pub fn publish_rows(&self, cycle: u32, games: u64) {
        let train = block_with(u64::from(cycle), games, self.targets);
        let validation = block_with(u64::from(cycle) + 1000, 6, self.targets);
        let summary = RowsSummary {
            train_rows: train.len() as u64,
            validation_rows: validation.len() as u64,
            ..RowsSummary::default()
        };
        let games = SelfplaySummary::default();
        self.append(Stage::Selfplay, Entry::GamesDone { cycle, generation: 0, summary: games });
        let train = self.write(cycle, RowSet::Train, &train);
        let validation = self.write(cycle, RowSet::Validation, &validation);
        self.append(Stage::Shuffler, Entry::Rows { cycle, train, validation, summary });
    }

    fn write(&self, cycle: u32, set: RowSet, rows: &RowBlock) -> Vec<ObjectRef> {
        let all: Vec<usize> = (0..rows.len()).collect();
        let files = all.chunks(FRAME * FRAMES).enumerate();
        files
            .map(|(number, indices)| {
                let header = RowFileHeader::new(&game(), set, 5).unwrap();
                let mut header = header.carrying(&game(), self.targets).unwrap();
                (header.cycle, header.number) = (u64::from(cycle), number as u64);
                let mut writer = RowWriter::new(Vec::new(), &header, 1).unwrap();
                for frame in indices.chunks(FRAME) {
                    let mut block = RowBlock::new(rows.shape());
                    for &i in frame {
                        block.push(&rows.row(i));
                    }
                    writer.push(&block).unwrap();
                }
                let path = format!("rows/cycle-{cycle:04}/{set:?}-{number:04}.dzr").to_lowercase();
                self.run.put_create(&path, &writer.finish().unwrap().0).unwrap()
            })
            .collect()
    }

    /// What the gate would say, so that the next cycle may begin.
    pub fn end_cycle(&self, cycle: u32) {
        self.append(Stage::Driver, Entry::CycleDone { cycle, wall_ms: 1 });
    }

    /// A trainer process: it has the lock and the claim until it is dropped.
    pub fn process(&self) -> Process {
        let (sender, events) = mpsc::channel();
        let stop = Stop::new();
        let sink = EventSink::channel(sender);
        let mut context =
            StageContext::open(&self.path, Stage::Trainer, sink, stop.clone()).unwrap();
        let trainer = start(&mut context).unwrap();
        Process { context, trainer, events, stop }
    }

    pub fn candidate(&self, cycle: u32) -> Option<CandidateState> {
        self.state().cycle_state(cycle).and_then(|c| c.candidate.clone())
    }

    /// Bytes of the newest checkpoint and of all networks, which must not depend on kills.
    pub fn results(&self) -> (Vec<u8>, Vec<Vec<u8>>) {
        let state = self.state();
        let bytes = |object: &ObjectRef| self.run.get(object).unwrap().to_vec();
        let networks = state.cycles.values().filter_map(|c| c.candidate.as_ref());
        let networks = networks.map(|c| bytes(&c.network)).collect();
        (bytes(&state.checkpoint().unwrap().object), networks)
    }

    /// Paths of the checkpoint files.
    pub fn checkpoint_files(&self) -> Vec<String> {
        self.run.list("checkpoints").unwrap()
    }

    /// Flips a byte in the middle of a file.
    pub fn damage(&self, path: &str) {
        let path = self.path.join(path);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    }
}

pub struct Process {
    pub context: StageContext,
    pub trainer: Trainer,
    pub events: Receiver<Event>,
    pub stop: Stop,
}

impl Process {
    pub fn turn(&mut self, cycle: u32) -> anyhow::Result<()> {
        self.context.ledger.poll()?;
        self.trainer.turn(&mut self.context, cycle)
    }

    /// All notes and lines so far.
    pub fn lines(&self) -> Vec<String> {
        let line = |event| match event {
            Event::Note { text, .. } => Some(text),
            Event::TurnDone { line, .. } => Some(line),
            _ => None,
        };
        self.events.try_iter().filter_map(line).collect()
    }
}

/// Two cycles of 60 games each, trained without a stop in one process.
pub fn whole_run() -> TestRun {
    let test = TestRun::new();
    let mut process = test.process();
    for cycle in 1..=2 {
        test.publish_rows(cycle, 60);
        process.turn(cycle).unwrap();
        test.end_cycle(cycle);
    }
    drop(process);
    test
}
