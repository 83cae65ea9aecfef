//! MoGo's rollout policy in Go beside a literal implementation on an array: the moves that it
//! samples from, in thousands of positions. The patterns are written down anew (RR-6062, figures 3
//! to 5).

use std::collections::BTreeSet;

use dz_game::{
    Game, GameSpec, Move, Player, Status,
    games::{Chess, Connect4, GoHistory, TicTacToe},
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    go_array::{ArrayGo, rules},
    literal::any,
};

/// The point to play is `*`. Lower case: this colour or empty. `b` and `w` after a pattern: only
/// the player of `X`, or of `O`, plays it.
const SHAPES: [(&str, char); 10] = [
    ("XOX .*. ???", ' '),
    ("XO. .*. ?.?", ' '),
    ("XO? X*. ?.?", ' '),
    ("XOO .*. ?.?", 'b'),
    ("?X? O*O xxx", ' '),
    ("X.? O*? ---", ' '),
    ("?X? o*O ---", ' '),
    ("?XO ?*? ---", 'b'),
    ("?XO ?*o ---", 'w'),
    ("?XO O*X ---", 'w'),
];

/// What stands at a step from a point, `-` beyond the board.
fn sign(literal: &ArrayGo, point: usize, [down, right]: [i32; 2], x: Player) -> char {
    let size = literal.size as i32;
    let [row, column] = [point as i32 / size + down, point as i32 % size + right];
    if !(0..size).contains(&row) || !(0..size).contains(&column) {
        return '-';
    }
    match literal.board[(row * size + column) as usize] {
        None => '.',
        Some(player) if player == x => 'X',
        Some(_) => 'O',
    }
}

/// The eight ways to turn and mirror a step.
fn ways([down, right]: [i32; 2]) -> [[i32; 2]; 8] {
    [
        [down, right],
        [down, -right],
        [-down, right],
        [-down, -right],
        [right, down],
        [right, -down],
        [-right, down],
        [-right, -down],
    ]
}

fn has_shape(literal: &ArrayGo, point: usize) -> bool {
    let fits = |shape: &str, way: usize, x: Player| {
        let rows = shape.split(' ').zip(-1..);
        let mut signs = rows.flat_map(|(row, down)| {
            row.chars().zip(-1..).map(move |(wanted, right)| (wanted, [down, right]))
        });
        signs.all(|(wanted, step)| {
            let found = sign(literal, point, ways(step)[way], x);
            match wanted {
                '*' => true,
                '?' => found != '-',
                'x' => found == 'X' || found == '.',
                'o' => found == 'O' || found == '.',
                _ => found == wanted,
            }
        })
    };
    (0..8).any(|way| {
        [Player::First, Player::Second].into_iter().any(|x| {
            let is_cut = fits("XO? O*? ???", way, x)
                && !fits("XO? O*O ?.?", way, x)
                && !fits("XO? O*. ?O?", way, x);
            let listed = |&(shape, who): &(&str, char)| {
                let may_play = match who {
                    'b' => literal.mover == x,
                    'w' => literal.mover != x,
                    _ => true,
                };
                may_play && fits(shape, way, x)
            };
            is_cut || SHAPES.iter().any(listed)
        })
    })
}

/// Empty points beside the chain around `point`.
fn liberties(literal: &ArrayGo, board: &[Option<Player>], point: usize) -> BTreeSet<usize> {
    let (chain, _) = literal.region(board, point);
    let beside = chain.into_iter().flat_map(|stone| literal.neighbours(stone).collect::<Vec<_>>());
    beside.filter(|&near| board[near].is_none()).collect()
}

fn in_atari(literal: &ArrayGo, point: usize, player: Player) -> bool {
    literal.board[point] == Some(player) && liberties(literal, &literal.board, point).len() == 1
}

/// Moves that save one of the mover's chains beside the stone on `last`.
fn saving(literal: &ArrayGo, last: usize) -> Vec<usize> {
    let own = literal.mover;
    let mut found = Vec::new();
    for stone in literal.neighbours(last).filter(|&near| in_atari(literal, near, own)) {
        let (chain, _) = literal.region(&literal.board, stone);
        for beside in chain.iter().flat_map(|&stone| literal.neighbours(stone).collect::<Vec<_>>())
        {
            if in_atari(literal, beside, own.opponent()) {
                found.extend(liberties(literal, &literal.board, beside));
            }
        }
        for liberty in liberties(literal, &literal.board, stone) {
            let mut board = literal.board.clone();
            board[liberty] = Some(own);
            if liberties(literal, &board, liberty).len() > 1 {
                found.push(liberty);
            }
        }
    }
    found
}

fn is_eye(literal: &ArrayGo, point: usize) -> bool {
    let own = literal.mover;
    if literal.neighbours(point).any(|near| literal.board[near] != Some(own)) {
        return false;
    }
    let corners = [[-1, -1], [-1, 1], [1, -1], [1, 1]];
    let signs = corners.map(|step| sign(literal, point, step, own));
    let count = |wanted| signs.iter().filter(|&&sign| sign == wanted).count();
    count('O') + usize::from(count('-') > 0) < 2
}

