//! Connect Four of any width, height and length to connect, on bitboards.
//!
//! Bit `x * (height + 1) + y` is the point in column `x`, row `y` from the bottom. The row above the
//! board stays empty, so that shifted boards do not run into the next column (J. Tromp's layout).

use crate::{
    Encoding, Game, GameError, GameSpec, Key, Move, Outcome, PlaneShape, PlaneWriter, Player,
    Status, Symmetry,
};

/// The rules with their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connect4 {
    width: u8,
    height: u8,
    connect: u8,
}

/// A position: the mover's stones, all stones, and what the last move did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connect4State {
    mover: u128,
    stones: u128,
    plies: u8,
    /// The player who just moved has connected.
    connected: bool,
}

impl Connect4 {
    /// A board of `width` columns and `height` rows on which `connect` stones in line win.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if the board has more than 128 bits (columns times rows + 1) or
    /// `connect` fits neither side.
    pub fn new(width: u8, height: u8, connect: u8) -> Result<Self, GameError> {
        let spec = GameSpec::new(
            "connect4",
            &[
                ("width", width.to_string()),
                ("height", height.to_string()),
                ("connect", connect.to_string()),
            ],
        );
        Self::from_spec(&spec)
    }

    /// Reads `width` (7), `height` (6) and `connect` (4).
    ///
    /// # Errors
    /// As [`Connect4::new`], and for parameters that are unknown or no numbers.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["width", "height", "connect"])?;
        let width = reader.number("width", 7, 1..=32)?;
        let height = reader.number("height", 6, 1..=32)?;
        let connect = reader.number("connect", 4, 2..=32)?;
        if u32::from(width) * (u32::from(height) + 1) > 128 {
            let value = height.to_string();
            return Err(reader.bad("height", &value, "allowed: width * (height + 1) up to 128"));
        }
        if connect > width.max(height) {
            let value = connect.to_string();
            return Err(reader.bad("connect", &value, "allowed: 2 to the longer side"));
        }
        Ok(Self { width, height, connect })
    }

    fn column(&self, x: u8) -> u32 {
        u32::from(x) * (u32::from(self.height) + 1)
    }

    fn top(&self, x: u8) -> u128 {
        1 << (self.column(x) + u32::from(self.height) - 1)
    }

    /// The bit that a stone dropped into column `x` lands on, given all stones: adding the column's
    /// lowest bit carries through the stones to the first empty point.
    fn landing(&self, stones: u128, x: u8) -> u128 {
        let bottom = 1 << self.column(x);
        let column = (bottom << self.height) - bottom;
        ((stones & column) + bottom) & ((bottom << self.height) | column)
    }

    fn connects(&self, stones: u128) -> bool {
        let rise = u32::from(self.height) + 1;
        [1, rise, rise - 1, rise + 1].into_iter().any(|step| has_line(stones, step, self.connect))
    }

    fn point(&self, x: u8, y_from_top: u8) -> u128 {
        1 << (self.column(x) + u32::from(self.height - 1 - y_from_top))
    }

    fn mirror(&self, stones: u128) -> u128 {
        let mask = (1u128 << (self.height + 1)) - 1;
        (0..self.width).fold(0, |mirrored, x| {
            let column = (stones >> self.column(x)) & mask;
            mirrored | (column << self.column(self.width - 1 - x))
        })
    }
}

/// True if `length` stones stand `step` bits apart: each round doubles the length already found.
fn has_line(stones: u128, step: u32, length: u8) -> bool {
    let (mut runs, mut found) = (stones, 1);
    while found < u32::from(length) {
        let grow = found.min(u32::from(length) - found);
        // A shift of 128 bits or more leaves nothing: no line that long fits the board.
        let Some(shifted) = runs.checked_shr(grow * step) else { return false };
        runs &= shifted;
        if runs == 0 {
            return false;
        }
        found += grow;
    }
    runs != 0
}

impl Game for Connect4 {
    type State = Connect4State;
    type History = ();
    type Encoding = Connect4Encoding;

    fn spec(&self) -> GameSpec {
        GameSpec::new(
            "connect4",
            &[
                ("width", self.width.to_string()),
                ("height", self.height.to_string()),
                ("connect", self.connect.to_string()),
            ],
        )
    }

    fn encoding(&self) -> Connect4Encoding {
        Connect4Encoding { game: self.clone() }
    }

    fn start(&self) -> Connect4State {
        Connect4State { mover: 0, stones: 0, plies: 0, connected: false }
    }

    fn status(&self, state: &Connect4State, (): &()) -> Status {
        let mover = if state.plies.is_multiple_of(2) { Player::First } else { Player::Second };
        if state.connected {
            Status::Over(Outcome::win_of(mover.opponent()))
        } else if state.plies == self.width * self.height {
            Status::Over(Outcome::DRAW)
        } else {
            Status::ToMove(mover)
        }
    }

