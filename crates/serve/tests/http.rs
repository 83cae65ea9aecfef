//! Who is answered, and how much: hosts, origins, tokens, sizes, slow clients.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::{serve, serve_on};

#[test]
fn only_hosts_of_this_machine_are_answered() {
    let served = serve();
    let port = served.host.rsplit(':').next().unwrap();
    for host in [served.host.clone(), format!("localhost:{port}"), "[::1]:9".to_owned()] {
        assert_eq!(served.ask("GET", "/", &format!("host: {host}\r\n"), "").status, 200, "{host}");
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "10.0.0.9", "a b", ""] {
        let answer = served.ask("GET", "/", &format!("host: {host}\r\n"), "");
        assert!(answer.status == 403 || answer.status == 400, "{host:?}: {}", answer.status);
        assert!(!answer.body.contains("dagzero-token"), "{host:?}");
    }
    assert_eq!(served.ask("GET", "/", "", "").status, 403);
}

#[test]
fn pages_of_other_origins_neither_read_nor_play() {
    let served = serve();
    served.run("a", "tictactoe");
    let host = format!("host: {}\r\n", served.host);
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"] {
        let headers = format!("{host}origin: {origin}\r\n");
        assert_eq!(served.ask("GET", "/run/a", &headers, "").status, 403, "{origin}");
        assert_eq!(served.ask("POST", "/run/a/play", &headers, "{}").status, 403, "{origin}");
    }
    // Without the token of a page nothing is played, whatever the origin.
    let own = format!("{host}origin: http://{}\r\ncontent-type: application/json\r\n", served.host);
    for token in ["", "x-dagzero-token: 0\r\n"] {
        let headers = format!("{own}{token}");
        let answer = served.ask("POST", "/run/a/play", &headers, "{\"playouts\":1}");
        assert_eq!(answer.status, 403);
    }
    let answer = served.get("/run/a");
    for header in ["content-security-policy: default-src 'none'", "x-frame-options: DENY"] {
        assert!(answer.head.contains(header), "{}", answer.head);
    }
    let policy = answer.head.lines().find(|line| line.starts_with("content-security-policy"));
    let scripts = policy.unwrap().split(';').find(|part| part.contains("script-src")).unwrap();
    assert_eq!(scripts.trim(), "script-src 'self'");
    assert!(!answer.head.contains("access-control-allow"), "{}", answer.head);
    assert_eq!(served.ask("PUT", "/", &host, "").status, 405);
    assert_eq!(served.ask("OPTIONS", "/", &host, "").status, 405);
}

#[test]
fn other_addresses_ask_for_the_token_of_the_url() {
    let served = serve_on(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let token = served.url.split("token=").nth(1).expect("a token in the address").to_owned();
    assert_eq!(served.get("/").status, 403);
    assert_eq!(served.get("/?token=wrong").status, 403);
    let entered = served.get(&format!("/?token={token}"));
    assert_eq!(entered.status, 303);
    assert!(entered.head.contains("location: /\r\n"), "{}", entered.head);
    let cookie = entered.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let headers = format!("host: {}\r\ncookie: a=b; {cookie}\r\n", served.host);
    assert_eq!(served.ask("GET", "/metrics", &headers, "").status, 200);
    let named = format!("host: evil.example\r\ncookie: {cookie}\r\n");
    assert_eq!(served.ask("GET", "/", &named, "").status, 403);
    let away = served.get(&format!("//evil.example/?token={token}"));
    assert!(away.head.contains("location: /evil.example/\r\n"), "{}", away.head);
}

#[test]
fn requests_of_any_size_get_an_answer_in_bounded_memory() {
    let served = serve();
    served.run("a", "tictactoe");
    let host = format!("host: {}\r\n", served.host);
    let long = "x".repeat(100_000);
    let status = served.ask("GET", &format!("/{long}"), &host, "").status;
    assert!(matches!(status, 0 | 400 | 414 | 431), "{status}");
    let status = served.ask("GET", "/", &format!("{host}x-long: {long}\r\n"), "").status;
    assert!(matches!(status, 0 | 400 | 431), "{status}");
    let many = "x-a: b\r\n".repeat(1_000);
    let status = served.ask("GET", "/", &format!("{host}{many}"), "").status;
    assert!(matches!(status, 0 | 400 | 431), "{status}");
    let body = json!({ "moves": [long.repeat(20)] });
    let answer = served.post("/run/a/policy", &body);
    assert!(matches!(answer.status, 0 | 413), "{answer:?}");
    let begin = Instant::now();
    let text = served.raw(b"\x00\xff GET nonsense\r\n\r\n");
    assert!(text.is_empty() || text.contains(" 400 "), "{text}");
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert_eq!(served.post("/run/a/play", &json!({"playouts": 1, "more": 1})).status, 422);
    assert_eq!(served.get("/").status, 200, "it goes on");
}

/// A page that never reads its events does not hold up others, and costs no memory for each event.
#[test]
fn a_client_that_never_reads_holds_nothing_up() {
    let served = serve();
    let run = served.run("a", "tictactoe");
    let request = format!("GET /run/a/events HTTP/1.1\r\nhost: {}\r\n\r\n", served.host);
    let mut deaf: Vec<TcpStream> = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(&served.host).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        deaf.push(stream);
    }
    let mut reader = TcpStream::connect(&served.host).unwrap();
    reader.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    reader.write_all(request.as_bytes()).unwrap();
    wait_for(&mut reader, "\"record\":2");
    let mut ledger = dz_store::Ledger::open(&run).unwrap();
    let begun = Instant::now();
    ledger.claim(dz_store::Stage::Driver).unwrap();
    wait_for(&mut reader, "\"record\":3");
    let took = begun.elapsed();
    eprintln!("an event took {took:?}");
    assert!(took < Duration::from_secs(1), "an event took {took:?}");
    drop(deaf);
}

