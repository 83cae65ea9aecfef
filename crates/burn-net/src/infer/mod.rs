//! Playing: networks that evaluate positions.

pub(crate) mod canary;
mod check_loaded;
pub(crate) mod evaluator;
pub(crate) mod load;
pub(crate) mod options;
mod read_back;
pub(crate) mod runner;
pub(crate) mod weights;
