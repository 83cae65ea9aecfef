//! Runs whose games are played on several boards, by one network.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::common::files::files;
use crate::common::program::{dagzero, json, said, text};

const PRESET: &str = "format = 1\n\
    run = { game = \"go:size=3,komi=3\", boards = [\"go:size=4,komi=3\", \"go:size=5,komi=9\"], \
    board_weights = [1, 0.5], cycles = 3, seed = 4, device = \"cpu\" }\n\
    selfplay = { games = 40, playouts = 12, playouts_fast = 6, plies_max = 40, games_per_shard = 8, \
    komi_deviation = 1.0, fork_share = 0.3, reanalyse_share = 0.2 }\n\
    bootstrap = { games = 40, playouts = 8 }\nnetwork = { blocks = 2, channels = 8, any_size = true, \
    global_pooling = true }\ntraining = { batch = 32 }\nwindow = { rows_min = 300 }\n\
    heads = { ownership_weight = 1.0, margin_weight = 0.1, reply_weight = 0.1, short_term_weight = 1.0, \
    short_term_error_weight = 1.0, optimistic_policy_weight = 1.0 }\nsearch = { policy_optimism = 0.3 }\n\
    gate = { rule = \"always\" }\nrating = { games = 0 }\nfinal = { games = 0 }\n";

fn configuration(folder: &Path, text: &str) -> String {
    let path = folder.join("boards.toml");
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// The size of the board that an exported game was played on.
fn size(game: &Value) -> char {
    let name = game["game"].as_str().expect("a game");
    name.strip_prefix("go:size=").and_then(|rest| rest.chars().next()).expect("a size")
}

#[test]
fn one_network_learns_several_boards() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = configuration(folder.path(), PRESET);
    let run = folder.path().join("run").display().to_string();
    said(&["run", &config, "--dir", &run]);
    said(&["verify", &run]);

    let exported = said(&["export", &run, "--format", "json"]);
    let games: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).expect("a game")).collect();
    assert_eq!(games.len(), 3 * 40);
    let mut counts = BTreeMap::new();
    for game in &games {
        *counts.entry(size(game)).or_insert(0) += 1;
    }
    // 15 shards of 8 games, dealt 2 to 2 to 1.
    assert_eq!(counts, BTreeMap::from([('3', 48), ('4', 48), ('5', 24)]));

    // Forks and reanalyzed games have a parent on the same board, and every count comes again.
    let says = |game: &Value, what: &str| game.to_string().contains(what);
    for board in ['3', '4', '5'] {
        let on_board: Vec<&Value> = games.iter().filter(|game| size(game) == board).collect();
        let fork = on_board.iter().find(|game| says(game, "forked from game"));
        let again = on_board.iter().find(|game| says(game, "reanalyzed"));
        let last = on_board.last();
        for game in fork.into_iter().chain(again).chain(last) {
            let number = game["round"].as_str().expect("a number");
            let replayed = json(&["replay", &run, "--game", number, "--json"]);
            let found = (&replayed["exact"], &replayed["share_equal"], &replayed["differences"]);
            let wanted = (&true.into(), &1.0.into(), &Value::Array(Vec::new()));
            assert_eq!(found, wanted, "game {number} on {board}x{board}");
        }
    }
    assert!(games.iter().any(|game| size(game) != '3' && says(game, "forked from game")));
    assert!(games.iter().any(|game| size(game) != '3' && says(game, "reanalyzed")));

    // The same network with another share of its optimistic policy, on another board.
    let bold = format!("{run},policy_optimism=1");
    let plays =
        ["match", &bold, &run, "--game", "go:size=5,komi=9", "--games", "4", "--playouts", "8"];
    let played = json(&[&plays[..], &["--json"]].concat());
    assert_eq!(played["games"], 4, "{played}");

    let other = folder.path().join("other").display().to_string();
    said(&["run", &config, "--dir", &other]);
    for object in ["networks", "rows", "shards"] {
        let found = files(Path::new(&run), &[object]);
        assert!(!found.is_empty(), "{object} has files");
        assert_eq!(found, files(Path::new(&other), &[object]), "{object}");
    }
}

#[test]
fn boards_that_the_network_cannot_play_on_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = configuration(folder.path(), PRESET);
    let run = folder.path().join("run").display().to_string();
    for (set, problem) in [
        ("network.any_size=false", "the network of this run is for one board"),
        ("run.boards=[\"hex:size=4\"]", "run.boards[0]"),
        ("run.boards=[\"go:size=4,komi=3\", \"go:size=3,komi=3\"]", "run.boards[1]"),
        ("run.boards=[\"go:size=4\", \"go:size=99\"]", "run.boards[1]"),
        ("run.board_weights=[1]", "1 weights for the 2 of run.boards"),
        ("run.board_weights=[1, 0]", "run.board_weights[1]"),
        ("heads.optimistic_policy_weight=0", "search.policy_optimism"),
        ("heads.short_term_error_weight=0", "heads.optimistic_policy_weight"),
        ("workers.mailbox=\"box\"", "workers play on the board of run.game alone"),
    ] {
        let refused = dagzero(&["run", &config, "--dir", &run, "--set", set]);
        assert_eq!(refused.status.code(), Some(78), "{set}: {}", text(&refused.stderr));
        let said = text(&refused.stderr);
        assert!(said.contains(problem), "{set}: {said}");
        assert!(!Path::new(&run).join("log").exists(), "nothing has begun");
    }
}
