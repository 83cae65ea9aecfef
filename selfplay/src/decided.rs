//! Soft resignation: games that are as good as decided get fewer playouts and less weight, and are
//! played to their ends (KataGo, `reduceVisits`; values there: threshold 0.9, 3 turns, 100 of 600
//! playouts, weight 0.1).

use dz_game::{Player, Wdl};

/// When a game counts as decided, and what is left for it then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecidedPlan {
    /// Values of one winner above this, in [0, 1), of so many plies in a row.
    pub above: f64,
    /// Plies, at least 1.
    pub plies: u32,
    /// Playouts of a search where the winner is certain.
    pub playouts: u32,
    /// Weight of a position there.
    pub weight: f64,
}

/// Root values of a game's plies, of the first player: win minus loss.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values(Vec<f64>);

impl Values {
    /// Adds that of the next ply, the mover's.
    pub(crate) fn add(&mut self, mover: Player, wdl: Wdl) {
        let value = f64::from(wdl.value());
        self.0.push(if mover == Player::First { value } else { -value });
    }
}

impl DecidedPlan {
    /// How far the game is on its way from open to certain, squared as KataGo does: 0 to 1.
    fn progress(&self, values: &Values) -> f64 {
        let count = self.plies as usize;
        let Some(begin) = values.0.len().checked_sub(count) else { return 0.0 };
        let last = &values.0[begin..];
        let least = |sign: f64| last.iter().map(|v| sign * v).fold(f64::INFINITY, f64::min);
        let certainty = least(1.0).max(least(-1.0));
        ((certainty - self.above) / (1.0 - self.above)).clamp(0.0, 1.0).powi(2)
    }

    /// What a search of `playouts` comes down to, and the weight of its position.
    pub(crate) fn reduced(&self, values: &Values, playouts: u32) -> (u32, f32) {
        let progress = self.progress(values);
        let between = |from: f64, to: f64| from + (to - from) * progress;
        let fewest = f64::from(self.playouts.min(playouts));
        let playouts = between(playouts.into(), fewest).round() as u32;
        (playouts, between(1.0, self.weight) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: DecidedPlan = DecidedPlan { above: 0.9, plies: 3, playouts: 20, weight: 0.1 };

    /// Values of the players in turn, each the mover's.
    fn values(movers: &[f32]) -> Values {
        let mut values = Values::default();
        for (i, &value) in movers.iter().enumerate() {
            let mover = if i % 2 == 0 { Player::First } else { Player::Second };
            let win = 0.5 + 0.5 * value;
            values.add(mover, Wdl { win, draw: 0.0, loss: 1.0 - win });
        }
        values
    }

    #[test]
    fn a_game_is_open_until_so_many_plies_agree() {
        for open in [&[][..], &[1.0, -1.0], &[1.0, 1.0, 1.0], &[1.0, -1.0, 0.9], &[0.5, -1.0, 1.0]]
        {
            assert_eq!(PLAN.reduced(&values(open), 100), (100, 1.0), "{open:?}");
        }
    }

    #[test]
    fn the_least_certain_of_them_counts() {
        assert_eq!(PLAN.reduced(&values(&[0.0, -1.0, 1.0, -1.0]), 100), (20, 0.1));
        assert_eq!(PLAN.reduced(&values(&[-1.0, 1.0, -1.0]), 100), (20, 0.1), "the other winner");
        // Half way, squared: a quarter of the way from 100 to 20 and from 1 to 0.1.
        let (playouts, weight) = PLAN.reduced(&values(&[1.0, -0.95, 1.0]), 100);
        assert_eq!(playouts, 80);
        assert!((weight - 0.775).abs() < 1e-5);
        // Few playouts are not made more.
        assert_eq!(PLAN.reduced(&values(&[1.0, -1.0, 1.0]), 10).0, 10);
    }
}
