//! Every preset is documented.

use std::{fs, path::Path};

use anyhow::Context;

use crate::sources::files;

/// Presets under `configs/` that `configs/README.md` does not name.
///
/// # Errors
/// If the folder or its README cannot be read.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let folder = root.join("configs");
    let readme = fs::read_to_string(folder.join("README.md")).context("configs/README.md")?;
    let presets = files(&folder, &["toml"])?;
    let names = presets.iter().filter_map(|path| path.file_name()?.to_str());
    Ok(names
        .filter(|name| !readme.contains(&format!("`{name}`")))
        .map(|name| format!("configs/README.md does not name `{name}`"))
        .collect())
}
