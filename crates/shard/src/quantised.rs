//! Values, weights and shares as they are stored: whole numbers of a stated unit.

use dz_game::Wdl;
use serde::{Deserialize, Serialize};

/// Win and draw in units of 1/65,535; what is left of 65,535 is the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WdlShares {
    /// Win, of 65,535.
    pub win: u16,
    /// Draw, of 65,535; `win + draw` is at most 65,535.
    pub draw: u16,
}

impl WdlShares {
    /// The nearest shares, or `None` unless all three parts are in [0, 1] and sum to 1 within 1e-3.
    pub fn new(wdl: Wdl) -> Option<Self> {
        let parts = wdl.to_array();
        let in_range = parts.iter().all(|part| (-1e-6..=1.0 + 1e-6).contains(part));
        if !in_range || (parts.iter().sum::<f32>() - 1.0).abs() > 1e-3 {
            return None;
        }
        let win = unit_to_u16(wdl.win);
        let draw = unit_to_u16(wdl.draw).min(u16::MAX - win);
        Some(Self { win, draw })
    }

    /// The value with these shares.
    pub fn wdl(self) -> Wdl {
        let loss = u16::MAX.saturating_sub(self.win).saturating_sub(self.draw);
        let unit = |share: u16| f32::from(share) / f32::from(u16::MAX);
        Wdl { win: unit(self.win), draw: unit(self.draw), loss: unit(loss) }
    }

    /// Win minus loss, in [-1, 1], unrounded.
    pub fn value(self) -> f64 {
        let win = f64::from(self.win);
        let draw = f64::from(self.draw);
        let whole = f64::from(u16::MAX);
        (2.0 * win + draw - whole) / whole
    }

    /// Whether win and draw leave a loss that is not negative.
    pub(crate) fn is_valid(self) -> bool {
        self.win.checked_add(self.draw).is_some()
    }
}

/// A row's weight in a loss, in units of 1/1,024, from 0 to 63.999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Weight(pub u16);

impl Weight {
    /// Weight 0: the row does not count.
    pub const ZERO: Self = Self(0);
    /// Weight 1.
    pub const ONE: Self = Self(1024);

    /// The nearest weight, or `None` if it is negative, not finite or above the range.
    pub fn new(weight: f32) -> Option<Self> {
        let scaled = (weight * 1024.0).round();
        (0.0..=f32::from(u16::MAX)).contains(&scaled).then_some(Self(scaled as u16))
    }

    /// The weight as a number.
    pub fn get(self) -> f32 {
        f32::from(self.0) / 1024.0
    }
}

/// Shares of 65,535 in proportion to `counts`, by largest remainder (ties to the lower index), so
/// that they sum to exactly 65,535. All 0 if the counts are.
pub fn shares_of_counts(counts: &[u32], shares: &mut Vec<u16>) {
    const WHOLE: u64 = u16::MAX as u64;
    shares.clear();
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    if total == 0 {
        shares.resize(counts.len(), 0);
        return;
    }
    let mut left = WHOLE;
    for &count in counts {
        let share = u64::from(count) * WHOLE / total;
        left -= share;
        shares.push(share as u16);
    }
    // Fewer units are left than there are counts with a remainder, so each gets at most one.
    let mut taken = vec![false; if left > 0 { counts.len() } else { 0 }];
    for _ in 0..left {
        let remainder = |i: usize| u64::from(counts[i]) * WHOLE % total;
        let best = (0..counts.len())
            .filter(|&i| !taken[i])
            .max_by_key(|&i| (remainder(i), std::cmp::Reverse(i)));
        if let Some(best) = best {
            taken[best] = true;
            shares[best] += 1;
        }
    }
}

fn unit_to_u16(unit: f32) -> u16 {
    (unit * f32::from(u16::MAX)).round().clamp(0.0, f32::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_sum_to_the_whole_and_keep_proportions() {
        let mut shares = Vec::new();
        for counts in [&[1, 1, 1][..], &[200], &[3, 0, 197], &[7; 362], &[u32::MAX, 1]] {
            shares_of_counts(counts, &mut shares);
            assert_eq!(shares.iter().map(|&s| u64::from(s)).sum::<u64>(), 65_535);
            let total: f64 = counts.iter().map(|&c| f64::from(c)).sum();
            for (&count, &share) in counts.iter().zip(&shares) {
                assert!((f64::from(count) / total * 65_535.0 - f64::from(share)).abs() < 1.0);
            }
        }
        shares_of_counts(&[0, 0], &mut shares);
        assert_eq!(shares, [0, 0]);
    }

    #[test]
    fn quantising_twice_changes_nothing() {
        for i in 0..=1000_u16 {
            let win = f32::from(i) / 1000.0;
            let draw = (1.0 - win) * 0.3;
            let shares = WdlShares::new(Wdl { win, draw, loss: 1.0 - win - draw }).expect("valid");
            assert_eq!(WdlShares::new(shares.wdl()), Some(shares));
            let weight = Weight::new(win * 60.0).expect("in range");
            assert_eq!(Weight::new(weight.get()), Some(weight));
        }
        assert_eq!(WdlShares::new(Wdl { win: f32::NAN, draw: 0.0, loss: 0.0 }), None);
        assert_eq!(WdlShares::new(Wdl { win: 0.9, draw: 0.9, loss: 0.0 }), None);
        assert_eq!(Weight::new(-1.0), None);
        assert_eq!(Weight::new(f32::NAN), None);
        assert_eq!(Weight::new(1.0), Some(Weight::ONE));
    }
}
