//! Circles of imports between the files of one crate.
//!
//! File A imports file B when A names an item that B defines. A re-export counts as the item that
//! it stands for, so a facade such as `lib.rs` is no import of everything below it. Tests are left
//! out.

mod graph;
mod scan;

use std::{collections::BTreeSet, path::Path};

use crate::{manifest::members, sources};
use graph::{circles, edges};
use scan::Module;

/// Every circle of imports in every crate, one line each.
///
/// # Errors
/// If a source cannot be read or is no Rust.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for member in members(root)? {
        let folder = root.join(&member.folder).join("src");
        let modules = modules(&folder)?;
        for circle in circles(&edges(&modules)) {
            let names: Vec<String> = circle.iter().map(|&file| name(&modules[file])).collect();
            findings.push(format!(
                "{}: {} files import each other in a circle: {}",
                member.folder.display(),
                names.len(),
                names.join(", ")
            ));
        }
    }
    Ok(findings)
}

/// The imports of the crate in `folder` (its `src`), as pairs of modules: who names whom.
///
/// # Errors
/// If a source cannot be read or is no Rust.
pub fn imports(folder: &Path) -> anyhow::Result<BTreeSet<(String, String)>> {
    let modules = modules(folder)?;
    let pairs = edges(&modules).into_iter().enumerate();
    let pairs = pairs.flat_map(|(from, to)| to.into_iter().map(move |to| (from, to)));
    Ok(pairs.map(|(from, to)| (name(&modules[from]), name(&modules[to]))).collect())
}

/// The modules of a crate that are files, without those for tests.
fn modules(folder: &Path) -> anyhow::Result<Vec<Module>> {
    let mut modules = Vec::new();
    for path in sources::files(folder, &["rs"])? {
        modules.push(Module::read(folder, &path)?);
    }
    let for_tests: BTreeSet<Vec<String>> = modules.iter().flat_map(Module::test_modules).collect();
    modules.retain(|module| !for_tests.iter().any(|path| module.path.starts_with(path)));
    Ok(modules)
}

fn name(module: &Module) -> String {
    if module.path.is_empty() { "lib".to_owned() } else { module.path.join("::") }
}
