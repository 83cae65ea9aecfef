//! Players, games between them, paired matches and openings: searches driven by evaluators.
//!
//! Nothing here knows a network or reads a file: callers pass a [`NetworkLoader`] and a
//! [`GameStore`]. Games are [`dz_infer::GameTask`]s, so self-play, matches and accuracy checks all
//! run in lockstep batches.

mod accuracy;
mod amaf;
mod anchors;
mod arena;
mod counts;
mod early_stop;
mod exact;
mod external;
mod game;
mod guide;
pub mod match_file;
mod match_plan;
mod matches;
mod move_search;
mod openings;
mod player;
mod pool;
mod probe;
mod replay;
mod running_match;
mod scheduler;

pub use accuracy::{CheckError, PositionCheck, Preserved, check_positions};
pub use amaf::Amaf;
pub use anchors::{anchor_faults, anchor_player, engine_spec, missing_anchors};
pub use arena::Arena;
pub use counts::{MatchCounts, PlayedGame, Seat};
pub use dz_search_settings::{MoveHeuristic, RolloutMoves};
pub use early_stop::{EarlyStop, PairTest};
pub use exact::{Exact, Lookahead};
pub use external::{Cause, Forfeit};
pub use game::{GameSetup, MatchGame};
pub use guide::{Guide, GuideError, GuideEvaluator, rollouts_of};
pub use match_file::{MatchFileError, MatchHeader, PlayedMatch, read_match, write_match};
pub use match_plan::{
    GameStore, Match, MatchError, MatchObserver, MatchProgress, MatchTask, NoObserver,
};
pub use matches::{play_match, play_matches, play_scheduled_matches};
pub use move_search::{GameSeed, MoveSearch, Pipeline, SearchStep};
pub use openings::{Opening, distinct_openings};
pub use player::{
    MatchPlayer, PlayerEvaluator, PlayerKind, SearchPlayer, one_ply_player, rollout_anchor,
    rollout_player, rollout_section, with_rollouts,
};
pub use pool::{
    BoxError, MissingNumbers, NetworkLoader, NoNetworks, PlayerError, PlayerPool, Ready,
    check_numbers,
};
pub use probe::{
    MatchTimes, POLICY_MAX, ProbedPosition, SampleLine, TruthAtPly, TruthLine, probe_positions,
    sample_positions,
};
pub use replay::{ReplayError, replay_match_game};
pub use running_match::PreparedMatch;
pub use scheduler::{MatchScheduler, RemoteEvent, SharedMatch};
