//! Hex: numbers of games and positions, who wins, the swap, notation and the printed board.

use std::collections::{BTreeSet, HashMap};

use dz_game::{
    Game, GameError, Key, Move, Outcome, Player, Status, Symmetry,
    games::{Hex, HexState},
    perft,
};

fn hex(size: u8, swap: bool) -> Hex {
    Hex::new(size, swap).expect("a possible size")
}

/// The position after `moves`, which are legal.
fn after(game: &Hex, moves: &str) -> HexState {
    let mut state = game.start();
    for text in moves.split_whitespace() {
        game.play_text(&mut state, &mut (), text).expect("a legal move");
    }
    state
}

fn legal(game: &Hex, state: &HexState) -> Vec<Move> {
    let mut legal = Vec::new();
    game.legal_moves(state, &(), &mut legal);
    legal
}

fn child(game: &Hex, state: &HexState, mv: Move) -> HexState {
    let mut child = *state;
    game.play(&mut child, mv);
    child
}

/// Games won by the first and by the second player, and all positions met.
#[derive(Default)]
struct Tally {
    won: [u64; 2],
    over: BTreeSet<Key>,
    open: BTreeSet<Key>,
}

impl Tally {
    fn of(game: &Hex) -> Self {
        let mut tally = Self::default();
        tally.count(game, &game.start());
        tally
    }
    fn count(&mut self, game: &Hex, state: &HexState) {
        let key = game.node_key(state, &());
        match game.status(state, &()) {
            Status::Over(Outcome { winner, .. }) => {
                self.won[winner.expect("nobody draws at Hex").index()] += 1;
                self.over.insert(key);
            }
            Status::ToMove(_) => {
                self.open.insert(key);
                for mv in legal(game, state) {
                    self.count(game, &child(game, state, mv));
                }
            }
        }
    }
}

/// `OpenSpiel` 2.0.2 counts the same games on both boards; positions were counted here.
#[test]
fn all_games_of_two_and_three_rows() {
    let two = Tally::of(&hex(2, false));
    assert_eq!(two.won, [12, 12]);
    let three = Tally::of(&hex(3, false));
    assert_eq!(three.won, [165_600, 92_160]);
    let positions = (three.open.len(), three.over.len());
    assert_eq!(
        positions,
        (4520, 994),
        "positions that go on, the empty board among them; finished ones"
    );
}

/// A game lasts as long as the board has points, at most: the sequences of a 3x3 board by length.
#[test]
fn move_sequences_of_three_rows() {
    let game = hex(3, false);
    let counts = perft(&game, &game.start(), &(), 9);
    assert_eq!(counts[..6], [1, 9, 72, 504, 3024, 15_120]);
    assert_eq!(perft(&hex(11, false), &hex(11, false).start(), &(), 2), [1, 121, 121 * 120]);
    // The second player has one move more, the swap.
    assert_eq!(perft(&hex(11, true), &hex(11, true).start(), &(), 2), [1, 121, 121 * 121]);
}

/// Whether the mover wins, by looking at everything.
fn wins(game: &Hex, state: &HexState, known: &mut HashMap<Key, bool>) -> bool {
    let Status::ToMove(_) = game.status(state, &()) else { return false };
    let key = game.node_key(state, &());
    if let Some(&won) = known.get(&key) {
        return won;
    }
    let moves = legal(game, state);
    let won = moves.iter().any(|&mv| !wins(game, &child(game, state, mv), known));
    known.insert(key, won);
    won
}

fn winning_moves(game: &Hex, moves: &str) -> String {
    let (state, mut known) = (after(game, moves), HashMap::new());
    let mut winning = legal(game, &state);
    winning.retain(|&mv| !wins(game, &child(game, &state, mv), &mut known));
    winning.iter().map(|&mv| game.format_move(mv)).collect::<Vec<_>>().join(" ")
}

/// The same openings as `OpenSpiel` (2 and 3 rows) and `MoHex`'s solver (3 and 4 rows) find.
#[test]
fn winning_openings_of_small_boards() {
    assert_eq!(winning_moves(&hex(2, false), ""), "b1 a2");
    assert_eq!(winning_moves(&hex(3, false), ""), "c1 a2 b2 c2 a3");
    assert_eq!(winning_moves(&hex(4, false), ""), "d1 c2 b3 a4");
}

/// On three rows the second player takes over what would win, and plays against what would lose.
#[test]
fn no_opening_wins_against_the_swap() {
    let game = hex(3, true);
    assert_eq!(winning_moves(&game, ""), "");
    assert_eq!(winning_moves(&game, "b2"), "swap");
    let reply = winning_moves(&game, "a1");
    assert!(!reply.is_empty() && !reply.contains("swap"), "{reply}");
}

