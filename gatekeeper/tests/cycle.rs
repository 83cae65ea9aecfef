//! The gatekeeper's turn on tic-tac-toe, with evaluators that need no network.

mod fixture;

use std::collections::BTreeSet;

use dz_play::{PlayedMatch, read_match};
use dz_store::{Entry, MatchPurpose, MatchResult, ObjectRef, PlayerName, RunState, StageTurn};
use fixture::{Fixture, STRONG, WEAK, Watch};
use gatekeeper::TurnEnd;

/// The kinds of a turn's entries, in order.
fn kinds(fixture: &Fixture, cycle: u32) -> Vec<String> {
    let text = |entry: &Entry| match entry {
        Entry::Match { purpose, a, b, .. } => Some(format!("{purpose:?} {a} {b}")),
        Entry::Verdict { accepted, .. } => Some(format!("verdict {accepted}")),
        Entry::Champion { generation, .. } => Some(format!("champion {generation}")),
        Entry::Ratings { .. } => Some("ratings".to_owned()),
        Entry::CycleDone { .. } => Some("done".to_owned()),
        _ => None,
    };
    let entries = fixture.gate_entries(cycle);
    entries.iter().filter_map(text).collect()
}

#[test]
fn a_strong_candidate_becomes_champion_and_a_weak_one_after_it_does_not() {
    let fixture = Fixture::new(&[]);
    fixture.candidate(1, STRONG);
    let TurnEnd::Done(line) = fixture.gate(1, &mut Watch::default()).unwrap() else {
        panic!("nobody stopped it");
    };
    assert!(line.contains("accepted -> generation 1; vs random +"), "{line}");
    assert_eq!(
        kinds(&fixture, 1),
        [
            "Gate network-0001 bootstrap",
            "verdict true",
            "champion 1",
            "Rating network-0001 random",
            "Rating network-0001 rollout-4",
            "ratings",
            "done"
        ]
    );

    fixture.candidate(2, WEAK);
    let TurnEnd::Done(line) = fixture.gate(2, &mut Watch::default()).unwrap() else {
        panic!("nobody stopped it");
    };
    assert!(line.contains(" refused; vs random "), "{line}");
    assert_eq!(
        kinds(&fixture, 2),
        [
            "Gate network-0002 network-0001",
            "verdict false",
            "Rating network-0002 random",
            "Rating network-0002 rollout-4",
            "Rating network-0002 network-0001",
            "ratings",
            "done"
        ]
    );
    let ledger = fixture.ledger();
    let state = ledger.state();
    assert_eq!(state.generation(), 1);
    assert_eq!(state.turn(), StageTurn::Selfplay { cycle: 3 });
    let verdict = state.cycle_state(2).unwrap().verdict.as_ref().unwrap();
    assert!(verdict.reason.contains("against network-0001 ("), "{}", verdict.reason);
    assert!(verdict.score_lo95.unwrap() <= verdict.score.unwrap());

    let ratings = &state.ratings.as_ref().unwrap().players;
    let elo = |name: &str| ratings.iter().find(|row| row.player.as_str() == name).unwrap().elo;
    assert_eq!(elo(state.anchor().unwrap()), 0.0);
    assert!(elo("network-0001") > elo("network-0002"), "{ratings:?}");
    assert!(elo("network-0001") > elo("random") + 50.0, "{ratings:?}");
    assert_eq!(rated_games(state), distinct(state, &[MatchPurpose::Rating]));
}

/// A cycle of the past whose candidate became champion, and won of 20 games against each of these.
fn enter_past(fixture: &Fixture, cycle: u32, against: &[(&str, u64)]) {
    fixture.candidate(cycle, STRONG);
    let network =
        fixture.ledger().state().cycles[&cycle].candidate.clone().expect("a candidate").network;
    let mut entries = vec![Entry::Champion { generation: cycle, cycle, network }];
    for &(name, wins) in against {
        let (by_first, by_second) = (wins / 2, wins - wins / 2);
        let result = MatchResult {
            games: 20,
            wins,
            losses: 20 - wins,
            by_first: [[by_first, 0, 10 - by_first], [10 - by_second, 0, by_second]],
            ..MatchResult::default()
        };
        let games = ObjectRef::of(format!("matches/{cycle}-{name}"), b"");
        let (purpose, a, b) =
            (MatchPurpose::Rating, PlayerName::network(cycle), PlayerName::new(name));
        entries.push(Entry::Match { cycle, purpose, a, b, result, games });
    }
    entries.push(Entry::CycleDone { cycle, wall_ms: 1 });
    fixture.enter(&entries);
}

