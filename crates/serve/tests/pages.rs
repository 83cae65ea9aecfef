//! Pages of runs, also of hostile and damaged ones.

use std::fs;

use crate::common::serve;

#[test]
fn all_pages_of_a_run_are_there() {
    let served = serve();
    assert!(served.get("/").body.contains("There is no run here yet"));
    served.run("a", "tictactoe");
    let index = served.get("/").body;
    assert!(index.contains("href=\"/run/a\"") && index.contains("stopped"), "{index}");
    for (page, what) in [
        ("", "Ratings"),
        ("/games", "Through the ages"),
        ("/play", "New game"),
        ("/search", "drawn as the graph"),
    ] {
        let answer = served.get(&format!("/run/a{page}"));
        assert_eq!(answer.status, 200, "{page}");
        assert!(answer.body.contains(what), "{page}");
        assert!(!answer.body.contains("<script>") && !answer.body.contains("onclick"), "{page}");
        for link in answer.body.split("src=\"").skip(1) {
            let link = link.split('"').next().unwrap();
            assert!(link.starts_with("/assets/"), "{link}");
            let script = served.get(link);
            assert_eq!(script.status, 200, "{link}");
            assert!(script.head.contains("text/javascript"), "{link}");
        }
    }
    for missing in ["/run/b", "/nothing", "/assets/..%2fCargo.toml", "/run/..%2f..", "/search/0/0"]
    {
        assert_eq!(served.get(missing).status, 404, "{missing}");
    }
    assert_eq!(served.get("/compare?run=a").status, 400);
    assert_eq!(served.get("/run/a/game.json?file=config.toml&number=0").status, 404);
    assert_eq!(served.get("/run/a/record?file=..%2f..%2fetc%2fpasswd&number=0").status, 404);
}

#[test]
fn numbers_are_those_of_the_report() {
    let served = serve();
    let run = served.run("a", "tictactoe");
    let shown = served.get("/run/a/report.json").json();
    let report = dz_report::Report::read_only(&run).unwrap().to_json().unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(shown, report);
}

#[test]
fn a_hostile_run_does_not_script_its_pages() {
    let served = serve();
    let evil = "<script>alert(1)</script><img src=x onerror=alert(2)>";
    let run = served.run("<b>\u{1b}[31m&\"'", "tictactoe");
    let other = served.run("other", "tictactoe");
    for run in [&run, &other] {
        let config = run.root().join("config.toml");
        let text = fs::read_to_string(&config).unwrap();
        fs::write(&config, format!("# {evil}\n\"{evil}\" = \"{evil}\"\n{text}")).unwrap();
    }
    fs::write(other.root().join("config.toml"), "").unwrap();
    fs::write(run.root().join("metrics/driver.jsonl"), format!("{{\"alarm\":\"{evil}\"}}\n"))
        .unwrap();
    let cards = served.get("/cards.json").json();
    let id = cards.as_array().unwrap().iter().find(|card| card["name"] != "other").unwrap();
    let id = id["id"].as_str().unwrap();
    let id: String = id.bytes().fold(String::new(), |id, byte| id + &format!("%{byte:02X}"));
    let pages = ["", "/games", "/play", "/search", "/live.json", "/report.json"];
    let pages = pages.map(|page| format!("/run/{id}{page}"));
    let compare = format!("/compare?run={id}&run=other");
    for path in pages.iter().map(String::as_str).chain(["/", &compare, "/metrics", "/cards.json"]) {
        let answer = served.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        let is_html = answer.head.contains("text/html");
        assert!(!is_html || !answer.body.contains(evil), "{path}");
        assert!(!is_html || !answer.body.contains("<b>\u{1b}"), "{path}");
        assert!(!answer.body.contains('\u{1b}'), "{path}");
    }
    // Addresses are text of others, too.
    let answer = served.get("/run/%3Cscript%3Ealert(1)%3C%2Fscript%3E");
    assert_eq!(answer.status, 404);
    assert!(answer.body.contains("&lt;script&gt;") && !answer.body.contains("<script>"));
}

#[test]
fn damaged_and_deleted_runs_are_reported() {
    let served = serve();
    let run = served.run("a", "tictactoe");
    let damaged = served.run("damaged", "tictactoe");
    fs::write(damaged.root().join("log/00000000000000000003.json"), "{\"number\":").unwrap();
    assert_eq!(served.get("/run/a").status, 200);
    let index = served.get("/").body;
    assert!(index.contains("This run cannot be read"), "{index}");
    let page = served.get("/run/damaged");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("What is missing"), "{}", page.body);
    fs::remove_dir_all(run.root()).unwrap();
    for path in ["/run/a", "/run/a/live.json", "/run/a/games.json", "/run/a/events"] {
        assert_eq!(served.get(path).status, 404, "{path}");
    }
    // Another run in its place is shown as what it is.
    served.run("a", "connect4");
    let card = served.get("/cards.json").json();
    let a = card.as_array().unwrap().iter().find(|card| card["id"] == "a").unwrap();
    assert!(a["game"].as_str().unwrap().starts_with("connect4"), "{a}");
    assert!(served.get("/run/a").body.contains("connect4"));
}

#[test]
fn runs_are_compared() {
    let served = serve();
    let one = served.run("one", "tictactoe");
    served.run("two", "tictactoe");
    served.run("other game", "connect4");
    let config = one.root().join("config.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("[run]", "[run]\nnote = \"<x>\"")).unwrap();
    let page = served.get("/compare?run=one&run=two&run=other+game").body;
    assert!(page.contains("run.note") && page.contains("&lt;x&gt;"), "{page}");
    assert!(page.contains("Compared by config.toml"), "the ledger knows no such file: {page}");
    assert!(page.contains("other game plays connect4"), "{page}");
}

/// An edit of `config.toml` is not in force before the run goes on.
#[test]
fn configurations_in_force_are_compared() {
    let served = serve();
    let one = served.run("one", "tictactoe");
    served.run("two", "tictactoe");
    let config = one.root().join("config.toml");
    let text = fs::read_to_string(&config).unwrap();
    let hash = dz_config::RunConfig::of_run(&config).unwrap().hash();
    let kept = one.root().join("config-history").join(format!("{hash}.toml"));
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::write(&kept, &text).unwrap();
    fs::write(&config, text.replace("cycles = 3", "cycles = 77")).unwrap();
    let page = served.get("/compare?run=one&run=two").body;
    // The number alone may be part of the page's random token.
    assert!(!page.contains("run.cycles") && page.contains("No key differs"), "{page}");
}
