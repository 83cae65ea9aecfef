//! What `run`, `init` and `plan` take as a configuration: a file or the name of a preset.

use std::path::Path;

use anyhow::bail;
use dz_config::{Loaded, RunConfig};
use dz_store::Run;

use super::outside::outside_faults;
use super::presets::{Preset, unknown};
use crate::exit::UsageError;

/// Loads a configuration file or a preset with overrides; also checks what only the games know.
pub(crate) fn load_config(path: &Path, overrides: &[String]) -> anyhow::Result<Loaded> {
    if let Some(preset) = Preset::named(path) {
        return Ok(RunConfig::load_text(preset.text, path, overrides, &outside_faults)?);
    }
    if let Some(what) = unknown(path) {
        bail!(UsageError(what));
    }
    if Run::exists(path) {
        let run = path.display();
        bail!(UsageError(format!("{run} is a run; go on with it by dagzero resume {run}")));
    }
    if path.is_dir() {
        let folder = path.display();
        let what = format!(
            "{folder} is a folder and neither a run nor a configuration; `dagzero list {folder}` lists the runs in it"
        );
        bail!(UsageError(what));
    }
    Ok(RunConfig::load(path, overrides, &outside_faults)?)
}
