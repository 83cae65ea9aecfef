//! Learning.

pub(crate) mod board_passes;
pub(crate) mod burn_learner;
pub(crate) mod canary;
pub(crate) mod card_step;
pub(crate) mod checkpoint;
pub(crate) mod convolution_choice;
pub(crate) mod cpu_trunk;
pub(crate) mod fold_batch_norm;
pub(crate) mod gradient;
pub(crate) mod layout;
pub(crate) mod learner;
pub(crate) mod losses;
pub(crate) mod muon;
pub(crate) mod optimizer;
pub(crate) mod parts;
pub(crate) mod state;
pub(crate) mod step;
