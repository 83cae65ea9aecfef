//! The rules of Othello, as every game gives them.

use super::board::Bits;
use super::{Othello, OthelloEncoding, OthelloState, board};
use crate::{
    BoardKind, Display, Game, GameError, GameSpec, Key, Move, MovePlaces, Outcome, Player,
    RecordFormat, Status, Symmetry,
    games::{
        grid::Grid,
        pattern::{Cell, around},
    },
};

/// The points of `set` as moves, ascending, on a board of `size` rows.
#[inline]
fn list<B: Bits>(size: u16, mut set: u64, start: u16, out: &mut Vec<Move>) {
    while set != 0 {
        let bit = start + set.trailing_zeros() as u16;
        let stride = B::STRIDE as u16;
        out.push(Move(bit - bit / stride * (stride - size)));
        set &= set - 1;
    }
}

impl Game for Othello {
    type State = OthelloState;
    type History = ();
    type Encoding = OthelloEncoding;

    fn spec(&self) -> GameSpec {
        GameSpec::new("othello", &[("size", self.grid.size.to_string())])
    }

    fn encoding(&self) -> OthelloEncoding {
        OthelloEncoding { game: self.clone() }
    }

    fn start(&self) -> OthelloState {
        let low = self.grid.size / 2;
        let high = self.grid.size / 2 - 1;
        let point = |row: u16, column: u16| self.bit(row * self.grid.size + column);
        let discs = [point(low, high) | point(high, low), point(high, high) | point(low, low)];
        let mut state = OthelloState { discs, moves: 0, mover: Player::First, over: false };
        self.settle(&mut state, Player::First);
        state
    }

    #[inline]
    fn status(&self, state: &OthelloState, (): &()) -> Status {
        if !state.over {
            return Status::ToMove(state.mover);
        }
        let [first, second] = state.discs.map(|discs| discs.count_ones() as i16);
        let winner = match first - second {
            0 => None,
            margin => Some(if margin > 0 { Player::First } else { Player::Second }),
        };
        Status::Over(Outcome { winner, margin: Some(first - second) })
    }

    #[inline]
    fn legal_moves(&self, state: &OthelloState, (): &(), out: &mut Vec<Move>) {
        out.clear();
        if self.small() {
            list::<u64>(self.grid.size, state.moves as u64, 0, out);
        } else {
            list::<u128>(self.grid.size, state.moves as u64, 0, out);
            list::<u128>(self.grid.size, (state.moves >> 64) as u64, 64, out);
        }
        if out.is_empty() && !state.over {
            out.push(self.pass());
        }
    }

    #[inline]
    fn play(&self, state: &mut OthelloState, mv: Move) {
        debug_assert!(!state.over, "the game is over");
        let mover = state.mover;
        let opponent = state.mover.opponent();
        if mv == self.pass() {
            debug_assert!(state.moves == 0, "a player who can move may not pass");
        } else {
            let own = state.discs[mover.index()];
            let other = state.discs[opponent.index()];
            let point = self.bit(mv.0);
            debug_assert!(state.moves & point != 0, "no disc is turned over");
            let turned = if self.small() {
                u128::from(board::turned(own as u64, other as u64, point as u64))
            } else {
                board::turned(own, other, point)
            };
            state.discs[mover.index()] = own | turned | point;
            state.discs[opponent.index()] = other & !turned;
        }
        self.settle(state, opponent);
    }

    #[inline]
    fn eval_key(&self, state: &OthelloState, (): &()) -> Key {
        // Who moves does not follow from the discs, because passes leave them.
        let ([first, second], mover) = (state.discs, state.mover.index() as u64);
        let key = Key::of_words(&[first as u64, second as u64, mover]);
        if self.small() { key } else { key.mix((first >> 64) as u64).mix((second >> 64) as u64) }
    }

    /// Every disc but the first four is a ply, and before each but the first there may be a pass.
    fn plies_max(&self) -> Option<u32> {
        Some(2 * (u32::from(self.grid.area()) - 4) - 1)
    }

    fn moves_max(&self) -> usize {
        usize::from(self.grid.area()) - 4
    }

    fn symmetry_count(&self) -> u8 {
        Grid::SYMMETRIES
    }

    fn map_state(&self, symmetry: Symmetry, state: &OthelloState) -> OthelloState {
        let discs = state.discs.map(|discs| self.map_set(symmetry, discs));
        OthelloState { discs, moves: self.map_set(symmetry, state.moves), ..*state }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        if mv == self.pass() { mv } else { Move(self.grid.map_point(symmetry, mv.0)) }
    }

    fn format_move(&self, mv: Move) -> String {
        if mv == self.pass() { "pass".to_owned() } else { self.grid.name(mv.0) }
    }

    fn parse_move(&self, _state: &OthelloState, text: &str) -> Result<Move, GameError> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(self.pass());
        }
        self.grid.parse_move(text, ", or pass").map(Move)
    }

    fn render(&self, state: &OthelloState) -> String {
        self.grid.render(|point| self.disc_at(state, point))
    }

    fn surroundings(&self, state: &OthelloState, mv: Move) -> Option<u64> {
        let grid = self.grid;
        let stone = |(row, column)| self.disc_at(state, row * grid.size + column);
        (mv.0 < grid.area()).then(|| {
            around(grid.split(mv.0), (grid.size, grid.size), |at| Cell::of(stone(at), state.mover))
        })
    }

    fn stones(&self, state: &OthelloState) -> Option<Vec<Option<Player>>> {
        Some((0..self.size() * self.size()).map(|point| self.disc_at(state, point)).collect())
    }

    fn display(&self) -> Display {
        Display {
            sides: Display::BLACK_FIRST,
            board: BoardKind::Discs,
            places: MovePlaces::TopLeft,
        }
    }

    fn notation(&self) -> &'static str {
        "points by column and row, a1 top left; pass where no point is legal, and only there"
    }

    fn record_format(&self) -> RecordFormat {
        self.sgf()
    }

    fn record_move(&self, _state: &OthelloState, mv: Move) -> Option<String> {
        self.format_sgf(mv)
    }

    fn parse_record_move(&self, state: &OthelloState, text: &str) -> Result<Move, GameError> {
        self.parse_sgf(state, text)
    }
}
