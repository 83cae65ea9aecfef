//! A turn of self-play: published games count, even if the configuration has changed since.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use std::{fs, path::Path};

use dz_config::RunConfig;
use dz_stage::{Event, EventSink, Sink, StageContext, Stop};
use dz_store::{Entry, Run, RunState, Stage, layout};
use dz_testkit_runs::{append, begin_run};

const SMOKE: &str = include_str!("../../configs/tictactoe-smoke.toml");
const GAMES_PER_SHARD: u64 = 16;

/// A configuration that asks for so many games in the first cycle.
fn config(games: u32) -> String {
    let set = [format!("bootstrap.games={games}"), "bootstrap.playouts=4".to_owned()];
    RunConfig::from_text(SMOKE, &set).unwrap().to_toml()
}

fn begin(path: &Path, games: u32) -> Run {
    begin_run(path, &config(games)).run().clone()
}

/// What a driver does with `--set bootstrap.games`.
fn ask_for(run: &Run, games: u32) {
    let text = config(games);
    fs::write(run.root().join(layout::CONFIG), &text).unwrap();
    let config_hash = RunConfig::from_text(&text, &[]).unwrap().hash();
    append(run, Stage::Driver, [Entry::ConfigChanged { config_hash, changes: Vec::new() }]);
}

/// Asks to stop once so many games are over.
struct StopAfter(u64, Stop);

impl Sink for StopAfter {
    fn accept(&mut self, event: &Event) {
        if matches!(event, Event::Progress(progress) if progress.done >= self.0) {
            self.1.ask();
        }
    }
}

/// The turn of cycle 1 until so many games are over; what the ledger knows then.
fn turn(run: &Run, games: u64) -> RunState {
    let stop = Stop::new();
    let events = EventSink::new(StopAfter(games, stop.clone()));
    let mut context = StageContext::open(run.root(), Stage::Selfplay, events, stop).unwrap();
    selfplay::run(&mut context, 1).unwrap();
    context.ledger.poll().unwrap();
    context.ledger.state().clone()
}

#[test]
fn a_cycle_of_which_more_is_published_than_is_asked_for_ends_with_that() {
    let folder = tempfile::tempdir().unwrap();
    let run = begin(&folder.path().join("run"), 2_000);
    let stopped = turn(&run, 100);
    let cycle = stopped.cycle_state(1).unwrap();
    let last = u64::from(*cycle.shards.last_key_value().unwrap().0);
    assert!(cycle.games_done.is_none() && (3..100).contains(&last), "{last}");

    ask_for(&run, 20);
    let done = turn(&run, u64::MAX);
    let cycle = done.cycle_state(1).unwrap();
    let summary = &cycle.games_done.as_ref().expect("the cycle is over").summary;
    assert_eq!(cycle.shards.len() as u64, last + 1, "without gaps");
    assert_eq!(summary.games, (last + 1) * GAMES_PER_SHARD);
}

#[test]
fn a_cycle_that_is_asked_for_more_games_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let run = begin(&folder.path().join("run"), 40);
    // A stop after the last game: only the closing entry is missing.
    assert!(turn(&run, 20).cycle_state(1).unwrap().games_done.is_none());
    ask_for(&run, 70);
    let done = turn(&run, u64::MAX);
    let cycle = done.cycle_state(1).unwrap();
    let games = cycle.games_done.as_ref().expect("the cycle is over").summary.games;
    let published: u64 = cycle.shards.values().map(|shard| shard.games).sum();
    assert_eq!((cycle.shards.len(), games), (5, published));
}

#[test]
fn what_an_interrupted_cycle_cost_is_counted_over_all_processes() {
    let folder = tempfile::tempdir().unwrap();
    let cost = |name: &str, stops: &[u64]| {
        let run = begin(&folder.path().join(name), 400);
        for &games in stops {
            assert!(turn(&run, games).cycle_state(1).unwrap().games_done.is_none());
        }
        let done = turn(&run, u64::MAX);
        let summary = done.cycle_state(1).unwrap().games_done.as_ref().unwrap().summary.clone();
        (summary.playouts, summary.evaluations, summary.transpositions)
    };
    let whole = cost("whole", &[]);
    assert!(whole.0 > 5_000, "{whole:?}");
    assert_eq!(cost("interrupted", &[20, 60]), whole);
}
