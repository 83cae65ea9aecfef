//! `dagzero serve` as a process: its line, its pages with real networks and searches, exit codes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use dz_testkit::{Process, golden};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::cli::{object, refused};
use crate::common::program::command;

/// A server, killed with the value.
struct Server {
    _child: Process,
    host: String,
}

impl Server {
    fn of(folder: &str) -> Self {
        let mut command = command(&["serve", folder, "--port", "0"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = Process(child.expect("it starts"));
        let mut line = String::new();
        let output = child.0.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line.split(' ').next().unwrap_or_default();
        let host = address.strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        let host = host.unwrap_or_else(|| panic!("no address: {line}")).to_owned();
        Self { _child: child, host }
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_mins(2))).expect("a time");
        let Self { host, .. } = self;
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: {length}\r\n\
             connection: close\r\n\r\n{body}"
        );
        stream.write_all(text.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        (status.expect("a status"), body.to_owned())
    }

    fn send(&self, path: &str, body: &Value) -> (u16, String) {
        let (_, page) = self.ask("GET", "/", "", "");
        let token = page.split("dagzero-token\" content=\"").nth(1).expect("a token");
        let token = token.split('"').next().unwrap_or_default();
        let headers = format!("content-type: application/json\r\nx-dagzero-token: {token}\r\n");
        self.ask("POST", path, &headers, &body.to_string())
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let (status, body) = self.send(path, body);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    }
}

/// A folder with a new run named `game`, and a server of that folder.
struct ServedRun {
    folder: TempDir,
    server: Server,
}

impl ServedRun {
    fn of(preset: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path().join("game");
        let run = run.to_str().expect("text");
        let (made, _) = crate::common::cli::command(&["init", preset, "--dir", run], "");
        made.expect("a run");
        let server = Server::of(folder.path().to_str().expect("text"));
        Self { folder, server }
    }
}

#[test]
fn a_run_is_served_and_searched_as_the_command_does() {
    let ServedRun { folder, server } = ServedRun::of("connect4-smoke");
    let run = folder.path().join("game");
    let run = run.to_str().expect("text");
    let (status, page) = server.ask("GET", "/run/game", "", "");
    assert_eq!(status, 200, "{page}");
    // Generation 0 has no network: a search with rollouts plays.
    let begun = server.post("/run/game/play", &json!({"playouts": 4, "side": "second"}));
    assert_eq!(begun["position"]["moves"].as_array().map(Vec::len), Some(1), "{begun}");
    let ask = json!({"moves": "44", "playouts": 20, "settings": "search.c_puct=2"});
    let found = server.post("/run/game/search", &ask);
    let args = [
        "search",
        "--game",
        "connect4",
        "--moves",
        "44",
        "--playouts",
        "20",
        "--set",
        "search.c_puct=2",
        "--evaluator",
        run,
        "--nodes",
        "--trace",
    ];
    let mut printed = object(&args);
    let trace = printed.as_object_mut().and_then(|object| object.remove("trace"));
    assert_eq!(found["report"], printed);
    let id = found["id"].as_str().expect("a name");
    let (_, playout) = server.ask("GET", &format!("/search/{id}/19"), "", "");
    let playout: Value = serde_json::from_str(&playout).expect("JSON");
    assert_eq!(Some(&playout), trace.as_ref().and_then(|trace| trace.get(19)));
    for settings in [
        "search.rollout=\"policy:/etc/passwd\"",
        "search.equivalent_visits=1; search.heuristic=\"linear:/etc/passwd\"",
    ] {
        let ask = json!({"moves": "44", "playouts": 20, "settings": settings});
        let (status, body) = server.send("/run/game/search", &ask);
        assert_eq!((status, body.contains("name files")), (400, true), "{settings}: {body}");
    }
}

/// A recorded game may have another komi than its run, and be on another board.
#[test]
fn positions_are_answered_by_their_own_rules() {
    let ServedRun { folder: _folder, server } = ServedRun::of("go-smoke");
    let (_, cards) = server.ask("GET", "/cards.json", "", "");
    let cards: Value = serde_json::from_str(&cards).expect("JSON");
    let board = cards[0]["game"].as_str().expect("a game").to_owned();
    let rules = json!({"board": board, "komi": "-1.5"});
    let found = server.post("/run/game/policy", &json!({"moves": ["C3"], "rules": rules}));
    assert!(found["game"].as_str().expect("text").contains("komi=-1.5"), "{found}");
    let ask = json!({"moves": "C3", "playouts": 9, "settings": "", "rules": rules});
    let found = server.post("/run/game/search", &ask);
    assert!(found["report"]["game"].as_str().expect("text").contains("komi=-1.5"), "{found}");
    let rules = json!({"board": "go:size=9,komi=7"});
    for (path, ask) in [
        ("/run/game/policy", json!({"moves": [], "rules": rules})),
        ("/run/game/search", json!({"moves": "", "playouts": 9, "settings": "", "rules": rules})),
    ] {
        let (status, body) = server.send(path, &ask);
        assert_eq!(
            (status, body.contains("size=5"), body.contains("size=9")),
            (400, true, true),
            "{body}"
        );
    }
}

