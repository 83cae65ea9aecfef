//! What the tests of the program share.

pub(crate) mod cli;
pub(crate) mod files;
pub(crate) mod fleet;
pub(crate) mod network;
pub(crate) mod program;
