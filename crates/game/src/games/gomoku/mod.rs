//! Gomoku of 6 to 19 rows: five stones in line win, on bitboards.

mod board;
mod encoding;
mod record;

use crate::{
    Game, GameError, GameSpec, Key, Move, Outcome, Player, RecordFormat, Status, Symmetry,
    games::{grid::Grid, sgf_point},
};

use board::{Points, SIZE_MAX};
pub use encoding::GomokuEncoding;

/// Which rows of stones win, for both players alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GomokuRule {
    /// Five or more.
    Freestyle,
    /// Five and no more: a row of six or more neither wins nor ends the game.
    Exact,
}

/// The rules with their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gomoku {
    grid: Grid,
    rule: GomokuRule,
}

/// A position: stones of the first and of the second player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GomokuState {
    stones: [Points; 2],
    plies: u16,
    /// The player who just moved has won.
    won: bool,
}

impl GomokuRule {
    const ALL: [Self; 2] = [Self::Freestyle, Self::Exact];

    /// "freestyle" or "exact".
    pub fn name(self) -> &'static str {
        match self {
            Self::Freestyle => "freestyle",
            Self::Exact => "exact",
        }
    }
}

impl Gomoku {
    /// A board of `size` rows and columns.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if `size` is not 6 to 19.
    pub fn new(size: u8, rule: GomokuRule) -> Result<Self, GameError> {
        let parameters = [("size", size.to_string()), ("rule", rule.name().to_owned())];
        Self::from_spec(&GameSpec::new("gomoku", &parameters))
    }

    /// Reads `size` (15) and `rule` (freestyle).
    ///
    /// # Errors
    /// As [`Gomoku::new`], and for parameters that are unknown, no number, or no rule.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["size", "rule"])?;
        let size = reader.number("size", 15, 6..=SIZE_MAX)?;
        let rule = match spec.parameters().iter().find(|(key, _)| key == "rule") {
            None => GomokuRule::Freestyle,
            Some((_, name)) => GomokuRule::ALL
                .into_iter()
                .find(|rule| rule.name() == name)
                .ok_or_else(|| reader.bad("rule", name, "allowed: freestyle or exact"))?,
        };
        Ok(Self { grid: Grid::new(size), rule })
    }

    /// Rows, which are as many as columns.
    pub fn size(&self) -> u16 {
        self.grid.size
    }

    /// Which rows of stones win.
    pub fn rule(&self) -> GomokuRule {
        self.rule
    }

    /// Whose stone lies on `point`, which is `row * size + column`, the number of its move.
    pub fn stone_at(&self, state: &GomokuState, point: u16) -> Option<Player> {
        let bit = self.bit(self.grid.split(point));
        [Player::First, Player::Second].into_iter().find(|p| state.stones[p.index()].has(bit))
    }

    /// Bits from a row to the next one.
    #[inline]
    fn stride(&self) -> u16 {
        self.grid.size + 1
    }

    #[inline]
    fn bit(&self, (row, column): (u16, u16)) -> u16 {
        (row + 1) * self.stride() + column + 1
    }

    /// Rows and columns of the points of a set.
    fn places(&self, set: &Points) -> impl Iterator<Item = (u16, u16)> {
        set.iter().map(|bit| (bit / self.stride() - 1, bit % self.stride() - 1))
    }
}

impl GomokuState {
    /// Who moves if the game is not over.
    #[inline]
    fn mover(&self) -> Player {
        if self.plies.is_multiple_of(2) { Player::First } else { Player::Second }
    }
}

impl Game for Gomoku {
    type State = GomokuState;
    type History = ();
    type Encoding = GomokuEncoding;

    fn spec(&self) -> GameSpec {
        let (size, rule) = (self.grid.size.to_string(), self.rule.name().to_owned());
        GameSpec::new("gomoku", &[("size", size), ("rule", rule)])
    }

    fn encoding(&self) -> GomokuEncoding {
        GomokuEncoding { game: self.clone() }
    }

