//! Othello: published numbers and results, passes, ends, notation, the printed board, laws.

use std::collections::HashMap;

use dz_game::{
    Encoding, Game, GameError, GameSpec, Key, Move, Outcome, PlaneWriter, Player, Status, Symmetry,
    games::{Othello, OthelloState},
    laws, perft,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn othello(size: u8) -> Othello {
    Othello::new(size).expect("a possible size")
}

/// The position after `moves`, which are legal.
fn after(game: &Othello, moves: &str) -> OthelloState {
    let mut state = game.start();
    for text in moves.split_whitespace() {
        game.play_text(&mut state, &mut (), text).expect("a legal move");
    }
    state
}

fn legal(game: &Othello, state: &OthelloState) -> Vec<Move> {
    let mut legal = Vec::new();
    game.legal_moves(state, &(), &mut legal);
    legal
}

fn legal_text(game: &Othello, state: &OthelloState) -> String {
    legal(game, state).iter().map(|&mv| game.format_move(mv)).collect::<Vec<_>>().join(" ")
}

/// A record without spaces, passes left out, as Othello players write: passes are put in.
fn play_record(game: &Othello, record: &str) -> OthelloState {
    let mut state = game.start();
    for at in (0..record.len()).step_by(2) {
        if legal_text(game, &state) == "pass" {
            game.play_text(&mut state, &mut (), "pass").expect("the only move");
        }
        game.play_text(&mut state, &mut (), &record[at..at + 2]).expect("a legal move");
    }
    state
}

/// A. Bik's counts (Perft for Reversi, 2009) at depths 0, 1, ... A pass is a ply. A leaf is a
/// position at that depth or a game that was over before; the first ones end after nine plies.
const PUBLISHED: [u64; 13] = [
    1,
    4,
    12,
    56,
    244,
    1396,
    8200,
    55_092,
    390_216,
    3_005_288,
    24_571_284,
    212_258_800,
    1_939_886_636,
];

/// Of these, games that were over before: what `Game::perft` leaves out, because a game that is
/// over has no successors.
const ENDED_BEFORE: [u64; 13] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 228, 584, 6968];

/// Leaves as they are published.
fn published_leaves(game: &Othello, state: &OthelloState, depth: usize) -> u64 {
    let moves = legal(game, state);
    match depth {
        0 => 1,
        _ if moves.is_empty() => 1,
        1 => moves.len() as u64,
        _ => {
            let after = |&mv: &Move| {
                let mut child = *state;
                game.play(&mut child, mv);
                published_leaves(game, &child, depth - 1)
            };
            moves.iter().map(after).sum()
        }
    }
}

fn check_published(depth: usize) {
    let game = othello(8);
    for (depth, &leaves) in PUBLISHED.iter().enumerate().take(depth + 1) {
        assert_eq!(published_leaves(&game, &game.start(), depth), leaves, "depth {depth}");
    }
    let going_on: Vec<u64> =
        PUBLISHED.iter().zip(ENDED_BEFORE).map(|(all, ended)| all - ended).collect();
    assert_eq!(perft(&game, &game.start(), &(), depth as u32), going_on[..=depth]);
}

/// `OpenSpiel` 2.0.2 agrees to depth 6.
#[test]
fn published_move_sequences_of_eight_rows() {
    check_published(10);
}

#[test]
#[ignore = "minutes; run with --release -- --ignored"]
fn published_move_sequences_to_depth_12() {
    check_published(12);
}

/// Perfect play ends in a draw, 32 discs each (H. Takizawa, Othello is Solved, 2023,
/// arXiv:2310.19387, which gives this game).
#[test]
fn the_perfect_game_of_eight_rows_is_legal_and_drawn() {
    let record = "F5D6C3D3C4F4F6F3E6E7D7C5B6D8C6C7D2B5A5A6A7G5E3B4C8G6G4C2E8D1F7E2G3H4F1E1F2G1B1F8G8B3H3\
                  B2H5B7A3A4A1A2C1H2H1G2B8A8G7H8H7H6";
    let game = othello(8);
    let state = play_record(&game, record);
    let expected = Outcome { winner: None, margin: Some(0) };
    assert_eq!(game.status(&state, &()), Status::Over(expected));
    assert!((0..64).all(|point| game.disc_at(&state, point).is_some()));
}

