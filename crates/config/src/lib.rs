//! The strict run configuration.
//!
//! A run is told everything in one TOML file: [`RunConfig::load`] reads it, lays `--set`
//! overrides over it, and reports every fault at once. What comes out has a value for every key;
//! [`RunConfig::to_toml`] is what a run keeps, and [`RunConfig::diff`] says what a resume under
//! another file would change. Each key is declared once, in its section's file, with meaning,
//! limits, default and [`Effect`].

mod change;
mod check;
mod choice_or_number;
mod fault;
mod field;
mod limits;
mod load;
mod overrides;
mod reader;
mod reference;
mod run_config;
mod same_or;
mod section;
mod sections;
mod suggest;
mod table_field;
mod unknown;

pub use change::{Change, Effect};
pub use fault::{ConfigError, Fault};
pub use load::Loaded;
pub use run_config::RunConfig;
pub use same_or::SameOr;
pub use section::Key;
pub use sections::{
    AlarmsSection, Anchor, AnchorKind, BackupWord, BootstrapEvaluator, BootstrapSection, CatchUp,
    DeviceChoice, EngineAnchor, EngineProtocol, Epsilon, Expansion, Fpu, GateRule, GateSection,
    GumbelInnerWord, HeadsSection, InFlight, LeafValue, MoveChoiceWord, NetworkSection,
    NoiseShapeWord, OpeningDraw, Optimizer, RatingSection, RaveScheduleWord, Resign, RevisitWord,
    RunMode, RunSection, SOLVER_DEPTH_MAX, Schedule, SearchSection, SelectionWord, SelfplaySection,
    ShuffleSection, SoftResign, StalenessWord, StorageSection, TargetWord, TerminalsWord,
    TieBreakWord, TrainingPrecision, TrainingSection, WindowSection,
};
