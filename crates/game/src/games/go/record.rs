//! Records of Go: SGF with `GM[1]` (<https://www.red-bean.com/sgf/go.html>).

use super::{Go, Superko};
use crate::{GameError, Move, RecordFormat, SgfRoot, games::sgf_point};

impl Go {
    pub(super) fn sgf(&self) -> RecordFormat {
        let komi = self.komi_with(self.komi_shift);
        let properties = vec![("KM", vec![komi.to_string()]), ("RU", vec![self.rules_name()])];
        RecordFormat::Sgf(SgfRoot {
            properties,
            komi_halves: komi.halves,
            ..SgfRoot::new(1, self.size())
        })
    }

    /// The name of the rules where they have one that SGF readers know, else `KataGo`'s description
    /// of rules (`docs/GTP_Extensions.md`), which its tools read: ko, scoring, tax, suicide.
    fn rules_name(&self) -> String {
        let ko = match (self.rules.superko, self.rules.suicide) {
            (Superko::Positional, true) => return "Tromp-Taylor".to_owned(),
            (Superko::Situational, true) => return "NZ".to_owned(),
            (Superko::Positional, false) => "POSITIONAL",
            (Superko::Situational, false) => "SITUATIONAL",
            (Superko::Simple, _) => "SIMPLE",
        };
        format!("ko{ko}scoreAREAtaxNONEsui{}", u8::from(self.rules.suicide))
    }

    /// A point in two letters; a pass has none.
    pub(super) fn format_sgf(&self, mv: Move) -> String {
        if mv == self.board.pass() { String::new() } else { sgf_point::name(self.size(), mv.0) }
    }

    /// Reads a pass as FF\[3\] writes it, too: `tt`, which is no point of boards up to 19 rows.
    pub(super) fn parse_sgf(&self, text: &str) -> Result<Move, GameError> {
        if text.is_empty() || text.eq_ignore_ascii_case("tt") {
            return Ok(self.board.pass());
        }
        sgf_point::parse(self.size(), text).map(Move).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!(
                "write two letters, column and row from the top left, aa to {}, or nothing to pass",
                sgf_point::name(self.size(), self.board.area() - 1)
            ),
        })
    }
}
