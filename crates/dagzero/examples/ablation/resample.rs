//! Means over positions, and how far chance could move them: the bootstrap (Efron 1979).

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Resamples of the positions.
const RESAMPLES: usize = 1000;

/// A figure with its interval.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) value: f64,
    pub(crate) lo95: f64,
    pub(crate) hi95: f64,
}

/// A statistic of the positions whose indices it is given, on all of them and on resamples.
pub(crate) fn interval(positions: usize, statistic: impl Fn(&[usize]) -> f64) -> Interval {
    let all: Vec<usize> = (0..positions).collect();
    let value = statistic(&all);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut values: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let draw = (0..positions).map(|_| random.random_range(0..positions));
            statistic(&draw.collect::<Vec<usize>>())
        })
        .filter(|value| value.is_finite())
        .collect();
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * values.len() as f64) as usize;
        values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    };
    Interval { value, lo95: at(0.025), hi95: at(0.975) }
}

/// Mean of a field over the sampled positions.
pub(crate) fn mean<T>(outcomes: &[T], draw: &[usize], field: impl Fn(&T) -> f64) -> f64 {
    draw.iter().map(|&index| field(&outcomes[index])).sum::<f64>() / draw.len() as f64
}
