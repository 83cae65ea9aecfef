//! Breakthrough on bitboards against a literal implementation on an array.

use dz_game::{
    Game, Move, Outcome, Player, Status,
    games::{Breakthrough, BreakthroughState},
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::literal::{Literal, Pair, any};

/// The rules as one would explain them, on rows of squares. Row 0 is the first player's home.
#[derive(Clone)]
struct Rows {
    rows: Vec<Vec<Option<Player>>>,
    mover: Player,
}

impl Rows {
    fn new(width: usize, height: usize) -> Self {
        let mut rows = vec![vec![None; width]; height];
        rows[..2].fill(vec![Some(Player::First); width]);
        rows[height - 2..].fill(vec![Some(Player::Second); width]);
        Self { rows, mover: Player::First }
    }

    fn has(&self, player: Player) -> bool {
        self.rows.iter().flatten().any(|&square| square == Some(player))
    }

    /// Moves as pairs of row and column.
    fn moves(&self) -> Vec<[(usize, usize); 2]> {
        let mut moves = Vec::new();
        for (row, squares) in self.rows.iter().enumerate() {
            for (column, &square) in squares.iter().enumerate() {
                if square != Some(self.mover) {
                    continue;
                }
                let next = if self.mover == Player::First { row + 1 } else { row - 1 };
                for (beside, &there) in self.rows[next].iter().enumerate() {
                    let is_straight = beside == column;
                    let is_diagonal = beside.abs_diff(column) == 1;
                    let is_legal =
                        is_straight && there.is_none() || is_diagonal && there != Some(self.mover);
                    if is_legal {
                        moves.push([(row, column), (next, beside)]);
                    }
                }
            }
        }
        moves
    }

    fn square(&self, (row, column): (usize, usize)) -> u16 {
        (row * self.rows[0].len() + column) as u16
    }
}

impl Literal for Rows {
    type Game = Breakthrough;

    fn status(&self) -> Status {
        let home_of_second = self.rows.last().expect("rows");
        let win_of_first =
            home_of_second.contains(&Some(Player::First)) || !self.has(Player::Second);
        let win_of_second =
            self.rows[0].contains(&Some(Player::Second)) || !self.has(Player::First);
        if win_of_first {
            Status::Over(Outcome::win_of(Player::First))
        } else if win_of_second {
            Status::Over(Outcome::win_of(Player::Second))
        } else {
            Status::ToMove(self.mover)
        }
    }

    fn legal(&self) -> Vec<Move> {
        if matches!(self.status(), Status::Over(_)) {
            return Vec::new();
        }
        let numbered = |[from, to]: [(usize, usize); 2]| {
            let [from, to] = [self.square(from), self.square(to)];
            Move(64 * from + to)
        };
        self.moves().into_iter().map(numbered).collect()
    }

    fn play(&mut self, mv: Move) {
        let width = self.rows[0].len();
        let at = |square: u16| (usize::from(square) / width, usize::from(square) % width);
        let [from, to] = [at(mv.0 / 64), at(mv.0 % 64)];
        self.rows[to.0][to.1] = self.rows[from.0][from.1].take();
        self.mover = self.mover.opponent();
    }

    fn check(&self, game: &Breakthrough, state: &BreakthroughState) {
        for (row, squares) in self.rows.iter().enumerate() {
            for (column, &square) in squares.iter().enumerate() {
                assert_eq!(game.pawn_at(state, self.square((row, column))), square);
            }
        }
    }
}

fn pair(width: u8, height: u8) -> Pair<Rows> {
    let game = Breakthrough::new(width, height).expect("a possible board");
    Pair::new(game, Rows::new(width.into(), height.into()))
}

#[test]
fn many_random_games_agree_on_every_board() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut without_pawns = 0;
    for width in 3..=8 {
        for height in 5..=8 {
            let game = Breakthrough::new(width, height).expect("a possible board");
            let longest = game.plies_max().expect("a bound") as usize;
            for _ in 0..200 {
                let mut pair = pair(width, height);
                pair.play_out(usize::MAX, |pair, _| any(&pair.legal, &mut random));
                assert!(pair.plies <= longest, "{width}x{height}: {} plies", pair.plies);
                let all = Player::BOTH.iter().all(|&player| pair.literal.has(player));
                without_pawns += usize::from(!all);
            }
        }
    }
    assert!(without_pawns > 0, "no game ended by capture of the last pawn");
    for (width, height) in [(2, 8), (9, 8), (8, 4), (8, 9), (0, 0)] {
        assert!(Breakthrough::new(width, height).is_err(), "{width}x{height}");
    }
}

#[test]
fn move_sequences_agree() {
    for (width, height, depth) in [(3, 5, 8), (5, 5, 5), (6, 6, 4), (8, 8, 4)] {
        pair(width, height).compare_counts(depth);
    }
    // Pawns of the home row are shut in. Of the front row, six have three moves, and the two on
    // the edges have two.
    assert_eq!(pair(8, 8).compare_counts(1), [1, 22]);
}

#[test]
fn moves_are_read_as_other_programs_write_them() {
    let game = Breakthrough::new(8, 8).expect("a board");
    let start = game.start();
    for text in ["a2b3", "A2B3", "a2-b3", "a2xb3", "a2b3*"] {
        assert_eq!(game.parse_move(&start, text), Ok(Move(64 * 8 + 17)), "{text}");
    }
    for text in ["", "a2", "a2b", "a2b9", "i1a2", "a2b3c4", "a2--b3", "ä2b3", "b3"] {
        assert!(game.parse_move(&start, text).is_err(), "{text}");
    }
}
