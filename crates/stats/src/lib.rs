//! Elo, match intervals and Bradley-Terry ratings: pure maths, no I/O, no clock, no randomness.
//!
//! - [`Record`] and [`Pentanomial`] turn the counts of one match into a [`ScoreInterval`].
//! - [`rate`] fits one Bradley-Terry model to all rated games of a run, with their joint
//!   covariance, so that the error of a *difference* between two players is known too.
//! - [`Sprt`] tests sequentially whether one player is stronger, pair by pair.
//! - [`wilson`] gives the interval of a share, for accuracies.
//!
//! Every interval is at 95 %. Elo differences are on the logistic scale of 400 / ln 10 points a
//! natural-log unit.

mod cholesky;
mod covariance;
mod elo;
mod error;
mod games;
mod league;
mod model;
mod normal;
mod rating;
mod roster;
mod score;
mod share;
mod solve;
mod sparse;
mod sprt;
mod tiles;

pub use elo::{ELO_PER_NAT, Elo, Score};
pub use error::StatsError;
pub use games::PairResult;
pub use league::{League, Standings};
pub use normal::{Z95, normal_cdf};
pub use rating::{Difference, Draws, Rating, RatingOptions, Ratings, rate};
pub use roster::Roster;
pub use score::{Moments, Pentanomial, Record, ScoreInterval, los, moments};
pub use share::{ShareInterval, wilson};
pub use sprt::{ELO_PER_DEVIATION, Sprt, SprtEstimate, SprtPlan, SprtStop};
