//! Sources, presets and CI are tidy, and the checks would notice if they were not.

use std::fs;

use xtask::{ci, names, presets, root, sources, suites};

#[test]
fn sources_are_tidy() {
    let findings = sources::findings(&root()).expect("sources can be read");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn names_are_the_fields_and_entry_points_have_examples() {
    let findings = names::findings(&root()).expect("sources can be read");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn a_retired_name_and_an_entry_point_without_example_are_found() {
    let folder = tree("//! X.\npub struct Boards;", &[]);
    let found = names::findings(folder.path()).expect("sources can be read");
    assert_eq!(found, ["one/src/lib.rs: Boards is a retired name: write BoardOps"]);
    let manifest = "[package]\nname = \"dz-config\"\n";
    let bare = "//! X.\n/// Keys.\npub struct RunConfig;";
    let folder = tree(bare, &[("one/Cargo.toml", manifest)]);
    let found = names::findings(folder.path()).expect("sources can be read");
    assert_eq!(found, ["dz-config: RunConfig has no example"]);
    let shown = "//! X.\n/// Keys.\n///\n/// ```\n/// let x = 1;\n/// ```\npub struct RunConfig;";
    let folder = tree(shown, &[("one/Cargo.toml", manifest)]);
    assert!(names::findings(folder.path()).expect("sources can be read").is_empty());
}

#[test]
fn every_preset_is_documented() {
    let findings = presets::findings(&root()).expect("presets can be read");
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let command = ci::readme_test_command(&root()).expect("README.md gives a command");
    let steps = ci::steps(&root()).expect(".ci/run lists its steps");
    let test = steps.iter().find(|(name, _)| name == "test").expect("a step for tests");
    assert_eq!(test.1, command);
}

#[test]
fn every_file_of_tests_is_run() {
    let found = suites::findings(&root()).expect("manifests can be read");
    assert!(found.is_empty(), "{}", found.join("\n"));
    let manifest = "[package]\nname = \"one\"\nautotests = false\n[[test]]\nname = \"suite\"\n";
    let tests = ["one/tests/a.rs", "one/tests/b.rs", "one/tests/common/mod.rs"];
    let mut others = tests.map(|name| (name, "//! X.")).to_vec();
    others.extend([("one/tests/suite.rs", "mod b;\n"), ("one/Cargo.toml", manifest)]);
    let folder = tree("//! X.", &others);
    let found = suites::findings(folder.path()).expect("manifests can be read");
    assert_eq!(found, ["one/tests/a.rs is no part of tests/suite.rs and no program of its own"]);
}

/// A workspace of one crate whose `src/lib.rs` is `library`, and other files.
fn tree(library: &str, others: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"one\"]\n"),
        ("one/Cargo.toml", "[package]\nname = \"one\"\n"),
        ("one/src/lib.rs", library),
    ];
    for (name, text) in files.iter().chain(others) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn findings(library: &str, others: &[(&str, &str)]) -> Vec<String> {
    sources::findings(tree(library, others).path()).expect("sources can be read")
}

#[test]
fn long_files_are_found_and_tests_may_be_longer() {
    let lines = |n: usize| "//! Lines.\n".repeat(n);
    assert!(findings(&lines(400), &[("one/tests/long.rs", &lines(600))]).is_empty());
    let found = findings(&lines(401), &[("one/tests/long.rs", &lines(601))]);
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("one/src/lib.rs has 401 lines"), "{found:?}");
    assert!(found[1].starts_with("one/tests/long.rs has 601 lines"), "{found:?}");
}

#[test]
fn wide_comments_are_found() {
    let text =
        |columns: usize| format!("//! X.\nfn f() {{\n    // {}\n}}", "x".repeat(columns - 7));
    assert!(findings(&text(100), &[]).is_empty());
    let wide = ["one/src/lib.rs:3: a comment has more than 100 columns"];
    assert_eq!(findings(&text(101), &[]), wide);
}

#[test]
fn unfinished_code_is_found() {
    let macros =
        ["todo", "unimplemented", "dbg"].map(|name| format!("//! X.\nfn f() {{ {name}!() }}"));
    for library in macros {
        assert_eq!(findings(&library, &[]).len(), 1, "{library}");
    }
    let unwraps = "//! X.\n/// May `x.unwrap()`.\nfn f() { x.unwrap() }\n#[cfg(test)]\ny.unwrap()";
    let found = findings(unwraps, &[("one/tests/a.rs", "z.unwrap()")]);
    assert_eq!(found, ["one/src/lib.rs:3: .unwrap() has no place here"]);
}

#[test]
fn paths_outside_the_repository_are_found_in_any_text() {
    let outside = format!("see {}/x", ["..", "shared"].join("/"));
    assert_eq!(findings("//! X.", &[("README.md", &outside)]).len(), 1);
    assert_eq!(findings("//! X.", &[("third_party/README.md", &outside)]).len(), 0);
}

#[test]
fn a_crate_that_does_not_say_what_it_is_for_is_found() {
    let found = findings("pub fn f() {}", &[("one/src/main.rs", "//! Main.")]);
    assert_eq!(found, ["one/src/lib.rs does not begin with `//!`"]);
}

#[test]
fn a_preset_without_a_word_is_found() {
    let folder = tree(
        "//! X.",
        &[
            ("configs/README.md", "`told.toml`"),
            ("configs/told.toml", ""),
            ("configs/untold.toml", ""),
        ],
    );
    let found = presets::findings(folder.path()).expect("presets can be read");
    assert_eq!(found, ["configs/README.md does not name `untold.toml`"]);
}

#[test]
fn the_readmes_command_is_the_one_in_a_fenced_block() {
    let command = |text: &str| ci::readme_test_command(tree("", &[("README.md", text)]).path());
    let good = "Run cargo test.\n```sh\ncargo run\ncargo test --workspace   # all\n```\n";
    assert_eq!(command(good).expect("a command"), "cargo test --workspace");
    assert!(command("cargo test --workspace\n").is_err(), "not in a block");
    assert!(command("```\ncargo test\ncargo test -p one\n```").is_err(), "two of them");
}
