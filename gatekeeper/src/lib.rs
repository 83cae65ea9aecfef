//! The gatekeeper: candidate against champion, the verdict, and ratings of all players.
//!
//! Gate matches are paired: each opening is played twice, colours swapped. Finished games go to a
//! working file at once, so an interrupted match is resumed where it stopped and ends in the same
//! games. Rating games are separate from gate games, since promotion inflates. The last
//! turn of a run ends with its final match.

mod budget;
mod cycle;
mod final_match;
pub mod league;
mod matches;
mod probes;
pub mod rating;
mod stage;
mod summary;
pub mod verdict;
mod work_file;

pub use budget::{Planned, ROLLOUTS_A_PLAYOUT, selfplay_ply_cost};
pub use cycle::{BOOTSTRAP, GateCycle, TurnEnd};
pub use matches::result_of;
pub use stage::{ArenaOf, OnDevices, arena, run, run_with};