/// Perfect play on six rows ends 16 to 20 for the second player (J. Feinstein, British Othello
/// Federation newsletter, July 1993, who gives this game on the inner rows of an 8x8 board).
#[test]
fn the_perfect_game_of_six_rows_is_legal_and_lost() {
    let inner = "d3c5d6e3f5f4e2d2c2e6e7g5c4c3g4g3f3c7b5d7b7b3c6b6f7f6b4b2g6g7f2g2";
    let record: String = inner.chars().map(|c| char::from(c as u8 - 1)).collect();
    let game = othello(6);
    let state = play_record(&game, &record);
    let expected = Outcome { winner: Some(Player::Second), margin: Some(-4) };
    assert_eq!(game.status(&state, &()), Status::Over(expected));
}

/// The best margin for the mover, by looking at everything between `low` and `high`.
fn margin(
    game: &Othello,
    state: &OthelloState,
    (mut low, high): (i16, i16),
    known: &mut HashMap<(Key, i16, i16), i16>,
) -> i16 {
    let mover = match game.status(state, &()) {
        Status::ToMove(mover) => mover,
        Status::Over(_) => unreachable!("ends are met below"),
    };
    let key = (game.node_key(state, &()), low, high);
    if let Some(&margin) = known.get(&key) {
        return margin;
    }
    let mut best = i16::MIN;
    for mv in legal(game, state) {
        let mut child = *state;
        game.play(&mut child, mv);
        let found = match game.status(&child, &()) {
            Status::Over(outcome) => {
                let first = outcome.margin.expect("Othello counts discs");
                if mover == Player::First { first } else { -first }
            }
            Status::ToMove(_) => -margin(game, &child, (-high, -low), known),
        };
        best = best.max(found);
        low = low.max(best);
        if low >= high {
            break;
        }
    }
    known.insert(key, best);
    best
}

/// On four rows the second player is known to win, by 11 discs to 3 with two points left empty.
#[test]
fn the_second_player_wins_on_four_rows() {
    let game = othello(4);
    assert_eq!(margin(&game, &game.start(), (-16, 16), &mut HashMap::new()), -8);
}

#[test]
fn the_start_and_the_first_moves() {
    let game = othello(8);
    let start = game.start();
    let picture = "   a b c d e f g h
 1 . . . . . . . .
 2 . . . . . . . .
 3 . . . . . . . .
 4 . . . O X . . .
 5 . . . X O . . .
 6 . . . . . . . .
 7 . . . . . . . .
 8 . . . . . . . .
";
    assert_eq!(game.render(&start), picture);
    assert_eq!(legal_text(&game, &start), "d3 c4 f5 e6");
    assert_eq!(game.status(&start, &()), Status::ToMove(Player::First));
    assert_eq!(legal_text(&othello(6), &othello(6).start()), "c2 b3 e4 d5");
    assert_eq!(legal_text(&othello(10), &othello(10).start()), "e4 d5 g6 f7");
}

/// Nine plies in, the second player has no disc left: the shortest game there is.
#[test]
fn a_game_ends_when_nobody_can_move() {
    let game = othello(8);
    let state = after(&game, "e6 f4 e3 f6 g5 d6 e7 f5 c5");
    let won = Outcome { winner: Some(Player::First), margin: Some(13) };
    assert_eq!(game.status(&state, &()), Status::Over(won));
    assert_eq!(legal(&game, &state), []);
    let refused = game.play_text(&mut state.clone(), &mut (), "pass");
    assert!(matches!(refused, Err(GameError::IllegalMove { .. })), "{refused:?}");
}

/// Looks at every ply of random games.
#[test]
fn a_pass_is_the_only_legal_move_or_none() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    for size in [4, 6, 8, 10] {
        let game = othello(size);
        let points = 0..u16::from(size) * u16::from(size);
        let pass = Move(points.end);
        let mut passes = 0;
        for _ in 0..60 {
            let mut state = game.start();
            while let Status::ToMove(mover) = game.status(&state, &()) {
                let moves = legal(&game, &state);
                let mut next = state;
                let passed = game.play_text(&mut next, &mut (), "PASS");
                if moves == [pass] {
                    passes += 1;
                    assert_eq!(passed, Ok(pass));
                    let disc = |state, point| game.disc_at(state, point);
                    assert!(points.clone().all(|p| disc(&state, p) == disc(&next, p)));
                    assert_eq!(game.status(&next, &()), Status::ToMove(mover.opponent()));
                    assert_ne!(game.node_key(&next, &()), game.node_key(&state, &()));
                    assert_ne!(legal(&game, &next), [pass], "no pass is answered by a pass");
                } else {
                    assert!(!moves.contains(&pass) && !moves.is_empty());
                    let refused = passed.expect_err("a player who can move may not pass");
                    let refused = refused.to_string();
                    assert!(refused.starts_with("move 'PASS' is not legal here; legal moves: "));
                    assert_eq!(next, state);
                }
                game.play(&mut state, moves[random.random_range(0..moves.len())]);
            }
        }
        assert!(passes > 0, "size {size} meets no pass");
    }
}

