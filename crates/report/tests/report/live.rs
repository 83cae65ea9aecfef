//! The parts of a page whose figures a script draws.

use dz_report::{Report, RunContext};

use crate::ledger;

fn report(cycles: u32) -> Report {
    let run = ledger::run(cycles);
    let context = RunContext { name: "<b>", config_toml: None, config: None };
    Report::from_ledger(&run.records, context)
}

#[test]
fn every_figure_has_a_place_and_its_numbers() {
    let page = report(12).to_live_page().unwrap();
    assert!(page.figures.len() > 8, "{}", page.figures.len());
    for at in 0..page.figures.len() {
        assert_eq!(page.body.matches(&format!("data-figure=\"{at}\"")).count(), 1, "{at}");
    }
    assert!(page.head.contains("&lt;b&gt;") && !page.head.contains("<b>&lt;b&gt;</b>"));
    for figure in &page.figures {
        for curve in &figure.curves {
            assert_eq!(curve.x.len(), curve.y.len(), "{}", figure.title);
            assert!(curve.low.is_empty() || curve.low.len() == curve.x.len());
            assert_eq!(curve.low.len(), curve.high.len());
            assert!(curve.x.is_sorted() && curve.hollow.iter().all(|&at| at < curve.x.len()));
        }
    }
    assert_eq!(page.cycles.len(), 12);
    assert!(!page.body.contains("<script") && !page.body.contains(" onclick"));
}

/// The numbers are those of the report.
#[test]
fn the_curve_is_the_reports() {
    let report = report(12);
    let page = report.to_live_page().unwrap();
    let over_generation = page.figures.iter().rfind(|figure| figure.key == "curve");
    let champions = &over_generation.unwrap().curves;
    let champions = champions.iter().find(|curve| curve.style == "band").unwrap();
    let elo: Vec<f64> = report.curve.iter().map(|point| point.elo).collect();
    assert_eq!(champions.y.len(), elo.len());
    for (drawn, elo) in champions.y.iter().zip(elo) {
        assert!((drawn - elo).abs() <= 1e-5 * elo.abs(), "{drawn} {elo}");
    }
}

#[test]
fn a_long_run_has_a_small_page() {
    let page = report(200).to_live_page().unwrap();
    let bytes = page.head.len() + page.contents.len() + page.body.len();
    assert!(bytes < 490_000, "{bytes} bytes of markup");
    let bytes = serde_json::to_string(&page.figures).unwrap().len();
    assert!(bytes < 300_000, "{bytes} bytes of numbers");
}
