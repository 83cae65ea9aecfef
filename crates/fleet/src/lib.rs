//! How one home and any number of workers share out the games of a run through a mailbox.
//!
//! The home publishes a plan and a [`Board`]: a [`Plan`] of self-play games, or a [`MatchesPlan`]
//! of the games of matches. A worker takes a unit of games from the board ([`Chooser`]), notes a
//! claim, plays, and puts the unit into the inbox under a name that holds its number and its hash.
//! The home's [`Desk`] keeps which units are to be played, and by whom each seems to be played. A
//! unit's bytes depend only on the plan and its number. Claims therefore only save time: if two
//! workers play a unit, the bytes are the same.
//!
//! Nothing in here reads a clock or a file: callers pass the time and the listings.

mod board;
mod choice;
mod claim;
mod desk;
mod error;
mod match_plan;
mod names;
mod pace;
mod plan;
mod repeats;
mod sealed;
mod unit_set;

pub use board::{BOARD_BYTES_MAX, Board, Offer, Repeat};
pub use choice::{Backoff, Chooser, Pick, home_delay, start_delay};
pub use claim::{Claim, NOTE_BYTES_MAX, UnitNote};
pub use desk::{Desk, UnitOrder};
pub use error::FleetError;
pub use match_plan::{MatchSegments, MatchesPlan, PlayerPlan, Segment, segment_games};
pub use names::{
    BOARD, HOMES, MATCHES, UNIT_BYTES_MAX, UnitKind, UnitName, claim_of, claim_path, claims_folder,
    home_epoch, home_path, inbox_folder, network_path, past_path, plan_number, plan_path,
    unit_name,
};
pub use pace::WorkerPace;
pub use plan::{EvaluatorRule, ObjectHash, PLAN_BYTES_MAX, Plan, PlanObject, ResignRule};
pub use unit_set::UnitSet;
