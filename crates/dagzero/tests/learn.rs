//! `learn`: values and policies of local shapes, and players that take them from their files.

use std::fs;
use std::path::Path;

use crate::common::cli::{self, object};
use crate::common::program::{dagzero, text};

/// A run on a board of 5x5 whose games come from random rollouts.
fn run_of_go(folder: &Path) -> String {
    let dir = folder.join("go5").display().to_string();
    let sets = [
        "run.game=\"go:size=5\"",
        "run.cycles=1",
        "bootstrap.games=16",
        "bootstrap.playouts=24",
        "selfplay.games=4",
        "training.batch=16",
        "gate.rule=\"always\"",
        "rating.games=0",
        "final.games=0",
    ];
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let args: Vec<&str> = ["run", "go-smoke", "--dir", &dir].into_iter().chain(sets).collect();
    let output = dagzero(&args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    dir
}

/// The message of a command that fails.
fn failed(args: &[&str]) -> String {
    let (result, _) = cli::command(args, "");
    format!("{:#}", result.expect_err("a failure"))
}

#[test]
fn a_policy_is_learned_from_a_run_and_moves_in_rollouts() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run_of_go(folder.path());
    let path = folder.path().join("go5.policy").display().to_string();
    let learned = object(&["learn", "policy", &run, "--out", &path, "--json"]);
    let of = |key: &str| learned[key].as_f64().expect("a number");
    assert!(of("positions") > 100.0 && of("positions_held_out") > 0.0, "{learned}");
    assert!(of("weights_met") > 100.0 && of("cross_entropy") > 0.0, "{learned}");
    assert!((0.0..=1.0).contains(&of("top1")), "{learned}");
    let again = object(&["learn", "policy", &run, "--out", &path, "--json"]);
    assert_eq!(again["cross_entropy"], learned["cross_entropy"], "the same games teach the same");

    let player = format!("rollout:20,policy=policy:{path}");
    let found =
        object(&["match", &player, "rollout:20", "--game", "go:size=5", "--games", "2", "--json"]);
    assert_eq!(found["games"], 2, "{found}");
    let searched = object(&[
        "search",
        "--game",
        "go:size=5",
        "--playouts",
        "30",
        "--set",
        "search.leaf_value=rollout",
        "--set",
        &format!("search.rollout=policy:{path}"),
    ]);
    assert_eq!(searched["counts"]["rollouts"], 30, "{searched}");
    // Another game's file, a file of the other kind, and a run that would depend on a file.
    let other = failed(&["match", &player, "random", "--game", "go:size=4", "--games", "2"]);
    assert!(other.contains("go5.policy"), "{other}");
    let value = folder.path().join("go5.linear").display().to_string();
    let value_of = ["learn", "value", "go:size=5", "--games", "3", "--out", &value, "--json"];
    assert_eq!(object(&value_of)["games"], 3);
    let wrong = format!("rollout:20,policy=policy:{value}");
    let wrong = failed(&["match", &wrong, "random", "--game", "go:size=5", "--games", "2"]);
    assert!(wrong.contains("dagzero learn policy"), "{wrong}");
    // A run with workers on other machines cannot have the file, nor one on other boards.
    for other in ["workers.mailbox=nowhere", "run.boards=[\"go:size=4\"]"] {
        let set = format!("search.rollout=policy:{path}");
        let args = ["plan", "go-smoke", "--set", &set, "--set", other];
        let in_run = failed(&args);
        assert!(in_run.contains("search.rollout") && in_run.contains("mogo"), "{in_run}");
    }
    a_run_keeps_its_policy(folder.path(), &path, &value);
}

