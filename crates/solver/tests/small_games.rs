//! Exhaustive play against published values and counts, and positions from a seed.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
};

use dz_game::{
    Game, GameSpec,
    games::{Connect4, Hex, Shuttle, TicTacToe},
};
use dz_solver::{
    ExhaustiveSolver, STATES_MAX, Solved, SolvedPosition, Solver, SolverError, Value,
    solved_positions,
};

fn solve<G: Game>(game: &G) -> (Solved, ExhaustiveSolver<G>) {
    let mut solver = ExhaustiveSolver::new(game, STATES_MAX).unwrap();
    let solved = solver.analyze(&game.start(), &G::History::default()).unwrap();
    (solved, solver)
}

fn spec(text: &str) -> GameSpec {
    text.parse().unwrap()
}

fn generate(game: &str, count: usize, seed: u64) -> Vec<SolvedPosition> {
    solved_positions(&spec(game), seed).unwrap().take(count).map(Result::unwrap).collect()
}

#[test]
fn tic_tac_toe_is_a_draw_with_5478_states() {
    let (solved, solver) = solve(&TicTacToe);
    assert_eq!(solved.value, Value::Draw);
    assert_eq!(solved.preserving().len(), 9, "every opening draws");
    assert_eq!(solver.counts().all(), 5478);
}

/// States where somebody is to move, as counted by an independent program.
#[test]
fn small_connect_fours_have_their_values_and_counts() {
    for (width, height, connect, value, open) in [
        (3, 3, 3, Value::Draw, 505),
        (4, 3, 3, Value::Win, 4631),
        (4, 4, 3, Value::Win, 23_930),
        (4, 4, 4, Value::Draw, 134_289),
    ] {
        let (solved, solver) = solve(&Connect4::new(width, height, connect).unwrap());
        assert_eq!(solved.value, value, "{width}x{height} connect {connect}");
        assert_eq!(solver.counts().open, open, "{width}x{height} connect {connect}");
    }
}

/// Openings that win, as points row by row from 0: checked with two other programs.
#[test]
fn small_hex_is_won_by_the_first_player() {
    let wins = |size| {
        let (solved, solver) = solve(&Hex::new(size, false).unwrap());
        assert_eq!(solved.value, Value::Win);
        (solved.preserving().iter().map(|mv| mv.0).collect::<Vec<_>>(), solver.counts())
    };
    assert_eq!(wins(2).0, [1, 2]);
    let (openings, counts) = wins(3);
    assert_eq!(openings, [2, 3, 4, 5, 6]);
    assert_eq!(counts.open, 4520);
}

#[test]
fn with_the_swap_rule_the_second_player_wins_small_hex() {
    for size in [2, 3] {
        let (solved, _) = solve(&Hex::new(size, true).unwrap());
        assert_eq!(solved.value, Value::Loss);
    }
}

#[test]
fn what_cannot_be_solved_says_why() {
    let shuttle = Shuttle::from_spec(&spec("shuttle")).unwrap();
    let error = ExhaustiveSolver::new(&shuttle, STATES_MAX).unwrap_err();
    assert!(matches!(error, SolverError::Cyclic { .. }), "{error}");
    let mut solver = ExhaustiveSolver::new(&TicTacToe, 5477).unwrap();
    let error = solver.value(&TicTacToe.start(), &()).unwrap_err();
    assert!(matches!(error, SolverError::TooManyStates { states_max: 5477, .. }), "{error}");
    let mut solver = ExhaustiveSolver::new(&TicTacToe, 5478).unwrap();
    solver.value(&TicTacToe.start(), &()).unwrap();
    for game in ["hex:size=4", "shuttle"] {
        let error = solved_positions(&spec(game), 1).err().unwrap().to_string();
        assert!(error.contains("connect4") && error.contains("tictactoe"), "{error}");
    }
    assert!(matches!(
        solved_positions(&spec("connect4:width=9,height=7"), 1),
        Err(SolverError::TooManyBits { .. })
    ));
}

#[test]
fn a_finished_game_has_no_move_to_value() {
    let mut state = TicTacToe.start();
    for text in ["1", "4", "2", "5", "3"] {
        TicTacToe.play_text(&mut state, &mut (), text).unwrap();
    }
    let mut solver = ExhaustiveSolver::new(&TicTacToe, STATES_MAX).unwrap();
    assert_eq!(solver.analyze(&state, &()), Err(SolverError::Over));
}

#[test]
fn positions_come_from_the_seed_in_order_and_are_distinct() {
    let game = Connect4::new(5, 4, 4).unwrap();
    let text = game.spec().to_string();
    let positions = generate(&text, 100, 3);
    assert_eq!(positions, generate(&text, 100, 3));
    assert_eq!(positions[..40], generate(&text, 40, 3));
    assert_ne!(positions, generate(&text, 100, 4));
    let mut keys = BTreeSet::new();
    for position in &positions {
        let mut state = game.start();
        position.moves.iter().for_each(|&mv| game.play(&mut state, mv));
        assert!(keys.insert(game.node_key(&state, &())));
        let mut legal = Vec::new();
        game.legal_moves(&state, &(), &mut legal);
        let solved: Vec<_> = position.solved.moves.iter().map(|solved| solved.mv).collect();
        assert_eq!(solved, legal);
        let best = position.solved.moves.iter().map(|solved| solved.score).max().unwrap();
        assert_eq!(position.solved.score, best);
    }
    // Plies 0 to 16 in turn; of the first plies there are 1 and 5 positions.
    let plies: Vec<usize> = positions[..20].iter().map(|position| position.moves.len()).collect();
    assert_eq!(plies[..17], (0..17).collect::<Vec<_>>());
    assert_eq!(plies[17..], [1, 2, 3]);
}

/// Many positions at once are the same as one at a time, without scores, for any distribution to
/// threads. The source continues after them.
#[test]
fn values_of_many_positions_are_those_of_the_stream_in_its_order() {
    for (game, count, all) in
        [("connect4", 60, 60), ("connect4:width=5,height=4", 200, 200), ("tictactoe", 9_000, 4_520)]
    {
        let mut source = solved_positions(&spec(game), 3).unwrap();
        let reported = AtomicUsize::new(0);
        let each = || {
            reported.fetch_add(1, Ordering::Relaxed);
        };
        let mut values = source.values(count / 2, &each).unwrap();
        values.extend(source.values(count - count / 2, &each).unwrap());
        assert_eq!((values.len(), reported.into_inner()), (all, all), "{game}");
        let mut expected = generate(game, count, 3);
        for solved in expected.iter_mut().map(|position| &mut position.solved) {
            solved.score = None;
            solved.moves.iter_mut().for_each(|solved| solved.score = None);
        }
        assert!(values == expected, "{game}");
    }
}

#[test]
fn all_positions_of_a_small_game_are_found() {
    let positions = generate("tictactoe", 10_000, 1);
    let (_, solver) = solve(&TicTacToe);
    assert_eq!(positions.len() as u64, solver.counts().open);
    assert_eq!(generate("hex:size=2", 1000, 1).len() as u64, {
        let (_, solver) = solve(&Hex::new(2, false).unwrap());
        solver.counts().open
    });
}
