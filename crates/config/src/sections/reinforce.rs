//! `[reinforce]`: AlphaGo's chain between games of others and self-play with searches.

use dz_config_keys::{section, whole};

use crate::run_config::RunConfig;

section! {
    /// `[reinforce]`: policy gradient and value regression between the first cycle, usually of
    /// imported games, and self-play with searches (Silver 2016, AlphaGo).
    pub struct ReinforceSection = "reinforce" {
        /// Cycles of policy gradient, from the second cycle on; 0 is none. Moves are sampled from
        /// policies, without a search: the champion meets earlier networks, and its policy learns
        /// its own moves with the game's score, 0 to 1, as their weight. The value does not learn.
        [Results, whole(0, 1_000_000)] cycles: u32 = 0;
        /// Games of such a cycle (AlphaGo: 128 a step, 10,000 steps).
        [Results, whole(1, 100_000_000)] games: u32 = 2_000;
        /// Earlier networks, the newest ones, that opponents are sampled from, for each game
        /// (AlphaGo adds one every 500 steps).
        [Results, whole(1, 1_000)] pool: u32 = 10;
        /// Cycles of value regression after those: the policy plays itself, and the value learns
        /// one position of each game, so that it does not learn games by heart. The policy does not
        /// learn.
        [Results, whole(0, 1_000_000)] value_cycles: u32 = 0;
        /// Games of such a cycle (AlphaGo: 30 million).
        [Results, whole(1, 100_000_000)] value_games: u32 = 10_000;
    }
}

/// The purpose of a cycle's games, where moves are sampled from policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReinforcePhase {
    /// Policy gradient.
    Policy,
    /// Value regression.
    Value,
}

impl RunConfig {
    /// Returns the purpose of a cycle's games, from cycle 1 on; `None` where searches choose the
    /// moves.
    pub fn reinforce_phase(&self, cycle: u32) -> Option<ReinforcePhase> {
        let reinforce = &self.reinforce;
        // The first cycle has no network to play with.
        let place = u64::from(cycle).checked_sub(2)?;
        let policy = u64::from(reinforce.cycles);
        if place < policy {
            return Some(ReinforcePhase::Policy);
        }
        let is_value = place < policy + u64::from(reinforce.value_cycles);
        is_value.then_some(ReinforcePhase::Value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_the_first_cycle() {
        let set = ["reinforce.cycles=2", "reinforce.value_cycles=1"].map(str::to_owned);
        let text = include_str!("../../tests/minimal.toml");
        let config = RunConfig::from_text(text, &set).expect("a good configuration");
        let phases: Vec<_> = (1..=5).map(|cycle| config.reinforce_phase(cycle)).collect();
        let (policy, value) = (Some(ReinforcePhase::Policy), Some(ReinforcePhase::Value));
        assert_eq!(phases, [None, policy, policy, value, None]);
        let none = RunConfig::from_text(text, &[]).expect("a good configuration");
        assert!((1..=5).all(|cycle| none.reinforce_phase(cycle).is_none()));
    }
}
