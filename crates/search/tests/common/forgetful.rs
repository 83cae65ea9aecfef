//! A game with real cycles: a token on a track, without a past, so that positions come back.

use dz_game::{
    Encoding, Game, GameError, GameSpec, Key, Move, Outcome, PlaneShape, PlaneWriter, Player,
    Status, Symmetry,
};

/// The token starts in the middle and moves left (0) or right (1); the right end wins for the first
/// player, the left end for the second. There is no repetition rule, so play need not end.
#[derive(Clone, Debug)]
pub struct Forgetful {
    pub length: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub at: u8,
    pub mover: Player,
}

impl Game for Forgetful {
    type State = Token;
    type History = ();
    type Encoding = Blank<Self>;

    fn spec(&self) -> GameSpec {
        GameSpec::new("forgetful", &[])
    }
    fn encoding(&self) -> Blank<Self> {
        Blank(std::marker::PhantomData)
    }
    fn start(&self) -> Token {
        Token { at: self.length / 2, mover: Player::First }
    }
    fn status(&self, state: &Token, (): &()) -> Status {
        if state.at + 1 == self.length {
            Status::Over(Outcome::win_of(Player::First))
        } else if state.at == 0 {
            Status::Over(Outcome::win_of(Player::Second))
        } else {
            Status::ToMove(state.mover)
        }
    }
    fn legal_moves(&self, state: &Token, history: &(), out: &mut Vec<Move>) {
        out.clear();
        if let Status::ToMove(_) = self.status(state, history) {
            out.extend([Move(0), Move(1)]);
        }
    }
    fn play(&self, state: &mut Token, mv: Move) {
        state.at = if mv == Move(0) { state.at - 1 } else { state.at + 1 };
        state.mover = state.mover.opponent();
    }
    fn eval_key(&self, state: &Token, (): &()) -> Key {
        Key::of_words(&[u64::from(state.at), state.mover.index() as u64])
    }
    fn acyclic(&self) -> bool {
        false
    }
    fn plies_max(&self) -> Option<u32> {
        None
    }
    fn moves_max(&self) -> usize {
        2
    }
    fn format_move(&self, mv: Move) -> String {
        mv.0.to_string()
    }
    fn parse_move(&self, _state: &Token, text: &str) -> Result<Move, GameError> {
        let bad = |_| GameError::BadMove { text: text.to_owned(), expected: "0 or 1".to_owned() };
        text.parse().map(Move).map_err(bad)
    }
    fn render(&self, state: &Token) -> String {
        format!("{}\n", state.at)
    }
    fn notation(&self) -> &'static str {
        "0 or 1"
    }
}

/// An encoding for games of tests that no network sees.
#[derive(Clone, Debug)]
pub struct Blank<G>(pub std::marker::PhantomData<G>);

impl<G: Game> Encoding for Blank<G> {
    type Game = G;
    fn id(&self) -> String {
        "blank".to_owned()
    }
    fn planes(&self) -> PlaneShape {
        PlaneShape { channels: 1, height: 1, width: 1, globals: 0 }
    }
    fn plane_names(&self) -> Vec<String> {
        vec!["nothing".to_owned()]
    }
    fn policy_len(&self) -> usize {
        1
    }
    fn policy_layout(&self) -> String {
        "none".to_owned()
    }
    fn policy_index(&self, _state: &G::State, _mv: Move, _symmetry: Symmetry) -> usize {
        0
    }
    fn encode(
        &self,
        _state: &G::State,
        _history: &G::History,
        _symmetry: Symmetry,
        _out: &mut PlaneWriter<'_>,
    ) {
    }
}