    fn start(&self) -> GomokuState {
        GomokuState { stones: [Points::EMPTY; 2], plies: 0, won: false }
    }

    #[inline]
    fn status(&self, state: &GomokuState, (): &()) -> Status {
        if state.won {
            Status::Over(Outcome::win_of(state.mover().opponent()))
        } else if state.plies == self.grid.area() {
            Status::Over(Outcome::DRAW)
        } else {
            Status::ToMove(state.mover())
        }
    }

    #[inline]
    fn legal_moves(&self, state: &GomokuState, (): &(), out: &mut Vec<Move>) {
        if state.won {
            return out.clear();
        }
        let (size, [first, second]) = (self.grid.size, &state.stones);
        // Written for every point, kept for the open ones: a branch would be a coin toss.
        out.resize(self.moves_max(), Move(0));
        let (slots, mut len, mut point) = (out.as_mut_slice(), 0, 0);
        for row in 0..size {
            let start = self.bit((row, 0));
            let mut open = !(first.window(start) | second.window(start));
            for _ in 0..size {
                slots[len] = Move(point);
                len += usize::from(open & 1 == 1);
                open >>= 1;
                point += 1;
            }
        }
        out.truncate(len);
    }

    #[inline]
    fn play(&self, state: &mut GomokuState, mv: Move) {
        debug_assert!(!state.won, "the game is over");
        debug_assert!(self.stone_at(state, mv.0).is_none(), "the point is taken");
        let bit = self.bit(self.grid.split(mv.0));
        let own = &mut state.stones[state.mover().index()];
        own.insert(bit);
        // Only rows through the new stone have changed.
        let rows = own.rows_through(bit, self.stride());
        state.won = match self.rule {
            GomokuRule::Freestyle => rows.iter().any(|&length| length >= 5),
            GomokuRule::Exact => rows.contains(&5),
        };
        state.plies += 1;
    }

    #[inline]
    fn eval_key(&self, state: &GomokuState, (): &()) -> Key {
        // Who moves, and whether somebody has won, follows from the stones.
        let last = self.bit((self.grid.size - 1, self.grid.size - 1));
        let [first, second] = &state.stones;
        let words = first.words(last).iter().zip(second.words(last));
        words.fold(Key::of_words(&[]), |key, (&f, &s)| key.mix(f).mix(s))
    }

    fn plies_max(&self) -> Option<u32> {
        Some(self.grid.area().into())
    }

    fn moves_max(&self) -> usize {
        self.grid.area().into()
    }

    fn symmetry_count(&self) -> u8 {
        Grid::SYMMETRIES
    }

    fn map_state(&self, symmetry: Symmetry, state: &GomokuState) -> GomokuState {
        let stones = state.stones.map(|stones| {
            self.places(&stones).fold(Points::EMPTY, |mut mapped, at| {
                mapped.insert(self.bit(self.grid.map(symmetry, at)));
                mapped
            })
        });
        GomokuState { stones, ..*state }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        Move(self.grid.map_point(symmetry, mv.0))
    }

    fn format_move(&self, mv: Move) -> String {
        self.grid.name(mv.0)
    }

    fn parse_move(&self, _state: &GomokuState, text: &str) -> Result<Move, GameError> {
        self.grid.parse(text).map(Move).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!("write a point, a1 to {}", self.grid.name(self.grid.area() - 1)),
        })
    }

    fn render(&self, state: &GomokuState) -> String {
        self.grid.draw(|point| match self.stone_at(state, point) {
            Some(Player::First) => 'X',
            Some(Player::Second) => 'O',
            None => '.',
        })
    }

    fn notation(&self) -> &'static str {
        "points by column and row, a1 top left, no letter skipped"
    }

    fn record_format(&self) -> RecordFormat {
        self.sgf()
    }

    fn record_move(&self, _state: &GomokuState, mv: Move) -> Option<String> {
        Some(sgf_point::name(self.size(), mv.0))
    }

    fn parse_record_move(&self, _state: &GomokuState, text: &str) -> Result<Move, GameError> {
        self.parse_sgf(text)
    }
}
