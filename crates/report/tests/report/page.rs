//! The page: whole, self-contained, and with the ledger's numbers in it.

use crate::ledger::{self, Ledger};
use dz_report::{Report, RunContext};
use dz_store::{Entry, HeadLoss, Record};

fn report(records: &[Record]) -> Report {
    let config_toml = Some("[run]\nseed = 7 # <not a tag>\n");
    let context = RunContext { name: "made-up & tested", config_toml, config: None };
    Report::from_ledger(records, context)
}

fn page(records: &[Record]) -> String {
    report(records).to_html().expect("drawing into memory works")
}

/// Every element is closed in the right order; returns how many there are.
fn balanced(html: &str) -> Result<usize, String> {
    const VOID: [&str; 5] = ["meta", "!DOCTYPE", "input", "br", "wbr"];
    let (mut open, mut elements): (Vec<&str>, usize) = (Vec::new(), 0);
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').ok_or("a tag without end")? + start;
        let tag = &rest[start + 1..end];
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing that is open"));
            }
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
        elements += usize::from(!tag.starts_with('/'));
        rest = &rest[end + 1..];
    }
    if open.is_empty() { Ok(elements) } else { Err(format!("never closed: {open:?}")) }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    assert_eq!(balanced("<p>a<b>c</b></p><meta x>"), Ok(3));
    assert!(balanced("<p><b></p></b>").is_err());
    assert!(balanced("<p>").is_err());
    assert!(balanced("</p>").is_err());
}

#[test]
fn a_whole_run_is_balanced_and_self_contained() {
    let html = page(&ledger::run(12).records);
    assert!(balanced(&html).expect("balanced") > 1000);
    for fetched in
        ["http:", "https:", "<script", "<link", "<img", "<iframe", "src=", "url(", "@import"]
    {
        assert!(!html.contains(fetched), "the page has {fetched}");
    }
    // Ratings over six things, gate, two losses, two of self-play, window, times; each for wide and
    // narrow screens.
    assert_eq!(html.matches("<svg ").count(), 26);
    assert!(html.contains("prefers-color-scheme:dark"));
    assert!(html.contains("<meta name=\"viewport\""));
}

/// Where the network has heads beside policy and value, one more figure shows what they lose.
#[test]
fn heads_are_drawn_where_there_are_some() {
    let mut records = ledger::run(12).records;
    for record in &mut records {
        if let Entry::Candidate { cycle, losses, .. } = &mut record.entry {
            let training = 1.0 / f64::from(*cycle);
            let loss = HeadLoss { training, validation: Some(training + 0.1) };
            losses.heads.insert("ownership".to_owned(), loss);
        }
    }
    let html = page(&records);
    assert_eq!(html.matches("<svg ").count(), 28);
    assert!(html.contains("ownership, validation rows"));
    assert!(!page(&ledger::run(12).records).contains("heads beside"));
}

#[test]
fn every_colour_of_a_figure_follows_the_scheme() {
    let html = page(&ledger::run(12).records);
    for attribute in ["fill=\"#", "stroke=\"#"] {
        let body = &html[html.find("<body>").expect("a body")..];
        for (place, _) in body.match_indices(attribute) {
            let value = &body[place..place + attribute.len() + 7];
            assert!(html.contains(&format!("svg [{value}]")), "{value} has no rule");
        }
    }
}

#[test]
fn the_numbers_of_the_ledger_are_there() {
    let run = ledger::run(12);
    let html = page(&run.records);
    let report = report(&run.records);
    let champion = report.champion().expect("a champion");
    assert_eq!(champion.generation, Some(10));
    assert_eq!(
        champion.played.wins + champion.played.draws + champion.played.losses,
        champion.games
    );
    for expected in [
        format!("{}-{}-{}", champion.played.wins, champion.played.draws, champion.played.losses),
        format!("{:+} ± {}", champion.elo.round() as i64, champion.error95.round()),
        "rollout-1000 (anchor)".to_owned(),
        "made-up &amp; tested".to_owned(),
        "connect4/1 &lt;planes &amp; policy&gt;".to_owned(),
        "seed = 7 # &lt;not a tag&gt;".to_owned(),
        "c0ffee".repeat(10),
        "15,200".to_owned(),
        "95.7 %".to_owned(),
        "flex-f32-avx2, rollout".to_owned(),
        "2026-11-21".to_owned(),
        "It scored".to_owned(),
    ] {
        assert!(html.contains(&expected), "the page lacks {expected}");
    }
    assert_eq!(html.matches(">refused</td>").count(), ledger::REFUSED.len());
    assert_eq!(html.matches("<li class=\"lost\"").count(), ledger::REFUSED.len());
    for cycle in &report.cycles {
        let losses = cycle.losses.as_ref().expect("every cycle was trained");
        assert!(html.contains(&format!("{:.3}", losses.policy)));
        assert!(html.contains(&cycle.network.as_ref().expect("published").blake3));
    }
}

