//! Shuttle, a toy with cycles: the smallest game in which the past matters.
//!
//! One token stands in the middle of a track. Players move it in turn, one point left or right. It
//! is a win for the first player at the right end, for the second at the left end. A position
//! (token and mover) that occurs for the third time is a draw. With best play the token goes to and
//! fro.

use crate::{
    BoardKind, Display, Encoding, Game, GameError, GameSpec, Key, Move, Outcome, PlaneShape,
    PlaneWriter, Player, Status, Symmetry, mix64,
};

/// The rules with the length of the track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shuttle {
    length: u8,
}

/// Where the token stands and who moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuttleState {
    token: u8,
    mover: Player,
}

/// How often each position has occurred before, and in which order.
#[derive(Clone, Debug, Default)]
pub struct ShuttleHistory {
    past: Vec<u8>,
}

/// To the left end.
const LEFT: Move = Move(0);
/// To the right end.
const RIGHT: Move = Move(1);

impl Shuttle {
    /// Reads `length` (5), an odd number.
    ///
    /// # Errors
    /// [`GameError`] for an even or impossible length or an unknown parameter.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["length"])?;
        let length = reader.number("length", 5, 3..=31)?;
        if length % 2 == 0 {
            return Err(reader.bad("length", &length.to_string(), "allowed: odd numbers, 3 to 31"));
        }
        Ok(Self { length })
    }
}

impl ShuttleState {
    /// A number for token and mover together.
    fn code(self) -> u8 {
        2 * self.token + self.mover.index() as u8
    }
}

impl ShuttleHistory {
    /// Earlier occurrences of `state`.
    fn repeats(&self, state: ShuttleState) -> usize {
        let code = state.code();
        self.past.iter().map(|&past| usize::from(past == code)).sum()
    }
}

impl Game for Shuttle {
    type State = ShuttleState;
    type History = ShuttleHistory;
    type Encoding = ShuttleEncoding;

    fn spec(&self) -> GameSpec {
        GameSpec::new("shuttle", &[("length", self.length.to_string())])
    }

    fn encoding(&self) -> ShuttleEncoding {
        ShuttleEncoding { length: self.length }
    }

    fn start(&self) -> ShuttleState {
        ShuttleState { token: self.length / 2, mover: Player::First }
    }

    fn status(&self, state: &ShuttleState, history: &ShuttleHistory) -> Status {
        if state.token == self.length - 1 {
            Status::Over(Outcome::win_of(Player::First))
        } else if state.token == 0 {
            Status::Over(Outcome::win_of(Player::Second))
        } else if history.repeats(*state) >= 2 {
            Status::Over(Outcome::DRAW)
        } else {
            Status::ToMove(state.mover)
        }
    }

    fn legal_moves(&self, state: &ShuttleState, history: &ShuttleHistory, out: &mut Vec<Move>) {
        out.clear();
        if let Status::ToMove(_) = self.status(state, history) {
            out.extend([LEFT, RIGHT]);
        }
    }

    fn play(&self, state: &mut ShuttleState, mv: Move) {
        state.token = if mv == LEFT { state.token - 1 } else { state.token + 1 };
        state.mover = state.mover.opponent();
    }

    fn push_history(&self, history: &mut ShuttleHistory, state: &ShuttleState, _mv: Move) {
        history.past.push(state.code());
    }

    fn pop_history(&self, history: &mut ShuttleHistory) {
        history.past.pop();
    }

    fn eval_key(&self, state: &ShuttleState, history: &ShuttleHistory) -> Key {
        Key::of_words(&[u64::from(state.code()), history.repeats(*state) as u64])
    }

    /// The future depends on how often every position has occurred, not on their order.
    fn node_key(&self, state: &ShuttleState, history: &ShuttleHistory) -> Key {
        let sum = |salt: u64| {
            history.past.iter().fold(0u64, |s, &code| s.wrapping_add(mix64(salt ^ u64::from(code))))
        };
        self.eval_key(state, history).mix(sum(0x51ed)).mix(sum(0xa11c_e000))
    }

    fn acyclic(&self) -> bool {
        false
    }

    fn plies_max(&self) -> Option<u32> {
        // Every position twice without a draw, and one ply more.
        Some(4 * u32::from(self.length) + 1)
    }

    fn moves_max(&self) -> usize {
        2
    }

    fn format_move(&self, mv: Move) -> String {
        if mv == LEFT { "left" } else { "right" }.to_owned()
    }

    fn parse_move(&self, _state: &ShuttleState, text: &str) -> Result<Move, GameError> {
        match text.to_ascii_lowercase().as_str() {
            "left" => Ok(LEFT),
            "right" => Ok(RIGHT),
            _ => Err(GameError::BadMove {
                text: text.to_owned(),
                expected: "write left or right".to_owned(),
            }),
        }
    }

    fn render(&self, state: &ShuttleState) -> String {
        let row = (0..self.length).map(|x| if x == state.token { '*' } else { '.' });
        row.collect::<String>() + "\n"
    }

    fn display(&self) -> Display {
        Display { board: BoardKind::Token, ..Display::default() }
    }

    fn notation(&self) -> &'static str {
        "left or right"
    }
}

/// Version 1, from the mover's side, whose goal is at the right: the token, and a full plane if the
/// position has occurred before.
#[derive(Clone, Debug)]
pub struct ShuttleEncoding {
    length: u8,
}

impl Encoding for ShuttleEncoding {
    type Game = Shuttle;

    fn id(&self) -> String {
        format!("shuttle-v1:{}", self.length)
    }

    fn planes(&self) -> PlaneShape {
        PlaneShape { channels: 2, height: 1, width: self.length.into(), globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        ["token", "occurred before"].map(str::to_owned).to_vec()
    }

    fn policy_len(&self) -> usize {
        2
    }

    fn policy_layout(&self) -> String {
        "0 = away from the mover's goal, 1 = towards it".to_owned()
    }

    fn policy_index(&self, state: &ShuttleState, mv: Move, _symmetry: Symmetry) -> usize {
        let towards = if state.mover == Player::First { RIGHT } else { LEFT };
        usize::from(mv == towards)
    }

    fn encode(
        &self,
        state: &ShuttleState,
        history: &ShuttleHistory,
        _symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let token = match state.mover {
            Player::First => state.token,
            Player::Second => self.length - 1 - state.token,
        };
        out.set(0, 0, token.into());
        if history.repeats(*state) > 0 {
            out.fill(1);
        }
    }
}
