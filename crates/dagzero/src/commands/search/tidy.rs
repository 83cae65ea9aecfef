//! Numbers as they are printed.

/// Negative zero is zero to readers.
pub(super) fn tidy(value: f64) -> f64 {
    value + 0.0
}
