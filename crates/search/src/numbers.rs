//! The numbers that a search counts in: the one parameter besides the game.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How values and priors are held. A literal reference that rounds at the same places agrees with
/// either in every visit.
pub trait Numbers: Copy + Debug + Default + Send + Sync + 'static {
    /// Values, sums and scores.
    type Real: Real;
    /// A legal move with its prior.
    type Prior: Prior<Real = Self::Real>;
    /// The least value of a prior where its logarithm is taken: half of the smallest step between
    /// stored priors, since a prior that is stored as 0 was below that. 0 where priors are stored
    /// as given.
    const PRIOR_MIN: f64;
}

/// 64-bit values and priors as given: for oracles, explicit graphs and studies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

impl Numbers for Exact {
    type Real = f64;
    type Prior = ExactPrior;
    const PRIOR_MIN: f64 = 0.0;
}

/// 32-bit values, priors as 16-bit shares of 1: for self-play.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compact;

impl Numbers for Compact {
    type Real = f32;
    type Prior = CompactPrior;
    const PRIOR_MIN: f64 = 0.5 / 65535.0;
}

/// A floating-point number.
pub trait Real:
    Copy
    + Serialize
    + DeserializeOwned
    + PartialOrd
    + Debug
    + Default
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Larger than all others.
    const INFINITY: Self;

    /// The nearest one to `value`.
    fn from_f64(value: f64) -> Self;
    /// The nearest one to a count.
    fn from_u32(count: u32) -> Self;
    /// The same in 64 bits.
    fn to_f64(self) -> f64;
    /// Square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// Natural logarithm.
    #[must_use]
    fn ln(self) -> Self;
    /// Without its sign.
    #[must_use]
    fn abs(self) -> Self;

    /// The larger of two numbers.
    #[must_use]
    #[inline]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    /// The smaller of two numbers.
    #[must_use]
    #[inline]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
}

macro_rules! real {
    ($float:ty) => {
        impl Real for $float {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = <$float>::INFINITY;

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            #[inline]
            fn from_u32(count: u32) -> Self {
                count as Self
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline]
            fn ln(self) -> Self {
                self.ln()
            }
            #[inline]
            fn abs(self) -> Self {
                self.abs()
            }
        }
    };
}

real!(f32);
real!(f64);

/// A legal move and its prior.
pub trait Prior: Copy + Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The prior's type.
    type Real: Real;

    /// Of move number `mv`; `probability` in [0, 1].
    fn new(mv: u16, probability: Self::Real) -> Self;
    /// The move's number.
    fn mv(self) -> u16;
    /// The prior as held.
    fn probability(self) -> Self::Real;
    /// Where the largest prior stands; of equal ones the lowest move.
    fn largest(priors: &[Self]) -> usize;

    /// Where one of the largest priors stands: entry `word` modulo their number.
    fn largest_at_random(priors: &[Self], word: u64) -> usize {
        let first = Self::largest(priors);
        let most = priors[first].probability();
        let equal = |prior: &&Self| prior.probability() == most;
        let entry = word % priors.iter().filter(equal).count().max(1) as u64;
        let places = priors.iter().enumerate().filter(|(_, prior)| equal(prior));
        places.map(|(place, _)| place).nth(entry as usize).unwrap_or(first)
    }
}

/// A prior in 64 bits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ExactPrior {
    probability: f64,
    mv: u16,
}

impl Prior for ExactPrior {
    type Real = f64;

    #[inline]
    fn new(mv: u16, probability: f64) -> Self {
        Self { probability, mv }
    }
    #[inline]
    fn mv(self) -> u16 {
        self.mv
    }
    #[inline]
    fn probability(self) -> f64 {
        self.probability
    }
    #[inline]
    fn largest(priors: &[Self]) -> usize {
        let mut best = 0;
        for (place, prior) in priors.iter().enumerate() {
            let most = priors[best].probability;
            let lowest = priors[best].mv;
            if prior.probability > most || (prior.probability == most && prior.mv < lowest) {
                best = place;
            }
        }
        best
    }
}

/// A prior in 16 bits above the complement of the move in 16 bits: the larger word comes first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CompactPrior(u32);

impl Prior for CompactPrior {
    type Real = f32;

    #[inline]
    fn new(mv: u16, probability: f32) -> Self {
        // Added to 2^23 a number below 2^16 stands, rounded, in the low bits: a conversion that has
        // vector code on every processor. What is not a number has zeros there.
        const ROUNDER: f32 = 8_388_608.0;
        let share = (probability.clamp(0.0, 1.0) * 65535.0 + ROUNDER).to_bits() & 0xffff;
        Self(share << 16 | u32::from(!mv))
    }
    #[inline]
    fn mv(self) -> u16 {
        !(self.0 as u16)
    }
    #[inline]
    fn probability(self) -> f32 {
        (self.0 >> 16) as f32 * (1.0 / 65535.0)
    }
    #[inline]
    fn largest(priors: &[Self]) -> usize {
        // Two passes, which the compiler turns into vector code; one pass with a place it does not.
        let most = priors.iter().fold(0, |most, prior| most.max(prior.0));
        priors.iter().position(|prior| prior.0 == most).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline]
    fn check<P: Prior>() {
        let priors = |shares: &[(u16, f64)]| -> Vec<P> {
            shares.iter().map(|&(mv, p)| P::new(mv, P::Real::from_f64(p))).collect()
        };
        let row = priors(&[(3, 0.25), (9, 0.5), (4, 0.5), (65535, 0.0)]);
        assert_eq!(P::largest(&row), 2, "of equal priors the lowest move comes first");
        assert_eq!([0, 1, 2].map(|word| P::largest_at_random(&row, word)), [1, 2, 1]);
        assert_eq!((row[3].mv(), row[3].probability()), (65535, P::Real::from_f64(0.0)));
        assert_eq!(P::new(0, P::Real::from_f64(1.0)).probability(), P::Real::from_f64(1.0));
    }

    #[test]
    fn the_largest_prior_is_found() {
        check::<ExactPrior>();
        check::<CompactPrior>();
    }

    #[test]
    fn compact_priors_round_to_the_nearest_share() {
        for i in 0..=100_000_u32 {
            let p = i as f32 / 100_000.0;
            let rounded = CompactPrior::new(7, p).probability();
            assert!((rounded - p).abs() <= 0.5 / 65535.0 + 1e-7, "{p} {rounded}");
        }
    }
}
