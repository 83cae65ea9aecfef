//! What the fold makes of records, and what it says about them.

use crate::ledger::{self, Ledger};
use dz_report::{Report, RunContext};
use dz_store::{Entry, MatchPurpose, MatchResult, ObjectRef, PlayerName, RatingRow, Record, Stage};

fn report(records: &[Record]) -> Report {
    Report::from_ledger(records, RunContext { name: "made-up", ..RunContext::default() })
}

#[test]
fn a_fenced_writer_is_not_heard() {
    let mut run = ledger::run(1);
    let claim = Entry::Claim { stage: Stage::Driver, nonce: "b".to_owned(), process_id: 2 };
    run.push(Stage::Driver, claim);
    let claimed = run.records.len() as u64;
    run.push(Stage::Driver, Entry::Finished { verdict: "from the old process".to_owned() });
    assert_eq!(report(&run.records).run.finished, None);
    run.push(Stage::Driver, Entry::Finished { verdict: "from the new one".to_owned() });
    run.records.last_mut().expect("just pushed").epoch = claimed;
    assert_eq!(report(&run.records).run.finished.as_deref(), Some("from the new one"));
}

#[test]
fn a_gate_match_is_seen_by_the_candidate() {
    let result = MatchResult {
        games: 6,
        wins: 1,
        draws: 2,
        losses: 3,
        pairs: [1, 1, 1, 0, 0],
        duplicates: 0,
        by_first: [[1, 1, 1], [2, 1, 0]],
        ..MatchResult::default()
    };
    let mut ledger = Ledger::default();
    ledger.start().push(
        Stage::Gatekeeper,
        Entry::Match {
            cycle: 2,
            purpose: MatchPurpose::Gate,
            a: PlayerName::network(1),
            b: PlayerName::network(2),
            result,
            games: ObjectRef::of("matches/1", b""),
        },
    );
    let report = report(&ledger.records);
    let gate = report.cycles[0].gate.as_ref().expect("the match");
    assert_eq!(gate.opponent, "network-0001");
    assert_eq!((gate.result.wins, gate.result.draws, gate.result.losses), (3, 2, 1));
    assert_eq!(gate.result.pairs, [0, 0, 1, 1, 1]);
    assert_eq!(gate.result.by_first, [[2, 1, 0], [1, 1, 1]]);
}

/// The ledger's newest entry may be of an older version of the program, which rated by other terms.
#[test]
fn everybody_is_rated_by_one_fit() {
    let mut ledger = ledger::run(12);
    let fitted = report(&ledger.records).players;
    let rows = [("random", 0.0, 0.0), ("network-0012", 9_999.0, 1.0), ("stranger", 5.0, 2.0)];
    let rows = rows.map(|(name, elo, error95)| RatingRow {
        player: PlayerName::new(name),
        elo,
        error95,
        score: 0.5,
        games: 10,
    });
    let (players, first_mover_elo, draw_rate) = (rows.to_vec(), 500.0, 0.9);
    let entry = Entry::Ratings { cycle: 13, players, first_mover_elo, draw_rate };
    ledger.push(Stage::Gatekeeper, entry);
    let report = report(&ledger.records);
    for player in &fitted {
        let found = report.players.iter().find(|other| other.name == player.name).expect("rated");
        assert_eq!((found.elo, found.error95), (player.elo, player.error95), "{}", player.name);
    }
    // Whom no game of the ledger rates is kept, on the scale of this report.
    let elo = |name: &str| report.players.iter().find(|player| player.name == name).unwrap().elo;
    assert_ne!(elo("random"), 0.0);
    assert_eq!(elo("stranger"), elo("random") + 5.0);
    assert!(report.first_mover_elo.is_some_and(|elo| elo < 400.0));
}

/// A report takes the ratings that [`dz_store::RunState`] takes.
#[test]
fn the_first_ratings_of_a_cycle_count() {
    let mut ledger = Ledger::default();
    ledger.start();
    for elo in [5.0, 9.0] {
        let player = PlayerName::new("random");
        let row = RatingRow { player, elo, error95: 1.0, score: 0.5, games: 10 };
        let entry =
            Entry::Ratings { cycle: 1, players: vec![row], first_mover_elo: elo, draw_rate: 0.1 };
        ledger.push(Stage::Gatekeeper, entry);
    }
    let state = dz_store::RunState::fold(&ledger.records);
    let report = report(&ledger.records);
    assert_eq!(state.ratings.expect("ratings").players[0].elo, 5.0);
    assert_eq!(report.players[0].elo, 5.0);
}

