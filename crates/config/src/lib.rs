//! The strict run configuration.
//!
//! One TOML file configures a run. [`RunConfig::load`] reads it, applies `--set` overrides and
//! reports every fault at once. A configuration without faults has a value for every key. A run
//! keeps [`RunConfig::to_toml`], and [`RunConfig::diff`] lists what a resume under another file
//! would change. Each key is declared once, in its section's file, with meaning, limits, default
//! and [`Effect`].

mod boards;
mod change;
mod check;
mod error;
mod load;
mod reference;
mod rollout_files;
mod run_config;
mod schema;
mod sections;
mod unknown;

pub use boards::{BoardWeight, Deal};
pub use change::Change;
pub use dz_aux_heads::HeadsSection;
pub use dz_config_keys::{Effect, Fault, Key, SameOr};
pub use dz_search_settings::{RolloutMoves, SearchSection, SelectionWord};
pub use error::ConfigError;
pub use load::Loaded;
pub use rollout_files::{kept_policy_hash, kept_policy_path};
pub use run_config::RunConfig;
pub use sections::{
    AlarmsSection, Anchor, AnchorKind, BootstrapEvaluator, BootstrapSection, DeviceChoice,
    EngineAnchor, EngineProtocol, FinalSection, GateRule, GateSection, MailboxAddress,
    NetworkSection, OpeningSampler, Optimizer, PolicyHead, RatingSection, ReinforcePhase,
    ReinforceSection, Resign, RolloutAnchor, RunMode, RunSection, SOLVER_DEPTH_MAX, Schedule,
    SelfplaySection, ShuffleSection, SoftResign, StorageSection, TrainingPrecision,
    TrainingSection, ValueLoss, WindowSection, WorkerEvaluators, WorkersSection,
};
