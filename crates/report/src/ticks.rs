//! Round numbers on axes.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// An axis' range and the numbers written along it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ticks {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) at: Vec<f64>,
    /// How many decimals neighbouring numbers need to differ.
    pub(crate) decimals: usize,
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten, at most about `ticks_max` of them. A value
/// axis (`whole` false) is widened to the outermost ticks; a counting axis keeps half a unit of air
/// at its ends.
pub(crate) fn ticks(low: f64, high: f64, ticks_max: usize, whole: bool) -> Ticks {
    let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
    let mut step = round_up((high - low) / ticks_max as f64);
    if whole {
        step = step.max(1.0);
    }
    let (first, last) = if whole {
        ((low / step).ceil() as i64, (high / step).floor() as i64)
    } else {
        ((low / step).floor() as i64, (high / step).ceil() as i64)
    };
    // A multiple of the step, rounded once, not a sum of steps that drifts.
    let at: Vec<f64> = (first..=last).map(|k| k as f64 * step).collect();
    let (low, high) = if whole { (low - 0.5, high + 0.5) } else { (at[0], at[at.len() - 1]) };
    Ticks { low, high, at, decimals: (-step.log10()).ceil().max(0.0) as usize }
}

/// The smallest of 1, 2, 5 times a power of ten that is at least `raw`.
fn round_up(raw: f64) -> f64 {
    let power = 10.0_f64.powf(raw.log10().floor());
    // A hair of slack, since 0.3 / 3 is not 0.1 in binary.
    let digit = raw / power - 1e-9;
    power
        * if digit <= 1.0 {
            1.0
        } else if digit <= 2.0 {
            2.0
        } else if digit <= 5.0 {
            5.0
        } else {
            10.0
        }
}

impl Ticks {
    /// A tick's text.
    pub(crate) fn label(&self, value: f64) -> String {
        // Rounding residue around 0 would print as -0.
        let value = if value.abs() < 1e-12 { 0.0 } else { value };
        if self.decimals == 0 && value.abs() >= 1_000.0 {
            crate::count::real(value)
        } else {
            format!("{value:.*}", self.decimals)
        }
    }
}

impl Ranged for Ticks {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let share = (value - self.low) / (self.high - self.low);
        start + (f64::from(end - start) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Lines between the numbers are not drawn.
        if hint.weight().allow_light_points() { Vec::new() } else { self.at.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Ticks {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_axes_end_on_round_numbers() {
        let axis = ticks(-13.0, 871.0, 6, false);
        assert_eq!((axis.low, axis.high), (-200.0, 1000.0));
        assert_eq!(axis.at, [-200.0, 0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
        let axis = ticks(0.31, 0.58, 6, false);
        assert_eq!(axis.decimals, 2);
        assert_eq!(axis.label(axis.at[0]), "0.30");
    }

    #[test]
    fn counting_axes_have_whole_ticks_only() {
        assert_eq!(ticks(1.0, 3.0, 8, true).at, [1.0, 2.0, 3.0]);
        assert_eq!(ticks(1.0, 1.0, 8, true).at, [1.0]);
        assert_eq!(ticks(1.0, 40.0, 8, true).at, [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0]);
    }

    #[test]
    fn one_value_gets_a_range() {
        let axis = ticks(0.5, 0.5, 5, false);
        assert!(axis.low < 0.5 && axis.high > 0.5);
        assert_eq!(ticks(0.0, 20_000.0, 4, false).label(20_000.0), "20,000");
        assert_eq!(ticks(-1_500.0, 1_500.0, 4, false).label(-1_000.0), "-1,000");
    }
}