fn wait_for(stream: &mut TcpStream, what: &str) {
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    while !String::from_utf8_lossy(&seen).contains(what) {
        let count = stream.read(&mut buffer).expect("an event in time");
        assert!(count > 0, "the server closed: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&buffer[..count]);
    }
}

/// Every file of a run with its content's length and time, and every folder.
fn picture(folder: &Path) -> BTreeSet<(PathBuf, u64, Option<std::time::SystemTime>)> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                open.push(entry.path());
            }
            found.insert((entry.path(), meta.len(), meta.modified().ok()));
        }
    }
    found
}

#[test]
fn nothing_of_a_run_is_touched() {
    let served = serve();
    let run = served.run("a", "tictactoe");
    // A run that was copied may lack its empty folders.
    fs::remove_dir_all(run.root().join("work")).unwrap();
    let before = picture(run.root());
    for path in [
        "/",
        "/metrics",
        "/run/a",
        "/run/a/live.json",
        "/run/a/report.json",
        "/run/a/games",
        "/run/a/games.json",
        "/run/a/ages.json",
        "/run/a/play",
        "/run/a/search",
    ] {
        assert_eq!(served.get(path).status, 200, "{path}");
    }
    assert_eq!(served.post("/run/a/play", &json!({"playouts": 4, "side": "second"})).status, 200);
    assert_eq!(picture(run.root()), before);
}

/// Nobody plays.
struct Nobody;
impl dz_serve::Backend for Nobody {
    fn session(
        &self,
        _: &Path,
        _: Option<&dz_serve::Rules>,
        _: Option<u32>,
        _: u64,
    ) -> Result<Box<dyn dz_frontends::Session>, String> {
        Err("nobody plays".to_owned())
    }
    fn search(
        &self,
        _: &dz_serve::SearchRequest,
        _: &dyn Fn() -> bool,
    ) -> Result<dz_serve::LaidOpen, String> {
        Err("nobody searches".to_owned())
    }
    fn record(&self, _: &dz_serve::GameFile) -> Result<dz_serve::RecordText, String> {
        Err("nobody records".to_owned())
    }
}

#[test]
fn a_port_in_use_is_one_line() {
    let served = serve();
    let port = served.host.rsplit(':').next().unwrap().parse().unwrap();
    let folder = served.folder.path().to_owned();
    let options = dz_serve::Options { folder, address: Ipv4Addr::LOCALHOST.into(), port };
    let bind = |options: &dz_serve::Options| {
        dz_serve::Server::bind(options, std::sync::Arc::new(Nobody)).unwrap_err().to_string()
    };
    let error = bind(&options);
    assert!(error.contains("is in use") && error.contains("--port 0"), "{error}");
    assert!(!error.contains('\n'));
    let missing = dz_serve::Options { folder: "/no/such/folder".into(), ..options };
    assert!(bind(&missing).contains("/no/such/folder"));
}
