//! Repository chores, and the checks behind the tests for layers and tidiness.
//!
//! A check reads files under a root folder and returns its findings, one line each. No findings
//! means that all is well. Tests run the checks on this repository, where they must find nothing,
//! and on small faulty trees.

pub mod ablate;
pub mod book;
pub mod chaos;
pub mod ci;
pub mod fleet;
pub mod imports;
pub mod layers;
pub mod links;
pub mod manifest;
pub mod names;
pub mod powercut;
pub mod presets;
pub mod soak;
pub mod sources;
pub mod suites;

use std::path::{Path, PathBuf};

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies in the repository's root").to_owned()
}
