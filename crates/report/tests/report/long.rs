//! A long run is rated and reported quickly, and its page stays small.

use std::time::Instant;

use dz_report::{Report, RunContext};

use crate::ledger;

/// 200 generations and more than 100,000 rating games on one core in under 10 seconds, the page
/// below 2 MB.
#[test]
fn two_hundred_generations_are_quick() {
    let run = ledger::run_of(202, 136);
    let begun = Instant::now();
    let report = Report::from_ledger(&run.records, RunContext::default());
    let folded = begun.elapsed();
    let html = report.to_html().expect("a page");
    let json = report.to_json().expect("JSON");
    let drawn = begun.elapsed();
    let games: u64 = report.pairings.iter().map(|pairing| pairing.games).sum();
    println!(
        "{} champions, {games} rating games: rated in {folded:.2?}, page and JSON by {drawn:.2?}; \
         page {} bytes, JSON {} bytes",
        report.curve.len(),
        html.len(),
        json.len(),
    );
    assert_eq!(report.curve.len(), 200);
    assert!(games > 100_000, "{games}");
    assert!(html.len() < 2_000_000, "{}", html.len());
    assert!(drawn.as_secs_f64() < 10.0, "{drawn:?}");
}
