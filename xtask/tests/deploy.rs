//! Files that people copy agree with the rest of the repository.

use std::fs;

use xtask::root;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns what stands between `before` and `after` in `text`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before:?}"));
    rest.split_once(after).unwrap_or_else(|| panic!("no {after:?} after {before:?}")).0
}

#[test]
fn the_image_has_the_pinned_toolchain_and_the_packages_of_the_book() {
    let docker = read("deploy/docker/Dockerfile");
    let toolchain = read("rust-toolchain.toml");
    let pinned = between(&toolchain, "channel = \"", "\"");
    assert_eq!(between(&docker, "FROM rust:", "-"), pinned);
    let book = read("docs/book/src/guide/gpu.md");
    for package in ["cuda-nvrtc-13-0", "cuda-cudart-dev-13-0"] {
        assert!(docker.contains(package) && book.contains(package), "{package}");
    }
}

#[test]
fn images_run_as_a_user_and_build_with_the_profile_that_is_stripped() {
    let docker = read("deploy/docker/Dockerfile");
    let final_stages = ["\nFROM nvidia/cuda:", "\nFROM debian:"];
    for stage in final_stages {
        let text = between(&docker, stage, "\nENTRYPOINT");
        assert!(text.contains("\nUSER 10001:10001"), "{stage}");
    }
    let builds = docker.matches("cargo build --profile dist --locked").count();
    assert_eq!(builds, 2);
    let profile = read("Cargo.toml");
    let profile = between(&profile, "[profile.dist]", "\n\n");
    assert!(profile.contains("strip = \"symbols\"") && profile.contains("debug = false"));
}

#[test]
fn the_workflow_runs_every_step_and_pins_actions_and_tools() {
    let workflow = read(".github/workflows/ci.yml");
    assert!(workflow.lines().any(|line| line.trim() == "- run: .ci/run"));
    let actions: Vec<&str> =
        workflow.lines().filter_map(|line| line.trim().strip_prefix("- uses: ")).collect();
    assert_eq!(actions.len(), 4);
    for action in actions {
        let hash = between(action, "@", " # v");
        assert!(hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{action}");
    }
    let version = between(&workflow, "cargo install cargo-deny --version ", " ");
    assert!(read(".ci/run").contains(&format!("cargo-deny --version {version} --locked")));
    let rules = read("deny.toml");
    let (minor, _) = version.rsplit_once('.').expect("a version");
    assert!(rules.contains(&format!("(cargo-deny {minor})")));
    let version = between(&workflow, "cargo install mdbook --version ", " ");
    for file in [".ci/run", "CONTRIBUTING.md"] {
        assert!(read(file).contains(&format!("mdbook --version {version} --locked")), "{file}");
    }
}

#[test]
fn the_service_ends_as_the_exit_codes_say() {
    let unit = read("deploy/systemd/dagzero.service");
    let value = |key: &str| between(&unit, &format!("\n{key}="), "\n").to_owned();
    assert_eq!(value("RestartPreventExitStatus"), "2 78");
    assert_eq!(
        (value("SuccessExitStatus"), value("RestartForceExitStatus")),
        ("75".into(), "75".into())
    );
    // The driver sends READY and WATCHDOG (crates/dagzero/src/drive/notify.rs).
    assert_eq!((value("Type"), value("NotifyAccess")), ("notify".into(), "main".into()));
    // The driver drains its stages; systemd must not signal them beside it.
    assert_eq!(value("KillMode"), "mixed");
    let seconds: u32 = value("TimeoutStopSec").parse().expect("seconds");
    assert!(seconds > 60, "stages drain for a minute");
}
