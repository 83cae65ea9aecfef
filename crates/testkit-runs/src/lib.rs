//! Runs that tests of several crates begin. Only dev-dependencies name this crate; see `dz-testkit`
//! for helpers that need no run.

use std::path::Path;

use dz_config::RunConfig;
use dz_game::game_ids;
use dz_store::{Entry, Ledger, RUN_FORMAT, Run, Stage};

/// Makes a run at `path` and begins it as a driver does, with one entry. Returns the driver's
/// ledger, which knows the run.
pub fn begin_run(path: &Path, config: &str) -> Ledger {
    let run = Run::create(path, config).expect("no run is there");
    let config = RunConfig::from_text(config, &[]).expect("a configuration");
    let (game, encoding) = game_ids(&config.run.game.parse().expect("a game")).expect("a game");
    let mut ledger = Ledger::open(&run).expect("a ledger");
    ledger.claim(Stage::Driver).expect("a new run has no driver");
    let started = Entry::RunStarted {
        format: RUN_FORMAT,
        config_hash: config.hash(),
        seed: config.run.seed,
        game,
        encoding,
        version: "test".to_owned(),
    };
    ledger.append(started).expect("the first entry");
    ledger
}

/// Appends entries as a process of `stage` that then ends.
pub fn append(run: &Run, stage: Stage, entries: impl IntoIterator<Item = Entry>) {
    let mut ledger = Ledger::open(run).expect("a ledger");
    ledger.claim(stage).expect("a claim");
    for entry in entries {
        ledger.append(entry).expect("an entry that may come now");
    }
}
