//! Ledgers whose ratings make no sense: the report says so and shows the rest.

use crate::ledger::Ledger;
use dz_report::{Report, RunContext};
use dz_store::{Entry, MatchPurpose, MatchResult, ObjectRef, PlayerName, Record, Stage};

fn report(records: &[Record]) -> Report {
    let report =
        Report::from_ledger(records, RunContext { name: "made-up", ..RunContext::default() });
    let html = report.to_html().expect("a page of whatever there is");
    assert!(!html.contains("NaN") && !html.contains(">inf"));
    report
}

fn with_match(ledger: &mut Ledger, a: &str, b: &str, by_first: [[u64; 3]; 2]) {
    let sum = |place: usize, other: usize| by_first[0][place] + by_first[1][other];
    let (wins, draws, losses) = (sum(0, 2), sum(1, 1), sum(2, 0));
    let games = wins + draws + losses;
    let result = MatchResult { games, wins, draws, losses, by_first, ..MatchResult::default() };
    ledger.push(
        Stage::Gatekeeper,
        Entry::Match {
            cycle: 1,
            purpose: MatchPurpose::Rating,
            a: PlayerName::new(a),
            b: PlayerName::new(b),
            result,
            games: ObjectRef::of("matches/x", b""),
        },
    );
}

fn says(report: &Report, part: &str) -> bool {
    report.missing.iter().any(|sentence| sentence.contains(part))
}

#[test]
fn zero_games_rate_nobody() {
    let mut ledger = Ledger::default();
    ledger.start();
    with_match(&mut ledger, "network-0001", "random", [[0; 3]; 2]);
    let report = report(&ledger.records);
    assert!(report.pairings.is_empty());
    assert!(says(&report, "Rated without a single game"), "{:?}", report.missing);
}

#[test]
fn one_player_is_said_to_be_alone() {
    let mut ledger = Ledger::default();
    ledger.start();
    let row = dz_store::RatingRow {
        player: PlayerName::new("random"),
        elo: 0.0,
        error95: 0.0,
        score: 0.5,
        games: 0,
    };
    ledger.push(
        Stage::Gatekeeper,
        Entry::Ratings { cycle: 1, players: vec![row], first_mover_elo: 0.0, draw_rate: 0.0 },
    );
    assert!(says(&report(&ledger.records), "random is the only rated player"));
}

#[test]
fn all_draws_are_equals() {
    let mut ledger = Ledger::default();
    ledger.start();
    with_match(&mut ledger, "network-0001", "random", [[0, 30, 0], [0, 30, 0]]);
    let report = report(&ledger.records);
    assert!(says(&report, "fitted here from its rating games"), "{:?}", report.missing);
    assert_eq!(report.players.len(), 2);
    assert!(
        report.players.iter().all(|player| player.elo.abs() < 1e-6 && player.played.draws == 60)
    );
    assert!((report.pairings[0].score - 0.5).abs() < 1e-12);
}

#[test]
fn groups_that_never_met_are_named() {
    let mut ledger = Ledger::default();
    ledger.start();
    with_match(&mut ledger, "network-0001", "random", [[5, 0, 1], [2, 0, 4]]);
    with_match(&mut ledger, "network-0007", "gnugo", [[1, 0, 5], [4, 0, 2]]);
    let report = report(&ledger.records);
    let said = "No games connect gnugo, network-0007 with network-0001, random";
    assert!(says(&report, said), "{:?}", report.missing);
    assert_eq!(report.players.len(), 4);
}

/// The report of one rating match of the first network under some anchors.
fn report_of_match(opponent: &str, anchors: &[&str]) -> Report {
    let mut ledger = Ledger::default();
    ledger.start();
    with_match(&mut ledger, "network-0001", opponent, [[5, 0, 1], [2, 0, 4]]);
    let config = "format = 1\nrun = { game = \"tictactoe\", cycles = 1 }\nselfplay.games = 1\n\
                  bootstrap.games = 1\nnetwork = { blocks = 1, channels = 8 }\n\
                  gate.rule = \"always\"\n";
    let anchors = format!("rating.anchors=[{}]", anchors.join(", "));
    let config = dz_config::RunConfig::from_text(config, &[anchors]).unwrap();
    let context = RunContext { config: Some(&config), ..RunContext::default() };
    Report::from_ledger(&ledger.records, context)
}

/// Anchors that never finished a game, and one that the configuration does not know.
#[test]
fn anchors_that_crashed_or_were_left_out_or_are_foreign_are_named() {
    let random = "{ name = \"random\", kind = \"random\" }";
    let rollout = "{ name = \"rollout-50\", kind = \"rollout\", playouts = 50 }";
    let engine = "{ name = \"gnu\", kind = \"gtp\", command = \"gnugo\", seconds = 1 }";
    let left_out = "rating.time_share = 0.1 has left no time for a rating game of these anchors";
    let crashed = "finished no rating game, perhaps because they crashed";
    let report = report_of_match("stranger", &[random, rollout]);
    assert!(says(&report, &format!("{left_out}: random, rollout-50")), "{:?}", report.missing);
    assert!(!says(&report, crashed));
    assert!(says(&report, "nor an anchor of its configuration: stranger"), "{:?}", report.missing);
    // A program before an anchor that has played was not left out.
    let report = report_of_match("random", &[engine, random, rollout]);
    assert!(says(&report, &format!("{crashed}: gnu")), "{:?}", report.missing);
    assert!(says(&report, &format!("{left_out}: rollout-50")), "{:?}", report.missing);
    // The last one of a plan that was cut has not had its turn.
    let report = report_of_match("random", &[random, rollout, engine]);
    assert!(says(&report, &format!("{left_out}: rollout-50, gnu")), "{:?}", report.missing);
}
