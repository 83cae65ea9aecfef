//! Records of Othello: SGF with `GM[2]` as Cassio and `OthelloTk` write it: the four discs set up,
//! points like d3 from the top left. A forced pass is left out, as in Cassio's files: the colour of
//! the next move shows it.

use super::{Othello, OthelloState};
use crate::{Game, GameError, Move, Player, RecordFormat, SgfRoot};

impl Othello {
    pub(super) fn sgf(&self) -> RecordFormat {
        let start = self.start();
        let discs = |player| {
            let own = (0..self.grid.area()).filter(|&p| self.disc_at(&start, p) == Some(player));
            own.map(|point| self.grid.name(point)).collect()
        };
        let properties = vec![
            ("AB", discs(Player::First)),
            ("AW", discs(Player::Second)),
            ("PL", vec!["B".to_owned()]),
        ];
        RecordFormat::Sgf(SgfRoot { properties, ..SgfRoot::new(2, self.size()) })
    }

    pub(super) fn format_sgf(&self, mv: Move) -> Option<String> {
        (mv != self.pass()).then(|| self.format_move(mv))
    }

    /// Passes as other programs write them: nothing, `pass`, `pa` or `@@@@`.
    pub(super) fn parse_sgf(&self, state: &OthelloState, text: &str) -> Result<Move, GameError> {
        let passes = matches!(text.to_ascii_lowercase().as_str(), "" | "pa" | "tt" | "@@@@");
        if passes { Ok(self.pass()) } else { self.parse_move(state, text) }
    }
}
