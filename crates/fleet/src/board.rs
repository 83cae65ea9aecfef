//! What the home shows to workers: what may be played now.

use serde::{Deserialize, Serialize};

use crate::error::FleetError;
use crate::sealed::{self, FORMAT};
use crate::unit_set::UnitSet;

/// Longest board that is read, in bytes.
pub const BOARD_BYTES_MAX: u64 = 16 << 20;

/// The board: replaced every few seconds, and therefore always a little old.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Version of this format.
    pub format: u32,
    /// Which home wrote it; workers obey the highest.
    pub epoch: u64,
    /// What may be played; none between plans.
    pub offer: Option<Offer>,
    /// Units of the plan that are not at home yet.
    pub units_missing: u32,
    /// Whether the run is over: workers end.
    pub finished: bool,
}

/// Units of one plan that may be played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// The plan's number.
    pub plan: u64,
    /// Units that nobody plays, as far as the home knows.
    pub open: UnitSet,
    /// Claimed units that anybody may claim again, since their workers seem to be gone; the oldest
    /// claim first.
    pub given_up: Vec<Repeat>,
    /// The same of units that take long, where few are open: for workers that do not need longer
    /// than most.
    pub late: Vec<Repeat>,
    /// The same of units that were claimed a short while ago: for fast workers, who may be here
    /// first.
    pub young: Vec<Repeat>,
    /// What half of the units take at most, from the claim to the inbox, in milliseconds; none
    /// while little is known.
    pub typical_ms: Option<u64>,
}

impl Offer {
    /// Whether there is nothing to claim.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
            && [&self.given_up, &self.late, &self.young].iter().all(|list| list.is_empty())
    }
}

/// A unit that is claimed and may be claimed again. Boards have it as a list of three numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32)", into = "(u32, u32, u32)")]
pub struct Repeat {
    /// The unit.
    pub unit: u32,
    /// The last attempt that has a claim.
    pub last: u32,
    /// How many attempts after that one may be claimed.
    pub places: u32,
}

impl From<(u32, u32, u32)> for Repeat {
    fn from((unit, last, places): (u32, u32, u32)) -> Self {
        Self { unit, last, places }
    }
}

impl From<Repeat> for (u32, u32, u32) {
    fn from(repeat: Repeat) -> Self {
        (repeat.unit, repeat.last, repeat.places)
    }
}

impl Board {
    /// A board without an offer.
    pub const fn empty(epoch: u64) -> Self {
        let (offer, units_missing, finished) = (None, 0, false);
        Self { format: FORMAT, epoch, offer, units_missing, finished }
    }

    /// The board as an object.
    pub fn to_bytes(&self) -> Vec<u8> {
        sealed::write(self)
    }

    /// The board in `bytes`.
    ///
    /// # Errors
    /// [`FleetError`] if it is none.
    pub fn read(bytes: &[u8]) -> Result<Self, FleetError> {
        sealed::read(crate::names::BOARD, bytes)
    }
}
