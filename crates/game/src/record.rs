//! How a game's community keeps records of games.

/// The format of a game's records, and what of it the game decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    /// Moves in the game's own notation: no community format is known.
    Plain,
    /// Smart Game Format FF\[4\] (A. Hollosi, <https://www.red-bean.com/sgf/>).
    Sgf(SgfRoot),
    /// Portable Game Notation (S. Edwards, 1994): chess.
    Pgn,
}

/// Properties of a game in the root of an SGF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SgfRoot {
    /// The game's number, property `GM`.
    pub game: u8,
    /// Rows, which are as many as columns, property `SZ`.
    pub size: u16,
    /// Other properties of the root in the order in which they are written, values not escaped.
    /// Stones set up with `AB` and `AW` are the start position.
    pub properties: Vec<(&'static str, Vec<String>)>,
    /// What the second player gets on top of the margin, in half points.
    pub komi_halves: i16,
}

impl SgfRoot {
    /// A root without other properties.
    pub fn new(game: u8, size: u16) -> Self {
        Self { game, size, properties: Vec::new(), komi_halves: 0 }
    }
}
