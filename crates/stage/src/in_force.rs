//! The configuration that a run is played by: the one that its ledger names.
//!
//! `config.toml` is what people edit. The ledger names a configuration by its hash, and the text of
//! each one that it has named lies in `config-history/` under that hash. So an edited `config.toml`
//! is recognised. Driver and stages use the configuration of the ledger, and an edit takes effect
//! once the driver has entered it, like `--set`.

use std::fmt;
use std::path::{Path, PathBuf};

use dz_config::{Change, ConfigError, RunConfig};
use dz_store::{Ledger, Run, RunState, Stage, StoreError, layout};

use crate::driver_id::driver_id;
use crate::event_sink::EventSink;

/// The configuration of a run, and what its `config.toml` says beyond that.
#[derive(Debug)]
pub struct InForce {
    /// The configuration that the ledger names; that of `config.toml` before the first entry.
    pub config: RunConfig,
    /// How `config.toml` differs from it.
    pub edits: Edits,
}

/// What was changed in a run's `config.toml` and is not in its ledger.
#[derive(Debug)]
pub enum Edits {
    /// Nothing.
    None,
    /// These keys.
    Keys(Vec<Change>),
    /// It cannot be understood any more.
    Broken(ConfigError),
}

/// Why a process does not take the configuration of a run; exit code 78.
#[derive(Debug, thiserror::Error)]
pub enum ConfigRefused {
    /// The file is another one than the ledger names, and that one is not kept.
    #[error(
        "{} is not the configuration that the run's ledger names (hash {hash}), and no copy of that one is in \
         {}/: restore config.toml from a copy of the run", path.display(), layout::CONFIG_HISTORY
    )]
    Unknown {
        /// The run's `config.toml`.
        path: PathBuf,
        /// The hash in the ledger.
        hash: String,
    },
    /// A stage that no driver started found an edited file.
    #[error(
        "{} was edited, and the run's ledger does not know it: {edits}. Enter it with `dagzero init {0} --dir {1}`, or take the \
         edit back", path.display(), path.parent().unwrap_or(Path::new(".")).display()
    )]
    Edited {
        /// The run's `config.toml`.
        path: PathBuf,
        /// What it changes, in words.
        edits: String,
    },
}

impl InForce {
    /// The configuration that `run` is played by, whose ledger stands at `state`.
    ///
    /// # Errors
    /// [`ConfigRefused::Unknown`]; [`ConfigError`] of a file that cannot be read, or that cannot be
    /// understood where nothing else is known.
    pub fn of(run: &Run, state: &RunState) -> anyhow::Result<Self> {
        let path = run.root().join(layout::CONFIG);
        let file = RunConfig::load(&path, &[], &|_| Vec::new());
        // Trouble of the disk is no edit.
        let file = match file {
            Err(error) if error.is_trouble() => return Err(error.into()),
            other => other,
        };
        if state.started.is_none() {
            return Ok(Self { config: file?.config, edits: Edits::None });
        }
        let hash = &state.config_hash;
        // An earlier version of the program named the keys that it had.
        let is_named = |loaded: &dz_config::Loaded| {
            loaded.config.hash() == *hash || loaded.stated_hash() == *hash
        };
        match (file, kept_config(run, hash)?) {
            (Ok(loaded), _) if is_named(&loaded) => {
                Ok(Self { config: loaded.config, edits: Edits::None })
            }
            (Ok(loaded), Some(config)) => {
                let edits = Edits::Keys(config.diff(&loaded.config));
                Ok(Self { config, edits })
            }
            (Err(error), Some(config)) => Ok(Self { config, edits: Edits::Broken(error) }),
            (Ok(_), None) => Err(ConfigRefused::Unknown { path, hash: hash.clone() }.into()),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// The configuration that a stage works by: the one that the ledger names. Under a driver an
    /// edited `config.toml` waits for the driver's next start; a stage that somebody starts by hand
    /// refuses to.
    pub(crate) fn for_stage(
        run: &Run,
        ledger: &Ledger,
        events: &EventSink,
        stage: Stage,
    ) -> anyhow::Result<RunConfig> {
        let Self { config, edits } = Self::of(run, ledger.state())?;
        if edits.is_none() {
            return Ok(config);
        }
        let path = run.root().join(layout::CONFIG);
        if driver_id().is_none() {
            return Err(ConfigRefused::Edited { path, edits: edits.to_string() }.into());
        }
        let path = path.display();
        events.note(
            stage,
            format!("{path} was edited; that counts from the next start of the run on: {edits}"),
        );
        Ok(config)
    }
}

impl Edits {
    /// Whether the file says what the ledger names.
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

impl fmt::Display for Edits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("nothing"),
            Self::Keys(changes) => {
                let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("; "))
            }
            Self::Broken(ConfigError::Faults { faults, .. }) => {
                let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("; "))
            }
            Self::Broken(error) => write!(f, "{error}"),
        }
    }
}

