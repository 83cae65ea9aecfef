//! What a newcomer meets first: presets that the program brings along, and the list of runs.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::str;

use crate::common::cli::{command, object, refused};
use dagzero::Exit;
use dz_config::RunConfig;
use dz_testkit::{golden, preset, repository};
use serde_json::Value;

/// Runs the binary in `folder`.
fn dagzero(folder: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_dagzero"));
    program.current_dir(folder).args(args).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).expect("text")
}

#[test]
fn a_run_starts_from_the_binary_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = dagzero(folder.path(), &["init", "connect4-smoke"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let run = folder.path().join("data/connect4-smoke");
    assert!(run.join("config.toml").is_file());
    let listed = dagzero(folder.path(), &["list"]);
    let lines: Vec<&str> = text(&listed.stdout).lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("run ") && lines[0].ends_with("state"), "{lines:?}");
    assert!(lines[1].starts_with("data/connect4-smoke  connect4"), "{lines:?}");
    assert!(lines[1].ends_with("  -  stopped"), "{lines:?}");
    let runs = folder.path().join("data");
    let row = object(&["list", runs.to_str().expect("text"), "--json"]);
    assert_eq!((&row["state"], &row["generation"]), (&"stopped".into(), &0.into()));
    // A run is no configuration, and says what was meant.
    let again = dagzero(folder.path(), &["run", "data/connect4-smoke"]);
    let said = text(&again.stderr);
    assert_eq!(again.status.code(), Some(2), "{said}");
    assert!(
        said.contains("is a run; go on with it by dagzero resume data/connect4-smoke"),
        "{said}"
    );
    // Nor is the folder around it.
    let around = dagzero(folder.path(), &["plan", "./data"]);
    let said = text(&around.stderr);
    assert_eq!(around.status.code(), Some(2), "{said}");
    assert!(said.contains("`dagzero list ./data` lists the runs in it"), "{said}");
}

/// What a command prints on a pseudo-terminal; none where there is no Python.
fn on_a_terminal(folder: &Path, args: &[&str], no_color: &str) -> Option<String> {
    const SPAWN: &str = "import os, pty, sys\n\
        sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let mut python = Command::new("python3");
    python.args(["-c", SPAWN, env!("CARGO_BIN_EXE_dagzero")]).args(args).current_dir(folder);
    python.env("TERM", "xterm").env("NO_COLOR", no_color).stdin(Stdio::null());
    match python.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("skipped: there is no python3, whose module pty makes terminals");
            None
        }
        output => Some(text(&output.expect("python3 starts").stdout).to_owned()),
    }
}

#[test]
fn states_of_runs_have_colours_on_terminals_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = dagzero(folder.path(), &["init", "connect4-smoke"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let run = "data/connect4-smoke";
    let match_of_two = ["match", "random", "random", "--game", "tictactoe", "--games", "2"];
    // `list` has the same yellow by another code.
    for (args, painted) in [
        (&["list"][..], "\u{1b}[38;5;3mstopped"),
        (&["status", run], "state       \u{1b}[33mstopped\u{1b}[0m; "),
        (&match_of_two, "\u{1b}[33mscore "),
    ] {
        let piped = dagzero(folder.path(), args);
        let piped = text(&piped.stdout);
        assert!(!piped.is_empty() && !piped.contains('\u{1b}'), "{piped}");
        let Some(shown) = on_a_terminal(folder.path(), args, "") else { return };
        assert!(shown.contains(painted), "{shown:?}");
        let plain = on_a_terminal(folder.path(), args, "1").expect("there was a Python");
        for code in ["\u{1b}[2m", "\u{1b}[33m", "\u{1b}[38;"] {
            assert!(!plain.contains(code), "{plain:?}");
        }
    }
}

#[test]
fn presets_are_listed_within_80_columns_and_printed_as_they_are() {
    let (result, out) = command(&["presets"], "");
    assert_eq!(result.expect("no error"), Exit::Done);
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert!(out.contains("connect4-quick ") && out.contains("2 cores"), "{out}");
    let (_, printed) = command(&["presets", "connect4-quick"], "");
    let file = preset("connect4-quick");
    assert_eq!(printed, fs::read_to_string(file).expect("the preset's file"));
    let (_, json) = command(&["presets", "--json"], "");
    let measured = json.lines().filter(|line| line.contains("\"measured\":true")).count();
    assert_eq!((json.lines().count(), measured), (26, 10));
    assert!(refused(&["presets", "connect5"]).contains("no preset \"connect5\""));
}

/// The program checks more than the configuration's own rules: search settings, the game.
#[test]
fn every_preset_makes_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, json) = command(&["presets", "--json"], "");
    for line in json.lines() {
        let preset: Value = serde_json::from_str(line).expect("JSON");
        let name = preset["name"].as_str().expect("a name");
        let made = dagzero(folder.path(), &["init", name]);
        assert!(made.status.success(), "{name}: {}", text(&made.stderr));
    }
}

