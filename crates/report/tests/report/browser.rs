//! The page in a browser: at the widths of screens, of a phone and of paper nothing is cut off, and
//! nothing is wider than the page.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dz_report::{
    Health, OpeningNode, Report, RunContext, Sample, SampleView, StepPoint, TurnFacts,
};
use dz_store::{Entry, PlayerName};
use serde_json::Value;

use crate::ledger;

/// Names of the program that is asked.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// A width in pixels, and whether the styles of paper apply.
type View = (u32, bool);
/// The views that people have of the page. A4 is 718 pixels wide between the margins with which
/// Chromium prints.
const VIEWS: [View; 4] = [(1280, false), (1920, false), (390, false), (718, true)];
const PAGE_BYTES_MAX: usize = 2_000_000;

#[test]
fn nothing_is_cut_off_at_any_width() {
    let Some(browser) = browser() else { return };
    let report = large();
    let page = report.to_html().expect("a page");
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
    for (view, found) in VIEWS.iter().zip(measured(&browser, &VIEWS.map(|view| (view, &*page)))) {
        assert_eq!(found["faults"], Value::Array(Vec::new()), "{view:?}: {found:#}");
        // What is measured is really the page, with its folds opened, in its whole width.
        assert_eq!(found["width"], view.0, "{view:?}");
        assert!(found["rows"].as_u64() > Some(1_500), "{view:?}: {found:#}");
        assert!(found["folds"].as_u64() > Some(8), "{view:?}: {found:#}");
        let charts = if view.1 { 6 } else { 1 };
        assert_eq!(found["elo_charts"], charts, "{view:?}");
    }
}

/// The measurement finds each fault that it looks for.
#[test]
fn the_measurement_finds_faults() {
    let Some(browser) = browser() else { return };
    let page = Report::from_ledger(&ledger::run(3).records, RunContext::default());
    let page = page.to_html().expect("a page");
    let faults: [(View, &[(&str, &str)]); 3] = [
        ((390, false), &[("<div style=\"width:600px\">wide</div>", "beyond the page")]),
        (
            (1280, false),
            &[
                (
                    "<div style=\"width:9em;overflow:hidden\"><p style=\"width:20em\">a</p></div>",
                    "> a",
                ),
                ("<div style=\"height:1em;overflow:auto\">one<br>two</div>", "> onetwo"),
                (
                    "<svg viewBox=\"0 0 99 20\"><text x=\"90\" y=\"15\">label</text></svg>",
                    "> label",
                ),
            ],
        ),
        (
            (718, true),
            &[("<details style=\"display:none\"><pre>b</pre></details>", "hidden on paper")],
        ),
    ];
    let broken = faults.map(|(view, faults)| {
        let markup: String = faults.iter().map(|(markup, _)| *markup).collect();
        (view, page.replace("</main>", &format!("{markup}</main>")))
    });
    let broken: Vec<(View, &str)> = broken.iter().map(|(view, page)| (*view, &**page)).collect();
    for ((_, faults), found) in faults.iter().zip(measured(&browser, &broken)) {
        let found = found["faults"].to_string();
        for (markup, fault) in *faults {
            assert!(found.contains(fault), "{markup} is not found: {found}");
        }
    }
}

/// The browser of this machine; `None`, said aloud, where there is none.
fn browser() -> Option<String> {
    let answers = |name: &&&str| {
        let asked = Command::new(name).arg("--version").stderr(Stdio::null()).output();
        asked.is_ok_and(|answer| answer.status.success())
    };
    let found = BROWSERS.iter().find(answers);
    if found.is_none() {
        println!("skipped: none of {} is installed here", BROWSERS.join(", "));
    }
    found.map(|name| (*name).to_owned())
}

