//! The settings of a search: their types, which `dz-search` works by, and their keys, which
//! configurations are written in. [`SearchSection`] declares every key of `[search]`;
//! [`SearchSettings::of`] gives what the keys make together.

mod choice;
mod fpu;
mod graph;
mod gumbel;
mod heuristic;
mod leaves;
mod move_choice;
mod overrides;
mod params;
mod puct;
mod rollout;
mod root;
mod score_utility;
mod section;
mod selection;
mod settings;
mod target;
mod uncertainty;
mod value_bias;

pub use fpu::{FirstPlay, KataGoFirstPlay};
pub use graph::{Backup, BackupWord, CatchUp, Revisit, Staleness, StalenessWord, Terminals};
pub use gumbel::{Gumbel, GumbelInner, GumbelInnerWord, Sigma};
pub use heuristic::MoveHeuristic;
pub use leaves::{EdgeValues, Expansion, Grow, InFlight, LeafValue, Untried};
pub use move_choice::{MoveChoice, MoveChoiceWord};
pub use params::{ParamsError, SearchParams};
pub use puct::{DynamicVariance, Exploration, Puct};
pub use rollout::{RolloutMoves, RolloutPolicy};
pub use root::{NoiseShape, NoiseShapeWord, RootNoise, RootSetup};
pub use score_utility::ScoreUtility;
pub use section::SearchSection;
pub use selection::{
    EpsilonSchedule, ExplorationTerm, Rave, RaveSchedule, RaveScheduleWord, Regularized, Selection,
    SelectionWord, TieBreak, VisitRange,
};
pub use settings::{SearchSettings, search_faults};
pub use target::{PolicyTarget, TargetWord};
pub use uncertainty::UncertaintyWeights;
pub use value_bias::ValueBias;
