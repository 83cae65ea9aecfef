//! Policies of rollouts that lie in files: a run keeps copies, so that it depends on nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use dz_config::{ConfigError, Fault, RunConfig, kept_policy_hash, kept_policy_path};
use dz_game::{Game, GameSpec, with_game};
use dz_linear::LinearPolicy;
use dz_store::{ObjectRef, Run};

/// The most bytes of a file: that of Go 19x19 has some megabytes.
const BYTES_MAX: u64 = 1 << 28;

/// Files of policies that a run is to keep, by their paths in it.
pub(crate) type PolicyFiles = BTreeMap<String, Vec<u8>>;

/// The configuration with the names that the run in `dir` has for its policies, and the files that
/// it has to be given. The path of a file counts from the working directory.
///
/// # Errors
/// [`ConfigError::Faults`] for files that cannot be read, or are no policies of the run's board.
pub(crate) fn take_policies(
    dir: &Path,
    config: RunConfig,
) -> anyhow::Result<(RunConfig, PolicyFiles)> {
    let mut files = PolicyFiles::new();
    let spec: GameSpec = config.run.game.parse()?;
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut faults = Vec::new();
    for (key, path) in config.policy_files() {
        let kept = kept_policy_hash(path).filter(|_| dir.join(path).exists());
        match read_policy(&spec, dir, path, kept) {
            Ok(bytes) => {
                let name = kept_policy_path(&hash_of(&bytes));
                names.insert(path.to_owned(), name.clone());
                files.insert(name, bytes);
            }
            Err(error) => {
                let fault = Fault::new(key, format!("{error:#}")).value(format!("policy:{path}"));
                faults.push(fault.allowed(match kept {
                    Some(_) => "the file of a copy of the run",
                    None => "a file of `dagzero learn policy` for this board",
                }));
            }
        }
    }
    if !faults.is_empty() {
        return Err(ConfigError::Faults { path: dir.to_owned(), faults }.into());
    }
    let config = config.with_policy_files(|path| {
        let name = names.get(path).cloned();
        name.with_context(|| format!("{path} was not read; please report this"))
    })?;
    Ok((config, files))
}

/// Checks that the policies of a configuration can be read, for plans, which need no run. `path` is
/// that of the configuration.
///
/// # Errors
/// As [`take_policies`].
pub(crate) fn check_policies(path: &Path, config: &RunConfig) -> anyhow::Result<()> {
    take_policies(path, config.clone()).map(|_| ())
}

/// BLAKE3 in hex.
fn hash_of(bytes: &[u8]) -> String {
    ObjectRef::of("", bytes).blake3
}

/// Returns the content of a policy file, after checking that it is a policy of this board. `kept`
/// is the hash in its name if the run in `dir` keeps it.
fn read_policy(
    spec: &GameSpec,
    dir: &Path,
    path: &str,
    kept: Option<&str>,
) -> anyhow::Result<Vec<u8>> {
    let bytes = match kept {
        Some(hash) => read_kept(&dir.join(path), hash)?,
        None => dz_text::read_input(Path::new(path), BYTES_MAX).context("it cannot be read")?,
    };
    with_game!(spec, |game| check_policy(&game, &bytes))??;
    Ok(bytes)
}

/// Returns the content of a copy that a run keeps, after checking it against the hash in its name.
fn read_kept(path: &Path, hash: &str) -> anyhow::Result<Vec<u8>> {
    let bytes = dz_text::read_input(path, BYTES_MAX).context("it cannot be read")?;
    if hash_of(&bytes) != hash {
        bail!("its content has another hash than its name");
    }
    Ok(bytes)
}

fn check_policy<G: Game>(game: &G, bytes: &[u8]) -> anyhow::Result<()> {
    LinearPolicy::from_bytes(game, bytes).context("it cannot be used")?;
    Ok(())
}

/// Gives the run its files.
///
/// # Errors
/// What the store reports, such as a different file at the path of a copy.
pub(crate) fn keep_policies(run: &Run, files: &PolicyFiles) -> anyhow::Result<()> {
    for (path, bytes) in files {
        run.put_create(path, bytes)
            .with_context(|| format!("{path} of the run {}", run.root().display()))?;
    }
    Ok(())
}

/// What is wrong with the copies that a run keeps of the policies of `config`: paths and words.
pub(crate) fn policy_damage(run: &Run, config: &RunConfig) -> Vec<(String, String)> {
    let mut found = BTreeMap::new();
    for (_, path) in config.policy_files() {
        if let Err(error) = check_kept(run, path) {
            found.insert(path.to_owned(), format!("{error:#}"));
        }
    }
    found.into_iter().collect()
}

fn check_kept(run: &Run, path: &str) -> anyhow::Result<()> {
    let Some(hash) = kept_policy_hash(path) else { bail!("the run keeps no copy of it") };
    read_kept(&run.root().join(path), hash).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_and_store_name_a_copy_alike() {
        let hash = hash_of(b"a policy");
        assert_eq!(dz_store::layout::policy_path(&hash), Some(kept_policy_path(&hash)));
    }
}