/// Keeps a configuration under its hash, before the ledger names it. A copy that was damaged is
/// written anew.
///
/// # Errors
/// What the store reports.
pub fn keep_config(run: &Run, config: &RunConfig) -> Result<(), StoreError> {
    let Some(path) = layout::config_history_path(&config.hash()) else { return Ok(()) };
    let text = config.to_toml();
    if run.read(&path).is_ok_and(|kept| kept == text.as_bytes()) {
        return Ok(());
    }
    run.replace(&path, text.as_bytes())
}

/// The configuration of this hash, where a whole copy of it is kept.
///
/// # Errors
/// What the store reports.
pub fn kept_config(run: &Run, hash: &str) -> anyhow::Result<Option<RunConfig>> {
    let Some(path) = layout::config_history_path(hash) else { return Ok(None) };
    let bytes = match run.read(&path) {
        Ok(bytes) => bytes,
        Err(StoreError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let text = String::from_utf8_lossy(&bytes);
    // Whoever changed the copy has changed its hash.
    let config = RunConfig::load_text(&text, Path::new(&path), &[], &|_| Vec::new()).ok();
    let config =
        config.filter(|loaded| loaded.config.hash() == hash || loaded.stated_hash() == hash);
    Ok(config.map(|loaded| loaded.config))
}

#[cfg(test)]
mod tests {
    use dz_testkit_runs::begin_run;

    use super::*;

    const TEXT: &str = "format = 1\nrun = { game = \"tictactoe\", cycles = 2 }\nselfplay = { games = 8 }\n\
                        bootstrap = { games = 8 }\nnetwork = { blocks = 1, channels = 8 }\ngate = { rule = \"always\" }\n";

    /// A run that has begun, with the content of its ledger.
    fn begun() -> (tempfile::TempDir, Run, RunState) {
        let dir = tempfile::tempdir().unwrap();
        let config = RunConfig::from_text(TEXT, &[]).unwrap();
        let ledger = begin_run(&dir.path().join("r"), &config.to_toml());
        keep_config(ledger.run(), &config).unwrap();
        (dir, ledger.run().clone(), ledger.state().clone())
    }

    fn edit(run: &Run, change: impl Fn(String) -> String) {
        let text = run.config_toml().unwrap();
        run.replace(layout::CONFIG, change(text).as_bytes()).unwrap();
    }

    #[test]
    fn an_edit_is_known_and_the_ledgers_configuration_counts() {
        let (_dir, run, state) = begun();
        let found = InForce::of(&run, &state).unwrap();
        assert!(found.edits.is_none());
        edit(&run, |text| format!("# a comment\n{text}"));
        assert!(InForce::of(&run, &state).unwrap().edits.is_none());
        edit(&run, |text| text.replace("seed = 1", "seed = 2"));
        let found = InForce::of(&run, &state).unwrap();
        assert_eq!(found.config.run.seed, 1);
        assert_eq!(found.edits.to_string(), "run.seed: 1 -> 2 (may not change in an existing run)");
        edit(&run, |text| text.replace("seed = 2", "seed ="));
        let found = InForce::of(&run, &state).unwrap();
        assert_eq!(found.config.run.seed, 1);
        assert!(matches!(found.edits, Edits::Broken(_)), "{}", found.edits);
        assert!(!found.edits.to_string().contains('\n'));
    }

    #[test]
    fn without_a_whole_copy_an_edit_is_refused_and_an_unedited_file_is_not() {
        let (_dir, run, state) = begun();
        let copy = layout::config_history_path(&state.config_hash).unwrap();
        let text = String::from_utf8(run.read(&copy).unwrap().to_vec()).unwrap();
        // Somebody changes both: the copy is not what its name says.
        run.replace(&copy, text.replace("seed = 1", "seed = 2").as_bytes()).unwrap();
        assert!(InForce::of(&run, &state).unwrap().edits.is_none());
        edit(&run, |text| text.replace("seed = 1", "seed = 2"));
        let error = InForce::of(&run, &state).unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(ConfigRefused::Unknown { .. })), "{error:#}");
        assert_eq!(crate::exit_code_of(&error), crate::exit::CONFIG);
        std::fs::remove_file(run.root().join(&copy)).unwrap();
        assert!(InForce::of(&run, &state).is_err());
        // A run of an earlier version has no copies.
        edit(&run, |text| text.replace("seed = 2", "seed = 1"));
        assert!(InForce::of(&run, &state).unwrap().edits.is_none());
    }

    #[test]
    fn keys_of_a_newer_version_are_no_edit() {
        let (_dir, run, mut state) = begun();
        edit(&run, |text| text.replace("threads = 0\n", ""));
        let path = run.root().join(layout::CONFIG);
        state.config_hash = RunConfig::load(&path, &[], &|_| Vec::new()).unwrap().stated_hash();
        let found = InForce::of(&run, &state).unwrap();
        assert!(found.edits.is_none() && found.config.run.threads == 0);
    }
}
