//! What can be wrong with the games of a rating, or with the plan of a test.

use thiserror::Error;

/// Why there are no ratings, or no test.
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
    /// A lineage with a cycle.
    #[error("player {index} comes before itself in the lineage; leave one of its predecessors out")]
    Ring {
        /// One of the players of the ring.
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
    /// A sequential test whose hypotheses or error probabilities make no sense.
    #[error(
        "a sequential test needs elo0 below elo1, and alpha and beta above 0 with a sum below 1; \
         it was given elo0 = {elo0}, elo1 = {elo1}, alpha = {alpha}, beta = {beta}"
    )]
    BadSprt {
        /// Normalised Elo of the hypothesis to refuse.
        elo0: f64,
        /// Normalised Elo of the hypothesis to accept.
        elo1: f64,
        /// Probability of a false acceptance.
        alpha: f64,
        /// Probability of a false refusal.
        beta: f64,
    },
    /// The iteration did not settle.
    #[error("the fit did not settle after {iterations} steps; use a larger prior")]
    NoConvergence {
        /// Newton steps taken.
        iterations: usize,
    },
}
