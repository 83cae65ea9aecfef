//! Means over seeds with Student's intervals.

/// A mean and half the width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; none of fewer than two values.
    pub error95: Option<f64>,
}

/// 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom (Fisher and Yates 1938, table
/// III).
const T_975: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Mean of values, a seed each; none without values. Beyond 31 values the quantile of 31 is taken,
/// which is the wider one.
pub fn mean(values: &[f64]) -> Option<Mean> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let freedom = values.len().checked_sub(1)?;
    let error95 = freedom.checked_sub(1).map(|place| {
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / freedom as f64).sqrt();
        T_975[place.min(T_975.len() - 1)] * deviation / count.sqrt()
    });
    Some(Mean { mean, error95 })
}

/// Mean of the differences of values to others of the same seed; seeds that only one side has are
/// left out.
pub fn paired(values: &[(u64, f64)], others: &[(u64, f64)]) -> Option<Mean> {
    let other = |seed: u64| others.iter().find(|(of, _)| *of == seed).map(|(_, value)| value);
    let differences: Vec<f64> =
        values.iter().filter_map(|&(seed, value)| Some(value - other(seed)?)).collect();
    mean(&differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, wanted: f64) {
        let found = found.expect("an interval");
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    }

    #[test]
    fn intervals_are_those_worked_out_by_hand() {
        // 1, 2, 3: mean 2, deviation 1, so 4.303 / sqrt(3) on either side.
        let three = mean(&[1.0, 2.0, 3.0]).expect("values");
        assert_eq!(three.mean, 2.0);
        close(three.error95, 4.303 / 3.0_f64.sqrt());
        // 0 and 2: mean 1, deviation sqrt(2), so 12.706 * sqrt(2) / sqrt(2).
        close(mean(&[0.0, 2.0]).expect("values").error95, 12.706);
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 32, deviation sqrt(32 / 7).
        let eight = mean(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).expect("values");
        assert_eq!(eight.mean, 5.0);
        close(eight.error95, 2.365 * (32.0_f64 / 7.0).sqrt() / 8.0_f64.sqrt());
        assert_eq!(mean(&[0.5]), Some(Mean { mean: 0.5, error95: None }));
        assert_eq!(mean(&[]), None);
        let many: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
        close(mean(&many).expect("values").error95, 2.042 * (10.0_f64 / 39.0 / 40.0).sqrt());
    }

    #[test]
    fn differences_are_taken_seed_by_seed() {
        // Differences 1, 1, 4 at the seeds 1, 3, 2: mean 2, deviation sqrt(3), so 4.303 * sqrt(3) /
        // sqrt(3).
        let values = [(1, 11.0), (3, 21.0), (2, 5.0), (9, 70.0)];
        let found = paired(&values, &[(2, 1.0), (1, 10.0), (3, 20.0), (4, 0.0)]).expect("pairs");
        assert_eq!(found.mean, 2.0);
        close(found.error95, 4.303);
        // What all seeds share drops out: no scatter at all.
        let same = paired(&[(1, 0.5), (2, 0.9)], &[(1, 0.25), (2, 0.65)]).expect("pairs");
        assert!((same.mean - 0.25).abs() < 1e-12);
        close(same.error95, 0.0);
        assert_eq!(paired(&values, &[(7, 1.0)]), None);
    }
}
