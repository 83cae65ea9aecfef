//! What can be wrong with the games of a rating.

use thiserror::Error;

/// Why no ratings could be computed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StatsError {
    /// A game or the anchor names a player that is not there.
    #[error("player {index} does not exist: there are {players} players, numbered from 0")]
    UnknownPlayer {
        /// The offending index.
        index: usize,
        /// How many players there are.
        players: usize,
    },
    /// A player is paired with itself.
    #[error("player {index} plays against itself; leave such games out")]
    SelfPlay {
        /// The player.
        index: usize,
    },
    /// A prior that is not a number of games.
    #[error(
        "the prior must be a finite number of virtual draws, 0 or more, and is {virtual_draws}"
    )]
    BadPrior {
        /// What was given.
        virtual_draws: f64,
    },
    /// Without a prior, the games do not pin every rating to a finite value.
    #[error(
        "the games alone give no finite ratings: some group of players never scored against, or \
         never met, the others; use a prior above 0 or add games"
    )]
    NotFinite,
    /// The iteration did not settle.
    #[error("the fit did not settle after {iterations} steps; use a larger prior")]
    NoConvergence {
        /// Newton steps taken.
        iterations: usize,
    },
}
