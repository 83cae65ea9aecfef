//! What can be wrong with a game's name, parameters or moves.

use thiserror::Error;

/// An error about a game named or moves given in text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GameError {
    /// No such game.
    #[error("no game is called '{}'; games are: {known}", shown(name))]
    UnknownGame {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The text is not `name:key=value,key=value`.
    #[error(
        "'{}' is not a game; write name:key=value,key=value, for example connect4:width=7",
        shown(text)
    )]
    BadSpec {
        /// What was given.
        text: String,
    },
    /// A parameter that the game does not have.
    #[error("{game} has no parameter '{}'; it has: {known}", shown(key))]
    UnknownParameter {
        /// The game's name.
        game: String,
        /// The parameter.
        key: String,
        /// The parameters there are.
        known: String,
    },
    /// A parameter with a value out of range or of the wrong type.
    #[error("{game}: {key}={} is not possible; {allowed}", shown(value))]
    BadParameter {
        /// The game's name.
        game: String,
        /// The parameter.
        key: String,
        /// The value given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// Text that is no move.
    #[error("'{}' is not a move; {expected}", shown(text))]
    BadMove {
        /// What was given.
        text: String,
        /// What a move looks like.
        expected: String,
    },
    /// A move that the rules forbid here.
    #[error("move '{}' is not legal here; {}", shown(text), allowed(legal))]
    IllegalMove {
        /// What was given.
        text: String,
        /// The legal moves; empty if the game is over.
        legal: String,
    },
    /// Text that several legal moves fit.
    #[error("'{}' may be any of these moves: {fits}", shown(text))]
    AmbiguousMove {
        /// What was given.
        text: String,
        /// The moves, by names that distinguish them.
        fits: String,
    },
    /// Text that is no position.
    #[error("'{}' is not a position: {reason}", shown(text))]
    BadPosition {
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The game has no notation for positions.
    #[error(
        "{game} has no notation for positions, so '{}' cannot be read; give --moves instead",
        shown(text)
    )]
    NoPositionText {
        /// The game's name.
        game: String,
        /// What was given.
        text: String,
    },
}

/// What can be played where something else was tried. Of long lists, the first names are shown.
fn allowed(legal: &str) -> String {
    /// More than most positions of chess have.
    const NAMES_MAX: usize = 80;
    let names: Vec<&str> = legal.split(' ').collect();
    match names.len().checked_sub(NAMES_MAX) {
        _ if legal.is_empty() => "the game is over".to_owned(),
        None | Some(0) => format!("legal moves: {legal}"),
        Some(more) => format!("legal moves: {} and {more} more", names[..NAMES_MAX].join(" ")),
    }
}

/// Input as a message shows it: in one line, control characters as escapes, not longer than a line
/// is.
fn shown(text: &str) -> String {
    /// More than any position of chess needs.
    const CHARS_MAX: usize = 120;
    let mut left = text.chars();
    let mut line: String = left.by_ref().take(CHARS_MAX).flat_map(char::escape_debug).collect();
    if left.next().is_some() {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_legal_moves_are_cut() {
        let names: Vec<String> = (1..=361).map(|number| number.to_string()).collect();
        let said = allowed(&names.join(" "));
        assert!(
            said.starts_with("legal moves: 1 2 ") && said.ends_with(" 80 and 281 more"),
            "{said}"
        );
        assert!(allowed(&names[..80].join(" ")).ends_with(" 79 80"));
    }

    #[test]
    fn messages_are_one_line_whatever_the_input_was() {
        let message = |text: &str| {
            let expected = "write a point".to_owned();
            GameError::BadMove { text: text.to_owned(), expected }.to_string()
        };
        assert_eq!(message("z9"), "'z9' is not a move; write a point");
        assert_eq!(message("a\n\u{1b}[2J"), "'a\\n\\u{1b}[2J' is not a move; write a point");
        let long = message(&"ab".repeat(100_000));
        assert!(long.len() < 200 && long.contains("ab...'"), "{long}");
    }
}
