//! `dagzero import`: games of others become the first cycle of a run, its network learns them, and
//! self-play goes on from there.

use std::fs;
use std::path::Path;

use crate::common::program::{dagzero, said, text};
use dz_game::{Game, Player, Status, games::TicTacToe};
use serde_json::Value;

const CONFIG: &str = "format = 1\nrun = { game = \"tictactoe\", cycles = 2, seed = 3, device = \"cpu\" }\n\
    selfplay = { games = 12, playouts = 8, playouts_fast = 4, games_per_shard = 16 }\nbootstrap = { games = 12, playouts = 8 }\n\
    window = { rows_min = 30, scale = 30, validation_share = 0.2 }\nnetwork = { blocks = 1, channels = 8 }\n\
    training = { batch = 16, import_epochs = 12, warmup_steps = 1, learning_rate = 0.02 }\ngate = { rule = \"always\", games = 0 }\nrating = { games = 0 }\n";

/// Returns the message of a command that is wrong usage.
fn refused(args: &[&str]) -> String {
    let done = dagzero(args);
    assert_eq!(done.status.code(), Some(2), "{args:?}: {}", text(&done.stderr));
    text(&done.stderr)
}

/// Writes a file and returns its path.
fn file(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, content).expect("written");
    path.display().to_string()
}

/// 48 games in which the first player takes the first free point of a list and the second player
/// any point, then one that repeats a game and one that says no result.
fn games() -> String {
    let points = ["5", "1", "3", "7", "9", "2", "4", "6", "8"];
    let mut games = std::collections::BTreeSet::new();
    for seed in 0_u64.. {
        let mut state = TicTacToe.start();
        let mut random = seed;
        let mut moves = Vec::new();
        while let Status::ToMove(player) = TicTacToe.status(&state, &()) {
            let played = |name: &&&str| !moves.contains(*name);
            let free: Vec<&str> = points.iter().filter(played).copied().collect();
            random = dz_game::mix64(random + 1);
            let place = if player == Player::First { 0 } else { random as usize % free.len() };
            TicTacToe.play_text(&mut state, &mut (), free[place]).expect("a free point");
            moves.push(free[place]);
        }
        games.insert(moves.join(" "));
        if games.len() == 48 {
            break;
        }
    }
    let again = games.first().expect("games").clone();
    let all = games.into_iter().chain([again]);
    let sheets: Vec<String> =
        all.map(|moves| format!("game: tictactoe\nmoves: {moves}\n\n")).collect();
    let text = sheets.concat();
    text + "game: tictactoe\nmoves: 5 1\n"
}

/// A folder, and the paths of a configuration and records in it and of a run to make.
fn setup() -> (tempfile::TempDir, [String; 3]) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = file(folder.path(), "config.toml", CONFIG);
    let games = file(folder.path(), "games.txt", &games());
    let run = folder.path().join("run").display().to_string();
    (folder, [config, games, run])
}

#[test]
fn a_network_learns_games_of_others_and_plays_on() {
    let (_folder, [config, games, run]) = setup();
    let import = ["import", &games, "--dir", &run, "--config", &config];
    let told = said(&[&import[..], &["--json"]].concat());
    let told: Value = serde_json::from_str(&told).expect("JSON");
    for (key, wanted) in [("games", 48), ("left_out", 2), ("skipped", 0)] {
        assert_eq!(told[key], wanted, "{key}: {told}");
    }
    assert!(refused(&import).contains("exists already"));

    said(&["resume", &run]);
    said(&["verify", &run]);
    let report: Value = serde_json::from_str(&said(&["report", &run, "--json"])).expect("JSON");
    let cycles = report["cycles"].as_array().expect("cycles");
    let of = |cycle: usize, part: &str, key: &str| cycles[cycle][part][key].as_f64();
    assert_eq!(of(0, "selfplay", "games"), Some(48.0));
    assert_eq!(of(1, "selfplay", "games"), Some(12.0));
    // Every pass has all rows of training games.
    let rows = of(0, "rows", "window_rows").expect("rows");
    assert_eq!(of(0, "rows", "train_rows"), Some(12.0 * rows), "{report}");
    // The first player's moves can be foreseen, the second player's cannot.
    let top = of(0, "losses", "policy_accuracy").expect("an accuracy");
    let top5 = of(0, "losses", "policy_top5_accuracy").expect("an accuracy");
    assert!(top > 0.4 && top5 >= top, "{top} {top5}");
    let replayed = said(&["replay", &run, "--game", "0"]);
    assert!(replayed.contains("record"), "{replayed}");
}

