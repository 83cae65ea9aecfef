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
    /// Units that somebody claimed long ago, the oldest first, each with the number of the attempt
    /// to claim now.
    pub again: Vec<(u32, u32)>,
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
