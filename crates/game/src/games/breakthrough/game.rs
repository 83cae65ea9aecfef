//! The rules of Breakthrough, as every game gives them.

use super::{Breakthrough, BreakthroughEncoding, BreakthroughState, squares, squares_of, step};
use crate::{
    BoardKind, Display, Game, GameError, GameSpec, Key, Move, MovePlaces, Outcome, Player, Status,
    Symmetry,
};

impl Game for Breakthrough {
    type State = BreakthroughState;
    type History = ();
    type Encoding = BreakthroughEncoding;

    fn spec(&self) -> GameSpec {
        let parameters = [("width", self.width.to_string()), ("height", self.height.to_string())];
        GameSpec::new("breakthrough", &parameters)
    }

    fn encoding(&self) -> BreakthroughEncoding {
        BreakthroughEncoding { game: self.clone() }
    }

    fn start(&self) -> BreakthroughState {
        let first = self.row(0) | self.row(1);
        let second = self.row(self.height - 2) | self.row(self.height - 1);
        BreakthroughState { pawns: [first, second], mover: Player::First }
    }

    fn status(&self, state: &BreakthroughState, (): &()) -> Status {
        // Only the player who has just moved can have won.
        let moved = state.mover.opponent();
        let has_arrived = state.pawns[moved.index()] & self.goal(moved) != 0;
        let has_captured_all = state.pawns[state.mover.index()] == 0;
        if has_arrived || has_captured_all {
            Status::Over(Outcome::win_of(moved))
        } else {
            Status::ToMove(state.mover)
        }
    }

    fn legal_moves(&self, state: &BreakthroughState, history: &(), out: &mut Vec<Move>) {
        out.clear();
        let Status::ToMove(mover) = self.status(state, history) else { return };
        let own = state.pawns[mover.index()];
        let other = state.pawns[mover.opponent().index()];
        for from in squares(own) {
            for to in self.ahead(mover, from) {
                // A pawn does not capture straight ahead.
                let is_straight = to % self.width == from % self.width;
                let taken = if is_straight { own | other } else { own };
                if taken >> to & 1 == 0 {
                    out.push(step(from, to));
                }
            }
        }
    }

    fn play(&self, state: &mut BreakthroughState, mv: Move) {
        let [from, to] = squares_of(mv);
        let opponent = state.mover.opponent();
        state.pawns[state.mover.index()] ^= 1 << from | 1 << to;
        state.pawns[opponent.index()] &= !(1 << to);
        state.mover = opponent;
    }

    fn eval_key(&self, state: &BreakthroughState, (): &()) -> Key {
        let [first, second] = state.pawns;
        Key::of_words(&[first, second, state.mover.index() as u64])
    }

    /// Each move takes a pawn one row forward. Both pawns of a column can come as far as the row
    /// before the last one; one step more ends the game.
    fn plies_max(&self) -> Option<u32> {
        let [width, height] = [self.width, self.height].map(u32::from);
        let steps_of_player = width * ((height - 2) + (height - 3));
        Some(2 * steps_of_player + 1)
    }

    /// Two rows of pawns with three squares ahead of each.
    fn moves_max(&self) -> usize {
        usize::from(2 * self.width * 3)
    }

    fn symmetry_count(&self) -> u8 {
        2
    }

    fn map_state(&self, symmetry: Symmetry, state: &BreakthroughState) -> BreakthroughState {
        let map = |set: u64| {
            squares(set).fold(0, |mapped, square| mapped | 1 << self.map_square(symmetry, square))
        };
        BreakthroughState { pawns: state.pawns.map(map), mover: state.mover }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        let [from, to] = squares_of(mv).map(|square| self.map_square(symmetry, square));
        step(from, to)
    }

    fn format_move(&self, mv: Move) -> String {
        squares_of(mv).map(|square| self.square_name(square)).concat()
    }

    /// Reads `a2b3`, and as other programs write it `a2-b3`, `a2xb3` and `a2b3*`.
    fn parse_move(&self, _state: &BreakthroughState, text: &str) -> Result<Move, GameError> {
        let squares = 0..self.width * self.height;
        let text_of_squares = text.trim_end_matches('*').to_ascii_lowercase();
        let square = |name: &str| squares.clone().find(|&s| self.square_name(s) == name);
        let found = text_of_squares.split_at_checked(2).and_then(|(from, to)| {
            let to = to.strip_prefix(['-', 'x']).unwrap_or(to);
            Some(step(square(from)?, square(to)?))
        });
        found.ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!(
                "write two squares such as a2a3, a1 to {}",
                self.square_name(self.width * self.height - 1)
            ),
        })
    }

    fn render(&self, state: &BreakthroughState) -> String {
        let mut text = String::new();
        for row in (0..self.height).rev() {
            text += &(row + 1).to_string();
            for column in 0..self.width {
                text += match self.pawn_at(state, row * self.width + column) {
                    Some(Player::First) => " X",
                    Some(Player::Second) => " O",
                    None => " .",
                };
            }
            text.push('\n');
        }
        text.push(' ');
        for column in 0..self.width {
            text.push(' ');
            text.push(char::from(b'a' + column as u8));
        }
        text + "\n"
    }

    fn display(&self) -> Display {
        Display { sides: ["white", "black"], board: BoardKind::Discs, places: MovePlaces::FromTo }
    }

    fn notation(&self) -> &'static str {
        "from and to, such as a2a3 or b2c3; a1 bottom left, the first player moves up"
    }
}
