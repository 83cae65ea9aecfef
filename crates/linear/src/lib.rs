//! Linear functions of local shapes: the heuristic of RLGO, for every game whose stones lie on the
//! points of a square board.
//!
//! A position is looked at by the player who has just moved: V = sigma(theta . phi) is this
//! player's chance to win, phi are the [`Shapes`] on the board, theta is learned by TD(0) from
//! games that the value plays against itself ([`learn`]). A search takes the values of moves as
//! heuristics (Gelly and Silver, Combining Online and Offline Knowledge in UCT, ICML 2007).
//!
//! ```
//! use dz_game::{Game, games::Go};
//! use dz_linear::{LinearValue, Lessons, learn};
//!
//! let game = Go::from_spec(&"go:size=3,komi=0".parse()?)?;
//! let lessons = Lessons { games: 20, ..Lessons::default() };
//! let value = learn(&game, &lessons, |_| true).expect("Go has stones");
//! let again = LinearValue::from_bytes(&game, &value.to_bytes()?)?;
//! let mut legal = Vec::new();
//! game.legal_moves(&game.start(), &Default::default(), &mut legal);
//! let chances = again.after_moves(&game, &game.start(), &legal);
//! assert_eq!(chances.len(), legal.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod learn;
mod policy;
mod shapes;
mod value;

pub use file::LinearError;
pub use learn::{Lesson, Lessons, learn};
pub use policy::{Judged, LinearPolicy, PolicyStudent};
pub use shapes::{SIDE_MAX, Shapes};
pub use value::LinearValue;
