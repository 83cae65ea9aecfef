//! Points that the second player is given.

use std::fmt;

/// The second player's compensation in half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Komi {
    /// Twice the points: 15 is 7.5.
    pub halves: i16,
}

impl Komi {
    /// As many points as the largest board of Go has.
    const HALVES_MAX: i16 = 2 * 361;

    /// Reads whole and half points: `7`, `7.5`, `-0.5`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (whole, half) = match digits.split_once('.') {
            None => (digits, 0),
            Some((whole, "0")) => (whole, 0),
            Some((whole, "5")) => (whole, 1),
            Some(_) => return None,
        };
        let whole = crate::games::parse_number(whole).filter(|&whole| whole <= 361)? as i16;
        let halves = sign * (2 * whole + half);
        (halves.abs() <= Self::HALVES_MAX).then_some(Self { halves })
    }
}

impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.halves < 0 { "-" } else { "" };
        let half = if self.halves % 2 == 0 { "" } else { ".5" };
        write!(f, "{sign}{}{half}", self.halves.abs() / 2)
    }
}
