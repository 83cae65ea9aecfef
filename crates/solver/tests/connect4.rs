//! The Connect Four solver against published and independent truth.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use dz_game::{
    Game, Key, Move,
    games::{Connect4, Connect4State},
};
use dz_solver::{
    BestMoves, Connect4Solver, ExhaustiveSolver, STATES_MAX, Score, SolvedMove, Solver,
    SolverError, Value,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Deserialize;

/// A line of the sample.
#[derive(Deserialize)]
struct Line {
    moves: String,
    value: i8,
    score: i8,
    column_scores: Vec<Option<i8>>,
    value_preserving: Vec<u16>,
}

/// Earlier positions take seconds each.
const PLIES_MIN: usize = 11;

fn state_after(game: &Connect4, moves: &str) -> Connect4State {
    let (mut state, mut history) = (game.start(), ());
    for text in game.split_moves(moves) {
        game.play_text(&mut state, &mut history, text).unwrap();
    }
    state
}

fn check_sample(wanted: impl Fn(usize) -> bool) -> usize {
    let game = Connect4::new(7, 6, 4).unwrap();
    let mut solver = Connect4Solver::new(&game).unwrap();
    let lines = include_str!("data/connect4-solved-sample.jsonl").lines();
    let lines = lines.map(|line| serde_json::from_str::<Line>(line).unwrap());
    let mut checked = 0;
    for line in lines.filter(|line| wanted(line.moves.len())) {
        let state = state_after(&game, &line.moves);
        let solved = solver.analyze(&state);
        let mut columns = vec![None; 7];
        for solved in &solved.moves {
            columns[usize::from(solved.mv.0)] = solved.score.map(|score| score.0);
        }
        let preserving: Vec<u16> = solved.preserving().iter().map(|mv| mv.0 + 1).collect();
        assert_eq!(solved.score, Some(Score(line.score)), "{}", line.moves);
        assert_eq!(solved.value.sign(), line.value, "{}", line.moves);
        assert_eq!(columns, line.column_scores, "{}", line.moves);
        assert_eq!(preserving, line.value_preserving, "{}", line.moves);
        assert_eq!(solver.solve(&state), Score(line.score), "{}", line.moves);
        assert_eq!(solver.value(&state).sign(), line.value, "{}", line.moves);
        checked += 1;
    }
    checked
}

#[test]
fn agrees_with_the_sample_from_ply_11_on() {
    assert_eq!(check_sample(|plies| plies >= PLIES_MIN), 162);
}

/// Takes minutes: see `benchmarks/solver.md`.
#[test]
#[ignore = "minutes; run with --release -- --ignored"]
fn agrees_with_the_sample_below_ply_11() {
    assert_eq!(check_sample(|plies| plies < PLIES_MIN), 38);
}

/// The score by plain recursion over the rules, every state once: no bit tricks, no bounds.
struct Reference {
    game: Connect4,
    scores: HashMap<Key, i8>,
}

impl Reference {
    fn score(&mut self, state: &Connect4State) -> i8 {
        let key = self.game.node_key(state, &());
        if let Some(&score) = self.scores.get(&key) {
            return score;
        }
        let cells = self.game.width() * self.game.height();
        let plies = state.stones().count_ones() as u8;
        let score = match self.game.outcome(state, &()) {
            // The winner played every other stone up to the last one.
            Some(outcome) if outcome.winner.is_some() => {
                let first = plies % 2 == 1;
                let all = if first { cells.div_ceil(2) } else { cells / 2 };
                let played = if first { plies.div_ceil(2) } else { plies / 2 };
                -((all - played + 1) as i8)
            }
            Some(_) => 0,
            None => self.children(state).iter().map(|child| -self.score(child)).max().unwrap(),
        };
        self.scores.insert(key, score);
        score
    }

    fn children(&self, state: &Connect4State) -> Vec<Connect4State> {
        let mut legal = Vec::new();
        self.game.legal_moves(state, &(), &mut legal);
        let child = |mv: &Move| {
            let mut child = *state;
            self.game.play(&mut child, *mv);
            child
        };
        legal.iter().map(child).collect()
    }
}

#[test]
fn agrees_with_plain_recursion_on_small_boards() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let boards = [
        (3, 3, 3),
        (4, 3, 3),
        (3, 4, 3),
        (4, 4, 3),
        (4, 4, 4),
        (3, 5, 4),
        (5, 3, 4),
        (2, 9, 3),
        (8, 2, 3),
        (9, 1, 2),
        (14, 1, 3),
        (2, 2, 2),
        (1, 6, 4),
        (4, 4, 2),
    ];
    for (width, height, connect) in boards {
        let game = Connect4::new(width, height, connect).unwrap();
        let mut solver = Connect4Solver::with_table(&game, 1 << 20).unwrap();
        let mut reference = Reference { game: game.clone(), scores: HashMap::new() };
        for _ in 0..100 {
            let mut state = game.start();
            loop {
                let truth = reference.score(&state);
                let solved = solver.analyze(&state);
                assert_eq!(solved.score, Some(Score(truth)), "\n{}", game.render(&state));
                assert_eq!(solver.solve(&state), Score(truth), "\n{}", game.render(&state));
                assert_eq!(solver.value(&state), Score(truth).value(), "\n{}", game.render(&state));
                let children = reference.children(&state);
                let scores: Vec<i8> =
                    children.iter().map(|child| -reference.score(child)).collect();
                let found: Vec<i8> = solved.moves.iter().map(|mv| mv.score.unwrap().0).collect();
                assert_eq!(found, scores, "\n{}", game.render(&state));
                let is_best = |each: &&SolvedMove| each.score == Some(Score(truth));
                let best: Vec<Move> =
                    solved.moves.iter().filter(is_best).map(|each| each.mv).collect();
                // A new table, so that the answer is not the one that `analyze` has left there.
                let mut fresh = Connect4Solver::with_table(&game, 1 << 20).unwrap();
                let found = fresh.best_moves(&state);
                let expected = BestMoves { value: Score(truth).value(), moves: best };
                assert_eq!(found, expected, "\n{}", game.render(&state));
                if children.is_empty() {
                    break;
                }
                state = children[random.random_range(0..children.len())];
            }
        }
    }
}

