//! What a changed key does to a run that exists.

use std::fmt;

/// What changing a key does to a run that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Time, memory or disk only: the same games, rows and networks come out.
    Speed,
    /// What comes out of later work; a resume under a changed value is noted in the ledger.
    Results,
    /// The run would contradict itself; a resume under a changed value is refused.
    Fixed,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Speed => "speed",
            Self::Results => "results",
            Self::Fixed => "fixed",
        })
    }
}

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
