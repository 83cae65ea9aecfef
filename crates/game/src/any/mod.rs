//! All games as one type, for work where a call's time does not matter.
//!
//! A function that is generic over [`Game`] is compiled once a game when it is called by
//! [`with_game!`](crate::with_game), and once in all when it is called with an [`AnyGame`].
//! Searches that play for strength or speed take the first way. Reading, printing and checking
//! games take the second.

mod encoding;
mod game;

use std::borrow::Cow;

use crate::{Encoding, Game, GameError, GameSpec};

/// Declares the enums and their constructors.
#[doc(hidden)]
#[macro_export]
macro_rules! any_game_of {
    ($($name:literal => $rules:ident,)+) => {
        /// One of all games, chosen when the program runs. Its answers are those of that game.
        ///
        /// # Panics
        /// Methods panic if they are given a state or history of another game.
        ///
        /// ```
        /// use dz_game::{AnyGame, Game, perft};
        ///
        /// let game = AnyGame::of(&"connect4:width=5,height=4".parse()?)?;
        /// let history = <AnyGame as Game>::History::default();
        /// assert_eq!(perft(&game, &game.start(), &history, 2), [1, 5, 25]);
        /// # Ok::<(), dz_game::GameError>(())
        /// ```
        #[derive(Clone, Debug)]
        pub enum AnyGame {
            $(
                #[doc = concat!("Of the game `", $name, "`.")]
                $rules($crate::games::$rules),)+
        }

        /// A position of an [`AnyGame`].
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum AnyState {
            $(
                #[doc = concat!("Of the game `", $name, "`.")]
                $rules(<$crate::games::$rules as Game>::State),)+
        }

        /// The history of a game of an [`AnyGame`].
        #[derive(Clone, Debug, Default)]
        #[expect(clippy::large_enum_variant, reason = "a search has one history")]
        pub enum AnyHistory {
            /// The empty history, of any game.
            #[default]
            Empty,
            $(
                #[doc = concat!("Of the game `", $name, "`.")]
                $rules(<$crate::games::$rules as Game>::History),)+
        }

        /// The encoding of an [`AnyGame`].
        #[derive(Clone, Debug)]
        pub enum AnyEncoding {
            $(
                #[doc = concat!("Of the game `", $name, "`.")]
                $rules(<$crate::games::$rules as Game>::Encoding),)+
        }

        $(
            impl From<$crate::games::$rules> for AnyGame {
                fn from(game: $crate::games::$rules) -> Self {
                    Self::$rules(game)
                }
            }

            impl Member for $crate::games::$rules {
                fn any_state(state: Self::State) -> AnyState {
                    AnyState::$rules(state)
                }

                fn any_encoding(encoding: Self::Encoding) -> AnyEncoding {
                    AnyEncoding::$rules(encoding)
                }

                fn empty_history() -> AnyHistory {
                    AnyHistory::$rules(Self::History::default())
                }
            }
        )+
    };
}

/// Evaluates an expression with the game (or the encoding), the position and the history, which
/// must be of one kind.
#[doc(hidden)]
#[macro_export]
macro_rules! on_any_of {
    ([$any:expr] => |$game:ident| $work:expr, $($name:literal => $rules:ident,)+) => {
        match $any {
            $(Self::$rules($game) => $work,)+
        }
    };
    ([$any:expr, $of:expr] => |$game:ident, $state:ident| $work:expr,
        $($name:literal => $rules:ident,)+) => {
        match ($any, $of) {
            $((Self::$rules($game), AnyState::$rules($state)) => $work,)+
            _ => of_another_game(),
        }
    };
    ([$any:expr, $of:expr, $after:expr] => |$game:ident, $state:ident, $history:ident| $work:expr,
        $($name:literal => $rules:ident,)+) => {
        match ($any, $of, $after) {
            $((Self::$rules($game), AnyState::$rules($state), AnyHistory::$rules($history)) => {
                $work
            })+
            _ => of_another_game(),
        }
    };
    (past [$any:expr, $after:expr] => |$game:ident, $history:ident| $work:expr,
        $($name:literal => $rules:ident,)+) => {
        match ($any, $after) {
            $((Self::$rules($game), AnyHistory::$rules($history)) => $work,)+
            _ => of_another_game(),
        }
    };
}

macro_rules! on {
    ($($call:tt)+) => { $crate::game_table!(on_any_of!($($call)+,)) };
}
use on;

crate::game_table!(any_game_of!());

/// A game of the table.
trait Member: Game {
    fn any_state(state: Self::State) -> AnyState;
    fn any_encoding(encoding: Self::Encoding) -> AnyEncoding;
    fn empty_history() -> AnyHistory;
}

#[cold]
fn of_another_game() -> ! {
    panic!("a position or history of another game")
}

fn empty_history<G: Member>(_: &G) -> AnyHistory {
    G::empty_history()
}

fn empty_history_of<E: Encoding<Game: Member>>(_: &E) -> AnyHistory {
    E::Game::empty_history()
}

impl AnyGame {
    /// Returns the game that `spec` names.
    ///
    /// # Errors
    /// [`GameError`] if there is no such game or a parameter is impossible.
    pub fn of(spec: &GameSpec) -> Result<Self, GameError> {
        crate::with_game!(spec, |game| Self::from(game))
    }

    /// `history` as one of this game's.
    fn whole<'a>(&self, history: &'a AnyHistory) -> Cow<'a, AnyHistory> {
        match history {
            AnyHistory::Empty => Cow::Owned(on!([self] => |game| empty_history(game))),
            of_a_game => Cow::Borrowed(of_a_game),
        }
    }

    /// Makes `history` one of this game's.
    fn fill(&self, history: &mut AnyHistory) {
        if matches!(history, AnyHistory::Empty) {
            *history = on!([self] => |game| empty_history(game));
        }
    }
}

impl AnyEncoding {
    /// `history` as one of this encoding's game.
    fn whole<'a>(&self, history: &'a AnyHistory) -> Cow<'a, AnyHistory> {
        match history {
            AnyHistory::Empty => Cow::Owned(on!([self] => |encoding| empty_history_of(encoding))),
            of_a_game => Cow::Borrowed(of_a_game),
        }
    }
}
