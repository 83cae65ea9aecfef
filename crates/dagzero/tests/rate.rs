//! `rate` as others start it: known answers, and its messages about faulty files.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "rate"].iter().collect()
}

fn rate(file: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dagzero"));
    command.args(["rate", file]).args(args).stdin(Stdio::null()).output().expect("it starts")
}

fn json(file: &str, args: &[&str], exit: i32) -> Value {
    let output = rate(file, &[args, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), errors.as_ref()), (Some(exit), ""));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Ratings of the committed tournament.
fn tournament(args: &[&str]) -> Value {
    json(&folder().join("tournament.pgn").display().to_string(), args, 0)
}

fn elo(standings: &Value, player: &str) -> f64 {
    let rows = standings["ratings"].as_array().expect("a list");
    let row = rows.iter().find(|row| row["player"] == player);
    row.expect("the player is rated")["elo"].as_f64().expect("a number")
}

/// Writes `text` to a file and gives its path.
fn file(dir: &TempDir, text: &str) -> String {
    let path = dir.path().join("results");
    fs::write(&path, text).expect("written");
    path.display().to_string()
}

fn notes(standings: &Value) -> String {
    let notes = standings["notes"].as_array().expect("a list");
    notes.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn ordo_says_the_same() {
    for (name, first_mover) in [("ordo-plain.csv", "off"), ("ordo-first-mover.csv", "on")] {
        let ours = tournament(&["--prior", "0", "--first-mover", first_mover]);
        let theirs = fs::read_to_string(folder().join(name)).expect("committed");
        assert_eq!(theirs.lines().count(), 9);
        // "#","PLAYER","RATING","ERROR","POINTS","PLAYED","(%)"
        for line in theirs.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').map(|cell| cell.trim_matches('"')).collect();
            let rating: f64 = cells[2].parse().expect("a rating");
            assert!((elo(&ours, cells[1]) - rating).abs() < 0.01, "{name}: {line}");
            let rows = ours["ratings"].as_array().expect("a list");
            let row = rows.iter().find(|row| row["player"] == cells[1]).expect("rated");
            assert_eq!(row["games"].to_string(), cells[5]);
        }
    }
    let ours = tournament(&["--prior", "0"]);
    assert!((ours["first_mover_elo"].as_f64().expect("a number") - 51.16).abs() < 0.01);
    assert!(tournament(&["--first-mover", "off"])["first_mover_elo"].is_null());
}

#[test]
fn an_independent_fit_with_davidsons_draws_says_the_same() {
    for (name, prior) in [("scipy-davidson.json", "0"), ("scipy-davidson-prior.json", "2.5")] {
        let ours = tournament(&["--draws", "davidson", "--prior", prior]);
        let theirs = fs::read_to_string(folder().join(name)).expect("committed");
        let theirs: Value = serde_json::from_str(&theirs).expect("JSON");
        for (player, rating) in theirs["ratings"].as_object().expect("an object") {
            assert!((elo(&ours, player) - rating.as_f64().expect("a number")).abs() < 0.01);
        }
        for (key, within) in [("first_mover_elo", 0.01), ("draw_rate", 1e-4)] {
            let (ours, theirs) = (ours[key].as_f64(), theirs[key].as_f64());
            let off = ours.expect("a number") - theirs.expect("a number");
            assert!(off.abs() < within, "{name}: {key}");
        }
    }
}

#[test]
fn the_anchor_is_at_zero_and_errors_are_those_of_differences_to_it() {
    let (mean, pinned) = (tournament(&[]), tournament(&["--anchor", "engine 3"]));
    for player in ["engine 0", "engine 7"] {
        let difference = elo(&mean, player) - elo(&mean, "engine 3");
        assert!((elo(&pinned, player) - difference).abs() < 1e-6);
    }
    let rows = pinned["ratings"].as_array().expect("a list");
    let at = rows.iter().position(|row| row["player"] == "engine 3").expect("rated");
    assert_eq!((rows[at]["elo"].as_f64(), rows[at]["error95"].as_f64()), (Some(0.0), Some(0.0)));
    let above = &rows[at - 1];
    let error = above["error95"].as_f64().expect("a number");
    assert!((above["above_next"]["error95"].as_f64().expect("a number") - error).abs() < 1e-6);
    assert_eq!(pinned["anchor"], "engine 3");
}

#[test]
fn what_is_missing_is_said_and_the_rest_is_shown() {
    let dir = tempfile::tempdir().expect("a folder");
    let unknown =
        json(&folder().join("tournament.pgn").display().to_string(), &["--anchor", "nobody"], 1);
    assert!(notes(&unknown).contains("no game names the anchor nobody"));
    assert_eq!(unknown["ratings"].as_array().expect("a list").len(), 8);

    let empty = json(&file(&dir, ""), &[], 1);
    assert!(notes(&empty).contains("there are no games"));
    assert_eq!(empty["ratings"], serde_json::json!([]));

    let one = json(&file(&dir, "[White \"a\"]\n[Black \"a\"]\n[Result \"1-0\"]\n"), &[], 1);
    assert!(notes(&one).contains("a plays against itself"));
    assert!(notes(&one).contains("there is one player"));

    let game = |a: &str, b: &str, winner: &str| {
        format!("{{\"first\":\"{a}\",\"second\":\"{b}\",\"winner\":{winner}}}\n")
    };
    let torn = format!("{}{{\"first\":\"a\"", game("a", "b", "\"first\""));
    let torn = json(&file(&dir, &torn), &[], 1);
    assert!(notes(&torn).contains("results:2: not a JSON object"), "{}", notes(&torn));
    assert!(elo(&torn, "a") > elo(&torn, "b"));

    let running = game("a", "b", "\"draw\"") + &game("c", "a", "null");
    let running = json(&file(&dir, &running), &[], 0);
    assert_eq!((&running["unfinished"], &running["draw_rate"]), (&1.into(), &1.0.into()));
    assert!(notes(&running).contains("every game was drawn"), "{}", notes(&running));

    let apart = game("a", "b", "\"first\"") + &game("c", "d", "\"second\"");
    let apart = json(&file(&dir, &apart), &[], 0);
    assert!(notes(&apart).contains("2 groups that never met (a and 1 more; c and 1 more)"));
    assert_eq!(apart["groups"], 2);

    let swept = json(&file(&dir, &game("a", "b", "\"first\"")), &["--prior", "0"], 1);
    assert!(notes(&swept).contains("use a prior above 0"), "{}", notes(&swept));
    let first = &swept["ratings"][0];
    assert!(first["elo"].is_null() && first["player"] == "a" && first["score"] == 1.0);
}

#[test]
fn people_get_a_table() {
    let path = folder().join("tournament.pgn").display().to_string();
    let output = rate(&path, &["--anchor", "engine 0"]);
    let text = String::from_utf8(output.stdout).expect("text");
    for words in ["1  engine 7", "engine 0 is at 0", "Moving first is worth +5", "351 games"] {
        assert!(text.contains(words), "{words} is missing in:\n{text}");
    }
    assert_eq!(rate(&path, &["--prior", "-1"]).status.code(), Some(2));
    assert_eq!(rate("nowhere.pgn", &[]).status.code(), Some(1));
}
