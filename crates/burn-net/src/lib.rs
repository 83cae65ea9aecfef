//! The Burn network: what evaluates positions and what learns. The only crate that names Burn.
//!
//! [`BurnEvaluator`] runs a network file behind [`dz_infer::NetworkEvaluator`]; [`BurnLearner`]
//! trains one behind [`Learner`]. What is computed is written down in [`dz_network_file`], so other
//! engines can take either place: on the processor [`network_evaluator`] takes
//! [`dz_cpu_net::CpuEvaluator`].
//!
//! Burn's modules and optimizers are not used, only its tensors and their gradients: all parameters
//! lie in one flat tensor, in the order of their names. Initial values come from our seeded stream,
//! running statistics are values like any other, and the optimizer, the gradient's norm and the
//! moving average are a few operations on flat tensors. So a checkpoint holds everything by name,
//! the same seed gives the same bytes in every process, and nothing hides in shared cells or
//! default devices.
//!
//! Letters: `B` batch, `C` channels, `H` rows, `W` columns, `G` globals, `A` policy length, `N`
//! numbers in all parameters.

mod cuda;
mod device;
mod error;
mod infer;
mod model;
mod precision;
mod tensors;
mod train;

pub use device::card::{CardFacts, DeviceFacts};
pub use device::choice::DeviceChoice;
pub use device::kernel_cache::{first_start_note, kernel_folder};
pub use device::open::{pick_device, pick_devices};
pub use dz_infer::EncodedBatch;
pub use error::NetError;
pub use infer::canary::{
    CanaryReport, burn_canary, canary, canary_spec, difference_from_processor,
};
pub use infer::evaluator::BurnEvaluator;
pub use infer::load::{
    network_evaluator, network_evaluator_on, network_on, network_with, optimistic_evaluator_on,
};
pub use infer::options::EvaluatorOptions;
pub use precision::Precision;
pub use train::burn_learner::BurnLearner;
pub use train::canary::{LearningReport, learning_canary, random_rows};
pub use train::checkpoint::check_checkpoint;
pub use train::convolution_choice::learns_by_cuda_kernels;
pub use train::learner::{
    EvaluationReport, Examiner, ExportInfo, HeadRows, Learner, LearnerOptions, LossReport,
    Optimizer, StepReport, TrainBatch, ValueLoss,
};
pub use train::losses::mean_entropy;