#[test]
fn moves_are_read_and_written() {
    for (size, text, point) in
        [(8, "a1", 0), (8, "H1", 7), (8, "a2", 8), (8, "h8", 63), (10, "J10", 99), (4, "d4", 15)]
    {
        let game = othello(size);
        assert_eq!(game.parse_move(&game.start(), text), Ok(Move(point)));
        assert_eq!(game.format_move(Move(point)), text.to_lowercase());
        let pass = Move(u16::from(size) * u16::from(size));
        assert_eq!(game.parse_move(&game.start(), "Pass"), Ok(pass));
        assert_eq!(game.format_move(pass), "pass");
    }
    let game = othello(8);
    for text in
        ["", "a", "1", "1a", "a0", "i1", "a9", "a-1", "a+1", "a1b", "\u{e9}1", "passed", "a999999"]
    {
        let refused = game.parse_move(&game.start(), text).expect_err("no move").to_string();
        assert_eq!(refused, format!("'{text}' is not a move; write a point, a1 to h8, or pass"));
    }
    let refused = game.play_text(&mut game.start(), &mut (), "a1").expect_err("turns nothing over");
    assert_eq!(refused.to_string(), "move 'a1' is not legal here; legal moves: d3 c4 f5 e6");
}

#[test]
fn names_with_impossible_sizes_are_refused() {
    let message = |text: &str| {
        let spec: GameSpec = text.parse().expect("a specification");
        Othello::from_spec(&spec).expect_err("refused").to_string()
    };
    for size in ["0", "2", "5", "7", "12", "255", "256", "-8", "x", "8x8"] {
        let expected = format!("othello: size={size} is not possible; allowed: 4, 6, 8 or 10");
        assert_eq!(message(&format!("othello:size={size}")), expected);
    }
    assert!(message("othello:komi=7").contains("it has: size"));
    let spec = |text: &str| {
        let spec: GameSpec = text.parse().expect("a specification");
        Othello::from_spec(&spec).expect("a game").spec().to_string()
    };
    assert_eq!(spec("othello"), "othello:size=8");
    assert_eq!(spec("othello:size=10"), "othello:size=10");
}

/// Own discs come first whoever moves, and every symmetry shows a board of its own.
#[test]
fn planes_are_encoded_from_the_movers_side() {
    let game = othello(8);
    let encoding = game.encoding();
    let encode = |state: &OthelloState, symmetry| {
        let mut planes = vec![0; encoding.planes().packed_bytes()];
        encoding.encode(
            state,
            &(),
            symmetry,
            &mut PlaneWriter::new(encoding.planes(), &mut planes, &mut []),
        );
        planes
    };
    // A plane of eight rows is eight bytes, a row a byte, column a its lowest bit.
    let state = after(&game, "f5");
    let (own, other, board) = ([0, 0, 0, 8, 0, 0, 0, 0], [0, 0, 0, 16, 56, 0, 0, 0], [255; 8]);
    assert_eq!(encode(&state, Symmetry::IDENTITY), [own, other, board].concat());
    let start = encode(&game.start(), Symmetry::IDENTITY);
    assert_eq!(start[..8], [0, 0, 0, 16, 8, 0, 0, 0]);
    let state = after(&game, "f5 d6 c3");
    let mut views: Vec<Vec<u8>> = (0..8).map(|s| encode(&state, Symmetry(s))).collect();
    views.sort_unstable();
    views.dedup();
    assert_eq!(views.len(), 8);
}

/// Every size, among them those where points and bits are numbered differently, and 128 bits.
#[test]
fn laws_hold_on_every_size() {
    for (size, games) in [(4, 60), (6, 30), (8, 15), (10, 6)] {
        laws::check(&othello(size), 20_261_121, games).unwrap_or_else(|broken| panic!("{broken}"));
    }
}
