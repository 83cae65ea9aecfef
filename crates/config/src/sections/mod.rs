//! One file a section of the configuration.

mod alarms;
mod bootstrap;
mod budget;
mod devices;
mod final_match;
mod gate;
mod network;
mod rating;
mod reinforce;
mod run;
mod selfplay;
mod shuffle;
mod storage;
mod training;
mod window;
mod workers;

pub use alarms::AlarmsSection;
pub use bootstrap::{BootstrapEvaluator, BootstrapSection};
pub use final_match::FinalSection;
pub use gate::{GateRule, GateSection};
pub use network::{NetworkSection, PolicyHead};
pub use rating::{
    Anchor, AnchorKind, EngineAnchor, EngineProtocol, RatingSection, RolloutAnchor,
    SOLVER_DEPTH_MAX,
};
pub use reinforce::{ReinforcePhase, ReinforceSection};
pub use run::{DeviceChoice, RunMode, RunSection};
pub use selfplay::{OpeningSampler, Resign, SelfplaySection, SoftResign};
pub use shuffle::ShuffleSection;
pub use storage::StorageSection;
pub use training::{Optimizer, Schedule, TrainingPrecision, TrainingSection, ValueLoss};
pub use window::WindowSection;
pub use workers::{MailboxAddress, WorkerEvaluators, WorkersSection};
