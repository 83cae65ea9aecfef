//! Devices: which there are, and how they are used.

pub(crate) mod card;
pub(crate) mod choice;
pub(crate) mod kernel_cache;
pub(crate) mod open;
