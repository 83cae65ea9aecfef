//! How self-play is loaded while it is measured.

use std::time::Duration;

/// The games that are played while self-play is measured.
#[derive(Clone, Copy, Debug)]
pub struct GameLoad {
    /// Playouts of every move.
    pub playouts: u32,
    /// Positions of a batch, which is also the number of games in a group.
    pub batch: usize,
    /// Groups that take turns with the device.
    pub groups: u16,
    /// Measuring takes this time, after half as long to fill the trees.
    pub time: Duration,
}
