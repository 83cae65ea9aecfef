//! One key that differs between two configurations.

use std::fmt;

use dz_config_keys::Effect;

/// One key that differs between the configuration a run has and a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The key with its section, such as `training.batch`.
    pub key: String,
    /// What the run has, as TOML.
    pub old: String,
    /// What the new configuration has, as TOML.
    pub new: String,
    /// What the change does.
    pub effect: Effect,
}

impl Change {
    /// Whether a run may be resumed under this change.
    pub fn may_change(&self) -> bool {
        self.effect != Effect::Fixed
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.effect {
            Effect::Speed => "changes speed only",
            Effect::Results => "changes results from here on",
            Effect::Fixed => "may not change in an existing run",
        };
        write!(f, "{}: {} -> {} ({verdict})", self.key, self.old, self.new)
    }
}
