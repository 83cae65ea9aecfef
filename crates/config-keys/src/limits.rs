//! What values a key takes.

use std::fmt;

/// The values that a key takes, beyond its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limits {
    /// Whatever the type takes.
    Any,
    /// Whole numbers, both ends included.
    Whole {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// Even whole numbers, both ends included.
    Even {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// Real numbers; an open end is left out.
    Real {
        /// The lower end.
        min: f64,
        /// Leaves the lower end out.
        min_open: bool,
        /// The upper end.
        max: f64,
        /// Leaves the upper end out.
        max_open: bool,
    },
}

/// Whole numbers from `min` to `max`.
pub const fn whole(min: u64, max: u64) -> Limits {
    Limits::Whole { min, max }
}

/// Even whole numbers from `min` to `max`.
pub const fn even(min: u64, max: u64) -> Limits {
    Limits::Even { min, max }
}

/// Real numbers from `min` to `max`, both included.
pub const fn real(min: f64, max: f64) -> Limits {
    Limits::Real { min, min_open: false, max, max_open: false }
}

/// Real numbers above `min`, up to and with `max`.
pub const fn above(min: f64, max: f64) -> Limits {
    Limits::Real { min, min_open: true, max, max_open: false }
}

/// Real numbers from `min` on, below `max`.
pub const fn below(min: f64, max: f64) -> Limits {
    Limits::Real { min, min_open: false, max, max_open: true }
}

impl Limits {
    /// Whether a whole number is within.
    pub fn takes_whole(&self, value: u64) -> bool {
        match *self {
            Self::Whole { min, max } => (min..=max).contains(&value),
            Self::Even { min, max } => (min..=max).contains(&value) && value.is_multiple_of(2),
            Self::Any | Self::Real { .. } => true,
        }
    }

    /// Returns whether a real number is within the limits. NaN and infinities never are.
    pub fn takes_real(&self, value: f64) -> bool {
        match *self {
            Self::Real { min, min_open, max, max_open } => {
                let above = if min_open { value > min } else { value >= min };
                let below = if max_open { value < max } else { value <= max };
                above && below
            }
            Self::Any | Self::Whole { .. } | Self::Even { .. } => value.is_finite(),
        }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Any => write!(f, "any"),
            Self::Whole { min, max } if min == max => write!(f, "only {min}"),
            Self::Whole { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Even { min, max } => write!(f, "an even number from {min} to {max}"),
            Self::Real { min, min_open, max, max_open } => {
                let from = if min_open { "above" } else { "from" };
                let to = if max_open { "to below" } else { "to" };
                write!(f, "a number {from} {min} {to} {max}")
            }
        }
    }
}
