//! Files of the repository.

use std::path::{Path, PathBuf};

/// Returns the repository's folder.
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/testkit is two folders below it").to_owned()
}

/// Returns the file of a preset, such as `tictactoe-smoke`.
pub fn preset(name: &str) -> PathBuf {
    repository().join("configs").join(name).with_extension("toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_there() {
        assert!(preset("tictactoe-smoke").is_file());
    }
}
