//! Files that hold what a test must give.

use std::path::Path;
use std::{env, fs};

/// Returns the text of a golden file, or an empty one if there is no such file. If `UPDATE_GOLDEN`
/// is set, `written` becomes that text first.
///
/// `cargo xtask goldens` runs the tests of crates whose sources name that variable, so a test that
/// calls this says in its documentation how its files are written.
pub fn golden(path: &Path, written: &str) -> String {
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, written).expect("golden files can be written");
    }
    fs::read_to_string(path).unwrap_or_default()
}