/// What the browser measures of each page in its view.
fn measured(browser: &str, shown: &[(View, &str)]) -> Vec<Value> {
    let pages = shown.iter().map(|&((_, on_paper), page)| {
        assert!(page.contains("@media print{"));
        if on_paper { page.replace("@media print{", "@media all{") } else { page.to_owned() }
    });
    let views = shown.iter().enumerate().map(|(place, &((width, on_paper), _))| {
        serde_json::json!({ "page": place, "width": width, "on_paper": on_paper })
    });
    let script = |values: Vec<Value>| Value::from(values).to_string().replace("</", "<\\/");
    let harness = include_str!("harness.html")
        .replace("{{views}}", &script(views.collect()))
        .replace("{{pages}}", &script(pages.map(Value::from).collect()));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("harness.html");
    fs::write(&path, harness).expect("written");
    let dom = dumped(browser, folder.path(), &path);
    let result =
        dom.split_once("<pre id=\"result\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (result, _) = result.unwrap_or_else(|| panic!("no result in {dom:.2000}"));
    let result = result.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let found: Vec<Value> =
        serde_json::from_str(&result).unwrap_or_else(|error| panic!("{error}: {result:.2000}"));
    assert_eq!(found.len(), shown.len(), "{result:.2000}");
    assert!(found.iter().all(Value::is_object), "{result:.2000}");
    found
}

/// The document of a page after its scripts have run.
fn dumped(browser: &str, folder: &Path, page: &Path) -> String {
    let out = folder.join("out");
    let errors = folder.join("errors");
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--window-size=2000,1200",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out).expect("created"))
        .stderr(fs::File::create(&errors).expect("created"))
        .spawn()
        .expect("the browser starts");
    let until = Instant::now() + Duration::from_mins(10);
    loop {
        if child.try_wait().expect("waited").is_some() {
            break;
        }
        if Instant::now() > until {
            child.kill().expect("killed");
            child.wait().expect("waited");
            panic!("the browser does not end: {}", fs::read_to_string(&errors).unwrap_or_default());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let dom = fs::read(&out).expect("read");
    assert!(!dom.is_empty(), "{}", fs::read_to_string(&errors).unwrap_or_default());
    String::from_utf8_lossy(&dom).into_owned()
}

/// 200 generations, anchors with long names, and a bit of everything that is measured beside a
/// ledger.
fn large() -> Report {
    let mut records = ledger::run_of(202, 136).records;
    for record in &mut records {
        if let Entry::Match { cycle, b, .. } = &mut record.entry
            && b.as_str() == "random"
            && *cycle > 1
        {
            let place = *cycle % 9;
            *b = PlayerName::new(format!(
                "gnugo-3.8-level-10-japanese-rules-without-resigning-{place}"
            ));
        }
        if let Entry::Ratings { players, .. } = &mut record.entry {
            // Then the report fits the ratings of these players from the games.
            players.clear();
        }
    }
    let context = RunContext {
        name: "a-run-with-a-name-that-is-longer-than-a-line-of-a-phone-has-room-for-without-spaces",
        config_toml: Some("[run]\ngame = \"connect4\"\n"),
        config: None,
    };
    let mut report = Report::from_ledger(&records, context);
    for facts in &mut report.cycles {
        facts.health = Some(Health {
            games: 123_456,
            positions: 12_345_678,
            plies_p10: 101,
            plies_p50: 222,
            plies_p90: 361,
            target_entropy: 1.5,
            target_entropy_even: 2.0,
            value_surprise: 0.61,
            duplicates: 1_234,
            openings: 2_401,
            ..Health::default()
        });
    }
    let leaf = |name: &str, games| OpeningNode {
        name: name.to_owned(),
        games,
        score: 0.5,
        replies: Vec::new(),
    };
    let replies = vec![leaf("4", 600), leaf("promotes e7e8q", 400)];
    let first = OpeningNode { replies, ..leaf("4", 1_000) };
    report.measures.openings = Some(OpeningNode { replies: vec![first], ..leaf("", 1_000) });
    let step = |step: u64| StepPoint {
        step: 300 * step,
        policy_loss: 2.0 / step as f64,
        value_loss: 1.0,
        policy_entropy: 0.5,
        clipped: None,
    };
    report.measures.steps = (1..300).map(step).collect();
    let turn = |stage: &str| TurnFacts {
        stage: stage.to_owned(),
        cycle: 1,
        turn_ms: 1_000,
        cpu_ms: Some(1_900),
        peak_bytes: Some(12_345_678_901),
    };
    report.measures.turns = ["selfplay", "trainer", "gatekeeper"].map(turn).to_vec();
    report.measures.samples = vec![sample(&[]), sample(&["4", "4", "3", "5"])];
    report
}

fn sample(moves: &[&str]) -> Sample {
    let position = serde_json::json!({
        "moves": moves,
        "value": [0.5, 0.1, 0.4],
        "policy": [["4", 0.7], ["3", 0.2], ["7", 0.1]],
    });
    let view = |cycle| {
        let position = serde_json::from_value(position.clone()).expect("a position");
        SampleView { cycle, position }
    };
    let moves = moves.iter().map(|&name| name.to_owned()).collect();
    Sample { moves, views: vec![view(1), view(202)] }
}
