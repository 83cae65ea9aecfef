//! What a changed key does to a run that exists.

use std::fmt;

/// What changing a key does to a run that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Time, memory or disk only: the same games, rows and networks come out.
    Speed,
    /// Results of later work. A resume under a changed value is noted in the ledger.
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
