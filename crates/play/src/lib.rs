//! Players, games between them, paired matches and openings: searches driven by evaluators.
//!
//! Nothing here knows a network or a file. Games are [`dz_infer::Walker`]s, so that self-play,
//! matches and accuracy checks all run in lockstep batches.

mod accuracy;
mod exact;
mod external;
mod game;
mod match_play;
mod openings;
mod player;
mod probe;
mod result;
mod settings;
mod thinker;

pub use accuracy::{PositionCheck, Preserved, check_positions};
pub use exact::{Exact, Lookahead, knowing_player};
pub use external::{Cause, Forfeit};
pub use game::{MatchGame, PlayedGame};
pub use match_play::{Fixture, MatchPlan, MatchProgress, Next, play_match, play_matches};
pub use openings::{Opening, distinct_openings};
pub use player::{MoveSearch, PlayerKind, PlayerSetup, rollout_anchor};
pub use probe::{
    MatchTimes, POLICY_MAX, ProbedPosition, SampleLine, TruthAtPly, TruthLine, probe_positions,
    sample_positions,
};
pub use result::{MatchResult, Seat};
pub use settings::{anchor_faults, anchor_player};
pub use thinker::{Pipeline, Thinker, Thought};
