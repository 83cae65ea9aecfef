//! The move that is played after a search.

use serde::{Deserialize, Serialize};

use crate::choice::choice_with_data;
use crate::gumbel::Sigma;

choice_with_data! {
    /// How the move to play is chosen. A move proven to win is played before all others, and one
    /// proven to lose only if all are.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MoveChoice, MoveChoiceWord {
        /// The most visits; ties by value, then by prior, then the lowest move.
        MostVisits = "visits",
        /// The largest value of a visited move; ties by visits (Kocsis and Szepesvari 2006).
        BestValue = "value",
        /// The largest all-moves-as-first value (Gelly and Silver 2007).
        BestAmaf = "amaf",
        /// The largest lower confidence bound (KataGo: 5 deviations among moves with 0.05 to 0.20
        /// of the most visits); needs `SearchParams::moments`.
        LowerBound {
            /// Width in standard deviations.
            deviations: f64,
            /// Least share of the most visited move's visits.
            visits_share: f64,
        } = "lcb",
        /// Sampled from the exact regularised policy (Grill et al. 2020, "ACT").
        Regularized {
            /// c of lambda.
            c: f64,
        } = "regularized",
        /// The best Gumbel score among the most visited moves (Danihelka et al. 2022).
        Gumbel(sigma: Sigma) = "gumbel",
    }
    without word {
        /// In proportion to visits^(1/temperature), temperature above 0 (AlphaGo Zero, Methods).
        Temperature(f64),
    }
}
