//! Records of Gomoku: SGF with `GM[4]`. The format's list of games gives the number and no page; programs
//! write points as in Go (`KataGomo`, Renju editors): `hh` is the middle of 15 rows.

use super::Gomoku;
use crate::{GameError, Move, RecordFormat, SgfRoot, games::sgf_point};

impl Gomoku {
    pub(super) fn sgf(&self) -> RecordFormat {
        let properties = vec![("RU", vec![self.rule.name().to_owned()])];
        RecordFormat::Sgf(SgfRoot { properties, ..SgfRoot::new(4, self.size()) })
    }

    pub(super) fn parse_sgf(&self, text: &str) -> Result<Move, GameError> {
        sgf_point::parse(self.size(), text).map(Move).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!(
                "write two letters, column and row from the top left, aa to {}",
                sgf_point::name(self.size(), self.grid.area() - 1)
            ),
        })
    }
}
