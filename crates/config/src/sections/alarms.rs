//! `[alarms]`: when a run stops by itself.

use dz_config_keys::{above, section, whole};
section! {
    /// `[alarms]`: when a run stops by itself. What else is watched has fixed thresholds;
    /// `dagzero doctor RUN` names them.
    pub struct AlarmsSection = "alarms" {
        /// Training has exploded, and stops at its last good checkpoint, where policy and value
        /// loss together (median of 15 steps) stay above this many times their least so far, and
        /// above those of a network that holds everything equally likely, ln(policy length) + ln 3.
        [Speed, above(1.0, 1_000_000.0)] loss_factor: f64 = 3.0;
        /// Steps in a row for which they must (PaLM's spikes, Chowdhery 2022, section 5.1, were
        /// left behind by going back some 100 steps); a cycle that ends among them ends so too. 0
        /// never stops.
        [Speed, whole(0, 1_000_000_000)] loss_steps: u64 = 100;
    }
}