#[test]
fn champions_meet_again_once_an_anchor_has_retired_and_every_match_has_its_file() {
    let fixture = Fixture::new(&["run.cycles=9", "gate.rule=\"always\"", "gate.games=0"]);
    enter_past(&fixture, 1, &[("random", 20), ("rollout-4", 12)]);
    for cycle in 2..=6 {
        let before = PlayerName::network(cycle - 1);
        // The fewer games, the less is known of a champion.
        enter_past(
            &fixture,
            cycle,
            &[("random", 20), ("rollout-4", 12), (before.as_str(), 11)][..(cycle as usize).min(3)],
        );
    }
    fixture.candidate(7, STRONG);
    let end = fixture.gate(7, &mut Watch::default()).unwrap();
    assert!(matches!(end, TurnEnd::Done(_)), "{end:?}");
    let ledger = fixture.ledger();
    let matches = &ledger.state().cycle_state(7).unwrap().matches;
    let of_champions = matches.iter().filter(|m| m.a != PlayerName::network(7)).count();
    assert_eq!(of_champions, 1, "{matches:?}");
    let files: BTreeSet<&str> = matches.iter().map(|m| m.games.path.as_str()).collect();
    assert_eq!(files.len(), matches.len(), "{files:?}");
}

#[test]
fn match_files_hold_the_games_that_the_ledger_counts() {
    let fixture = Fixture::new(&[]);
    fixture.candidate(1, STRONG);
    fixture.gate(1, &mut Watch::default()).unwrap();
    let ledger = fixture.ledger();
    let (a, b) = (PlayerName::network(1), PlayerName::new("bootstrap"));
    let found = ledger.state().cycle_state(1).unwrap();
    let found = found.find_match(MatchPurpose::Gate, &a, &b).unwrap();
    let bytes = ledger.run().get(&found.games).unwrap();
    let PlayedMatch { header, games } = read_match(std::str::from_utf8(&bytes).unwrap()).unwrap();
    assert_eq!(header.game, "tictactoe");
    assert_eq!(header.players[0].name, "network-0001");
    assert_eq!(header.players[0].search.as_ref().unwrap().evaluator, "fake-strong-softmax2");
    assert_eq!(header.players[1].search.as_ref().unwrap().evaluator, "rollout");
    let counted = dz_play::MatchCounts::of(&games);
    assert_eq!((counted.games, counted.wins), (found.result.games, found.result.wins));
    assert_eq!(counted.pairs, found.result.pairs);
    // Whole lines, but the last one is missing.
    let cut = &bytes[..bytes.len() - 1];
    let cut = std::str::from_utf8(&cut[..=cut.iter().rposition(|&b| b == b'\n').unwrap()]).unwrap();
    assert!(read_match(cut).unwrap_err().to_string().contains("not whole"));
}

#[test]
fn without_games_the_rule_always_accepts_and_nobody_is_rated() {
    let sets = ["gate.rule=\"always\"", "gate.games=0", "rating.games=0"];
    let fixture = Fixture::new(&sets);
    fixture.candidate(1, WEAK);
    let end = fixture.gate(1, &mut Watch::default()).unwrap();
    assert_eq!(end, TurnEnd::Done("gate off -> generation 1".to_owned()));
    assert_eq!(kinds(&fixture, 1), ["verdict true", "champion 1", "done"]);
    assert!(fixture.ledger().state().ratings.is_none());
}

