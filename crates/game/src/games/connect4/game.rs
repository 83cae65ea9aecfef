//! The rules of Connect Four, as every game gives them.

use rand::{Rng, RngExt};

use super::{Board, Connect4, Connect4Encoding, Connect4State};
use crate::{
    BoardKind, Display, Game, GameError, GameSpec, Key, Move, MovePlaces, Outcome, Player, Status,
    Symmetry,
    games::{
        parse_number,
        pattern::{Cell, around},
    },
};

impl Game for Connect4 {
    type State = Connect4State;
    type History = ();
    type Encoding = Connect4Encoding;

    fn spec(&self) -> GameSpec {
        GameSpec::new(
            "connect4",
            &[
                ("width", self.board.width.to_string()),
                ("height", self.board.height.to_string()),
                ("connect", self.board.connect.to_string()),
            ],
        )
    }

    fn encoding(&self) -> Connect4Encoding {
        Connect4Encoding { game: self.clone() }
    }

    fn start(&self) -> Connect4State {
        Connect4State { mover: 0, stones: 0, plies: 0, connected: false }
    }

    #[inline]
    fn status(&self, state: &Connect4State, (): &()) -> Status {
        let mover = if state.plies.is_multiple_of(2) { Player::First } else { Player::Second };
        if state.connected {
            Status::Over(Outcome::win_of(mover.opponent()))
        } else if state.plies == self.board.width * self.board.height {
            Status::Over(Outcome::DRAW)
        } else {
            Status::ToMove(mover)
        }
    }

    #[inline]
    fn legal_moves(&self, state: &Connect4State, (): &(), out: &mut Vec<Move>) {
        out.clear();
        if !state.connected {
            out.resize(self.board.width.into(), Move(0));
            // Written for every column, kept for the open ones: a branch would be a coin toss.
            let mut open = 0;
            for x in 0..self.board.width {
                out[open] = Move(u16::from(x));
                open += usize::from(!self.board.is_full(state.stones, x));
            }
            out.truncate(open);
        }
    }

    #[inline]
    fn play(&self, state: &mut Connect4State, mv: Move) {
        let column = mv.0 as u8;
        debug_assert!(column < self.board.width && !self.board.is_full(state.stones, column));
        let landing = self.board.landing(state.stones, column);
        let own = state.mover | landing;
        state.connected = self.board.connects(own);
        // The mover's view passes to the opponent, whose stones are the others.
        state.mover = state.stones & !state.mover;
        state.stones |= landing;
        state.plies += 1;
    }

    fn surroundings(&self, state: &Connect4State, mv: Move) -> Option<u64> {
        let Board { width, height, .. } = self.board;
        let column = mv.0 as u8;
        let landing = self.board.landing(state.stones, column).trailing_zeros();
        let row = landing - self.board.column(column);
        let cell = |(row, column): (u16, u16)| {
            let bit = self.board.column(column as u8) + u32::from(row);
            match (state.stones >> bit & 1, state.mover >> bit & 1) {
                (0, _) => Cell::Empty,
                (_, 1) => Cell::Own,
                _ => Cell::Other,
            }
        };
        Some(around((row as u16, mv.0), (height.into(), width.into()), cell))
    }

    /// A move that connects, else one that keeps the opponent from connecting, else any.
    fn informed_move(
        &self,
        state: &Connect4State,
        (): &(),
        _last: Option<Move>,
        random: &mut impl Rng,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        self.legal_moves(state, &(), scratch);
        let other = state.stones & !state.mover;
        for stones in [state.mover, other] {
            let connects = |mv: &Move| {
                self.board.connects(stones | self.board.landing(state.stones, mv.0 as u8))
            };
            let count = scratch.iter().filter(|mv| connects(mv)).count();
            if count > 0 {
                let n = random.random_range(0..count);
                return scratch.iter().copied().filter(connects).nth(n);
            }
        }
        (!scratch.is_empty()).then(|| scratch[random.random_range(0..scratch.len())])
    }

    #[inline]
    fn eval_key(&self, state: &Connect4State, (): &()) -> Key {
        let mover = state.mover;
        let stones = state.stones;
        let low = [mover as u64, stones as u64];
        if self.board.small {
            return Key::of_words(&low);
        }
        Key::of_words(&[low[0], low[1], (mover >> 64) as u64, (stones >> 64) as u64])
    }

    fn plies_max(&self) -> Option<u32> {
        Some(u32::from(self.board.width) * u32::from(self.board.height))
    }

    fn moves_max(&self) -> usize {
        self.board.width.into()
    }

    fn symmetry_count(&self) -> u8 {
        2
    }

    fn map_state(&self, symmetry: Symmetry, state: &Connect4State) -> Connect4State {
        if symmetry == Symmetry::IDENTITY {
            return *state;
        }
        let mover = self.board.mirror(state.mover);
        let stones = self.board.mirror(state.stones);
        Connect4State { mover, stones, ..*state }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        if symmetry == Symmetry::IDENTITY {
            mv
        } else {
            Move(u16::from(self.board.width) - 1 - mv.0)
        }
    }

    fn format_move(&self, mv: Move) -> String {
        (mv.0 + 1).to_string()
    }

    fn parse_move(&self, _state: &Connect4State, text: &str) -> Result<Move, GameError> {
        let column = parse_number(text).filter(|x| (1..=self.board.width.into()).contains(x));
        column.map(|x| Move(x - 1)).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!("write a column, 1 to {}", self.board.width),
        })
    }

    fn split_moves<'a>(&self, list: &'a str) -> Vec<&'a str> {
        if self.board.width > 9 {
            return list.split_whitespace().collect();
        }
        list.split_whitespace()
            .flat_map(|word| word.char_indices().map(move |(i, c)| &word[i..i + c.len_utf8()]))
            .collect()
    }

    fn render(&self, state: &Connect4State) -> String {
        let mover_sign = if state.plies.is_multiple_of(2) { ('X', 'O') } else { ('O', 'X') };
        let mut text = String::new();
        for y in 0..self.board.height {
            for x in 0..self.board.width {
                let point = self.board.point(x, y);
                text.push(match (state.mover & point != 0, state.stones & point != 0) {
                    (true, _) => mover_sign.0,
                    (false, true) => mover_sign.1,
                    (false, false) => '.',
                });
                text.push(if x + 1 < self.board.width { ' ' } else { '\n' });
            }
        }
        let columns: Vec<String> = (1..=self.board.width).map(|x| (x % 10).to_string()).collect();
        text + &columns.join(" ") + "\n"
    }

    fn display(&self) -> Display {
        Display { board: BoardKind::Discs, places: MovePlaces::Columns, ..Display::default() }
    }

    fn notation(&self) -> &'static str {
        "columns from 1; a list may be written without spaces where the width is at most 9"
    }
}
