//! How much a position counts by the error that is expected of its value.

use dz_search_settings::UncertaintyWeights;

/// `coeff / (error^exponent + coeff / weight_max)`, above 0 and at most `weight_max` (KataGo,
/// `Search::computeWeightFromNNOutput`). `error` is 0 or more.
pub fn uncertainty_weight(weights: &UncertaintyWeights, error: f64) -> f64 {
    let powered = match weights.exponent {
        1.0 => error,
        0.5 => error.sqrt(),
        exponent => error.powf(exponent),
    };
    weights.coeff / (powered + weights.coeff / weights.weight_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sure_counts_most() {
        let weights = UncertaintyWeights::default();
        assert_eq!(uncertainty_weight(&weights, 0.0), 8.0);
        // 0.25 / (0.25 + 0.03125) = 8 / 9.
        assert!((uncertainty_weight(&weights, 0.25) - 8.0 / 9.0).abs() < 1e-12);
        let root = UncertaintyWeights { exponent: 0.5, ..weights };
        // The root of 0.0625 is 0.25.
        assert!((uncertainty_weight(&root, 0.0625) - 8.0 / 9.0).abs() < 1e-12);
        let square = UncertaintyWeights { exponent: 2.0, ..weights };
        assert!((uncertainty_weight(&square, 0.5) - 8.0 / 9.0).abs() < 1e-12);
    }
}
