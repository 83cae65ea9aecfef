//! Recorded games over HTTP: lists, single games, policies by the rules of each game, files that
//! are damaged.

use std::fs;

use dz_game::{AnyGame, Game, Player};
use dz_shard::ShardReader;
use serde_json::{Value, json};

use crate::common::recorded::{GAMES, KOMI, OWN, SECOND, SHARDS, Shards, recorded};
use crate::common::{MISTAKEN, Served, serve};

fn view(served: &Served, file: &str, number: u64) -> Value {
    let answer = served.get(&format!("/run/a/game.json?file={file}&number={number}"));
    assert_eq!(answer.status, 200, "{file} {number}: {}", answer.body);
    answer.json()
}

/// The moves before a ply by their names.
fn names(view: &Value, plies: usize) -> Vec<String> {
    let all = view["plies"].as_array().unwrap().iter().take(plies);
    all.map(|ply| ply["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn lists_and_games_are_those_of_the_shards() {
    let served = serve();
    let (run, Shards { own, gate, .. }) = recorded(&served, "a");
    let all = served.get("/run/a/games.json").json();
    assert_eq!(all["games"].as_array().unwrap().len() as u64, SHARDS * GAMES);
    assert_eq!((&all["troubles"], &all["more"]), (&json!([]), &json!(false)));
    let of_cycle = served.get("/run/a/games.json?cycle=2&kind=selfplay").json();
    assert_eq!(of_cycle["games"].as_array().unwrap().len() as u64, GAMES);
    let won = served.get("/run/a/games.json?result=first").json();
    assert!(won["games"].as_array().unwrap().iter().all(|game| game["result"] == "first"));
    let gates = served.get("/run/a/games.json?kind=gate").json();
    assert_eq!(gates["games"][0]["file"], gate.as_str());
    assert_eq!(gates["games"][1]["players"][0], "network-0001");
    assert_eq!(gates["games"][0]["outcome"], "white won by 7", "komi is counted");

    let mut reader = ShardReader::open(&run.root().join(&own[0])).unwrap();
    let game = AnyGame::of(&OWN.parse().unwrap()).unwrap();
    for record in reader.games() {
        let record = record.unwrap();
        let shown = view(&served, &own[0], record.number);
        let moves: Vec<String> = record.moves().map(|mv| game.format_move(mv)).collect();
        assert_eq!(names(&shown, usize::MAX), moves);
        let root = f64::from(record.plies[0].root_value.score());
        assert!((shown["plies"][0]["score"].as_f64().unwrap() - root).abs() < 1e-6);
        let visits = record.plies[0].visits.iter().map(|&(_, visits)| visits);
        let (most, sum) =
            (f64::from(visits.clone().max().unwrap()), f64::from(visits.sum::<u32>()));
        let share = shown["plies"][0]["visits"][0][1].as_f64().unwrap();
        assert!((share - most / sum).abs() < 1e-4, "{share} {most} {sum}");
    }
    assert_eq!(served.get(&format!("/run/a/game.json?file={}&number=99", own[0])).status, 404);
}

#[test]
fn results_count_the_komi_of_each_game() {
    let served = serve();
    let (run, Shards { own, second, .. }) = recorded(&served, "a");
    for (file, halves) in [(&own[0], 14), (&own[2], KOMI.halves), (&second, 4)] {
        let mut reader = ShardReader::open(&run.root().join(file)).unwrap();
        for record in reader.games() {
            let record = record.unwrap();
            let points = 2 * record.outcome.margin.unwrap() - halves;
            let half = if points % 2 == 0 { "" } else { ".5" };
            let wanted = match record.outcome.winner {
                None => "draw".to_owned(),
                Some(winner) => {
                    let name = if winner == Player::First { "black" } else { "white" };
                    format!("{name} won by {}{half}", points.abs() / 2)
                }
            };
            assert_eq!(view(&served, file, record.number)["outcome"], wanted.as_str());
            let listed = served.get("/run/a/games.json").json();
            let is_it =
                |game: &&Value| game["file"] == file.as_str() && game["number"] == record.number;
            let listed = listed["games"].as_array().unwrap().iter().find(is_it).unwrap().clone();
            assert_eq!(listed["outcome"], wanted.as_str());
        }
    }
}

#[test]
fn records_and_ages_have_their_games() {
    let served = serve();
    let (_, Shards { own, .. }) = recorded(&served, "a");
    let answer = served.get(&format!("/run/a/record?file={}&number=1", own[1]));
    assert_eq!((answer.status, answer.body.as_str()), (200, "game 1\n"));
    assert!(answer.head.contains("attachment; filename=\"game-1.txt\""), "{}", answer.head);
    let ages = served.get("/run/a/ages.json").json();
    let files: Vec<&str> =
        ages.as_array().unwrap().iter().map(|stage| stage["file"].as_str().unwrap()).collect();
    assert_eq!((files.len(), files[0], files[7]), (8, &*own[0], &*own[8]), "both ends");
    assert!(files.iter().all(|file| own.iter().any(|own| own == file)), "own board only");
    for stage in ages.as_array().unwrap() {
        view(&served, stage["file"].as_str().unwrap(), stage["number"].as_u64().unwrap());
    }
}

/// A game on another board or with another komi is answered by its own rules.
#[test]
fn policies_and_searches_are_by_the_rules_of_the_game() {
    let served = serve();
    let (_, Shards { own, second, .. }) = recorded(&served, "a");
    for (file, size, komi) in [(&own[0], 5, "7"), (&second, 4, "2"), (&own[2], 5, "-1.5")] {
        let first = served.get("/run/a/games.json").json();
        let is_of = |game: &&Value| game["file"] == file.as_str();
        let number = first["games"].as_array().unwrap().iter().find(is_of).unwrap()["number"]
            .as_u64()
            .unwrap();
        let shown = view(&served, file, number);
        let spec: dz_game::GameSpec = shown["game"].as_str().unwrap().parse().unwrap();
        assert_eq!(spec.parameter("komi"), Some(komi));
        let moves = names(&shown, 2);
        let ask = json!({"generation": 0, "moves": moves, "rules": shown["rules"]});
        let answer = served.post("/run/a/policy", &ask);
        assert_eq!(answer.status, 200, "{file}: {}", answer.body);
        let found = answer.json();
        assert_eq!(found["board"]["width"], size);
        assert_eq!(found["game"], shown["game"]);
        assert!(found["policy"]["priors"].as_array().unwrap().len() <= size * size + 1);
        let board = json!({"moves": moves, "rules": shown["rules"]});
        let board = served.post("/run/a/board", &board).json();
        assert_eq!(board["cells"], shown["plies"][1]["cells"]);
        let ask = json!({"playouts": 4, "moves": moves.join(" "), "rules": shown["rules"]});
        let searched = served.post("/run/a/search", &ask);
        assert_eq!(searched.status, 200, "{}", searched.body);
        assert_eq!(searched.json()["report"]["game"], shown["game"]);
    }
    let page = served.get("/run/a/search").body;
    assert!(
        page.contains("value=\"go:size=4,komi=2"),
        "the search page offers both boards: {page}"
    );
}

/// An answer for another game than the requested one is refused, and never shown.
#[test]
fn a_network_that_cannot_play_the_board_is_a_message() {
    let served = serve();
    recorded(&served, "a");
    let rules = json!({"board": "go:size=9,komi=7"});
    let answer = served.post("/run/a/policy", &json!({"moves": [], "rules": rules}));
    assert_eq!(answer.status, 400);
    let error = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(error.contains("go:size=5") && error.contains("go:size=9"), "{error}");
    let ask = json!({"playouts": MISTAKEN, "rules": {"board": SECOND}});
    let answer = served.post("/run/a/search", &ask);
    assert_eq!(answer.status, 400, "{}", answer.body);
    assert!(answer.json()["error"].as_str().unwrap().contains("connect4"), "{}", answer.body);
    for rules in [
        json!({"board": "chess"}),
        json!({"board": "go:size=0"}),
        json!({"board": OWN, "komi": "much"}),
    ] {
        let answer = served.post("/run/a/policy", &json!({"moves": [], "rules": rules}));
        assert_eq!(answer.status, 400, "{rules}");
    }
}

#[test]
fn damaged_shards_are_reported_and_others_are_shown() {
    let served = serve();
    let (run, Shards { own, .. }) = recorded(&served, "a");
    let path = run.root().join(&own[1]);
    let bytes = fs::read(&path).unwrap();
    for length in [bytes.len() - 1, bytes.len() / 2, 10, 0] {
        fs::write(&path, &bytes[..length]).unwrap();
        let all = served.get("/run/a/games.json");
        assert_eq!(all.status, 200, "{length}: {}", all.body);
        let all = all.json();
        let troubles = all["troubles"].as_array().unwrap();
        assert!(
            troubles.len() == 1 && !troubles[0].as_str().unwrap().contains('\n'),
            "{troubles:?}"
        );
        assert!(all["games"].as_array().unwrap().len() as u64 >= (SHARDS - 1) * GAMES, "{length}");
        let answer = served.get(&format!("/run/a/game.json?file={}&number=3", own[1]));
        assert!(answer.status == 404 || answer.status == 200, "{length}: {}", answer.body);
        if length < 100 {
            assert!(!answer.json()["error"].as_str().unwrap().is_empty());
        }
        assert_eq!(served.get("/run/a/ages.json").status, 200);
        assert_eq!(served.get("/run/a/games").status, 200);
    }
    fs::remove_file(&path).unwrap();
    let all = served.get("/run/a/games.json").json();
    assert_eq!(all["troubles"].as_array().unwrap().len(), 1, "{all}");
}
