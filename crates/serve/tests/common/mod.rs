//! A server with runs made by hand, and a client of few lines.

pub mod recorded;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use dz_config::RunConfig;
use dz_frontends::{GameSession, Session};
use dz_game::{AnyGame, Game, GameSpec};
use dz_play::{NoNetworks, PlayerPool, rollout_anchor};
use dz_serve::{Backend, GameFile, LaidOpen, Options, RecordText, Rules, SearchRequest, Server};
use dz_store::{Run, layout};
use dz_testkit_runs::begin_run;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A search of so many playouts goes on until it is stopped.
pub const ENDLESS: u32 = 1_999;
/// A position after this many playouts is said to be of another game.
pub const MISTAKEN: u32 = 1_998;

/// Rollouts in the place of every network, and a graph that no search made.
#[derive(Default)]
struct Rollouts {
    searching: Arc<AtomicUsize>,
}

impl Backend for Rollouts {
    /// The network is for the boards of the run: on others it plays the run's own.
    fn session(
        &self,
        run: &Path,
        rules: Option<&Rules>,
        _: Option<u32>,
        seed: u64,
    ) -> Result<Box<dyn Session>, String> {
        let config = RunConfig::of_run(&run.join(layout::CONFIG));
        let config = config.map_err(|error| error.to_string())?;
        let of = |text: &str| AnyGame::of(&text.parse().unwrap()).unwrap().spec();
        if let Some(rules) = rules {
            let board = AnyGame::of(&rules.board).unwrap().spec();
            if config.boards().iter().any(|own| of(own.game) == board) {
                return session(&rules.game().unwrap(), seed);
            }
        }
        let spec: GameSpec = config.run.game.parse().map_err(|_| "no game".to_owned())?;
        session(&AnyGame::of(&spec).map_err(|error| error.to_string())?, seed)
    }

    fn search(&self, request: &SearchRequest, stop: &dyn Fn() -> bool) -> Result<LaidOpen, String> {
        self.searching.fetch_add(1, Ordering::Relaxed);
        while request.playouts == ENDLESS && !stop() {
            thread::sleep(Duration::from_millis(5));
        }
        self.searching.fetch_sub(1, Ordering::Relaxed);
        let mut found = graph(request.playouts as usize);
        if request.playouts != MISTAKEN {
            found.report["game"] = json!(request.rules.spec().unwrap().to_string());
        }
        Ok(found)
    }

    fn record(&self, file: &GameFile) -> Result<RecordText, String> {
        Ok(RecordText { extension: "txt", text: format!("game {}\n", file.number) })
    }
}

fn session(game: &AnyGame, seed: u64) -> Result<Box<dyn Session>, String> {
    let pool = PlayerPool::new(game, NoNetworks, 0);
    let made = GameSession::new(&rollout_anchor("rollouts", 8), pool, seed);
    Ok(Box::new(made.map_err(|error| error.to_string())?.with_own_names()))
}

/// A graph of so many nodes in layers, in which every second node has two parents.
fn graph(count: usize) -> LaidOpen {
    let line = |node: usize| vec!["4"; (node + 1).ilog2() as usize];
    let children = |node: usize| {
        let next = [2 * node + 1, 2 * node + 2, 2 * node + 3];
        next.into_iter().filter(|child| *child < count).collect::<Vec<_>>()
    };
    let node = |number: usize| {
        let edge = |(at, child): (usize, usize)| json!({"move": (at + 1).to_string(), "visits": count / (child + 1), "prior": 0.3, "child": child});
        let edges: Vec<Value> = children(number).into_iter().enumerate().map(edge).collect();
        json!({
            "node": number, "line": line(number), "to_move": "first", "visits": count / (number + 1) + 1,
            "value": (number as f64).sin(), "own_value": 0.0, "edges": edges,
        })
    };
    let nodes: Vec<Value> = (0..count).map(node).collect();
    let counted = json!({"move": "1", "visits": 1, "prior": 0.3, "q": 0.1, "score": 0.4});
    let step = json!({"node": 0, "visits": 1, "value": 0.1, "move": "1", "moves": [counted]});
    let playout = |number: usize| json!({"playout": number, "steps": [step.clone()], "end": "evaluation", "root_value": 0.1});
    let report = json!({
        "game": "connect4", "evaluator": "none", "best": "1", "pv": ["1"], "nodes": nodes,
        "root": {"value": 0.1, "visits": count, "moves": []}, "counts": {"nodes": count},
    });
    LaidOpen { report, trace: (1..=count.min(50)).map(playout).collect() }
}

