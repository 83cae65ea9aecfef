//! Imports point down: this repository's crates keep to their layers, and the check would notice.

use std::{fs, path::Path};

use xtask::{layers, root};

#[test]
fn imports_point_down() {
    let findings = layers::findings(&root()).expect("manifests can be read");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// A workspace of crates with these dependencies, and a lock file that says the same.
fn workspace(crates: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &Path, text: &str| fs::write(path, text).expect("a file");
    write(&folder.path().join("Cargo.toml"), "[workspace]\nmembers = [\"crates/*\"]\n");
    let mut lock = String::new();
    for (name, dependencies) in crates {
        let member = folder.path().join("crates").join(name);
        fs::create_dir_all(&member).expect("a folder");
        let text = format!("[package]\nname = \"{name}\"\n{dependencies}\n");
        write(&member.join("Cargo.toml"), &text);
        let keys = dependencies.lines().filter_map(|line| line.split_once(" = "));
        let keys: Vec<String> = keys.map(|(key, _)| format!("\"{key} 1.0.0\"")).collect();
        lock += &["[[package]]\nname = \"", name, "\"\ndependencies = [", &keys.join(", "), "]\n"]
            .concat();
    }
    write(&folder.path().join("Cargo.lock"), &lock);
    folder
}

fn findings(crates: &[(&str, &str)]) -> Vec<String> {
    layers::findings(workspace(crates).path()).expect("manifests can be read")
}

#[test]
fn what_points_up_or_sideways_is_found() {
    let up = [("dz-game", "[dependencies]\ndz-search = 1"), ("dz-search", "")];
    assert_eq!(findings(&up), ["dz-game must not name dz-search, which is not below it"]);
    let test = [("dz-game", "[dev-dependencies]\ndz-search = 1"), ("dz-search", "")];
    assert_eq!(findings(&test).len(), 1, "a test's dependency counts");
    let unix = "[target.'cfg(unix)'.dependencies]\ndz-search = 1";
    assert_eq!(findings(&[("dz-game", unix), ("dz-search", "")]).len(), 1);
    let side = [("selfplay", "[dependencies]\ndz-trainer = 1"), ("trainer", "")];
    assert_eq!(findings(&side), ["selfplay must not name trainer, which is not below it"]);
    assert_eq!(findings(&[("dz-search", "[dependencies]\ndz-game = 1"), ("dz-game", "")]).len(), 0);
}

#[test]
fn a_crate_without_a_layer_is_found() {
    assert_eq!(findings(&[("dz-new", "")]), ["dz-new has no layer: add it to the table in xtask"]);
    let chores = [("xtask", "[dependencies]\ndz-game = 1"), ("dz-game", "")];
    assert_eq!(findings(&chores).len(), 1);
}

#[test]
fn packages_with_one_owner_are_found_elsewhere() {
    assert!(findings(&[("dz-burn-net", "[dependencies]\nburn = 1\ncubecl = 1")]).is_empty());
    let other = findings(&[("dz-stage", "[dependencies]\nburn-cuda = 1\nobject_store = 1")]);
    assert_eq!(other.len(), 2, "{other:?}");
    let renamed = "[dependencies]\nfire = { package = \"burn\" }";
    assert_eq!(findings(&[("dz-stage", renamed)]), ["dz-stage names burn: only dz-burn-net may"]);
}

#[test]
fn burn_at_the_end_of_a_chain_is_found() {
    let chain = [
        ("dz-play", "[dependencies]\nrayon = 1"),
        ("rayon", "[dependencies]\nburn = 1"),
        ("burn", ""),
    ];
    let found = findings(&chain);
    assert!(found.contains(&"dz-play depends on burn in the end".to_owned()), "{found:?}");
}
