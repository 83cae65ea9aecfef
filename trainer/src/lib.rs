//! Training: a cycle's rows become a checkpoint and a candidate.
//!
//! Rows are read in the order in which the shuffler wrote them, each turned by a random symmetry,
//! and every `training.batch` of them make a step. Rows left over at the end of a cycle, fewer than
//! one batch, are not trained on: carrying them over would tie a checkpoint to two cycles' files.
//!
//! What a step does depends on the run's seed, the configuration and the rows only. A
//! [checkpoint](checkpoint) holds the learner's state with the exact place in the rows. So on the
//! CPU N steps end in the same bytes as k steps, a kill and N - k steps. It does not matter when
//! checkpoints are written.

mod batch;
pub mod checkpoint;
mod explosion;
mod feed;
mod heads;
mod metrics;
mod publish;
mod restore;
mod rows;
mod rows_of_cycle;
mod schedule;
mod session;
mod stage;
mod tally;
mod trial;
mod turn;
mod validate;

pub use batch::BatchMaker;
pub use explosion::{Exploded, LossGuard};
pub use feed::{Feed, FeedPlan, Prepared};
pub use metrics::{StepMetrics, effective_steps};
pub use restore::{Restored, restore};
pub use rows::{BoardRows, CycleRows};
pub use schedule::{LearningRate, value_mix};
pub use session::Session;
pub use stage::{MakeLearner, Trainer, run, start};
pub use tally::{Mean, Tally};
pub use trial::{Overfit, RangeStep, RangeTest, Trial};
pub use validate::{Validation, validate};
