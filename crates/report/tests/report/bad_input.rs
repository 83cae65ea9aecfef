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

/// An anchor that never finished a game, and one that the configuration does not know.
#[test]
fn anchors_that_crashed_or_are_foreign_are_named() {
    let mut ledger = Ledger::default();
    ledger.start();
    with_match(&mut ledger, "network-0001", "stranger", [[5, 0, 1], [2, 0, 4]]);
    let config = "format = 1\nrun = { game = \"tictactoe\", cycles = 1 }\nselfplay.games = 1\n\
                  bootstrap.games = 1\nnetwork = { blocks = 1, channels = 8 }\n\
                  gate.rule = \"always\"\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, config).unwrap();
    let config = dz_config::RunConfig::load(&path, &[], &|_| Vec::new());
    let Ok(loaded) = config else {
        panic!("the test's configuration does not load: {}", config.unwrap_err());
    };
    let context = RunContext { config: Some(&loaded.config), ..RunContext::default() };
    let report = Report::from_ledger(&ledger.records, context);
    assert!(says(&report, "finished no rating game, perhaps because they crashed: random"));
    assert!(says(&report, "nor an anchor of its configuration: stranger"), "{:?}", report.missing);
}
