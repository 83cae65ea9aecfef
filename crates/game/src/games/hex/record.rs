//! Records of Hex: SGF with `GM[11]` (<https://www.red-bean.com/sgf/hex.html>): points like a1,
//! black moves first and connects top and bottom, `swap-pieces` takes the first move over.

use super::{Hex, HexState};
use crate::{Game, GameError, Move, RecordFormat, SgfRoot};

impl Hex {
    /// The format names no values of `RU`; `swap` says that the rule is in force.
    pub(super) fn sgf(&self) -> RecordFormat {
        let properties = self.swap.then(|| ("RU", vec!["swap".to_owned()])).into_iter().collect();
        RecordFormat::Sgf(SgfRoot { properties, ..SgfRoot::new(11, self.size()) })
    }

    /// With `swap-pieces` players keep their colours, the stone changes its own and is mirrored:
    /// the swap that is played here.
    pub(super) fn format_sgf(&self, mv: Move) -> String {
        if mv == self.swap_move() { "swap-pieces".to_owned() } else { self.format_move(mv) }
    }

    pub(super) fn parse_sgf(&self, state: &HexState, text: &str) -> Result<Move, GameError> {
        if text.eq_ignore_ascii_case("swap-pieces") {
            return self.parse_move(state, "swap");
        }
        if text.eq_ignore_ascii_case("swap-sides") {
            return Err(GameError::BadMove {
                text: text.to_owned(),
                expected:
                    "players keep their colours here: write swap-pieces, and mirror the moves \
                           before it and after it"
                        .to_owned(),
            });
        }
        self.parse_move(state, text)
    }
}