/// Plays a run whose rollouts and anchor move by the policy in `path`, and forks it. `value` is a
/// file of another kind.
fn a_run_keeps_its_policy(folder: &Path, path: &str, value: &str) {
    let dir = folder.join("guided");
    let shown = dir.display().to_string();
    let anchor = format!(
        "rating.anchors=[{{ name = \"guided\", kind = \"rollout\", playouts = 4, policy = \"policy:{path}\" }}]"
    );
    let rollout = format!("search.rollout=policy:{path}");
    let sets = [
        rollout.as_str(),
        &anchor,
        "run.game=go:size=5",
        "bootstrap.evaluator=rollout",
        "run.cycles=1",
        "bootstrap.games=32",
        "bootstrap.playouts=4",
        "gate.games=0",
        "rating.games=2",
        "rating.playouts=2",
        "final.games=0",
    ];
    let run = |sets: &[&str]| {
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        dagzero(&["run", "go-smoke", "--dir", &shown].into_iter().chain(sets).collect::<Vec<_>>())
    };
    let set = ["--set", "run.game=go:size=5", "--set", "search.rollout=policy:missing.policy"];
    let plan = dagzero(&[&["plan", "go-smoke"][..], &set[..]].concat());
    let said = text(&plan.stderr);
    assert!(said.contains("search.rollout = policy:missing.policy"), "{said}");
    let wrong = run(&["run.game=go:size=5", &format!("search.rollout=policy:{value}")]);
    let said = text(&wrong.stderr);
    assert_eq!(wrong.status.code(), Some(78), "{said}");
    assert!(said.contains("search.rollout") && said.contains("dagzero learn policy"), "{said}");
    assert!(!dir.exists(), "nothing is written");
    let kept = fs::read(path).unwrap();
    let output = run(&sets);
    assert!(output.status.success(), "{}", text(&output.stderr));
    // The file itself is not needed any more.
    fs::rename(path, folder.join("elsewhere")).unwrap();
    let found: Vec<_> = fs::read_dir(dir.join("policies")).unwrap().flatten().collect();
    assert_eq!(found.len(), 1, "one file under one name");
    assert_eq!(fs::read(found[0].path()).unwrap(), kept);
    let hash = dz_store::ObjectRef::of("", &kept).blake3;
    let config = fs::read_to_string(dir.join("config.toml")).unwrap();
    let named = config.matches(&format!("policy:policies/{hash}.policy")).count();
    assert_eq!(named, 2, "{config}");
    let matches: Vec<_> = fs::read_dir(dir.join("matches")).unwrap().flatten().collect();
    let header = fs::read_to_string(matches[0].path()).unwrap();
    assert!(header.contains(&format!("rollout-learned {hash}")), "{header}");
    for args in [
        vec!["verify", &shown],
        vec!["replay", &shown, "--game", "0"],
        vec!["resume", &shown, "--set", "run.cycles=2"],
        vec!["verify", &shown],
        vec!["match", &shown, "random", "--games", "2", "--playouts", "4"],
    ] {
        let output = dagzero(&args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }
    let fork = folder.join("fork");
    let output = dagzero(&["fork", &shown, &fork.display().to_string()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(fs::read(fork.join(format!("policies/{hash}.policy"))).unwrap(), kept);
    fs::write(found[0].path(), b"another policy").unwrap();
    let output = dagzero(&["verify", &shown]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("has another hash than its name"));
    let output = dagzero(&["resume", &shown, "--set", "run.cycles=3"]);
    assert_eq!(output.status.code(), Some(78), "{}", text(&output.stdout));
}

#[test]
fn a_value_is_learned_of_a_game_of_three_by_three_points() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.linear").display().to_string();
    let learned =
        object(&["learn", "value", "tictactoe", "--games", "50", "--out", &path, "--json"]);
    assert_eq!(learned["games"], 50, "{learned}");
    let player = format!("rollout:20,equivalent_visits=5,heuristic=linear:{path}");
    let found =
        object(&["match", &player, "random", "--game", "tictactoe", "--games", "4", "--json"]);
    assert_eq!(found["games"], 4, "{found}");
}

#[test]
fn what_cannot_be_learned_or_written_is_said_at_once() {
    let game = cli::refused(&["learn", "value", "chess", "--out", "/nowhere/x", "--games", "1"]);
    assert!(game.contains("cannot write /nowhere/x"), "{game}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x").display().to_string();
    let game = cli::refused(&["learn", "value", "chess", "--out", &path, "--games", "1"]);
    assert!(game.contains("chess has no stones"), "{game}");
    assert!(fs::metadata(&path).is_err(), "nothing is left behind");
}