#[test]
fn places_in_the_curve_leave_out_what_all_champions_share() {
    let twelve = report(&ledger::run(12).records);
    let shared = twelve.curve_error95.expect("ten champions");
    for point in &twelve.curve {
        let (own, whole) = (point.error95_within, point.error95);
        assert!(0.0 < own && own < whole && whole <= own + shared, "{own} {shared} {whole}");
    }
    let two = report(&ledger::run(2).records);
    assert_eq!(two.curve_error95, None);
    assert!(two.curve.iter().all(|point| point.error95_within == point.error95));
}

#[test]
fn counts_of_players_agree_with_their_ratings() {
    let report = report(&ledger::run(12).records);
    assert_eq!(report.players.len(), 12);
    for player in &report.players {
        assert_eq!(
            player.played.wins + player.played.draws + player.played.losses,
            player.games,
            "{}",
            player.name
        );
        let score =
            (player.played.wins as f64 + 0.5 * player.played.draws as f64) / player.games as f64;
        assert!((score - player.score).abs() < 1e-12, "{}", player.name);
        assert_eq!(player.is_anchor(), !player.name.starts_with("network"));
    }
    assert!(report.players.windows(2).all(|pair| pair[0].elo >= pair[1].elo));
}

#[test]
fn pauses_are_no_running_time() {
    let mut run = ledger::run(3);
    for record in &mut run.records[20..] {
        record.time_unix_ms += 86_400_000;
    }
    let report = report(&run.records);
    let sum: u64 = report.cycles.iter().filter_map(|cycle| cycle.wall_ms).sum();
    assert_eq!(report.cycles.last().map(|cycle| cycle.elapsed_ms), Some(sum));
}

#[test]
fn the_verdict_names_strength_gain_and_trend() {
    let verdict = report(&ledger::run(4).records).verdict();
    for part in [
        "After 4 cycles",
        "the champion is generation 4",
        " Elo against rollout-1000 (95 % error).",
        "Elo over generation 1",
        "Since generation 3 (cycle 3) it changed by ",
    ] {
        assert!(verdict.contains(part), "{part} is not in: {verdict}");
    }
}

#[test]
fn a_gain_beyond_its_error_is_a_rise() {
    // The second cycle's network is far stronger than the first's in this ledger.
    let verdict = report(&ledger::run(2).records).verdict();
    for part in
        ["so it is still rising, at ", " Elo an hour (stronger with probability above 99.9 %)."]
    {
        assert!(verdict.contains(part), "{verdict}");
    }
}

#[test]
fn refusals_in_a_row_are_a_stall() {
    let mut run = ledger::run(5);
    let refused = |cycle| Entry::Verdict {
        cycle,
        rule: "score".to_owned(),
        accepted: false,
        reason: "It scored too little.".to_owned(),
        score: Some(0.4),
        score_lo95: Some(0.3),
        score_hi95: Some(0.5),
        test: None,
    };
    for cycle in [6, 7, 8] {
        run.push(Stage::Gatekeeper, refused(cycle));
        run.push(Stage::Driver, Entry::CycleDone { cycle, wall_ms: 1_000 });
    }
    let verdict = report(&run.records).verdict();
    // Cycle 5 was refused too: generation 4 of cycle 4 stands.
    assert!(verdict.contains("in the last 4 cycles, so progress has stalled"), "{verdict}");
}

/// A cycle under way has not failed to make a champion.
#[test]
fn a_cycle_under_way_is_no_stall() {
    let mut run = ledger::run(1);
    let entry =
        Entry::GamesDone { cycle: 2, generation: 1, summary: dz_store::SelfplaySummary::default() };
    run.push(Stage::Selfplay, entry);
    let verdict = report(&run.records).verdict();
    assert!(!verdict.contains("stalled") && !verdict.contains("replaced"), "{verdict}");
}

#[test]
fn before_a_champion_the_verdict_says_so() {
    assert!(report(&[]).verdict().starts_with("No data yet"));
    let run = ledger::run(1);
    let until_rows: Vec<Record> = run.records.into_iter().take(3).collect();
    let verdict = report(&until_rows).verdict();
    assert!(verdict.ends_with("No network has become champion yet."), "{verdict}");
}

#[test]
fn lines_and_table_have_a_row_a_cycle() {
    let report = report(&ledger::run(6).records);
    let rows = report.rows();
    assert_eq!(rows.len(), 6);
    assert!(rows[0].starts_with("cycle 1: generation 1 is the champion, "), "{}", rows[0]);
    assert!(rows[4].starts_with("cycle 5: the candidate is refused"), "{}", rows[4]);
    assert!(rows[5].contains(" Elo against rollout-1000; "), "{}", rows[5]);
    let table = report.to_markdown_table();
    assert_eq!(table.lines().count(), 8);
    let columns = |line: &str| line.matches('|').count();
    assert!(table.lines().all(|line| columns(line) == 11), "{table}");
}

