//! Keys of `[search]` that take a word or a number with a name.

use toml::Value;

use crate::choice_or_number::choice_or_number;
use crate::fault::Fault;
use crate::field::{Field, wrong_type};
use crate::limits::{Limits, real, whole};
use crate::table_field::TableReader;

choice_or_number! {
    /// What a playout does at a child with more visits than the edge that it came by.
    pub enum CatchUp {
        words {
            /// Goes on.
            Continue = "continue",
            /// Counts the edge and ends.
            Stop = "stop",
        }
        numbers {
            /// Stops, but goes on with this probability.
            Leak(f64) = "leak" within real(0.0, 1.0),
            /// Stops if the child is ahead by more than so many visits.
            Margin(u32) = "margin" within whole(0, 1_000_000_000),
        }
    }
}

choice_or_number! {
    /// How a leaf that waits keeps others off its path.
    pub enum InFlight {
        words {
            /// As a visit.
            Visits = "visits",
        }
        numbers {
            /// As so many lost games.
            Losses(u32) = "losses" within whole(0, 1_000),
        }
    }
}

choice_or_number! {
    /// What a leaf is worth.
    pub enum LeafValue {
        words {
            /// The network's value.
            Network = "network",
            /// A rollout's outcome.
            Rollout = "rollout",
        }
        numbers {
            /// The network's value with this share of a rollout's outcome.
            Mix(f64) = "mix" within real(0.0, 1.0),
        }
    }
}

choice_or_number! {
    /// For how many visits a choice holds.
    pub enum Epsilon {
        words {
            /// For one.
            Off = "off",
        }
        numbers {
            /// For this share of the node's visits, rounded up.
            Share(f64) = "share" within real(0.0, 1.0),
            /// For this times the square root of the node's visits, rounded up.
            Root(f64) = "root" within real(0.0, 1_000.0),
        }
    }
}

/// When a leaf gets children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// At the visit after so many; 0 is its first.
    After(u32),
    /// After a number of visits that follows how many leaves wait.
    Dynamic {
        /// Where it starts.
        start: u32,
        /// Leaves that may wait before it rises.
        waiting_max: u32,
    },
}

const VISITS: Limits = whole(0, 1_000_000);
const STARTS: Limits = whole(1, 1_000_000);
const WAITING: Limits = whole(1, 65_536);

impl Field for Expansion {
    fn allowed(_: &Limits) -> String {
        format!("{VISITS} or {{ start = {STARTS}, waiting_max = {WAITING} }}")
    }

    fn stand_in(_: &Limits) -> Self {
        Self::After(0)
    }

    fn read(key: &str, value: &Value, limits: &Limits, faults: &mut Vec<Fault>) -> Option<Self> {
        let allowed = Self::allowed(limits);
        match value {
            Value::Integer(_) => u32::read(key, value, &VISITS, faults).map(Self::After),
            Value::Table(_) => {
                let mut table = TableReader::open(key, value, &allowed, faults)?;
                let start = table.take::<u32>("start", &STARTS);
                let waiting_max = table.take::<u32>("waiting_max", &WAITING);
                table.close();
                Some(Self::Dynamic { start: start?, waiting_max: waiting_max? })
            }
            _ => {
                faults.push(wrong_type(key, value, &allowed));
                None
            }
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::After(visits) => visits.write(),
            Self::Dynamic { start, waiting_max } => {
                let pairs = [("start", start.write()), ("waiting_max", waiting_max.write())];
                Value::Table(
                    pairs.map(|(key, value)| (key.to_owned(), value)).into_iter().collect(),
                )
            }
        }
    }
}
