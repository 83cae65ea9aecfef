//! Self-play: the champion plays against itself, and whole games go to shards.
//!
//! A cycle's games are numbered in advance and all of them are played, so that no length of game is
//! favoured. Each has its own random stream from the run's seed and its number; a shard's bytes
//! depend on nothing else. So shards that are missing after a kill are played again with the same
//! bytes.

mod beginning;
mod boards;
mod collector;
mod cycle;
mod decided;
mod fleet;
mod forks;
mod game_plan;
mod head_start;
mod import;
mod komi;
mod opening;
mod past;
mod play;
mod play_order;
mod policy_game;
mod policy_plan;
mod pool;
mod publish;
mod published;
mod reanalysis;
mod reanalyzed_game;
mod records;
mod resign;
mod seeds;
mod self_game;
mod settings;
mod sources;
mod stage;
mod summary;
mod surprise;

pub use cycle::{
    CycleGame, CyclePlan, CycleTally, ShardSink, play_cycle, play_cycle_of, play_shards,
};
pub use decided::DecidedPlan;
pub use fleet::{
    HomeLease, WorkerEnd, WorkerOptions, WorkerRefused, check_home_is_gone, finish_mailbox,
    share_matches, work,
};
pub use forks::Forks;
pub use game_plan::GamePlan;
pub use import::{IMPORTED, import_games};
pub use komi::KomiPlan;
pub use opening::OpeningPlan;
pub use past::Past;
pub use policy_game::PolicyGame;
pub use policy_plan::PolicyPlan;
pub use pool::{add_pool, pool};
pub use publish::{ShardPublisher, first_shard};
pub use reanalysis::Reanalyses;
pub use records::{NotImported, ReadGame, RecordImport, game_of_sheet};
pub use resign::{CycleResign, ResignPlan, ResignTally, cycle_resign, unbeaten_minimum};
pub use self_game::SelfGame;
pub use settings::{cycle_plan, policy_cycle_plan};
pub use sources::{champion_sources, guide_of};
pub use stage::{HeadStarts, SelfplayStage, run};
