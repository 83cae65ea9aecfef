//! Kills at every named point of a publication, and at random moments: the run ends in the same
//! bytes.

#[allow(dead_code, unreachable_pub, reason = "the harness is xtask's; this is its small form")]
#[path = "../../../xtask/src/chaos/mod.rs"]
mod chaos;

use std::path::Path;

use chaos::{Chaos, SMALL};
use dz_testkit::preset;

/// A harness over two cycles that take a second.
fn harness(folder: &Path, asynchronous: bool) -> Chaos {
    Chaos {
        program: env!("CARGO_BIN_EXE_dagzero").into(),
        config: preset("tictactoe-smoke"),
        set: SMALL.map(str::to_owned).to_vec(),
        asynchronous,
        scratch: folder.join("chaos"),
        seed: 1,
    }
}

#[test]
fn killed_at_every_point_and_at_random_the_run_ends_in_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let chaos = harness(folder.path(), false);
    let tally = chaos.run(180, |line| println!("{line}")).expect("every run goes on");
    assert_eq!(tally.differences, Vec::<String>::new());
    assert_eq!(tally.killed_at_points, tally.points);
    // As many as there are kinds of files and entries, seven moments each.
    assert!(tally.points > 100 && tally.killed_at_random > 10, "{tally:?}");
}

#[test]
fn killed_while_stages_work_side_by_side_the_run_keeps_what_it_had() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut chaos = harness(folder.path(), true);
    // Enough cycles for stages to meet, enough shards for a champion to come in their midst.
    chaos.set.extend(["run.cycles=4", "selfplay.games_per_shard=8"].map(str::to_owned));
    let tally = chaos.run(200, |line| println!("{line}")).expect("every run goes on");
    assert_eq!(tally.differences, Vec::<String>::new());
    assert_eq!(tally.killed_at_points, tally.points);
    assert!(tally.points > 100 && tally.killed_at_random > 10, "{tally:?}");
}
