//! Plans, boards and notes: reading returns the written data, and everything else is refused.

use dz_fleet::{
    Board, EvaluatorRule, FleetError, MatchSegments, MatchesPlan, ObjectHash, Offer, Plan,
    PlanObject, PlayerPlan, Repeat, ResignRule, Segment, UnitNote, UnitSet, plan_path,
    segment_games,
};

fn plan() -> Plan {
    Plan {
        format: Plan::FORMAT,
        number: 3,
        version: "0.1.0".to_owned(),
        config: "format = 1\n".to_owned(),
        results_hash: "ab".repeat(32),
        header_hash: "ef".repeat(32),
        cycle: 2,
        generation: 1,
        network: Some(ObjectHash { blake3: "cd".repeat(32), bytes: 1000 }),
        network_name: "cd".repeat(32),
        evaluator: "cpu".to_owned(),
        evaluators: EvaluatorRule::Same,
        first_game: 128,
        games: 100,
        games_per_shard: 64,
        unit_games: 16,
        resign: Some(ResignRule { value_min: -0.9, turns: 2, play_on_share: 0.1 }),
        past: None,
    }
}

#[test]
fn a_plan_says_which_games_a_unit_has() {
    let plan = plan();
    assert_eq!((plan.units(), plan.units_per_shard()), (7, 4));
    assert_eq!((plan.games_of(0), plan.games_of(6), plan.games_of(7)), (16, 4, 0));
    assert_eq!(plan.shard_number(3) * plan.unit_games, 128 + 48);
    assert!(plan.is_same(&Plan { number: 9, ..plan.clone() }));
    assert!(!plan.is_same(&Plan { generation: 2, ..plan.clone() }));
}

#[test]
fn what_is_read_is_what_was_written() {
    let path = plan_path(3);
    let bytes = plan().to_bytes();
    assert_eq!(Plan::read(&path, &bytes).unwrap(), plan());
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Plan::read(&path, &flipped).is_err(), "bit {bit}");
    }
    for end in 0..bytes.len() {
        assert!(Plan::read(&path, &bytes[..end]).is_err(), "{end} bytes");
    }
    let given_up = vec![Repeat { unit: 2, last: 0, places: 1 }];
    let young = vec![Repeat { unit: 7, last: 1, places: 2 }];
    let (plan, open, late) = (3, UnitSet::of([0, 1, 5]), Vec::new());
    let offer = Offer { plan, open, given_up, late, young, typical_ms: Some(900) };
    let board = Board { offer: Some(offer), units_missing: 4, ..Board::empty(1) };
    assert_eq!(Board::read(&board.to_bytes()).unwrap(), board);
    let note = UnitNote { format: UnitNote::FORMAT, playouts: 7, ..UnitNote::default() };
    assert_eq!(UnitNote::read("n", &note.to_bytes()).unwrap(), note);
}

#[test]
fn plans_that_nobody_makes_are_refused() {
    let path = plan_path(3);
    let plan = plan();
    for (wrong, word) in [
        (Plan { unit_games: 0, ..plan.clone() }, "divide"),
        (Plan { unit_games: 24, ..plan.clone() }, "divide"),
        (Plan { first_game: 16, ..plan.clone() }, "first"),
        (Plan { games: u64::MAX, ..plan.clone() }, "many"),
        (Plan { first_game: u64::MAX - 63, games: 128, ..plan.clone() }, "large"),
    ] {
        let error = Plan::read(&path, &wrong.to_bytes()).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains(&path), "{error}");
    }
    let later = Plan { format: Plan::FORMAT + 1, ..plan };
    let error = Plan::read(&path, &later.to_bytes()).unwrap_err();
    assert!(matches!(error, FleetError::Format { found: 3, known: 2, .. }), "{error}");
}

/// A gate match of 40 games and a rating match of 6.
fn matches() -> MatchesPlan {
    let network = ObjectHash { blake3: "cd".repeat(32), bytes: 1000 };
    let network = |name: &str| PlayerPlan::Network {
        name: name.to_owned(),
        network: network.clone(),
        playouts: 8,
    };
    let of = |other: PlayerPlan, games: u64, unit_games: u64| MatchSegments {
        players: [network("network-0002"), other],
        header: "{}".to_owned(),
        games,
        unit_games,
    };
    MatchesPlan {
        format: MatchesPlan::FORMAT,
        number: 3,
        version: "0.1.0".to_owned(),
        config: "format = 1\n".to_owned(),
        results_hash: "ab".repeat(32),
        cycle: 2,
        evaluators: EvaluatorRule::Same,
        matches: vec![
            of(PlayerPlan::Bootstrap { name: "bootstrap".to_owned(), playouts: 8 }, 40, 16),
            of(PlayerPlan::Anchor { name: "random".to_owned() }, 6, 4),
        ],
    }
}

#[test]
fn units_of_matches_are_segments_of_one_match_each() {
    let plan = matches();
    assert_eq!(MatchesPlan::read("p", &plan.to_bytes()).unwrap(), plan);
    assert_eq!((plan.units(), plan.networks().len()), (5, 1));
    let games =
        |unit: u32| plan.segment(unit).map(|Segment { match_index, games }| (match_index, games));
    assert_eq!((games(2), games(3)), (Some((0, 32..40)), Some((1, 0..4))));
    assert_eq!((games(4), games(5)), (Some((1, 4..6)), None));
    assert_eq!((plan.units_of(0), plan.units_of(1)), (0..3, 3..5));
    for unit in 0..plan.units() {
        let (match_index, games) = games(unit).unwrap();
        assert!(games.into_iter().all(|game| plan.unit_of(match_index, game) == unit));
    }
    for (wrong, word) in [
        (MatchSegments { games: 3, ..plan.matches[0].clone() }, "pairs"),
        (MatchSegments { unit_games: 0, ..plan.matches[0].clone() }, "pairs"),
        (MatchSegments { games: u64::MAX - 1, unit_games: 2, ..plan.matches[0].clone() }, "many"),
    ] {
        let wrong = MatchesPlan { matches: vec![wrong], ..plan.clone() };
        let error = MatchesPlan::read("p", &wrong.to_bytes()).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn segments_are_small_and_whole_pairs() {
    let sizes = [2, 20, 64, 66, 400, 10_000].map(|games| segment_games(games, 64));
    assert_eq!(sizes, [2, 2, 2, 4, 14, 64]);
    assert_eq!([segment_games(400, 5), segment_games(400, 1)], [4, 2]);
}
