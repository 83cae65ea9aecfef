//! The rules of a position: a board, and the komi of a game.

use dz_game::{AnyGame, Game, GameError, GameSpec, Komi};
use serde::{Deserialize, Serialize};

/// A board, and the komi where a game has its own.
///
/// The komi stands apart from the board. A network that was trained on the board fits every komi.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The game with its parameters.
    pub board: GameSpec,
    /// The komi, where it is not that of `board`.
    pub komi: Option<Komi>,
}

impl Rules {
    /// Returns the game with this komi. Games without komi ignore it.
    ///
    /// # Errors
    /// [`GameError`] if there is no such game.
    pub fn game(&self) -> Result<AnyGame, GameError> {
        let game = AnyGame::of(&self.board)?;
        Ok(self.komi.and_then(|komi| game.with_komi(komi)).unwrap_or(game))
    }

    /// Returns the game with every parameter, the komi included.
    ///
    /// # Errors
    /// [`GameError`] if there is no such game.
    pub fn spec(&self) -> Result<GameSpec, GameError> {
        Ok(self.game()?.spec())
    }
}

/// [`Rules`] as pages write them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RulesText {
    pub(crate) board: String,
    /// `7.5`.
    #[serde(default)]
    pub(crate) komi: Option<String>,
}

impl RulesText {
    /// Reads the rules of a page.
    ///
    /// # Errors
    /// A line for people.
    pub(crate) fn read(&self) -> Result<Rules, String> {
        let words = |error: GameError| dz_text::line(&error.to_string()).into_owned();
        let komi = |text: &String| {
            Komi::parse(text).ok_or_else(|| format!("{} is no komi", dz_text::line(text)))
        };
        let komi = self.komi.as_ref().map(komi).transpose()?;
        let rules = Rules { board: self.board.parse().map_err(words)?, komi };
        rules.game().map_err(words)?;
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_is_part_of_the_game_and_not_of_the_board() {
        let text = |board: &str, komi: Option<&str>| RulesText {
            board: board.to_owned(),
            komi: komi.map(str::to_owned),
        };
        let rules = text("go:size=5,komi=9.5", Some("-0.5")).read().unwrap();
        assert_eq!(rules.board.parameter("komi"), Some("9.5"));
        assert_eq!(rules.spec().unwrap().parameter("komi"), Some("-0.5"));
        let plain = text("hex:size=3", Some("7")).read().unwrap();
        assert_eq!(plain.spec().unwrap().parameter("komi"), None);
        assert!(text("go", Some("7.25")).read().is_err());
        assert!(text("nothing", None).read().is_err());
    }
}
