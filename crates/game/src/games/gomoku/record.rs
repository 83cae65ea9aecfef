//! Records of Gomoku: SGF with `GM[4]`. The format's list of games gives the number and no page;
//! programs write points as in Go (`KataGomo`, Renju editors): `hh` is the middle of 15 rows. SGF
//! cannot express that a player takes a colour, so games with an opening are kept as plain lists.

use super::{Gomoku, GomokuOpening, GomokuState};
use crate::{Game, GameError, Move, RecordFormat, SgfRoot, games::sgf_point};

impl Gomoku {
    fn is_plain(&self) -> bool {
        self.opening != GomokuOpening::None
    }

    pub(super) fn records(&self) -> RecordFormat {
        if self.is_plain() {
            return RecordFormat::Plain;
        }
        let properties = vec![("RU", vec![self.rule.name().to_owned()])];
        RecordFormat::Sgf(SgfRoot { properties, ..SgfRoot::new(4, self.size()) })
    }

    pub(super) fn format_record(&self, mv: Move) -> String {
        if self.is_plain() { self.format_move(mv) } else { sgf_point::name(self.size(), mv.0) }
    }

    pub(super) fn parse_record(&self, state: &GomokuState, text: &str) -> Result<Move, GameError> {
        if self.is_plain() {
            return self.parse_move(state, text);
        }
        sgf_point::parse(self.size(), text).map(Move).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!(
                "write two letters, column and row from the top left, aa to {}",
                sgf_point::name(self.size(), self.grid.area() - 1)
            ),
        })
    }
}
