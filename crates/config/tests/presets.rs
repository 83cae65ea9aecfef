//! The presets in configs/ have no faults, and configs/README.md has every key.

use std::fs;
use std::path::{Path, PathBuf};

use dz_config::RunConfig;

const BEGIN: &str = "<!-- keys: begin -->\n";
const END: &str = "<!-- keys: end -->";

fn configs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

fn presets() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(configs())
        .expect("configs/ is beside crates/")
        .map(|entry| entry.expect("configs/ can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn every_preset_is_without_faults_and_in_the_readme() {
    let readme = fs::read_to_string(configs().join("README.md")).unwrap();
    let presets = presets();
    assert!(presets.len() >= 3, "configs/ has lost its presets: {presets:?}");
    for path in presets {
        RunConfig::load(&path, &[], &|_| Vec::new()).unwrap_or_else(|error| panic!("{error}"));
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(readme.contains(&format!("| `{name}` |")), "README.md does not name {name}");
    }
}

#[test]
fn a_preset_states_only_what_differs_from_the_defaults() {
    let keys = RunConfig::keys();
    for path in presets() {
        let loaded = RunConfig::load(&path, &[], &|_| Vec::new()).unwrap();
        for key in &keys {
            let (name, value) = (key.path(), loaded.config.value(&key.path()));
            // What a preset is about may be said even where it is the default.
            let said = [
                "format",
                "run.cycles",
                "selfplay.games",
                "bootstrap.evaluator",
                "bootstrap.games",
                "network.blocks",
                "network.channels",
                "gate.rule",
                // The rule `score` asks for it.
                "gate.score_min",
            ];
            let said = said.contains(&name.as_str());
            let given = !loaded.defaulted.contains(&name);
            assert!(
                said || !given || value != key.default,
                "{}: {name} is the default",
                path.display()
            );
        }
    }
}

#[test]
fn the_readme_has_the_tables_of_all_keys() {
    let path = configs().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (head, rest) = readme.split_once(BEGIN).expect("README.md has the mark where tables begin");
    let (tables, tail) = rest.split_once(END).expect("README.md has the mark where tables end");
    let wanted = RunConfig::reference() + "\n";
    if std::env::var_os("DZ_BLESS").is_some() {
        fs::write(&path, format!("{head}{BEGIN}{wanted}{END}{tail}")).unwrap();
        return;
    }
    assert!(
        tables == wanted,
        "configs/README.md is behind: DZ_BLESS=1 cargo test -p dz-config writes its tables again"
    );
    for key in RunConfig::keys() {
        assert!(tables.contains(&format!("| `{}` |", key.name)), "{} is missing", key.path());
    }
}