    fn legal_moves(&self, state: &Connect4State, (): &(), out: &mut Vec<Move>) {
        out.clear();
        if !state.connected {
            let open = (0..self.width).filter(|&x| state.stones & self.top(x) == 0);
            out.extend(open.map(|x| Move(u16::from(x))));
        }
    }

    fn play(&self, state: &mut Connect4State, mv: Move) {
        let landing = self.landing(state.stones, mv.0 as u8);
        debug_assert!(mv.0 < u16::from(self.width) && state.stones & self.top(mv.0 as u8) == 0);
        let own = state.mover | landing;
        state.connected = self.connects(own);
        // The mover's view passes to the opponent, whose stones are the others.
        state.mover = state.stones & !state.mover;
        state.stones |= landing;
        state.plies += 1;
    }

    fn eval_key(&self, state: &Connect4State, (): &()) -> Key {
        let words = [state.mover, state.stones].map(|w| [w as u64, (w >> 64) as u64]);
        Key::of_words(&words.concat()[..])
    }

    fn plies_max(&self) -> Option<u32> {
        Some(u32::from(self.width) * u32::from(self.height))
    }

    fn moves_max(&self) -> usize {
        self.width.into()
    }

    fn symmetry_count(&self) -> u8 {
        2
    }

    fn map_state(&self, symmetry: Symmetry, state: &Connect4State) -> Connect4State {
        if symmetry == Symmetry::IDENTITY {
            return *state;
        }
        let (mover, stones) = (self.mirror(state.mover), self.mirror(state.stones));
        Connect4State { mover, stones, ..*state }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        if symmetry == Symmetry::IDENTITY { mv } else { Move(u16::from(self.width) - 1 - mv.0) }
    }

    fn format_move(&self, mv: Move) -> String {
        (mv.0 + 1).to_string()
    }

    fn parse_move(&self, _state: &Connect4State, text: &str) -> Result<Move, GameError> {
        let column = text.parse::<u16>().ok().filter(|x| (1..=u16::from(self.width)).contains(x));
        column.map(|x| Move(x - 1)).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!("write a column, 1 to {}", self.width),
        })
    }

    fn split_moves<'a>(&self, list: &'a str) -> Vec<&'a str> {
        if self.width > 9 {
            return list.split_whitespace().collect();
        }
        list.split_whitespace()
            .flat_map(|word| word.char_indices().map(move |(i, c)| &word[i..i + c.len_utf8()]))
            .collect()
    }

    fn render(&self, state: &Connect4State) -> String {
        let mover_sign = if state.plies.is_multiple_of(2) { ('X', 'O') } else { ('O', 'X') };
        let mut text = String::new();
        for y in 0..self.height {
            for x in 0..self.width {
                let point = self.point(x, y);
                text.push(match (state.mover & point != 0, state.stones & point != 0) {
                    (true, _) => mover_sign.0,
                    (false, true) => mover_sign.1,
                    (false, false) => '.',
                });
                text.push(if x + 1 < self.width { ' ' } else { '\n' });
            }
        }
        let columns: Vec<String> = (1..=self.width).map(|x| (x % 10).to_string()).collect();
        text + &columns.join(" ") + "\n"
    }

    fn notation(&self) -> &'static str {
        "columns from 1; a list may be written without spaces where the width is at most 9"
    }
}

/// Version 1: own stones, opponent's stones, points where a stone can land, all points.
#[derive(Clone, Debug)]
pub struct Connect4Encoding {
    game: Connect4,
}

impl Encoding for Connect4Encoding {
    type Game = Connect4;

    fn id(&self) -> String {
        format!("connect4-v1:{}x{}", self.game.height, self.game.width)
    }

    fn planes(&self) -> PlaneShape {
        let (height, width) = (self.game.height.into(), self.game.width.into());
        PlaneShape { channels: 4, height, width, globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        ["own stones", "opponent's stones", "landing points", "board"].map(str::to_owned).to_vec()
    }

    fn policy_len(&self) -> usize {
        self.game.width.into()
    }

    fn policy_layout(&self) -> String {
        "index = column - 1".to_owned()
    }

    fn policy_index(&self, _state: &Connect4State, mv: Move, symmetry: Symmetry) -> usize {
        self.game.map_move(symmetry, mv).0.into()
    }

    fn encode(
        &self,
        state: &Connect4State,
        (): &(),
        symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let game = &self.game;
        let seen = game.map_state(symmetry, state);
        for x in 0..game.width {
            let landing = game.landing(seen.stones, x);
            for y in 0..game.height {
                let (point, at) = (game.point(x, y), (usize::from(y), usize::from(x)));
                if seen.mover & point != 0 {
                    out.set(0, at.0, at.1);
                } else if seen.stones & point != 0 {
                    out.set(1, at.0, at.1);
                } else if landing == point {
                    out.set(2, at.0, at.1);
                }
                out.set(3, at.0, at.1);
            }
        }
    }
}