#[test]
fn an_interrupted_turn_ends_in_the_same_objects() {
    // The turn of the last cycle has a final match.
    let last = ["run.cycles=1"];
    let whole = Fixture::new(&last);
    whole.candidate(1, STRONG);
    whole.gate(1, &mut Watch::default()).unwrap();
    assert!(whole.ledger().state().final_match().is_some());

    let cut = Fixture::new(&last);
    cut.candidate(1, STRONG);
    let mut stops = 0;
    let mut games = 0;
    loop {
        // Every life plays a few games, and games in progress are finished.
        let mut watch = Watch { stop_after: Some(5), ..Watch::default() };
        let end = cut.gate(1, &mut watch).unwrap();
        games += watch.games;
        if end != TurnEnd::Stopped {
            break;
        }
        stops += 1;
    }
    assert!(stops >= 10, "stopped {stops} times");
    assert_eq!(kinds(&cut, 1), kinds(&whole, 1));
    let objects = |fixture: &Fixture| -> Vec<_> {
        fixture.ledger().state().matches().map(|(_, played)| played.clone()).collect()
    };
    assert_eq!(objects(&cut), objects(&whole));
    let played: u64 = objects(&whole).iter().map(|played| played.result.games).sum();
    assert_eq!(games, played, "no game was played twice");
    assert!(cut.working_files().is_empty());
}

/// Whoever stops the stage waits for the games that are under way, not for matches that have not
/// begun.
#[test]
fn nothing_is_begun_after_a_stop() {
    let fixture = Fixture::new(&["gate.parallel_games=2", "gate.rule=\"always\"", "gate.games=0"]);
    fixture.candidate(1, STRONG);
    let mut watch = Watch { stop_after: Some(1), ..Watch::default() };
    assert_eq!(fixture.gate(1, &mut watch).unwrap(), TurnEnd::Stopped);
    assert!((1..=2).contains(&watch.games), "{} games", watch.games);
    assert_eq!((watch.begun, watch.over), (2, 1));
}

#[test]
fn a_test_ends_the_match_and_the_games_do_not_depend_on_interruptions() {
    let sets = ["gate.rule=\"sprt\"", "gate.games=400", "gate.elo1=200.0", "rating.games=0"];
    let played = |stop_after| {
        let fixture = Fixture::new(&sets);
        fixture.candidate(1, STRONG);
        fixture.candidate_is_judged(1, stop_after)
    };
    let (reason, games) = played(None);
    assert!(reason.contains("and the test of 0 against 200 normalised Elo "), "{reason}");
    let count = games.lines().count() - 1;
    assert!((2..400).contains(&count) && count.is_multiple_of(2), "{count} games");
    assert!(read_match(&games).is_ok());
    assert_eq!(played(Some(3)), (reason, games));
}

#[test]
fn a_kill_after_any_entry_leaves_nothing_undone_and_nothing_done_twice() {
    let last = ["run.cycles=1"];
    let whole = Fixture::new(&last);
    whole.candidate(1, STRONG);
    whole.gate(1, &mut Watch::default()).unwrap();
    let reference = whole.gate_entries(1);
    assert_eq!(reference.len(), 8);
    for survived in 0..=reference.len() {
        let killed = Fixture::new(&last);
        killed.candidate(1, STRONG);
        // All objects are there, as if the kill came between publishing and entering the next.
        killed.copy_matches_of(&whole);
        killed.enter(&reference[..survived]);
        killed.gate(1, &mut Watch::default()).unwrap();
        let entries = killed.gate_entries(1);
        assert_eq!(without_time(&entries), without_time(&reference), "after {survived} entries");
    }
}

#[test]
fn a_run_ends_with_the_match_of_its_champion_against_the_best_connected_anchor() {
    let fixture = Fixture::new(&["run.cycles=2"]);
    fixture.candidate(1, STRONG);
    fixture.gate(1, &mut Watch::default()).unwrap();
    assert!(fixture.ledger().state().final_match().is_none());
    // The last candidate is refused, so the champion of the cycle before plays.
    fixture.candidate(2, WEAK);
    let TurnEnd::Done(line) = fixture.gate(2, &mut Watch::default()).unwrap() else {
        panic!("nobody stopped it");
    };
    let ledger = fixture.ledger();
    let state = ledger.state();
    let anchor = state.anchor().unwrap();
    let kinds = kinds(&fixture, 2);
    let [.., played, ratings, done] = kinds.as_slice() else { panic!("{kinds:?}") };
    let expected = format!("Final network-0001 {anchor}");
    assert_eq!([played, ratings, done], [expected.as_str(), "ratings", "done"]);
    let (cycle, played) = state.final_match().unwrap();
    assert_eq!((cycle, played.result.games), (2, 40));
    assert_eq!(played.games.path, format!("matches/cycle-0002-final-network-0001-{anchor}.jsonl"));
    let MatchResult { wins, draws, losses, .. } = played.result;
    let says = format!("; final match {wins}-{draws}-{losses} against {anchor}");
    assert!(line.ends_with(&says), "{line}");
    assert_eq!(rated_games(state), distinct(state, &[MatchPurpose::Rating, MatchPurpose::Final]));
}

