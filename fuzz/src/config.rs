//! Configurations: any text is a valid one or a list of faults.

use std::{cell::RefCell, fs};

use dz_config::RunConfig;
use tempfile::NamedTempFile;

thread_local! {
    /// Configurations are read from files; one serves all inputs.
    static FILE: RefCell<NamedTempFile> = RefCell::new(NamedTempFile::new().expect("a file"));
}

/// A file that may be a configuration. An accepted one reads back as it is written.
pub fn config(data: &[u8]) {
    FILE.with_borrow_mut(|file| {
        let load = |bytes: &[u8]| {
            fs::write(file.path(), bytes).expect("written");
            RunConfig::load(file.path(), &[], &|_| Vec::new())
        };
        match load(data) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(loaded) => {
                let again = load(loaded.config.to_toml().as_bytes()).expect("its own text");
                assert_eq!(again.config.to_toml(), loaded.config.to_toml());
                assert_eq!(again.config.hash(), loaded.config.hash());
            }
        }
    });
}
