//! The gatekeeper: candidate against champion, the verdict, and ratings of all players.
//!
//! Gate matches are paired: each opening is played twice, colours swapped. Finished games go to a
//! working file at once, so an interrupted match goes on where it stopped and ends in the same
//! games. Rating games are separate from gate games, since promotion inflates.

mod bout;
mod budget;
mod contestant;
mod cycle;
pub mod league;
pub mod match_file;
mod matches;
mod probes;
pub mod rating;
mod referee;
mod stage;
mod summary;
pub mod verdict;
mod work_file;

pub use bout::{Bout, Decided, MatchProgress, Observer, Played, match_seed, play_bout, play_bouts};
pub use budget::{Planned, ROLLOUTS_A_PLAYOUT, selfplay_ply_cost};
pub use contestant::{Contestant, ContestantKind, Mind, NetworkLoader, Players};
pub use cycle::{BOOTSTRAP, GateCycle, TurnEnd};
pub use stage::{OnDevices, run};
