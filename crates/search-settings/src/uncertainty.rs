//! The numbers of uncertainty-weighted visits.

use serde::{Deserialize, Serialize};

/// Uncertainty-weighted visits: a position counts the more in averages and in selection the surer
/// the network is of its value (KataGo, KataGoMethods.md, "Uncertainty-Weighted MCTS Playouts";
/// `Search::computeWeightFromNNOutput`).
///
/// ```text
/// w(n) = coeff / (e^exponent + coeff / weight_max)
/// W(n) = w(n) N_own + sum_a N(n,a) W(child) / N(child)
/// Q(n) = (w(n) N_own U(n) + sum_a N(n,a) W(child) / N(child) Q(child)) / W(n)
/// ```
///
/// e is how far the network expects its short-term value to be off. A finished game has the weight
/// `weight_max`. In PUCT the visits of a move are N(n,a) W(child) / N(child).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UncertaintyWeights {
    /// The error at which a position weighs about 1, in (0, 10] (`uncertaintyCoeff`: 0.25).
    pub coeff: f64,
    /// Power of the error, in [0, 4] (`uncertaintyExponent`: 1).
    pub exponent: f64,
    /// The most that a position weighs, in [1, 1000] (`uncertaintyMaxWeight`: 8).
    pub weight_max: f64,
}

impl UncertaintyWeights {
    /// The first number outside its range: its key, and what it may be.
    pub(crate) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let is_inside = |x: f64, least: f64, most: f64| (least..=most).contains(&x);
        let checks = [
            (
                "uncertainty_coeff",
                self.coeff > 0.0 && is_inside(self.coeff, 0.0, 10.0),
                "above 0 and at most 10",
            ),
            ("uncertainty_exponent", is_inside(self.exponent, 0.0, 4.0), "a number from 0 to 4"),
            (
                "uncertainty_weight_max",
                is_inside(self.weight_max, 1.0, 1000.0),
                "a number from 1 to 1000",
            ),
        ];
        let outside = checks.into_iter().find(|(_, is_inside, _)| !is_inside);
        outside.map(|(key, _, allowed)| (key, allowed))
    }
}

impl Default for UncertaintyWeights {
    /// KataGo's numbers.
    fn default() -> Self {
        Self { coeff: 0.25, exponent: 1.0, weight_max: 8.0 }
    }
}