/// The anchor at 0 Elo is the one that networks neither always beat nor always lose to, whatever
/// the ledger's own ratings say.
#[test]
fn the_best_connected_anchor_is_at_0() {
    let whole = ledger::run(12).records;
    let at_0 = |records: &[Record]| report(records).zero_anchor().map(|zero| zero.name.clone());
    assert_eq!(at_0(&whole).as_deref(), Some("rollout-1000"));
    // The first network still loses to random play now and then.
    assert_eq!(at_0(&ledger::run(1).records).as_deref(), Some("random"));
    let report = report(&whole);
    let champion = report.champion().expect("rated");
    assert!(champion.error95 < 150.0, "{champion:?}");
    let svg = &report.to_svgs().expect("figures")[0].text;
    assert!(svg.contains("Elo against rollout-1000"), "{svg}");
}

#[test]
fn the_verdict_begins_with_the_final_match_of_the_newest_champion() {
    let mut run = with_final_match(3);
    let ended = report(&run.records);
    let answer =
        "The champion beats rollout-1000 in 87 % of games (84 to 90, from 400 games). After 3 ";
    assert!(ended.verdict().starts_with(answer), "{}", ended.verdict());
    // With more cycles there is another champion, which has played none yet.
    let network = ObjectRef::of("networks/cycle-0004.dzn", b"");
    run.push(Stage::Gatekeeper, Entry::Champion { generation: 4, cycle: 4, network });
    let more = report(&run.records);
    assert!(more.final_match.is_none());
    assert!(more.verdict().starts_with("After 3 cycles"), "{}", more.verdict());
}

/// A run that ended with a final match.
fn with_final_match(cycles: u32) -> Ledger {
    let mut run = ledger::run(cycles);
    let result = MatchResult {
        games: 400,
        wins: 348,
        losses: 52,
        pairs: [0, 0, 52, 0, 148],
        by_first: [[174, 0, 26], [26, 0, 174]],
        ..MatchResult::default()
    };
    run.push(
        Stage::Gatekeeper,
        Entry::Match {
            cycle: cycles,
            purpose: MatchPurpose::Final,
            a: PlayerName::network(cycles),
            b: PlayerName::new("rollout-1000"),
            result,
            games: ObjectRef::of("matches/final.jsonl", b""),
        },
    );
    run
}

/// The games of the final match are most of what is known of the last champion.
#[test]
fn the_final_match_counts_where_it_was_played_like_rating_games() {
    let records = with_final_match(12).records;
    let champion = |set: &[&str]| {
        let text = "format = 1\nrun = { game = \"tictactoe\", cycles = 12 }\n\
                    selfplay.games = 1\nbootstrap.games = 1\n\
                    network = { blocks = 1, channels = 8 }\ngate.rule = \"always\"\n";
        let set: Vec<String> = set.iter().map(|&set| set.to_owned()).collect();
        let config = dz_config::RunConfig::from_text(text, &set).unwrap();
        let context = RunContext { config: Some(&config), ..RunContext::default() };
        Report::from_ledger(&records, context).champion().unwrap().clone()
    };
    let without = report(&records).champion().unwrap().clone();
    let with = champion(&[]);
    assert_eq!(with.games, without.games + 400);
    assert!(with.error95 < 80.0 && with.error95 < 0.6 * without.error95, "{with:?} {without:?}");
    // 87 % are 330 Elo. The made-up games of the cycles say more.
    assert!(with.elo > 330.0 && with.elo - 330.0 < 0.5 * (without.elo - 330.0), "{with:?}");
    let other = champion(&["final.playouts=5"]);
    assert_eq!((other.games, other.elo), (without.games, without.elo));
}

/// Entries name the players of the newest cycles; the games of all are in the ledger.
#[test]
fn players_that_the_newest_entry_leaves_out_are_rated_all_the_same() {
    let whole = ledger::run(12).records;
    let mut short = whole.clone();
    let newest = short.iter_mut().rev().find_map(|record| match &mut record.entry {
        Entry::Ratings { players, .. } => Some(players),
        _ => None,
    });
    newest.expect("ratings").retain(|row| row.player.cycle().is_none_or(|cycle| cycle > 10));
    let (whole, short) = (report(&whole), report(&short));
    assert_eq!((whole.players.len(), short.players.len()), (12, 12));
    for player in &whole.players {
        let found = short.players.iter().find(|p| p.name == player.name).expect("rated");
        assert!((found.elo - player.elo).abs() < 1e-6, "{}: {}", player.name, found.elo);
        assert!((found.error95 - player.error95).abs() < 1e-6, "{}", player.name);
        assert_eq!((found.games, found.score), (player.games, player.score), "{}", player.name);
    }
}