#[test]
fn a_port_in_use_and_a_missing_folder_are_wrong_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("text");
    let server = Server::of(folder);
    let port = server.host.rsplit(':').next().expect("a port");
    let said = refused(&["serve", folder, "--port", port]);
    assert!(said.contains("is in use") && !said.contains('\n'), "{said}");
    let said = refused(&["serve", "/no/such/folder"]);
    assert!(said.contains("/no/such/folder"), "{said}");
}

/// Answers the page's requests from the recording, without a server.
const RECORDED: &str = "
  const key = (body) => (body.moves instanceof Array ? body.moves.join(' ') : body.moves);
  DZ.post = async (path, body) => (path.endsWith('/board') ? RECORDED.boards[key(body)] : RECORDED.search);
  DZ.get = async (path) => RECORDED.playouts[Number(path.split('/').pop())];
";
const RECORDED_PAGE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/concepts/recorded-search.html");

/// Cuts the first part from `from` to `to` out of a text. Returns the part and the rest.
fn cut(text: &str, from: &str, to: &str) -> (String, String) {
    let begin = text.find(from).unwrap_or_else(|| panic!("no {from}"));
    let end = begin + text[begin..].find(to).unwrap_or_else(|| panic!("no {to}")) + to.len();
    (text[begin..end].to_owned(), format!("{}{}", &text[..begin], &text[end..]))
}

/// Runs a search and keeps every answer that the page can ask for.
fn recording(server: &Server) -> Value {
    let ask = json!({"moves": "5 1", "playouts": 60, "settings": ""});
    let mut search = server.post("/run/game/search", &ask);
    let id = search["id"].as_str().expect("a name").to_owned();
    search["id"] = json!("recorded");
    let playout = |number: usize| -> Value {
        let (status, body) = server.ask("GET", &format!("/search/{id}/{number}"), "", "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    };
    let playouts: Vec<Value> = (0..60).map(playout).collect();
    let words = |list: &Value| -> Vec<String> {
        let list = list.as_array().expect("a list");
        list.iter().map(|word| word.as_str().expect("text").to_owned()).collect()
    };
    let start = words(&search["moves"]);
    let nodes = search["report"]["nodes"].as_array().expect("nodes");
    let board = |node: &Value| {
        let moves = [start.clone(), words(&node["line"])].concat();
        (moves.join(" "), server.post("/run/game/board", &json!({"moves": moves})))
    };
    let boards: serde_json::Map<String, Value> = nodes.iter().map(board).collect();
    json!({"search": search, "playouts": playouts, "boards": boards})
}

/// The search page with a recording in it. `UPDATE_GOLDEN=1 cargo test -p dagzero
/// recorded` writes it anew; look at it in a browser before you commit it.
#[test]
fn the_recorded_search_of_the_book_is_the_search_page() {
    let ServedRun { folder: _folder, server } = ServedRun::of("tictactoe-smoke");
    let recorded = recording(&server);
    let transpositions = &recorded["search"]["report"]["counts"]["transpositions"];
    assert!(transpositions.as_u64() > Some(0), "a graph without transpositions shows nothing");
    let (_, page) = server.ask("GET", "/run/game/search", "", "");
    let (_, page) = cut(&page, "<a class=\"skip\"", "</a>");
    let (_, page) = cut(&page, "<header", "</header>");
    let (_, page) = cut(&page, "<meta name=\"dagzero-token\"", ">");
    let page = page.replace("id=\"ask\"", "id=\"ask\" hidden");
    let (link, page) = cut(&page, "<link rel=\"stylesheet\"", ">");
    let file = |tag: &str| {
        let path = tag.split('"').find(|part| part.starts_with("/assets/")).expect("a file");
        server.ask("GET", path, "", "").1
    };
    let mut head = format!("<style>{}</style>", file(&link));
    let mut scripts: Vec<String> = Vec::new();
    let mut page = page;
    while page.contains("<script src") {
        let (script, rest) = cut(&page, "<script src", "</script>");
        page = rest;
        if script.contains("search.js") {
            // A text in a script must not end it.
            let data = recorded.to_string().replace('<', "\\u003c");
            scripts.push(format!("<script>const RECORDED = {data};{RECORDED}</script>\n"));
        }
        scripts.push(format!("<script>\n{}</script>\n", file(&script)));
    }
    head += "</head>";
    let scripts = scripts.concat();
    let page = page.replace("</head>", &head).replace("</body>", &format!("{scripts}</body>"));
    assert!(
        golden(RECORDED_PAGE.as_ref(), &page) == page,
        "the page differs: UPDATE_GOLDEN=1 cargo test -p dagzero recorded"
    );
}
