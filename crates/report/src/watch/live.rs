//! How a run stands at this moment.

use dz_store::Stage;
use serde::Serialize;

/// How the run stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Live {
    /// Whose turn it is, in words.
    pub turn: String,
    /// The process that drives the run.
    pub driven_by: Option<u32>,
    /// Stages whose process is alive.
    pub stages: Vec<Stage>,
    /// Processes that wait for a disk: who, since when, and what for, in words.
    pub paused: Vec<String>,
    /// Where stages stand in their turns: `selfplay cycle 3: 120/400 games, 8 s left`.
    pub progress: Vec<String>,
    /// Cycles that are over.
    pub cycles_done: u32,
    /// Cycles that the configuration asks for; 0 where it cannot be read.
    pub cycles: u32,
    /// Number of the newest record.
    pub record: u64,
}
