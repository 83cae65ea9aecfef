//! Tic-tac-toe, on bitboards of nine bits: bit `3 * row + column`.

use crate::{
    Encoding, Game, GameError, GameSpec, Key, Move, Outcome, PlaneShape, PlaneWriter, Player,
    Status, Symmetry,
    games::{grid::Grid, parse_number},
};

/// The rules; there are no parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicTacToe;

/// A position: stones of the first and of the second player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TicTacToeState {
    stones: [u16; 2],
}

const FULL: u16 = 0o777;
/// Rows, columns, diagonals.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

impl TicTacToe {
    /// The game; `spec` must have no parameters.
    ///
    /// # Errors
    /// [`GameError::UnknownParameter`] for any parameter.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        spec.reader(&[]).map(|_| Self)
    }
}

impl TicTacToeState {
    fn mover(self) -> Player {
        if self.stones[0].count_ones() == self.stones[1].count_ones() {
            Player::First
        } else {
            Player::Second
        }
    }
}

fn has_line(stones: u16) -> bool {
    LINES.iter().any(|&line| !stones & line == 0)
}

fn map_point(symmetry: Symmetry, point: u16) -> u16 {
    Grid { size: 3 }.map_point(symmetry, point)
}

fn map_stones(symmetry: Symmetry, stones: u16) -> u16 {
    (0..9).filter(|p| stones >> p & 1 == 1).fold(0, |out, p| out | 1 << map_point(symmetry, p))
}

impl Game for TicTacToe {
    type State = TicTacToeState;
    type History = ();
    type Encoding = TicTacToeEncoding;

    fn spec(&self) -> GameSpec {
        GameSpec::new("tictactoe", &[])
    }

    fn encoding(&self) -> TicTacToeEncoding {
        TicTacToeEncoding
    }

    fn start(&self) -> TicTacToeState {
        TicTacToeState { stones: [0, 0] }
    }

    fn status(&self, state: &TicTacToeState, (): &()) -> Status {
        let winner = Player::BOTH.into_iter().find(|player| has_line(state.stones[player.index()]));
        match winner {
            Some(player) => Status::Over(Outcome::win_of(player)),
            None if state.stones[0] | state.stones[1] == FULL => Status::Over(Outcome::DRAW),
            None => Status::ToMove(state.mover()),
        }
    }

    fn legal_moves(&self, state: &TicTacToeState, history: &(), out: &mut Vec<Move>) {
        out.clear();
        if let Status::ToMove(_) = self.status(state, history) {
            let taken = state.stones[0] | state.stones[1];
            out.extend((0..9).filter(|p| taken >> p & 1 == 0).map(Move));
        }
    }

    fn play(&self, state: &mut TicTacToeState, mv: Move) {
        let mover = state.mover();
        state.stones[mover.index()] |= 1 << mv.0;
    }

    fn eval_key(&self, state: &TicTacToeState, (): &()) -> Key {
        Key::of_words(&[u64::from(state.stones[0]), u64::from(state.stones[1])])
    }

    fn plies_max(&self) -> Option<u32> {
        Some(9)
    }

    fn moves_max(&self) -> usize {
        9
    }

    fn symmetry_count(&self) -> u8 {
        8
    }

    fn map_state(&self, symmetry: Symmetry, state: &TicTacToeState) -> TicTacToeState {
        TicTacToeState { stones: state.stones.map(|stones| map_stones(symmetry, stones)) }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        Move(map_point(symmetry, mv.0))
    }

    fn format_move(&self, mv: Move) -> String {
        (mv.0 + 1).to_string()
    }

    fn parse_move(&self, _state: &TicTacToeState, text: &str) -> Result<Move, GameError> {
        let point = parse_number(text).filter(|p| (1..=9).contains(p));
        point.map(|p| Move(p - 1)).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: "write a point, 1 to 9 row by row from the top left".to_owned(),
        })
    }

    fn render(&self, state: &TicTacToeState) -> String {
        let sign = |p: u16| match state.stones.map(|stones| stones >> p & 1) {
            [1, _] => 'X',
            [_, 1] => 'O',
            _ => '.',
        };
        (0..3).fold(String::new(), |text, row| {
            text + &format!("{} {} {}\n", sign(3 * row), sign(3 * row + 1), sign(3 * row + 2))
        })
    }

    fn stones(&self, state: &TicTacToeState) -> Option<Vec<Option<Player>>> {
        let stone = |point: u16| {
            Player::BOTH.into_iter().find(|player| state.stones[player.index()] >> point & 1 == 1)
        };
        Some((0..9).map(stone).collect())
    }

    fn notation(&self) -> &'static str {
        "points 1 to 9, row by row from the top left"
    }
}

/// Version 1: own stones, opponent's stones, all points.
#[derive(Clone, Debug)]
pub struct TicTacToeEncoding;

impl Encoding for TicTacToeEncoding {
    type Game = TicTacToe;

    fn id(&self) -> String {
        "tictactoe-v1:3x3".to_owned()
    }

    fn planes(&self) -> PlaneShape {
        PlaneShape { channels: 3, height: 3, width: 3, globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        ["own stones", "opponent's stones", "board"].map(str::to_owned).to_vec()
    }

    fn policy_len(&self) -> usize {
        9
    }

    fn policy_layout(&self) -> String {
        "index = point - 1".to_owned()
    }

    fn policy_index(&self, _state: &TicTacToeState, mv: Move, symmetry: Symmetry) -> usize {
        map_point(symmetry, mv.0).into()
    }

    fn encode(
        &self,
        state: &TicTacToeState,
        (): &(),
        symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let mover = state.mover();
        let views = [state.stones[mover.index()], state.stones[mover.opponent().index()]];
        for point in 0..9 {
            let seen = usize::from(map_point(symmetry, point));
            for (plane, stones) in views.into_iter().enumerate() {
                if stones >> point & 1 == 1 {
                    out.set(plane, seen / 3, seen % 3);
                }
            }
        }
        out.fill(2);
    }
}