#[test]
fn what_cannot_be_imported_is_named_and_imports_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = file(folder.path(), "config.toml", CONFIG);
    let good = file(folder.path(), "good.txt", "game: tictactoe\nmoves: 5 1 4 2 6\n");
    let bad = file(
        folder.path(),
        "bad.txt",
        "game: tictactoe\nmoves: 5 5\n\ngame: connect4\nmoves: 4\n\ngame: tictactoe\nmoves: 5 1 3 2 7\n",
    );
    let noise = file(folder.path(), "noise.sgf", "hello");
    let run = folder.path().join("run").display().to_string();
    let import = ["import", &good, &bad, &noise, "--dir", &run, "--config", &config];
    let told = refused(&import);
    for words in ["bad.txt: move 2", "the record is of connect4", "noise.sgf: line 1", "3 files or"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!Path::new(&run).exists());
    assert!(!folder.path().join("run.importing").exists());
    let told = said(&[&import[..], &["--skip", "--json"]].concat());
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!((&told["games"], &told["skipped"]), (&2.into(), &3.into()), "{told}");

    let open = file(folder.path(), "open.txt", "game: tictactoe\nmoves: 5 1\n");
    let other = folder.path().join("other").display().to_string();
    let import = ["import", &open, "--dir", &other, "--config", &config];
    assert!(refused(&import).contains("none of the files has a game"));
    let keep = [&import[..], &["--keep-unfinished"]].concat();
    assert!(refused(&keep).contains("training.value_weight=0"));
    said(&[&keep[..], &["--set", "training.value_weight=0"]].concat());
}

/// AlphaGo's chain: games of others, policy gradient, value regression, then self-play with
/// searches.
#[test]
fn the_chain_goes_from_records_over_policies_to_searches() {
    let (_folder, [config, games, run]) = setup();
    let mut import = vec!["import", &games, "--dir", &run, "--config", &config];
    for pair in [
        "run.cycles=5",
        "reinforce.cycles=2",
        "reinforce.games=40",
        "reinforce.pool=2",
        "reinforce.value_cycles=1",
        "reinforce.value_games=60",
    ] {
        import.extend(["--set", pair]);
    }
    said(&import);
    said(&["resume", &run]);
    said(&["verify", &run]);
    let report: Value = serde_json::from_str(&said(&["report", &run, "--json"])).expect("JSON");
    let of = |cycle: usize, part: &str, key: &str| {
        report["cycles"][cycle - 1][part][key].as_f64().unwrap_or(f64::NAN)
    };
    let games: Vec<f64> = (1..=5).map(|cycle| of(cycle, "selfplay", "games")).collect();
    assert_eq!(games, [48.0, 40.0, 40.0, 60.0, 12.0]);
    for cycle in [2, 3] {
        assert_eq!(of(cycle, "losses", "value"), 0.0, "the value does not learn");
        assert!(of(cycle, "losses", "policy") > 0.0);
        // One's own moves of games that were not lost, of this cycle alone.
        let positions = of(cycle, "selfplay", "positions");
        let rows = of(cycle, "rows", "window_rows");
        assert!(rows > 0.0 && rows < 0.7 * positions, "{rows} of {positions}");
        assert_eq!(of(cycle, "rows", "train_rows"), rows);
    }
    assert_eq!(of(4, "losses", "policy"), 0.0, "the policy does not learn");
    assert!(of(4, "losses", "value") > 0.0);
    assert_eq!(of(4, "rows", "window_games"), 60.0);
    let rows = of(4, "rows", "window_rows");
    assert!((30.0..=60.0).contains(&rows), "one position of each game for training: {rows}");
    assert!(of(5, "selfplay", "playouts") > of(2, "selfplay", "playouts"), "searches play again");
    let replayed = said(&["replay", &run, "--game", "48"]);
    assert!(replayed.contains("no search chose its moves"), "{replayed}");
}

/// A key that a configuration leaves out has its default, and is no other rule.
#[test]
fn rules_that_are_the_defaults_need_no_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let game =
        "(;FF[4]GM[1]SZ[5]KM[7]RU[koPOSITIONALscoreAREAtaxNONEsui0]RE[B+1];B[cc];W[bb];B[dd])";
    let path = file(folder.path(), "game.sgf", game);
    let import = |name: &str, spec: &str| {
        let config = file(folder.path(), "config.toml", &CONFIG.replace("tictactoe", spec));
        let run = folder.path().join(name).display().to_string();
        let done = dagzero(&["import", &path, "--dir", &run, "--config", &config]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        text(&done.stderr)
    };
    assert!(!import("same", "go:size=5,komi=7").contains("the record has"));
    let other = import("other", "go:size=5,komi=7,suicide=true");
    assert!(
        other.contains("the record has suicide=false, the import is with suicide=true"),
        "{other}"
    );
}
