//! From a file and overrides to a configuration, or to all that is wrong with them.

use dz_config_keys::{Fault, Findings, merge_overrides, name_overrides};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use toml::Table;

use crate::check::contradictions;
use crate::error::ConfigError;
use crate::run_config::RunConfig;
use crate::unknown::unknown_keys;

/// The longest file that is read. All keys with their values take 6 kB.
const BYTES_MAX: u64 = 4 << 20;

/// A configuration without faults, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The effective configuration.
    pub config: RunConfig,
    /// The file that it was read from.
    pub path: PathBuf,
    /// The overrides, as given.
    pub overrides: Vec<String>,
    /// Keys that neither the file nor an override gives, and that have their defaults.
    pub defaulted: BTreeSet<String>,
}

impl Loaded {
    /// BLAKE3 over the keys that the file states: what [`RunConfig::hash`] was to a version of the
    /// program that wrote all keys it had, and had no others.
    pub fn stated_hash(&self) -> String {
        self.config.hash_of(|path, _| !self.defaulted.contains(path))
    }
}

impl RunConfig {
    /// Reads a file, applies `section.key=value` overrides and reports every fault at once.
    ///
    /// `extra_check` adds what this crate cannot know, such as whether the game exists; it runs
    /// even if there are faults already. Its findings about keys that are faulty anyway are
    /// dropped.
    ///
    /// # Errors
    /// [`ConfigError::Read`] where the file cannot be read, else [`ConfigError::Faults`]; nothing
    /// is written in any case.
    pub fn load(
        path: &Path,
        overrides: &[String],
        extra_check: &dyn Fn(&Self) -> Vec<Fault>,
    ) -> Result<Loaded, ConfigError> {
        let text =
            read(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        Self::load_text(&text, path, overrides, extra_check)
    }

    /// Reads a file without overrides, such as that of a run, which was checked when the run began.
    ///
    /// # Errors
    /// As [`RunConfig::load`].
    pub fn of_run(path: &Path) -> Result<Self, ConfigError> {
        Ok(Self::load(path, &[], &|_| Vec::new())?.config)
    }

    /// Reads a text, such as that of a preset, with overrides as [`RunConfig::load`] applies them.
    ///
    /// # Errors
    /// [`ConfigError::Faults`].
    pub fn from_text(text: &str, overrides: &[String]) -> Result<Self, ConfigError> {
        Ok(Self::load_text(text, Path::new("the text"), overrides, &|_| Vec::new())?.config)
    }

    /// As [`RunConfig::load`], of a text that was read from `path`.
    ///
    /// # Errors
    /// [`ConfigError::Faults`].
    pub fn load_text(
        text: &str,
        path: &Path,
        overrides: &[String],
        extra_check: &dyn Fn(&Self) -> Vec<Fault>,
    ) -> Result<Loaded, ConfigError> {
        let (config, findings) = Self::parse(text, overrides, extra_check);
        match config {
            Some(config) if findings.faults.is_empty() => Ok(Loaded {
                config,
                path: path.to_owned(),
                overrides: overrides.to_vec(),
                defaulted: findings.defaulted,
            }),
            _ => Err(ConfigError::Faults { path: path.to_owned(), faults: findings.faults }),
        }
    }

    /// Reads a text. Only a text that is not TOML gives no configuration.
    fn parse(
        text: &str,
        overrides: &[String],
        extra_check: &dyn Fn(&Self) -> Vec<Fault>,
    ) -> (Option<Self>, Findings) {
        let mut findings = Findings::default();
        let parsed = text.parse::<Table>();
        let mut file = match parsed {
            Ok(file) => file,
            Err(error) => {
                findings.faults.push(not_toml(text, &error));
                merge_overrides(&mut Table::new(), overrides, &mut findings.faults);
                return (None, findings);
            }
        };
        merge_overrides(&mut file, overrides, &mut findings.faults);
        unknown_keys(&file, &mut findings.faults);
        let config = Self::read(&file, &mut findings);
        let more: Vec<Fault> = contradictions(&config, &findings)
            .into_iter()
            .chain(extra_check(&config).into_iter().filter(|f| !findings.faulty.contains(&f.key)))
            .collect();
        findings.faults.extend(more);
        name_overrides(overrides, &mut findings.faults);
        (Some(config), findings)
    }
}

/// The text of a file, or of a pipe.
fn read(path: &Path) -> io::Result<String> {
    let bytes = dz_text::read_input(path, BYTES_MAX)?;
    let what = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(bytes).map_err(what)
}

/// The fault of a text that is not TOML, with the line where it ends to be.
fn not_toml(text: &str, error: &toml::de::Error) -> Fault {
    let offset = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text.get(..offset).unwrap_or(text).matches('\n').count() + 1;
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    Fault::new(format!("line {line}"), format!("not TOML: {message}"))
}
