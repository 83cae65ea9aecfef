//! Values from two points of view.

use dz_game::Wdl;
use serde::{Deserialize, Serialize};

use crate::numbers::Real;

/// The value of a position for the player to move there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValuePov<R> {
    /// Win minus loss, in [-1, 1].
    pub value: R,
    /// Probability of a draw, in [0, 1].
    pub draw: R,
}

impl<R: Real> From<Wdl> for ValuePov<R> {
    fn from(wdl: Wdl) -> Self {
        Self { value: R::from_f64(f64::from(wdl.value())), draw: R::from_f64(f64::from(wdl.draw)) }
    }
}

/// Value and draw share of a position, both the first player's: averages stay averages when mover
/// and opponent alternate in any way.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct ValueAbs<R> {
    /// Win minus loss of the first player.
    pub value: R,
    /// Probability of a draw.
    pub draw: R,
}

impl<R: Real> ValueAbs<R> {
    /// From the value of one player: the first one if `sign` is 1, the second if it is -1.
    pub(crate) fn from_pov(pov: ValuePov<R>, sign: i8) -> Self {
        Self { value: if sign < 0 { -pov.value } else { pov.value }, draw: pov.draw }
    }

    /// The chances of the player with this sign.
    pub(crate) fn wdl_for(self, sign: R) -> Wdl {
        let value = (sign * self.value).to_f64() as f32;
        let draw = self.draw.to_f64() as f32;
        let decided = 1.0 - draw;
        // Averages of exact outcomes can round to slightly below 0.
        let win = 0.5 * (decided + value);
        let loss = 0.5 * (decided - value);
        Wdl { win: win.max(0.0), draw, loss: loss.max(0.0) }
    }

    /// Adds another one `weight` times.
    pub(crate) fn add(&mut self, other: Self, weight: R) {
        self.value += weight * other.value;
        self.draw += weight * other.draw;
    }

    /// The same `count` times.
    pub(crate) fn times(self, count: R) -> Self {
        Self { value: count * self.value, draw: count * self.draw }
    }

    /// Moves by `weight / count` of the way to a sample: the running average of `count` samples, of
    /// which the last `weight` are this one.
    pub(crate) fn average_in(&mut self, sample: Self, weight: R, count: R) {
        self.value += weight * (sample.value - self.value) / count;
        self.draw += weight * (sample.draw - self.draw) / count;
    }
}
