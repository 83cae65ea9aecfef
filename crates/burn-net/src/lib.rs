//! The Burn network: what evaluates positions and what learns. The only crate that names Burn.
//!
//! [`BurnEvaluator`] runs a network file behind [`dz_infer::NetworkEvaluator`]; [`BurnLearner`]
//! trains one behind [`Learner`]. What is computed is written down in [`dz_network_file`], so other
//! engines can take either place: on the processor [`network_evaluator`] takes
//! [`dz_cpu_net::CpuEvaluator`].
//!
//! Burn's modules and optimizers are not used, only its tensors and their gradients: all parameters
//! lie in one flat tensor, in the order of their names. Initial values come from our own seeded
//! stream, running statistics are values like any other, and the optimizer, the gradient's norm and
//! the moving average are a few operations on flat tensors. So a checkpoint holds everything by
//! name, the same seed gives the same bytes in every process, and nothing hides in shared cells or
//! default devices.
//!
//! Letters: `B` batch, `C` channels, `H` rows, `W` columns, `G` globals, `A` policy length, `N`
//! numbers in all parameters.

mod block;
mod board;
mod burn_learner;
mod canary;
mod card;
mod checkpoint;
mod convolve;
mod device;
mod error;
mod evaluator;
mod fold;
mod heads;
mod kernels;
mod layout;
mod learner;
mod learning_canary;
mod linear;
mod losses;
mod muon;
mod norm;
mod on_chip;
mod optimizer;
mod passes;
mod place;
mod planes;
mod source;
mod tower;
mod trunk;
mod way_to_learn;

pub use burn_learner::BurnLearner;
pub use canary::{CanaryReport, burn_canary, canary, canary_spec, difference_from_processor};
pub use card::{CardFacts, DeviceFacts};
pub use checkpoint::check_checkpoint;
pub use device::{DeviceChoice, pick_device, pick_devices};
pub use dz_infer::EncodedBatch;
pub use error::NetError;
pub use evaluator::{BurnEvaluator, EvaluatorOptions, Precision};
pub use kernels::{first_start_note, kernel_folder};
pub use learner::{
    EvaluationReport, Examiner, ExportInfo, HeadRows, Learner, LearnerOptions, LossReport,
    Optimizer, StepReport, TrainBatch,
};
pub use learning_canary::{LearningReport, learning_canary, random_rows};
pub use losses::mean_entropy;
pub use source::{network_evaluator, network_evaluator_on, network_on};
pub use way_to_learn::learns_on_chip;
