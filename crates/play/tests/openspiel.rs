//! The rollout anchor against `OpenSpiel`'s `MCTSBot` at equal settings: an independent opponent
//! that shows whether the anchor plays as specified.
//!
//! Needs Python with `open_spiel` (`pip install open_spiel`; `DAGZERO_PYTHON` names the
//! interpreter) and the example `anchor_move`, which `cargo test -p dz-play` builds along. Without
//! them the test says so and passes.
//!
//! The anchor is expected a little above one half: `OpenSpiel` gives a finished game no exploration
//! term, also with `solve=False` (`uct_value` returns the outcome), so it spends fewer visits on a
//! win in one. With few simulations that shows more: at 200 the anchor scored 0.561 in 1,200 games,
//! and 0.490 when it was made to do the same; at 1,000 it scored 0.519 in 800.

use std::{path::PathBuf, process::Command};

use dz_testkit::python_with;

#[test]
fn the_anchor_scores_about_half_against_openspiel() {
    let Some(python) = python_with("pyspiel") else { return };
    let anchor = example("anchor_move");
    if !anchor.exists() {
        println!("skipped: {} is not built; run cargo test -p dz-play", anchor.display());
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/openspiel_match.py");
    let output = Command::new(&python)
        .arg(script)
        .arg(anchor)
        .args(["--games", "200", "--simulations", "1000", "--seed", "1"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let score = text.split("\"score\": ").nth(1).and_then(|rest| rest.split(',').next());
    let score: f64 = score.and_then(|score| score.parse().ok()).expect("the script's report");
    println!("{text}");
    assert!((0.4..=0.6).contains(&score), "{text}");
}

/// An example's binary lies beside the folder of the test binaries.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").join("examples").join(name)
}