#[test]
fn a_final_match_with_other_playouts_is_of_another_player_and_rates_nobody() {
    let fixture = Fixture::new(&["run.cycles=1", "final.playouts=3"]);
    fixture.candidate(1, STRONG);
    fixture.gate(1, &mut Watch::default()).unwrap();
    let ledger = fixture.ledger();
    let state = ledger.state();
    assert!(state.final_match().is_some());
    assert_eq!(rated_games(state), distinct(state, &[MatchPurpose::Rating]));
}

/// Games of all players in the ledger's ratings.
fn rated_games(state: &RunState) -> u64 {
    state.ratings.as_ref().expect("ratings").players.iter().map(|row| row.games).sum()
}

/// What [`rated_games`] should be: every game that is no repeat, once for each player.
fn distinct(state: &RunState, purposes: &[MatchPurpose]) -> u64 {
    let counted = state.matches().filter(|(_, played)| purposes.contains(&played.purpose));
    2 * counted.map(|(_, played)| played.result.games - played.result.duplicates).sum::<u64>()
}

#[test]
fn a_final_match_is_played_where_time_ends_a_run_and_never_where_it_is_off() {
    let played = |sets: &[&str]| {
        let fixture = Fixture::new(sets);
        fixture.candidate(1, STRONG);
        fixture.gate(1, &mut Watch::default()).unwrap();
        fixture.ledger().state().final_match().map(|(_, played)| played.b.to_string())
    };
    assert!(played(&["run.hours_max=1e-9"]).is_some());
    assert_eq!(played(&["run.hours_max=9.0"]), None);
    assert_eq!(played(&["run.cycles=1", "final.games=0"]), None);
    // Without rating games there is nothing to choose by.
    let unrated = played(&["run.cycles=1", "rating.games=0"]);
    assert_eq!(unrated.as_deref(), Some("rollout-4"));
}

/// Entries without the wall time of a cycle.
fn without_time(entries: &[Entry]) -> Vec<Entry> {
    let timeless = |entry: &Entry| match entry {
        Entry::CycleDone { cycle, .. } => Entry::CycleDone { cycle: *cycle, wall_ms: 0 },
        other => other.clone(),
    };
    entries.iter().map(timeless).collect()
}

#[test]
fn the_games_do_not_depend_on_how_many_are_played_at_once() {
    let [one, other] = ["gate.parallel_games=2", "gate.parallel_games=9"].map(|set| {
        let fixture = Fixture::new(&[set]);
        fixture.candidate(1, STRONG);
        fixture.gate(1, &mut Watch::default()).unwrap();
        let ledger = fixture.ledger();
        let matches: Vec<_> = ledger.state().matches().map(|(_, m)| m.clone()).collect();
        matches
    });
    assert_eq!(one, other);
}

#[test]
fn another_program_is_an_anchor_of_the_ratings() {
    // Starts and takes every command, and ends when it is asked for a move.
    let program = "while read c r; do case $c in genmove) exit 7;; known_command) echo = false;; \
                   *) echo =;; esac; echo; done";
    let anchor = format!(
        r#"rating.anchors=[{{ name = "other", kind = "gtp", command = 'sh -c "{program}"', seconds = 0.5 }},
        {{ name = "random", kind = "random" }}]"#
    );
    let fixture = Fixture::new(&[&anchor]);
    fixture.candidate(1, STRONG);
    let TurnEnd::Done(line) = fixture.gate(1, &mut Watch::default()).unwrap() else {
        panic!("nobody stopped it");
    };
    assert!(line.contains("other +"), "{line}");
    // It is met after the others, and entered where it was scheduled.
    let rated: Vec<String> =
        kinds(&fixture, 1).into_iter().filter(|kind| kind.starts_with("Rating")).collect();
    assert_eq!(rated, ["Rating network-0001 other", "Rating network-0001 random"]);
    let ledger = fixture.ledger();
    let state = ledger.state().cycle_state(1).unwrap();
    let other = PlayerName::new("other".to_owned());
    let us = PlayerName::network(1);
    let played = state.find_match(MatchPurpose::Rating, &us, &other).unwrap();
    assert_eq!(played.result.wins, played.result.games, "it never moves");
    let text = ledger.run().get(&played.games).unwrap();
    let PlayedMatch { header, games } = read_match(std::str::from_utf8(&text).unwrap()).unwrap();
    assert!(header.players[1].engine.as_ref().unwrap().command.starts_with("gtp:sh -c "));
    let what = &games[0].forfeit.as_ref().unwrap().what;
    assert!(what.contains("exit code 7"), "{what}");
}