/// The moves of the first step that has any: points, or the pass.
fn expected(literal: &ArrayGo, last: Option<usize>) -> BTreeSet<u16> {
    let area = literal.board.len();
    let points = || 0..area;
    let mut steps: Vec<Vec<usize>> = Vec::new();
    if let Some(last) = last {
        steps.push(saving(literal, last));
        let is_around = |&point: &usize| {
            let [down, right] = [point / literal.size, point % literal.size];
            let [row, column] = [last / literal.size, last % literal.size];
            point != last && down.abs_diff(row) <= 1 && right.abs_diff(column) <= 1
        };
        steps.push(points().filter(is_around).filter(|&p| has_shape(literal, p)).collect());
    }
    let taken = points().filter(|&point| in_atari(literal, point, literal.mover.opponent()));
    steps.push(taken.flat_map(|point| liberties(literal, &literal.board, point)).collect());
    steps.push(points().filter(|&point| !is_eye(literal, point)).collect());
    let legal = steps.into_iter().map(|step| {
        let legal = step.into_iter().filter(|&point| literal.is_legal(point));
        legal.map(|point| point as u16).collect::<BTreeSet<u16>>()
    });
    legal.into_iter().find(|step| !step.is_empty()).unwrap_or_else(|| [area as u16].into())
}

#[test]
fn moves_are_sampled_from_those_of_the_literal_policy() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut scratch = Vec::new();
    let mut positions = 0;
    let mut small = 0;
    for game in 0..60 {
        let size = [3, 5, 7, 9, 9, 13][game % 6];
        let suicide = game % 4 == 3;
        let superko = ["positional", "situational", "simple"][game % 3];
        let mut last = None;
        let mut coin = Xoshiro256PlusPlus::seed_from_u64(game as u64);
        rules(size, 0.0, suicide, superko).play_out(120, |pair, _| {
            let candidates = expected(&pair.literal, last);
            let mv_last = last.map(|point| Move(point as u16));
            let samples = if candidates.len() <= 4 { 80 } else { 10 };
            let mut sampled = BTreeSet::new();
            for _ in 0..samples {
                let mv = pair.game.informed_move(
                    &pair.state,
                    &pair.history,
                    mv_last,
                    &mut random,
                    &mut scratch,
                );
                sampled.insert(mv.expect("the game goes on").0);
            }
            let shown = || format!("after {mv_last:?}\n{}", pair.game.render(&pair.state));
            assert!(sampled.is_subset(&candidates), "{sampled:?} of {candidates:?} {}", shown());
            if candidates.len() <= 4 {
                assert_eq!(sampled, candidates, "{}", shown());
                small += 1;
            }
            positions += 1;
            // Half of the moves are the policy's, so that fights and quiet boards both come up.
            let policy = Move(*sampled.iter().next_back().expect("a move"));
            let mv = if game % 2 == 0 { policy } else { any(&pair.legal, &mut coin) };
            let point = usize::from(mv.0);
            last = (point < size * size).then_some(point);
            mv
        });
    }
    assert!(positions > 3_000 && small > 1_000, "{small} of {positions}");
}

#[test]
fn rollouts_with_the_policy_end_by_themselves() {
    let game = rules(9, 7.0, false, "positional").game;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(12);
    let mut scratch = Vec::new();
    let mut plies = 0;
    for _ in 0..50 {
        let mut state = game.start();
        let mut history = GoHistory::default();
        let mut last = None;
        while let Status::ToMove(_) = game.status(&state, &history) {
            last = game.informed_move(&state, &history, last, &mut random, &mut scratch);
            game.advance_unkeyed(&mut state, &mut history, last.expect("a move"));
            plies += 1;
        }
        assert_eq!(game.informed_move(&state, &history, last, &mut random, &mut scratch), None);
    }
    // Uniform moves fill eyes and take some 200 plies.
    assert!((80..150).contains(&(plies / 50)), "{} plies a game", plies / 50);
}

#[test]
fn connect_four_wins_or_blocks() {
    let spec: GameSpec = "connect4".parse().expect("a specification");
    let game = Connect4::from_spec(&spec).expect("the standard game");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(13);
    for (moves, expected) in [("112233", 4), ("1122335", 4), ("11223", 4)] {
        let mut state = game.start();
        for mv in game.split_moves(moves) {
            game.play_text(&mut state, &mut (), mv).expect("legal");
        }
        for _ in 0..20 {
            let mv = game.informed_move(&state, &(), None, &mut random, &mut Vec::new());
            assert_eq!(mv.map(|mv| mv.0 + 1), Some(expected), "after {moves}");
        }
    }
}

#[test]
fn other_games_move_at_random() {
    fn check<G: Game>(game: &G) {
        let state = game.start();
        let history = G::History::default();
        let mut scratch = Vec::new();
        let seeded = || Xoshiro256PlusPlus::seed_from_u64(3);
        let uniform = game.random_move(&state, &history, &mut seeded(), &mut scratch);
        let informed = game.informed_move(&state, &history, None, &mut seeded(), &mut scratch);
        assert_eq!(informed, uniform);
    }
    check(&TicTacToe);
    check(&Chess::new());
}
