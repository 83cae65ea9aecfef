//! The file that says what runs of a preset have reached.

use serde::{Deserialize, Serialize};

/// Finished runs of one preset, summed up. `configs/NAME.expected.json` holds one, and a run keeps
/// a copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Where they were made; times are this machine's.
    pub machine: String,
    /// Their seeds.
    pub seeds: Vec<u64>,
    /// Their game.
    pub game: String,
    /// The anchor that Elo is measured against. A run that lacks it has no band.
    pub anchor: String,
    /// By generation.
    pub points: Vec<ExpectedPoint>,
}

/// Where champions of one generation were: means of the effort spent, and the lowest and highest
/// end of the 95 % intervals of their Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedPoint {
    /// The generation.
    pub generation: u32,
    /// As [`crate::CurvePoint::running_ms`].
    pub running_ms: u64,
    /// As [`crate::CurvePoint::device_ms`].
    pub device_ms: u64,
    /// As [`crate::CurvePoint::games`].
    pub games: u64,
    /// As [`crate::CurvePoint::rows`].
    pub rows: u64,
    /// As [`crate::CurvePoint::evaluations`].
    pub evaluations: u64,
    /// Lower end.
    pub elo_lo: f64,
    /// Upper end.
    pub elo_hi: f64,
}
