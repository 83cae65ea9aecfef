//! Kills at every named point of a publication, and at random moments: the run ends in the same bytes.

#[allow(dead_code, unreachable_pub, reason = "the harness is xtask's; this is its small form")]
#[path = "../../../xtask/src/chaos/mod.rs"]
mod chaos;

use std::path::Path;

use chaos::Chaos;

#[test]
fn killed_at_every_point_and_at_random_the_run_ends_in_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = [
        "run.cycles=2",
        "bootstrap.games=32",
        "bootstrap.playouts=16",
        "selfplay.games=32",
        "window.rows_min=100",
        "gate.games=4",
        "rating.games=2",
        "rating.playouts=8",
    ];
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/tictactoe-smoke.toml");
    let chaos = Chaos {
        program: env!("CARGO_BIN_EXE_dagzero").into(),
        config,
        set: set.map(str::to_owned).to_vec(),
        scratch: folder.path().join("chaos"),
        seed: 1,
    };
    let tally = chaos.run(180, |line| println!("{line}")).expect("every run goes on");
    assert_eq!(tally.differences, Vec::<String>::new());
    assert_eq!(tally.killed_at_points, tally.points);
    // As many as there are kinds of files and entries, seven moments each.
    assert!(tally.points > 100 && tally.killed_at_random > 10, "{tally:?}");
}