#[test]
fn the_schema_for_editors_is_up_to_date_and_has_every_key() {
    let file = repository().join("configs/dagzero.schema.json");
    let (_, printed) = command(&["presets", "--schema"], "");
    let kept = golden(&file, &printed);
    assert!(kept == printed, "dagzero presets --schema > configs/dagzero.schema.json");
    let schema: Value = serde_json::from_str(&kept).expect("JSON");
    for key in RunConfig::keys() {
        let of_section = match key.section {
            "" => &schema,
            section => &schema["properties"][section],
        };
        let of_key = &of_section["properties"][key.name];
        assert!(of_key["description"].is_string(), "{}", key.path());
        let has_type = ["type", "enum", "anyOf"].iter().any(|word| !of_key[word].is_null());
        assert!(has_type && of_section["additionalProperties"] == false, "{}", key.path());
    }
    assert_eq!(schema["properties"]["gate"]["properties"]["games"]["multipleOf"], 2);
    assert_eq!(schema["properties"]["run"]["required"][0], "game");
}

#[test]
fn a_new_configuration_is_run_as_it_is_and_replaces_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = dagzero(folder.path(), &["new", "go:size=5"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert_eq!(text(&made.stdout), "my-go.toml\n");
    assert!(text(&made.stderr).contains("dagzero run my-go.toml"));
    let run = dagzero(folder.path(), &["init", "my-go.toml"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(folder.path().join("data/my-go/config.toml").is_file());
    let again = dagzero(folder.path(), &["new", "go:size=5"]);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again.stderr));
    assert!(text(&again.stderr).contains("my-go.toml exists"));
    assert_eq!(dagzero(folder.path(), &["new", "goo"]).status.code(), Some(2));
}

#[test]
fn a_new_configuration_of_any_game_states_defaults_and_little_else() {
    for game in dz_game::game_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (file, run) = (path("mine.toml"), path("run"));
        let (made, _) = command(&["new", game, "--out", &file], "");
        assert_eq!(made.expect("no error"), Exit::Done);
        let (begun, _) = command(&["init", &file, "--dir", &run], "");
        assert_eq!(begun.expect("no faults"), Exit::Done, "{game}");
        let text = fs::read_to_string(&file).expect("written");
        let loaded = RunConfig::from_text(&text, &[]).expect("no faults");
        // Every key that is commented out has its default.
        let shown: Vec<&str> = text
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|rest| is_key(rest)).unwrap_or(line))
            .collect();
        assert!(shown.iter().filter(|line| is_key(line)).count() >= 24, "{text}");
        assert_eq!(RunConfig::from_text(&shown.join("\n"), &[]).expect("no faults"), loaded);
        let alone = format!("run.game = {:?}", loaded.run.game);
        let alone = RunConfig::from_text(&alone, &[]).expect("a game is enough");
        let own = alone.diff(&loaded).into_iter().map(|change| change.key);
        assert_eq!(own.collect::<Vec<_>>(), ["selfplay.dirichlet_alpha"], "{game}");
        assert_eq!(text.lines().find(|line| line.chars().count() > 100), None, "{game}");
    }
}

/// Whether a line gives a key a value.
fn is_key(line: &str) -> bool {
    let name = line.split_once(" = ").map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

#[test]
fn a_game_alone_makes_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("one.toml"), "[run]\ngame = \"connect4\"\n").expect("written");
    let made = dagzero(folder.path(), &["init", "one.toml"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
}

#[test]
fn shells_complete_every_command_and_manual_pages_are_written() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (result, script) = command(&["completions", shell], "");
        assert_eq!(result.expect("no error"), Exit::Done);
        for word in ["resume", "tune-lr", "completions"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("man1");
    let (result, out) = command(&["man", dir.to_str().expect("text")], "");
    assert_eq!(result.expect("no error"), Exit::Done);
    assert!(out.ends_with("man1/dagzero.1\n"), "{out}");
    let page = fs::read_to_string(dir.join("dagzero-run.1")).expect("a page");
    assert!(page.contains(".SH SYNOPSIS") && page.contains("Override a key"), "{page}");
    assert!(dir.join("dagzero-export.1").is_file());
}

#[test]
fn what_is_not_there_is_said_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing: [&[&str]; 6] = [
        &["run", "none.toml"],
        &["plan", "none.toml"],
        &["init", "none.toml"],
        &["shard", "none.dzs"],
        &["rate", "none.pgn"],
        &["list", "none"],
    ];
    for args in missing {
        let said = dagzero(folder.path(), args);
        let said = text(&said.stderr);
        assert_eq!(said.matches("os error 2").count(), 1, "{args:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{args:?}: {said}");
    }
}

#[test]
fn a_name_that_is_no_preset_gets_a_suggestion() {
    let said = refused(&["plan", "conect4-quick"]);
    assert!(said.contains("did you mean connect4-quick?"), "{said}");
}

#[test]
fn a_folder_without_runs_says_how_to_make_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("text");
    let (result, out) = command(&["list", path], "");
    assert_eq!(result.expect("no error"), Exit::Done);
    assert!(out.starts_with("no runs in ") && out.contains("dagzero run connect4-quick"), "{out}");
    let (result, _) = command(&["list", "/no/such/folder"], "");
    let error = format!("{:#}", result.expect_err("no folder"));
    assert!(error.contains("cannot read the folder /no/such/folder"), "{error}");
}
