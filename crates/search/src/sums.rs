//! Counts and sums of network values and rollout outcomes, and how they make a value.

use serde::{Deserialize, Serialize};

use crate::{EdgeValues, InFlight, LeafValue, SearchParams, numbers::Real, value::ValueAbs};

/// True if edges keep network values and rollout outcomes apart.
pub(crate) fn is_split(params: &SearchParams) -> bool {
    params.edge_values == EdgeValues::Split
}

/// lambda: the rollout's share in a value.
pub(crate) fn rollout_share<R: Real>(params: &SearchParams) -> R {
    match params.leaf_value {
        LeafValue::Network => R::ZERO,
        LeafValue::Rollout => R::ONE,
        LeafValue::Mix { rollout_share } => R::from_f64(rollout_share),
    }
}

/// Visits that a walk which is not back counts under the root of the exploration term: those that
/// it will bring; with virtual losses 1, but `n_vl` where values are split.
pub(crate) fn visits_in_flight(params: &SearchParams) -> u32 {
    match params.in_flight {
        InFlight::Losses(each) if is_split(params) => each,
        InFlight::Losses(_) => 1,
        InFlight::Visits => params.leaf_rollouts,
    }
}

/// The sums of a node. The count of outcomes is the node's `visits`, that of its own outcomes
/// `own_visits`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Halves<R> {
    /// The network's value of this position, once it has come.
    pub own_value: Option<ValueAbs<R>>,
    /// Sum of the outcomes of rollouts that began here.
    pub own_outcomes: ValueAbs<R>,
    /// All of them, the children's included.
    pub sums: Sums<R>,
}

/// The four numbers of an edge, or of a node over all its edges; sums are the first player's.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Sums<R> {
    /// `N_v`.
    pub values: R,
    /// `W_v`.
    pub value: ValueAbs<R>,
    /// `N_r`.
    pub outcomes: R,
    /// `W_r`.
    pub outcome: ValueAbs<R>,
}

impl<R: Real> Sums<R> {
    /// `Q = (1 - lambda) W_v / N_v + lambda W_r / N_r`. While one half has no sample, the other
    /// alone is the value; the source does not say what holds then. 0 without either.
    pub(crate) fn mixed(&self, lambda: R) -> ValueAbs<R> {
        let mean = |sum: ValueAbs<R>, count: R| {
            (count > R::ZERO).then(|| ValueAbs { value: sum.value / count, draw: sum.draw / count })
        };
        let value = mean(self.value, self.values);
        let outcome = mean(self.outcome, self.outcomes);
        match (value, outcome) {
            (Some(value), Some(outcome)) => {
                let mut mixed = ValueAbs::default();
                mixed.add(value, R::ONE - lambda);
                mixed.add(outcome, lambda);
                mixed
            }
            (one, other) => one.or(other).unwrap_or_default(),
        }
    }

    /// The same after `lost` more rollouts that the player with this sign lost.
    pub(crate) fn mixed_with_losses(&self, lambda: R, sign: R, lost: R) -> ValueAbs<R> {
        let mut sums = *self;
        sums.outcomes += lost;
        sums.outcome.value += -(sign * lost);
        sums.mixed(lambda)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64) -> ValueAbs<f64> {
        ValueAbs { value, draw: 0.0 }
    }

    #[test]
    fn both_halves_mix_and_one_alone_stands() {
        let sums = Sums { values: 10.0, value: value(4.0), outcomes: 25.0, outcome: value(-5.0) };
        assert!((sums.mixed(0.5).value - 0.1).abs() < 1e-15);
        assert_eq!(Sums { values: 0.0, ..sums }.mixed(0.5).value, -0.2);
        assert_eq!(Sums { outcomes: 0.0, ..sums }.mixed(0.5).value, 0.4);
        assert_eq!(Sums::<f64>::default().mixed(0.5).value, 0.0);
    }

    /// A loss of the second player is a win of the first; the network's half stays.
    #[test]
    fn losses_act_on_outcomes_alone() {
        let sums = Sums { values: 2.0, value: value(1.0), outcomes: 4.0, outcome: value(2.0) };
        let first = sums.mixed_with_losses(0.5, 1.0, 3.0).value;
        assert!((first - (0.25 + 0.5 * (2.0 - 3.0) / 7.0)).abs() < 1e-15);
        let second = sums.mixed_with_losses(0.5, -1.0, 3.0).value;
        assert!((second - (0.25 + 0.5 * (2.0 + 3.0) / 7.0)).abs() < 1e-15);
    }
}
