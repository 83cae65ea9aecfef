//! Games by name: one line a game.

use crate::{Encoding, Game, GameError, GameSpec};

/// Calls the macro `$run` of this crate with its arguments and then the table of games.
#[doc(hidden)]
#[macro_export]
macro_rules! game_table {
    ($run:ident!($($before:tt)*)) => {
        $crate::$run! { $($before)*
            "connect4" => Connect4,
            "tictactoe" => TicTacToe,
            "hex" => Hex,
            "go" => Go,
            "othello" => Othello,
            "gomoku" => Gomoku,
            "chess" => Chess,
            "breakthrough" => Breakthrough,
            "shuttle" => Shuttle,
        }
    };
}

/// Evaluates an expression for the game that a [`GameSpec`] names, and gives its value in a
/// `Result` with [`GameError`] for unknown games and impossible parameters.
///
/// The expression is compiled once a game, so that hot loops stay monomorphic. Nine copies of a
/// search take minutes to compile, so use an [`AnyGame`](crate::AnyGame) where speed does not
/// count. Keep the expression to one call of a function that is generic over [`Game`]. A `?` or
/// `return` in it leaves the function around.
///
/// ```
/// use dz_game::{Game, GameSpec, perft, with_game};
///
/// fn count<G: Game>(game: &G, depth: u32) -> Vec<u64> {
///     perft(game, &game.start(), &G::History::default(), depth)
/// }
///
/// let spec: GameSpec = "connect4:width=5,height=4".parse()?;
/// let counts = with_game!(&spec, |game| count(&game, 2))?;
/// assert_eq!(counts, [1, 5, 25]);
/// # Ok::<(), dz_game::GameError>(())
/// ```
#[macro_export]
macro_rules! with_game {
    ($spec:expr, |$game:ident| $work:expr) => {
        $crate::game_table!(with_game_of!($spec, $game, $work,))
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! with_game_of {
    ($spec:expr, $game:ident, $work:expr, $($name:literal => $rules:ident,)+) => {{
        let spec: &$crate::GameSpec = $spec;
        match spec.name() {
            $($name => match $crate::games::$rules::from_spec(spec) {
                Ok($game) => Ok($work),
                Err(error) => Err(error),
            },)+
            name => Err($crate::unknown_game(name)),
        }
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! game_names_of {
    ($($name:literal => $rules:ident,)+) => {
        &[$($name),+]
    };
}

/// Returns the names of all games.
pub fn game_names() -> &'static [&'static str] {
    crate::game_table!(game_names_of!())
}

/// Returns the canonical name of the game that `spec` names and the id of its encoding: what
/// headers hold.
///
/// # Errors
/// [`GameError`] if there is no such game or a parameter is impossible.
pub fn game_ids(spec: &GameSpec) -> Result<(String, String), GameError> {
    with_game!(spec, |game| (game.spec().to_string(), game.encoding().id()))
}

/// Returns the canonical form of `spec`: every parameter, in the game's order.
///
/// # Errors
/// [`GameError`] if there is no such game or a parameter is impossible.
pub fn canonical_spec(spec: &GameSpec) -> Result<GameSpec, GameError> {
    with_game!(spec, |game| game.spec())
}

/// The error for a name that no game has.
#[doc(hidden)]
pub fn unknown_game(name: &str) -> GameError {
    GameError::UnknownGame { name: name.to_owned(), known: game_names().join(", ") }
}
