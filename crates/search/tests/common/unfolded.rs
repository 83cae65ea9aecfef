//! Tic-tac-toe whose positions remember how they came about: a game without transpositions.

use dz_game::{
    Game, GameError, GameSpec, Key, Move, Status,
    games::{TicTacToe, TicTacToeState},
};

use super::forgetful::Blank;

#[derive(Clone, Debug)]
pub struct Unfolded;

/// The board, and the moves so far as digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    board: TicTacToeState,
    moves: u64,
}

impl Game for Unfolded {
    type State = Line;
    type History = ();
    type Encoding = Blank<Self>;

    fn spec(&self) -> GameSpec {
        GameSpec::new("unfolded", &[])
    }
    fn encoding(&self) -> Blank<Self> {
        Blank(std::marker::PhantomData)
    }
    fn start(&self) -> Line {
        Line { board: TicTacToe.start(), moves: 0 }
    }
    fn status(&self, state: &Line, (): &()) -> Status {
        TicTacToe.status(&state.board, &())
    }
    fn legal_moves(&self, state: &Line, (): &(), out: &mut Vec<Move>) {
        TicTacToe.legal_moves(&state.board, &(), out);
    }
    fn play(&self, state: &mut Line, mv: Move) {
        TicTacToe.play(&mut state.board, mv);
        state.moves = 10 * state.moves + u64::from(mv.0) + 1;
    }
    fn eval_key(&self, state: &Line, (): &()) -> Key {
        TicTacToe.eval_key(&state.board, &())
    }
    fn node_key(&self, state: &Line, (): &()) -> Key {
        Key::of_words(&[state.moves])
    }
    fn plies_max(&self) -> Option<u32> {
        Some(9)
    }
    fn moves_max(&self) -> usize {
        9
    }
    fn format_move(&self, mv: Move) -> String {
        TicTacToe.format_move(mv)
    }
    fn parse_move(&self, state: &Line, text: &str) -> Result<Move, GameError> {
        TicTacToe.parse_move(&state.board, text)
    }
    fn render(&self, state: &Line) -> String {
        TicTacToe.render(&state.board)
    }
    fn notation(&self) -> &'static str {
        TicTacToe.notation()
    }
}
