//! Power cuts at random moments: published files survive, and the run ends with the same bytes.

#[allow(dead_code, unreachable_pub, unused_imports, reason = "a part of xtask's is used")]
#[path = "../../../xtask/src/chaos/mod.rs"]
mod chaos;
#[allow(dead_code, unreachable_pub, reason = "the harness is xtask's; this is its small form")]
#[path = "../../../xtask/src/powercut/mod.rs"]
mod powercut;

use chaos::SMALL;
use dz_testkit::preset;
use powercut::PowerCut;

#[test]
fn after_a_power_cut_nothing_published_is_lost_and_the_run_ends_in_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let cut = PowerCut {
        program: env!("CARGO_BIN_EXE_dagzero").into(),
        config: preset("tictactoe-smoke"),
        set: SMALL.map(str::to_owned).to_vec(),
        scratch: folder.path().join("cuts"),
        seed: 1,
        jobs: 2,
    };
    let tally = cut.run(100, |line| println!("{line}")).expect("every run goes on");
    assert_eq!(tally.faults, Vec::<String>::new());
    assert_eq!(tally.resumed.iter().sum::<u64>(), 100);
    assert!(tally.with_records > 75 && tally.acknowledged > 1_000, "{tally:?}");
}
