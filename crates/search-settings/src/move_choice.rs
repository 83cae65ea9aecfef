//! The move that is played after a search.

use dz_config_keys::choice;
use serde::{Deserialize, Serialize};

use crate::gumbel::Sigma;

/// How the move to play is chosen. A move proven to win is played before all others, and one proven
/// to lose only if all are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveChoice {
    /// The most visits; ties by value, then by prior, then the lowest move.
    MostVisits,
    /// The largest value of a visited move; ties by visits (Kocsis and Szepesvari 2006).
    BestValue,
    /// The largest all-moves-as-first value (Gelly and Silver 2007).
    BestAmaf,
    /// The largest lower confidence bound (KataGo: 5 deviations among moves with 0.05 to 0.20 of
    /// the most visits); needs `SearchParams::moments`.
    LowerBound {
        /// Width in standard deviations.
        deviations: f64,
        /// Least share of the most visited move's visits.
        visits_share: f64,
    },
    /// In proportion to visits^(1/temperature), temperature above 0 (AlphaGo Zero, Methods).
    Temperature(f64),
    /// Sampled from the exact regularised policy (Grill et al. 2020, "ACT").
    Regularized {
        /// c of lambda.
        c: f64,
    },
    /// The best Gumbel score among the most visited moves (Danihelka et al. 2022).
    Gumbel(Sigma),
}

choice! {
    /// The word of a [`MoveChoice`] in the file; a temperature has none.
    pub enum MoveChoiceWord {
        /// See [`MoveChoice::MostVisits`].
        Visits = "visits",
        /// See [`MoveChoice::BestValue`].
        Value = "value",
        /// See [`MoveChoice::BestAmaf`].
        Amaf = "amaf",
        /// See [`MoveChoice::LowerBound`].
        Lcb = "lcb",
        /// See [`MoveChoice::Regularized`].
        Regularized = "regularized",
        /// See [`MoveChoice::Gumbel`].
        Gumbel = "gumbel",
    }
}