/// Perfect play never loses tic-tac-toe, and ten plies see as much as the solver.
#[test]
fn solvers_are_anchors_of_the_ratings() {
    let anchors = r#"rating.anchors=[{ name = "random", kind = "random" },
        { name = "solver", kind = "solver" }, { name = "ahead", kind = "solver", depth = 10 }]"#;
    let fixture = Fixture::new(&[anchors, "rating.opening_plies=1"]);
    fixture.candidate(1, STRONG);
    fixture.gate(1, &mut Watch::default()).unwrap();
    let ledger = fixture.ledger();
    let state = ledger.state().cycle_state(1).unwrap();
    for (name, evaluator) in [("solver", "solver"), ("ahead", "lookahead-10")] {
        let (us, other) = (PlayerName::network(1), PlayerName::new(name));
        let played = state.find_match(MatchPurpose::Rating, &us, &other).unwrap();
        // Every first move of tic-tac-toe leaves a draw.
        assert_eq!(played.result.wins, 0, "{name} lost");
        let text = ledger.run().get(&played.games).unwrap();
        let PlayedMatch { header, .. } = read_match(std::str::from_utf8(&text).unwrap()).unwrap();
        assert_eq!(header.players[1].search.as_ref().unwrap().evaluator, evaluator);
        assert!(played.result.plies >= 5 * played.result.games, "{:?}", played.result);
    }
}

#[test]
fn the_raw_policy_is_rated_too() {
    let fixture = Fixture::new(&["rating.policy=true"]);
    fixture.candidate(1, STRONG);
    fixture.gate(1, &mut Watch::default()).unwrap();
    assert!(kinds(&fixture, 1).contains(&"Rating policy-0001 rollout-4".to_owned()));
    let ledger = fixture.ledger();
    let rated = &ledger.state().ratings.as_ref().unwrap().players;
    assert!(rated.iter().any(|row| row.player == PlayerName::policy(1)), "{rated:?}");
    let state = ledger.state().cycle_state(1).unwrap();
    let (policy, random) = (PlayerName::policy(1), PlayerName::new("random"));
    let played = state.find_match(MatchPurpose::Rating, &policy, &random).unwrap();
    let text = ledger.run().get(&played.games).unwrap();
    let PlayedMatch { header, .. } = read_match(std::str::from_utf8(&text).unwrap()).unwrap();
    let search = header.players[0].search.as_ref().unwrap();
    assert_eq!((search.unit.as_str(), search.budget), ("playouts", 1));
}

#[test]
fn a_gates_test_is_in_the_ledger() {
    let fixture = Fixture::new(&["gate.rule=\"sprt\"", "gate.games=60", "rating.games=0"]);
    fixture.candidate(1, STRONG);
    fixture.gate(1, &mut Watch::default()).unwrap();
    let entries = fixture.gate_entries(1);
    let tested = entries.iter().find_map(|entry| match entry {
        Entry::Verdict { test: Some(test), accepted, .. } => Some((test, *accepted)),
        _ => None,
    });
    let (test, accepted) = tested.expect("the verdict has its test");
    assert_eq!(accepted, test.stop == "accepted");
    assert!(!test.llr.is_empty() && test.llr.len() <= 30 && test.lower < test.upper, "{test:?}");
    assert!(test.elo_lo95 < test.elo && test.elo < test.elo_hi95, "{test:?}");
}
