//! Games over HTTP: every game to its end, and what is refused.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dz_testkit::wait_until;
use serde_json::{Value, json};

use crate::common::recorded::{OWN, SECOND, recorded};
use crate::common::{ENDLESS, Served, serve};

fn begin(served: &Served, run: &str, side: &str) -> (String, Value) {
    let body = json!({"playouts": 1, "side": side, "seed": 7, "generation": 0});
    let answer = served.post(&format!("/run/{run}/play"), &body);
    assert_eq!(answer.status, 200, "{run}: {}", answer.body);
    let answer = answer.json();
    (answer["name"].as_str().unwrap().to_owned(), answer["position"].clone())
}

/// Games with boards that are small enough for a test.
pub const GAMES: [&str; 9] = [
    "tictactoe",
    "connect4:width=5,height=4",
    "go:size=3",
    "othello:size=4",
    "gomoku:size=6",
    "hex:size=3",
    "breakthrough:width=3,height=5",
    "chess",
    "shuttle",
];

#[test]
fn every_game_begins_and_is_drawn() {
    let served = serve();
    for (at, game) in GAMES.iter().enumerate() {
        let name = format!("r{at}");
        served.run(&name, game);
        let (table, position) = begin(&served, &name, "first");
        assert_ne!(position["board"]["kind"], "text", "{game} has a board");
        let legal = position["legal"].as_array().unwrap();
        let mv = legal[legal.len() / 2].clone();
        let answer =
            served.post(&format!("/game/{table}"), &json!({"ask": "move", "name": mv["name"]}));
        assert_eq!(answer.status, 200, "{game}: {}", answer.body);
        let moves = answer.json()["moves"].as_array().unwrap().len();
        assert!(moves >= 2, "{game}: the program answers");
    }
}

#[test]
fn moves_hints_undo_and_errors() {
    let served = serve();
    served.run("a", "chess");
    let (table, _) = begin(&served, "a", "both");
    let path = format!("/game/{table}");
    let ask = |body: Value| served.post(&path, &body);
    assert_eq!(ask(json!({"ask": "move", "name": "e4"})).json()["moves"], json!(["e2e4"]));
    assert_eq!(ask(json!({"ask": "move", "name": "e7e5"})).json()["to_move"], 0);
    let after = ask(json!({"ask": "move", "name": "Nf3"})).json();
    assert_eq!(after["moves"], json!(["e2e4", "e7e5", "g1f3"]));
    assert_eq!(after["last"], json!([[6, 7], [5, 5]]));
    let refused = ask(json!({"ask": "move", "name": "<b>e9"}));
    assert_eq!(refused.status, 400);
    assert!(refused.json()["error"].as_str().unwrap().contains("not a legal move"));
    assert_eq!(ask(json!({"ask": "undo"})).json()["moves"], json!(["e2e4", "e7e5"]));
    let hint = ask(json!({"ask": "playouts", "playouts": 20}));
    assert_eq!(hint.json()["playouts"], 20);
    let hints = ask(json!({"ask": "hint"})).json();
    assert!(!hints["hints"].as_array().unwrap().is_empty(), "{hints}");
    assert_eq!(ask(json!({"ask": "side", "side": "first"})).json()["side"], "first");
    assert_eq!(ask(json!({"ask": "new"})).json()["moves"], json!([]));
    assert_eq!(ask(json!({"ask": "cheat"})).status, 422);
    assert_eq!(served.post("/game/0000", &json!({"ask": "look"})).status, 404);
    assert_eq!(served.post("/run/b/play", &json!({"playouts": 1})).status, 404);
}

/// A run with several boards is played on each of them.
#[test]
fn a_game_is_on_the_board_that_is_chosen() {
    let served = serve();
    recorded(&served, "a");
    let page = served.get("/run/a/play").body;
    assert!(page.contains("value=\"go:size=4,komi=2"), "the page offers both boards: {page}");
    let ask = |rules: Value| {
        let body = json!({"playouts": 1, "side": "both", "generation": 0, "rules": rules});
        served.post("/run/a/play", &body)
    };
    for (board, width) in [(OWN, 5), (SECOND, 4)] {
        let answer = ask(json!({"board": board}));
        assert_eq!(answer.status, 200, "{board}: {}", answer.body);
        assert_eq!(answer.json()["position"]["board"]["width"], width);
    }
    assert_eq!(ask(json!({"board": "chess"})).status, 400);
}

/// More games than there are places end the oldest one, with a message.
#[test]
fn old_games_make_room_for_new_ones() {
    let served = serve();
    served.run("a", "tictactoe");
    let (first, _) = begin(&served, "a", "both");
    for _ in 0..12 {
        begin(&served, "a", "both");
    }
    let answer = served.post(&format!("/game/{first}"), &json!({"ask": "look"}));
    assert_eq!(answer.status, 404);
    assert!(answer.json()["error"].as_str().unwrap().contains("new one"));
}

#[test]
fn searches_are_laid_open_and_bounded() {
    let served = serve();
    served.run("a", "connect4");
    let ask = |body: Value| served.post("/run/a/search", &body);
    let found = ask(json!({"moves": "4435", "playouts": 40}));
    assert_eq!(found.status, 200, "{}", found.body);
    let found = found.json();
    assert_eq!(found["moves"], json!(["4", "4", "3", "5"]));
    assert_eq!(found["ways"].as_array().unwrap().len(), 40);
    let playout = served.get(&format!("/search/{}/3", found["id"].as_str().unwrap()));
    assert_eq!(playout.json()["playout"], 4);
    for wrong in
        [json!({"playouts": 0}), json!({"playouts": 2_001}), json!({"playouts": 5, "moves": "9"})]
    {
        assert_eq!(ask(wrong.clone()).status, 400, "{wrong}");
    }
    let board = served.post("/run/a/board", &json!({"moves": ["4", "4"]})).json();
    assert_eq!(board["last"], json!([[3, 4]]));
}

/// Sends a search that would never end, and does not wait for it.
fn endless(served: &Served, client: &str) -> TcpStream {
    let body = json!({"playouts": ENDLESS, "client": client}).to_string();
    let request = format!(
        "POST /run/a/search HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
         x-dagzero-token: {}\r\ncontent-length: {}\r\n\r\n{body}",
        served.host,
        served.token(),
        body.len()
    );
    let mut stream = TcpStream::connect(&served.host).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

fn wait_for_searches(served: &Served, count: usize) {
    let is_so = || served.searching.load(Ordering::Relaxed) == count;
    wait_until(&format!("a count of {count} searches"), Duration::from_secs(20), is_so);
}

#[test]
fn a_search_ends_when_its_page_goes() {
    let served = serve();
    served.run("a", "connect4");
    let page = endless(&served, "one");
    wait_for_searches(&served, 1);
    drop(page);
    wait_for_searches(&served, 0);
    assert_eq!(served.post("/run/a/search", &json!({"playouts": 4})).status, 200);
}

#[test]
fn a_client_has_one_search_at_a_time() {
    let served = serve();
    served.run("a", "connect4");
    let mut pages: Vec<TcpStream> = (0..6).map(|_| endless(&served, "one")).collect();
    wait_for_searches(&served, 1);
    pages.push(endless(&served, "two"));
    wait_for_searches(&served, 2);
    let answer = served.post("/run/a/search", &json!({"playouts": 4, "client": "one"}));
    assert_eq!(answer.status, 200, "{}", answer.body);
    wait_for_searches(&served, 1);
    drop(pages);
    wait_for_searches(&served, 0);
}