/// A server and the folder of its runs, which are removed with it.
pub struct Served {
    pub folder: TempDir,
    pub url: String,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// Searches that are running.
    pub searching: Arc<AtomicUsize>,
}

/// A small configuration of `game`.
pub fn config(game: &str) -> String {
    let text = include_str!("../../../../configs/tictactoe-smoke.toml");
    let text = text.replace("game = \"tictactoe\"", &format!("game = \"{game}\""));
    assert!(text.contains(game), "the preset names its game otherwise");
    text
}

/// A server of a new folder.
pub fn serve() -> Served {
    serve_on(Ipv4Addr::LOCALHOST.into())
}

/// The same on an address.
pub fn serve_on(address: IpAddr) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { folder: folder.path().to_owned(), address, port: 0 };
    let rollouts = Rollouts::default();
    let searching = Arc::clone(&rollouts.searching);
    let server = Server::bind(&options, Arc::new(rollouts)).unwrap();
    let url = server.url().to_owned();
    let port = url.rsplit(':').next().unwrap().split('/').next().unwrap().to_owned();
    thread::spawn(move || server.run());
    Served { folder, url, host: format!("127.0.0.1:{port}"), searching }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.body))
    }
}

impl Served {
    /// Makes a run that plays `game` in a folder of this name, with a ledger of one record.
    pub fn run(&self, name: &str, game: &str) -> Run {
        self.run_of(name, &config(game))
    }

    /// The same with a configuration.
    pub fn run_of(&self, name: &str, config: &str) -> Run {
        let run = begin_run(&self.folder.path().join(name), config).run().clone();
        // What the server knows of the folder may be older than the run.
        for _ in 0..200 {
            let cards = self.get("/cards.json");
            let shown = dz_text::line(name).into_owned();
            let is_it = |card: &Value| card["name"] == shown.as_str();
            if cards.status != 200
                || cards.json().as_array().is_some_and(|all| all.iter().any(is_it))
            {
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
        run
    }

    /// Sends bytes and returns what comes first.
    pub fn first_bytes(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream.write_all(request).unwrap();
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..count]).into_owned()
    }

    /// Sends bytes and reads until the server closes.
    pub fn raw(&self, request: &[u8]) -> String {
        String::from_utf8_lossy(&self.raw_bytes(request)).into_owned()
    }

    /// The same as bytes.
    pub fn raw_bytes(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        // The server may answer, and close, before it has read all.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    }

    /// A request with these header lines instead of the usual ones.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let length = body.len();
        let text = self.raw(
            format!(
                "{method} {path} HTTP/1.1\r\n{headers}content-length: {length}\r\n\
                 connection: close\r\n\r\n{body}"
            )
            .as_bytes(),
        );
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// A page.
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &format!("host: {}\r\n", self.host), "")
    }

    /// The token that pages send.
    pub fn token(&self) -> String {
        let page = self.get("/").body;
        let from = page.find("dagzero-token\" content=\"").unwrap() + 24;
        page[from..].split('"').next().unwrap().to_owned()
    }

    /// A request of a page of this server.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let Self { host, .. } = self;
        let headers = format!(
            "host: {host}\r\norigin: http://{host}\r\ncontent-type: application/json\r\n\
             x-dagzero-token: {}\r\n",
            self.token()
        );
        self.ask("POST", path, &headers, &body.to_string())
    }
}
