//! Imports point down: this repository's crates keep to their layers, and the check would notice.

use std::{fs, path::Path};

use xtask::{imports, layers, root};

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

#[test]
fn files_do_not_import_each_other_in_circles() {
    let findings = imports::findings(&root()).expect("sources can be read");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

/// Imports of a crate of these files.
fn imports_of(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let imports = imports::imports(folder.path()).expect("sources can be read");
    imports.into_iter().map(|(from, to)| format!("{from} -> {to}")).collect()
}

#[test]
fn an_import_leads_to_the_file_that_defines_the_item() {
    let library = "mod a; mod b; pub use a::A; pub use b::*;";
    let a = "use crate::B; pub struct A(B);";
    let b = "pub struct B; fn f() { let _ = super::a::A; }";
    let found = imports_of(&[("lib.rs", library), ("a.rs", a), ("b.rs", b)]);
    assert_eq!(found, ["a -> b", "b -> a"], "through names and globs that lib.rs re-exports");
    let renamed = "use crate::b::B as Other; fn f(_: Other) {}";
    assert_eq!(
        imports_of(&[("lib.rs", library), ("a.rs", renamed), ("b.rs", "pub struct B;")]),
        ["a -> b"]
    );
    let in_macro = "fn f() { println!(\"{}\", crate::b::B); }";
    assert_eq!(
        imports_of(&[("lib.rs", library), ("a.rs", in_macro), ("b.rs", "pub struct B;")]),
        ["a -> b"]
    );
}

#[test]
fn tests_documents_and_other_crates_are_no_imports() {
    let library = "mod a; #[cfg(test)] mod b; pub struct L;";
    let a = "//! See [`crate::L`].\nuse std::fmt;\n#[cfg(test)]\nmod tests { use crate::L; }";
    assert!(imports_of(&[("lib.rs", library), ("a.rs", a), ("b.rs", "use crate::L;")]).is_empty());
}

#[test]
fn a_parent_and_its_child_are_a_circle_when_each_names_the_other() {
    let parent = "mod child; pub struct Parent; fn f() { child::work(&Parent) }";
    let child = "pub fn work(_: &super::Parent) {}";
    let found = imports_of(&[("lib.rs", "mod p;"), ("p/mod.rs", parent), ("p/child.rs", child)]);
    assert_eq!(found, ["p -> p::child", "p::child -> p"]);
}
