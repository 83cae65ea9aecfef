//! The dashboard, drawn into memory.

use dz_report::{Dashboard, Live, Report, RunContext};
use dz_store::Stage;

use crate::ledger;

fn shown(cycles: u32, live: Live, width: u16, height: u16) -> (Report, String) {
    let run = ledger::run(cycles);
    let context = RunContext { name: "made-up", ..RunContext::default() };
    let report = Report::from_ledger(&run.records, context);
    let text = Dashboard::new(report.clone(), live).to_text(width, height);
    (report, text)
}

#[test]
fn a_run_that_waits_for_a_disk_says_so() {
    let paused = vec!["selfplay since 2026-11-25 10:00:00: no space left".to_owned()];
    let live = Live { driven_by: Some(4711), paused, ..Live::default() };
    let text = shown(12, live, 160, 44).1;
    assert!(text.contains("PAUSED (process 4711): selfplay since 2026-11-25"), "{text}");
    assert!(!text.contains("running (process"), "{text}");
}

#[test]
fn it_shows_the_reports_numbers() {
    let live = Live {
        turn: "trainer in cycle 13".to_owned(),
        driven_by: Some(4711),
        stages: vec![Stage::Trainer],
        paused: Vec::new(),
        progress: Vec::new(),
        cycles_done: 12,
        cycles: 20,
        record: 1,
    };
    let (report, text) = shown(12, live, 120, 44);
    println!("{text}");
    let champion = report.champion().expect("a champion");
    for part in [
        "made-up  connect4:width=7,height=6,connect=4  seed 7  running (process 4711)".to_owned(),
        format!("generation 10: {:+.0} ± {:.0} Elo", champion.elo, champion.error95),
        "turn: trainer in cycle 13  alive: trainer".to_owned(),
        "cycle 12 of 20 done".to_owned(),
        "rollout-1000".to_owned(),
        "refused".to_owned(),
        "generation 10".to_owned(),
        "After 12 cycles of the loop".to_owned(),
        "Elo against rollout-1000, 95 % band".to_owned(),
    ] {
        assert!(text.contains(&part), "{part} is not in\n{text}");
    }
    let losses = report.cycles[11].losses.as_ref().expect("trained");
    assert!(text.contains(&format!("{:.3}", losses.policy)), "{text}");
    assert!(text.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "a curve of braille");
}

/// A run at its beginning, and terminals of every size.
#[test]
fn it_is_drawn_at_every_size_and_moment() {
    for cycles in [0, 1, 3] {
        for (width, height) in [(1, 1), (20, 5), (80, 24), (200, 60)] {
            let (_, text) = shown(cycles, Live::default(), width, height);
            assert_eq!(text.lines().count(), usize::from(height));
        }
    }
    let (_, text) = shown(0, Live::default(), 100, 40);
    assert!(text.contains("No champion is rated yet.") && text.contains("stopped"), "{text}");
}

/// Small terminals keep what people look for: the champion's rating and the anchors', the newest
/// cycles with their verdicts unbroken, and the beginning of the verdict.
#[test]
fn small_terminals_cut_nothing_in_the_middle() {
    let progress = vec!["selfplay cycle 13: 120/400 games, 8 s left, 35.0 games/s".to_owned()];
    let live =
        Live { driven_by: Some(1), cycles_done: 12, cycles: 20, progress, ..Live::default() };
    for (width, height) in [(80, 24), (100, 30)] {
        let (report, text) = shown(12, live.clone(), width, height);
        println!("{text}");
        let champion = report.champion().expect("a champion");
        let rating = format!("{:+.0} ± {:.0}", champion.elo, champion.error95);
        assert!(text.matches(&rating).count() >= 2, "above and in the ratings: {text}");
        for part in
            ["rollout-1000", "network-0010 ", "generation 10 ", "selfplay cycle 13: 120/400"]
        {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let first: String =
            report.verdict().split_whitespace().take(8).collect::<Vec<_>>().join(" ");
        assert!(text.contains(&first), "{first} is not in\n{text}");
        assert!(text.contains("q leaves; the run goes on"), "{text}");
        let finished = shown(12, Live::default(), width, height).1;
        assert!(!finished.contains("goes on"), "{finished}");
    }
}
