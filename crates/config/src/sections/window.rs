//! `[window]`: the games that training samples from.

use dz_config_keys::{above, below, section, whole};
section! {
    /// `[window]`: the newest rows, which training samples from.
    ///
    /// With `N` rows played so far, `s = scale`, `E = exponent` and `x = N - rows_min + s`, the
    /// window holds `(x^E - s^E) / (E s^(E-1)) * rows_per_new_row + rows_min` rows, within
    /// `rows_min..=rows_max` (KataGo's `python/shuffle.py`).
    pub struct WindowSection = "window" {
        /// Rows of the smallest window; while fewer were played, all of them.
        [Results, whole(1, 1_000_000_000_000)] rows_min: u64 = 10_000;
        /// Rows of the largest window.
        [Results, whole(1, 1_000_000_000_000)] rows_max: u64 = 10_000_000;
        /// Exponent `E` of the power law: how fast the growth of the window slows down (KataGo:
        /// 0.65).
        [Results, above(0.0, 1.0)] exponent: f64 = 0.65;
        /// Rows by which the window grows a new row, at first (KataGo's
        /// `expand_window_per_row`: 0.4).
        [Results, above(0.0, 1.0)] rows_per_new_row: f64 = 0.4;
        /// Rows `s` after which the growth slows down (KataGo's `taper_window_scale`).
        [Results, whole(1, 1_000_000_000_000)] scale: u64 = 10_000;
        /// Share of the games whose rows are kept for validation; games are sampled, not rows.
        [Fixed, below(0.0, 0.5)] validation_share: f64 = 0.05;
    }
}