#[test]
fn agrees_with_exhaustive_play_on_4x4() {
    let game = Connect4::new(4, 4, 4).unwrap();
    let mut exhaustive = ExhaustiveSolver::new(&game, STATES_MAX).unwrap();
    let mut solver = Connect4Solver::new(&game).unwrap();
    let start = game.start();
    assert_eq!(exhaustive.value(&start, &()).unwrap(), solver.value(&start));
    for (ours, truth) in
        solver.analyze(&start).moves.iter().zip(exhaustive.analyze(&start, &()).unwrap().moves)
    {
        assert_eq!((ours.mv, ours.value), (truth.mv, truth.value));
    }
}

/// Proven by V. Allis by hand-made rules ("A Knowledge-based Approach of Connect-Four", 1988): the
/// second player at least draws on boards of 6 columns and an even number of rows, and on those of
/// 7 columns after every opening but the middle one.
#[test]
fn the_second_player_holds_the_boards_that_allis_proved() {
    for height in [2, 4] {
        let game = Connect4::new(6, height, 4).unwrap();
        let mut solver = Connect4Solver::new(&game).unwrap();
        assert!(solver.value(&game.start()) <= Value::Draw, "6x{height}");
        let game = Connect4::new(7, height, 4).unwrap();
        let solved = Connect4Solver::new(&game).unwrap().analyze(&game.start());
        let aside = solved.moves.iter().filter(|solved| solved.mv != Move(3));
        assert!(aside.clone().count() == 6);
        for solved in aside {
            assert!(solved.value <= Value::Draw, "7x{height}, column {}", solved.mv.0 + 1);
        }
    }
}

#[test]
fn order_and_table_size_change_no_answer() {
    let game = Connect4::new(7, 6, 4).unwrap();
    let lists = ["44444235533", "4423451127612", "1234567123456"];
    let states: Vec<_> = lists.iter().map(|moves| state_after(&game, moves)).collect();
    let mut large = Connect4Solver::new(&game).unwrap();
    let mut small = Connect4Solver::with_table(&game, 1).unwrap();
    assert_eq!((large.table_bytes(), small.table_bytes()), (64 << 20, 4 << 20));
    let forth: Vec<_> = states.iter().map(|state| large.analyze(state)).collect();
    let mut back: Vec<_> = states.iter().rev().map(|state| small.analyze(state)).collect();
    back.reverse();
    assert_eq!(forth, back);
    let mut again = Connect4Solver::new(&game).unwrap();
    for state in &states {
        again.analyze(state);
    }
    assert_eq!(again.nodes(), large.nodes());
}

#[test]
fn finished_games_are_lost_by_the_player_to_move_or_drawn() {
    let game = Connect4::new(7, 6, 4).unwrap();
    let mut solver = Connect4Solver::new(&game).unwrap();
    let state = state_after(&game, "1212121");
    // Four stones: 22 - 4.
    assert_eq!(solver.solve(&state), Score(-18));
    assert_eq!((solver.value(&state), solver.analyze(&state).moves.len()), (Value::Loss, 0));
    assert_eq!(solver.solve(&state_after(&game, "121212")), Score(18));
}

#[test]
fn boards_above_64_bits_are_refused() {
    let game = Connect4::new(9, 7, 4).unwrap();
    let error = Connect4Solver::new(&game).unwrap_err();
    assert!(matches!(error, SolverError::TooManyBits { bits: 72, .. }), "{error}");
    for (width, height) in [(8, 7), (9, 6), (32, 1), (2, 31), (1, 32)] {
        Connect4Solver::with_table(&Connect4::new(width, height, 2).unwrap(), 1).unwrap();
    }
}