#[test]
fn the_embedded_data_reads_back() {
    let run = ledger::run(6);
    let html = page(&run.records);
    let start = html.find("<pre id=\"data\">").expect("data") + "<pre id=\"data\">".len();
    let end = start + html[start..].find("</pre>").expect("its end");
    let json = html[start..end]
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    let data: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(data["cycles"].as_array().map(Vec::len), Some(6));
    assert_eq!(data["run"]["seed"], 7);
    assert_eq!(data["cycles"][1]["gate"]["opponent"], "network-0001");
    assert_eq!(data["players"].as_array().map(Vec::len), Some(7));
}

/// Every figure and table says where its numbers stand in the JSON, and something stands there.
#[test]
fn every_number_has_a_key() {
    let run = ledger::run(12);
    let html = page(&run.records);
    let data: serde_json::Value =
        serde_json::from_str(&report(&run.records).to_json().expect("JSON")).expect("JSON");
    let keys: Vec<&str> =
        html.split("data-key=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(keys.len() > 25, "{keys:?}");
    for key in keys {
        let found = key.split('.').try_fold(&data, |at, name| {
            // Of a list, any element that has it.
            match at {
                serde_json::Value::Array(items) => items.iter().find_map(|item| item.get(name)),
                other => other.get(name),
            }
        });
        assert!(found.is_some(), "{key} is not in the JSON");
    }
    assert_eq!(html.matches("<figure>").count(), 0, "a figure without a key");
    assert_eq!(html.matches("<table>").count(), 0, "a table without a key");
    // The first cycle's facts name the ledger's records.
    let records = &data["cycles"][0]["records"];
    for (kind, place) in [("games_done", 1), ("rows", 2), ("candidate", 3)] {
        let number = records[kind].as_u64().expect("a record's number");
        assert_eq!(number, run.records[place].number, "{kind}");
    }
}

/// A page can be written at any moment of a run: after each single record.
#[test]
fn every_prefix_of_a_ledger_makes_a_page() {
    let run = ledger::run(2);
    for length in 0..=run.records.len() {
        let html = page(&run.records[..length]);
        balanced(&html).unwrap_or_else(|fault| panic!("{length} records: {fault}"));
        assert!(!html.contains("NaN") && !html.contains(">inf"), "{length} records");
    }
}

/// Names of players and the run's are text of others: in elements, attributes and figures.
#[test]
fn hostile_names_stay_text() {
    let run = ledger::run(4);
    let json = serde_json::to_string(&run.records).unwrap();
    let evil = r#"<script>alert(1)</script>" onload="x' & \u001b[31m"#;
    let json = json.replace("rollout-1000", &evil.replace('"', "\\\""));
    let records: Vec<Record> = serde_json::from_str(&json).unwrap();
    let name = evil.replace("\\u001b", "\u{1b}");
    let context = RunContext { name: &name, config_toml: Some(&name), config: None };
    let report = Report::from_ledger(&records, context);
    let html = report.to_html().unwrap();
    balanced(&html).expect("balanced");
    assert!(!html.contains("<script") && !html.contains('\u{1b}'));
    // In the text of the JSON, quotes stand for themselves.
    let (before, _) = html.split_once("<pre id=\"data\">").expect("data");
    assert!(!before.contains("\" onload="));
    let shown = "&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x' &amp; \\u{1b}[31m";
    for place in ["<title>", "<h1>", "<td class=\"anchor\">", "<pre>"] {
        assert!(html.contains(&format!("{place}{shown}")), "{place}");
    }
    let page = report.to_live_page().unwrap();
    let page = page.head + &page.contents + &page.body;
    assert!(!page.contains("<script") && !page.contains("\" onload=") && page.contains(shown));
}

/// A figure stands alone: its own name space, its own colours.
#[test]
fn figures_are_files_too() {
    let files = report(&ledger::run(6).records).to_svgs().unwrap();
    assert_eq!(files.iter().map(|file| file.name).collect::<Vec<_>>(), ["elo"]);
    let text = &files[0].text;
    assert!(text.starts_with("<svg xmlns=") && text.trim_end().ends_with("</svg>"), "{text}");
    assert!(text.contains("viewBox=") && text.contains("--blue:"), "{text}");
    assert!(report(&[]).to_svgs().unwrap().is_empty());
}

#[test]
fn empty_sections_say_so() {
    for records in [Vec::new(), std::mem::take(&mut Ledger::default().start().records)] {
        let html = page(&records);
        assert!(html.matches("No data yet").count() >= 8, "{html}");
        assert!(!html.contains("<svg"));
        assert!(!html.contains("<table"));
    }
}
