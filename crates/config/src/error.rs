//! Why there is no configuration.

use std::path::PathBuf;

use dz_config_keys::Fault;
use thiserror::Error;

/// Why there is no configuration; callers end with exit code 78.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}; nothing was written", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file was read and is at fault.
    #[error(
        "{} has {}; nothing was written\n{}",
        path.display(), count(faults), lines(faults)
    )]
    Faults {
        /// Which file.
        path: PathBuf,
        /// All that is wrong with it and with the overrides; never empty.
        faults: Vec<Fault>,
    },
}

impl ConfigError {
    /// The exit code of a program that ends for it (`EX_CONFIG` of sysexits.h), unless it
    /// [is trouble](Self::is_trouble).
    pub const EXIT_CODE: u8 = 78;

    /// Whether the operating system failed to read the file. Its content may be fine.
    pub fn is_trouble(&self) -> bool {
        matches!(self, Self::Read { source, .. } if source.raw_os_error().is_some())
    }
}

fn count(faults: &[Fault]) -> String {
    let n = faults.len();
    if n == 1 { "1 fault".to_owned() } else { format!("{n} faults") }
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(|fault| format!("  {fault}")).collect::<Vec<_>>().join("\n")
}
