//! Files that people copy agree with the rest of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

/// Every manifest below `deploy/kubernetes`. Kustomize's own files are no objects of a cluster, and
/// patches have less than an object needs.
fn manifests() -> Vec<PathBuf> {
    let folders = ["base", "folder"].map(|folder| root().join("deploy/kubernetes").join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let paths = files.map(|entry| entry.expect("an entry").path());
    let overlay = read("deploy/kubernetes/folder/kustomization.yaml");
    let is_object = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let is_patch = path.parent().is_some_and(|folder| folder.ends_with("folder"))
            && overlay.contains(&format!("- path: {name}"));
        name != "kustomization.yaml" && !is_patch
    };
    let mut found: Vec<PathBuf> = paths.filter(is_object).collect();
    found.sort();
    found
}

/// Returns the output of `kubernetes-validate` for a file; `None` where it is not installed.
fn validated(path: &Path) -> Option<Output> {
    let has = Command::new("python3").args(["-c", "import kubernetes_validate"]).output().ok()?;
    let program = "import sys; from kubernetes_validate.__main__ import main; sys.exit(main())";
    has.status.success().then(|| {
        let mut command = Command::new("python3");
        command.args(["-c", program, "--strict"]).arg(path).output().expect("it runs")
    })
}

#[test]
fn manifests_are_what_the_api_knows() {
    let files = manifests();
    assert!(files.len() >= 3, "{files:?}");
    for path in files {
        let text = fs::read_to_string(&path).expect("a manifest");
        let Some(found) = validated(&path) else {
            println!("skipped: python3 has no kubernetes-validate");
            return;
        };
        let said = String::from_utf8_lossy(&found.stderr);
        assert!(found.status.success(), "{}: {said}", path.display());
        // A misspelt key is a fault.
        let wrong = tempfile::NamedTempFile::with_suffix(".yaml").expect("a file");
        fs::write(wrong.path(), text.replacen("\nspec:", "\nspce:", 1)).expect("written");
        let found = validated(wrong.path()).expect("it is installed");
        assert!(!found.status.success(), "{}", path.display());
    }
}