#[test]
fn a_swap_takes_the_stone_over_and_gives_the_move_back() {
    let game = hex(4, true);
    let opened = after(&game, "b4");
    assert_eq!(legal(&game, &opened).len(), 16, "15 points and the swap");
    let swapped = after(&game, "b4 SWAP");
    assert_eq!(game.status(&swapped, &()), Status::ToMove(Player::First));
    let stones: Vec<u16> = (0..16).filter(|&p| game.stone_at(&swapped, p).is_some()).collect();
    assert_eq!(stones, [7], "b4 is d2 with row and column exchanged");
    assert_eq!(game.stone_at(&swapped, 7), Some(Player::Second));
    assert_eq!(legal(&game, &swapped).len(), 15);
    // The same stones with the other player to move are another position.
    assert_ne!(
        game.node_key(&after(&game, "a1 d2"), &()),
        game.node_key(&after(&game, "b4 swap a1"), &())
    );
    for (moves, text) in
        [("", "swap"), ("a1 b1", "swap"), ("a1 swap", "swap"), ("a1 swap b1", "swap")]
    {
        let mut state = after(&game, moves);
        let refused = game.play_text(&mut state, &mut (), text);
        assert!(matches!(refused, Err(GameError::IllegalMove { .. })), "{moves}: {refused:?}");
    }
}

/// A stone that was taken over counts for the edges of its new player.
#[test]
fn a_stone_taken_over_connects() {
    let game = hex(2, true);
    let state = after(&game, "a1 swap a2 b1");
    assert_eq!(game.status(&state, &()), Status::Over(Outcome::win_of(Player::Second)));
}

#[test]
fn first_connects_rows_and_second_connects_columns() {
    let game = hex(5, false);
    for (moves, winner) in [
        ("c1 a1 c2 a2 c3 a3 c4 a4 c5", Player::First),
        ("a1 a3 b1 b3 c1 c3 d1 d3 e1 e3", Player::Second),
        // Down to the left is one step, down to the right is two.
        ("e1 a1 d2 b1 c3 a2 b4 b2 a5", Player::First),
    ] {
        let state = after(&game, moves);
        assert_eq!(game.status(&state, &()), Status::Over(Outcome::win_of(winner)), "{moves}");
        let before = after(&game, &moves[..moves.rfind(' ').expect("many moves")]);
        assert_eq!(game.status(&before, &()), Status::ToMove(winner), "{moves}");
    }
    let falling = after(&game, "a1 e1 b2 e2 c3 d1 d4 d2 e5");
    assert_eq!(game.status(&falling, &()), Status::ToMove(Player::Second));
}

#[test]
fn points_are_read_and_written() {
    let game = hex(19, false);
    let start = game.start();
    for (text, point) in [("a1", 0), ("i1", 8), ("J1", 9), ("s1", 18), ("a2", 19), ("s19", 360)] {
        assert_eq!(game.parse_move(&start, text), Ok(Move(point)));
        assert_eq!(game.format_move(Move(point)), text.to_lowercase());
    }
    for text in [
        "", "a", "1", "1a", "a0", "t1", "a20", "a-1", "a+1", "a1b", "aa1", "\u{e9}1", "swap",
        "pass", "a999999",
    ] {
        let refused = game.parse_move(&start, text).expect_err("no move").to_string();
        assert!(refused.contains("a1 to s19") && !refused.contains("or swap"), "{refused}");
    }
    let message = hex(5, true).parse_move(&start, "f1").expect_err("no point").to_string();
    assert_eq!(message, "'f1' is not a move; write a point, a1 to e5, or swap");
}

#[test]
fn the_board_is_printed_as_a_rhombus() {
    let game = hex(3, false);
    let picture = "   a b c\n 1 . . X\n  2 . O .\n   3 X . .\n";
    assert_eq!(game.render(&after(&game, "c1 b2 a3")), picture);
}

/// Turning the board exchanges the edges where linking begins.
#[test]
fn half_a_turn_keeps_what_is_linked() {
    let game = hex(4, false);
    let state = after(&game, "a1 b2 a2 c2 a3 d2");
    let turned = game.map_state(Symmetry(1), &state);
    let expected = Status::Over(Outcome::win_of(Player::First));
    assert_eq!(
        game.status(&child(&game, &state, Move(12)), &()),
        expected,
        "a4 reaches the bottom"
    );
    assert_eq!(game.status(&child(&game, &turned, Move(3)), &()), expected, "d1 reaches the top");
}
