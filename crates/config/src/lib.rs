//! The strict run configuration.
//!
//! A run is told everything in one TOML file: [`RunConfig::load`] reads it, lays `--set`
//! overrides over it, and reports every fault at once. What comes out has a value for every key;
//! [`RunConfig::to_toml`] is what a run keeps, and [`RunConfig::diff`] says what a resume under
//! another file would change. Each key is declared once, in its section's file, with meaning,
//! limits, default and [`Effect`].

mod change;
mod check;
mod error;
mod load;
mod reference;
mod run_config;
mod sections;
mod unknown;

pub use change::Change;
pub use dz_config_keys::{Effect, Fault, Key, SameOr};
pub use dz_search_settings::SearchSection;
pub use error::ConfigError;
pub use load::Loaded;
pub use run_config::RunConfig;
pub use sections::{
    AlarmsSection, Anchor, AnchorKind, BootstrapEvaluator, BootstrapSection, DeviceChoice,
    EngineAnchor, EngineProtocol, GateRule, GateSection, HeadsSection, NetworkSection,
    OpeningSampler, Optimizer, RatingSection, Resign, RunMode, RunSection, SOLVER_DEPTH_MAX,
    Schedule, SelfplaySection, ShuffleSection, SoftResign, StorageSection, TrainingPrecision,
    TrainingSection, WindowSection,
};
