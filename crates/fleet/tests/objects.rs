//! Plans, boards and notes: reading returns the written data, and everything else is refused.

use dz_fleet::{
    Board, EvaluatorRule, FleetError, ObjectHash, Offer, Plan, ResignRule, UnitNote, UnitSet,
    plan_path,
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
    let offer = Offer { plan: 3, open: UnitSet::of([0, 1, 5]), again: vec![(2, 1)] };
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
    let later = Plan { format: 2, ..plan };
    let error = Plan::read(&path, &later.to_bytes()).unwrap_err();
    assert!(matches!(error, FleetError::Format { found: 2, known: 1, .. }), "{error}");
}
