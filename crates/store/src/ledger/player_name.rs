//! Names of players.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A player's name in matches and ratings: a network of this run or an anchor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerName(String);

impl PlayerName {
    /// A name given in full, such as an anchor's: `random`, `rollout-1000`.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The candidate that `cycle` trained, whatever its verdict: `network-0007`.
    pub fn network(cycle: u32) -> Self {
        Self(format!("network-{cycle:04}"))
    }

    /// The cycle whose candidate this is; `None` for anchors.
    pub fn cycle(&self) -> Option<u32> {
        let cycle: u32 = self.0.strip_prefix("network-")?.parse().ok()?;
        (*self == Self::network(cycle)).then_some(cycle)
    }

    /// The cycle that trained this player, who searches or plays by its raw policy; `None` for
    /// anchors.
    pub fn made_in(&self) -> Option<u32> {
        self.line().map(|(_, cycle)| cycle)
    }

    /// Of whom a cycle made: the line of those who were trained on from one another, `network` or
    /// `policy`, and the cycle.
    pub fn line(&self) -> Option<(&'static str, u32)> {
        let network = self.cycle().map(|cycle| ("network", cycle));
        network.or_else(|| self.policy_cycle().map(|cycle| ("policy", cycle)))
    }

    /// The raw policy of the candidate that `cycle` trained, without a search: `policy-0007`.
    pub fn policy(cycle: u32) -> Self {
        Self(format!("policy-{cycle:04}"))
    }

    /// The cycle whose candidate's raw policy this is.
    pub fn policy_cycle(&self) -> Option<u32> {
        let cycle: u32 = self.0.strip_prefix("policy-")?.parse().ok()?;
        (*self == Self::policy(cycle)).then_some(cycle)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
