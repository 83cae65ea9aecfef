//! The rules of Hex, as every game gives them.

use rand::{Rng, RngExt};

use super::{Hex, HexEncoding, HexState, board};
use crate::{
    BoardKind, Display, Game, GameError, GameSpec, Key, Move, MovePlaces, Outcome, Player,
    RecordFormat, Status, Symmetry,
    games::{
        grid::{letter, sign},
        pattern::{Cell, around},
    },
};

impl Game for Hex {
    type State = HexState;
    type History = ();
    type Encoding = HexEncoding;

    fn spec(&self) -> GameSpec {
        let size = self.board.size.to_string();
        let swap = self.swap.to_string();
        GameSpec::new("hex", &[("size", size), ("swap", swap)])
    }

    fn encoding(&self) -> HexEncoding {
        HexEncoding { game: self.clone() }
    }

    fn start(&self) -> HexState {
        HexState::START
    }

    #[inline]
    fn status(&self, state: &HexState, (): &()) -> Status {
        let mover = state.mover();
        if state.connected {
            Status::Over(Outcome::win_of(mover.opponent()))
        } else {
            Status::ToMove(mover)
        }
    }

    #[inline]
    fn legal_moves(&self, state: &HexState, (): &(), out: &mut Vec<Move>) {
        if state.connected {
            return out.clear();
        }
        let [first, second] = state.stones.map(|stones| self.board.words(stones));
        board::list_zeros(self.board.area(), first.zip(second).map(|(f, s)| f | s), out);
        if self.swap_is_legal(state) {
            out.push(self.swap_move());
        }
    }

    #[inline]
    fn play(&self, state: &mut HexState, mv: Move) {
        debug_assert!(!state.connected, "the game is over");
        let mover = state.mover();
        if mv == self.swap_move() {
            debug_assert!(self.swap_is_legal(state));
            let taken = self.board.iter(state.stones[0]).next().map(|p| self.board.transpose(p));
            *state = HexState { plies: state.plies, ..HexState::START };
            self.place(state, mover, taken.expect("the first player has moved"));
        } else {
            debug_assert!(self.stone_at(state, mv.0).is_none(), "the point is taken");
            self.place(state, mover, mv.0);
        }
        state.plies += 1;
    }

    /// A move that saves a bridge from the last move, else any.
    fn informed_move(
        &self,
        state: &HexState,
        (): &(),
        last: Option<Move>,
        random: &mut impl Rng,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        if let Some(last) = last.filter(|_| !state.connected) {
            let replies = self.bridge_replies(state, last);
            match replies.as_slice() {
                [] => {}
                [point] => return Some(Move(*point)),
                points => return Some(Move(points[random.random_range(0..points.len())])),
            }
        }
        self.random_move(state, &(), random, scratch)
    }

    #[inline]
    fn eval_key(&self, state: &HexState, (): &()) -> Key {
        let [first, second] = state.stones.map(|stones| self.board.words(stones));
        let key = first.zip(second).fold(Key::of_words(&[]), |key, (f, s)| key.mix(f).mix(s));
        // After a swap the same stones may lie there with the other player to move.
        if self.swap { key.mix(state.mover().index() as u64) } else { key }
    }

    fn plies_max(&self) -> Option<u32> {
        Some(u32::from(self.board.area()) + u32::from(self.swap))
    }

    fn moves_max(&self) -> usize {
        self.board.area().into()
    }

    fn symmetry_count(&self) -> u8 {
        2
    }

    fn map_state(&self, symmetry: Symmetry, state: &HexState) -> HexState {
        if symmetry == Symmetry::IDENTITY {
            return *state;
        }
        // The edges change places, so what is linked is found anew.
        let mut mapped = HexState { plies: state.plies, ..HexState::START };
        for player in Player::BOTH {
            for point in self.board.iter(state.stones[player.index()]) {
                self.place(&mut mapped, player, self.map_point(symmetry, point));
            }
        }
        mapped
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        if mv == self.swap_move() { mv } else { Move(self.map_point(symmetry, mv.0)) }
    }

    fn format_move(&self, mv: Move) -> String {
        if mv == self.swap_move() {
            return "swap".to_owned();
        }
        self.grid().name(mv.0)
    }

    fn parse_move(&self, _state: &HexState, text: &str) -> Result<Move, GameError> {
        if self.swap && text.eq_ignore_ascii_case("swap") {
            return Ok(self.swap_move());
        }
        let also = if self.swap { ", or swap" } else { "" };
        self.grid().parse_move(text, also).map(Move)
    }

    /// Rows lean to the right, so that neighbours of a point are left and right of it, and in the
    /// rows above and below to its upper left and right and to its lower left and right.
    fn render(&self, state: &HexState) -> String {
        let size = self.board.size;
        let mut text = (0..size).fold("  ".to_owned(), |text, column| text + " " + letter(column));
        text.push('\n');
        for row in 0..size {
            text += &[" ".repeat(row.into()), format!("{:>2}", row + 1)].concat();
            for point in row * size..(row + 1) * size {
                text.extend([' ', sign(self.stone_at(state, point))]);
            }
            text.push('\n');
        }
        text
    }

    fn surroundings(&self, state: &HexState, mv: Move) -> Option<u64> {
        let grid = self.grid();
        let stone = |(row, column)| self.stone_at(state, row * grid.size + column);
        (mv.0 < grid.area()).then(|| {
            around(grid.split(mv.0), (grid.size, grid.size), |at| {
                Cell::of(stone(at), state.mover())
            })
        })
    }

    fn stones(&self, state: &HexState) -> Option<Vec<Option<Player>>> {
        Some((0..self.size() * self.size()).map(|point| self.stone_at(state, point)).collect())
    }

    fn display(&self) -> Display {
        Display {
            sides: Display::BLACK_FIRST,
            board: BoardKind::Hexagons,
            places: MovePlaces::TopLeft,
        }
    }

    fn notation(&self) -> &'static str {
        if self.swap {
            "points by column and row, a1 top left, no letter skipped; or swap as the second ply"
        } else {
            "points by column and row, a1 top left, no letter skipped"
        }
    }

    fn record_format(&self) -> RecordFormat {
        self.sgf()
    }

    fn record_move(&self, _state: &HexState, mv: Move) -> Option<String> {
        Some(self.format_sgf(mv))
    }

    fn parse_record_move(&self, state: &HexState, text: &str) -> Result<Move, GameError> {
        self.parse_sgf(state, text)
    }

    /// Programs for Hex, such as benzene, write moves as records do: a1 top left and `swap-pieces`.
    fn protocol_move(&self, _state: &HexState, mv: Move) -> String {
        self.format_sgf(mv)
    }

    fn parse_protocol_move(&self, state: &HexState, text: &str) -> Result<Move, GameError> {
        self.parse_sgf(state, text)
    }
}
