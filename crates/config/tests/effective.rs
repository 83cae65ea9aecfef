//! The effective configuration: its text, its hash, and how two of them differ.

use std::fs;

use dz_config::{Effect, RunConfig};

const MINIMAL: &str = include_str!("minimal.toml");

fn config(text: &str, overrides: &[&str]) -> RunConfig {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("test.toml");
    fs::write(&path, text).expect("the folder takes files");
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    RunConfig::load(&path, &overrides, &|_| Vec::new())
        .unwrap_or_else(|error| panic!("{error}"))
        .config
}

#[test]
fn the_effective_configuration_has_every_key_and_reads_as_itself() {
    let first = config(
        MINIMAL,
        &["run.device=cuda:3", "training.clip_norm=1.25e-7", "run.game=\"a \\\"b\\\"\""],
    );
    let text = first.to_toml();
    let table: toml::Table = text.parse().unwrap();
    for key in RunConfig::keys() {
        let given = match key.section {
            "" => table.get(key.name),
            section => table[section].get(key.name),
        };
        assert!(given.is_some(), "{} is missing in\n{text}", key.path());
        assert_eq!(given.cloned(), first.value(&key.path()));
    }
    let again = config(&text, &[]);
    assert_eq!(again, first);
    assert_eq!(again.to_toml(), text);
    assert_eq!(again.hash(), first.hash());
}

#[test]
fn defaults_are_within_their_own_limits() {
    let all: Vec<String> = RunConfig::keys()
        .into_iter()
        .filter_map(|key| key.default.as_ref().map(|value| format!("{}={value}", key.path())))
        .collect();
    let given: Vec<&str> = all.iter().map(String::as_str).collect();
    let alone = "run.game = \"connect4\"";
    assert_eq!(config(alone, &given), config(alone, &[]));
}

#[test]
fn the_hash_is_of_what_the_file_says_and_not_of_how() {
    let plain = config(MINIMAL, &[]);
    let mut lines: Vec<&str> = MINIMAL.lines().collect();
    lines.reverse();
    lines.push("search.c_puct = 1.50 # the default, said aloud");
    assert_eq!(config(&lines.join("\n"), &[]).hash(), plain.hash());
    assert_eq!(config(MINIMAL, &["search.c_puct_log=-0.0"]).hash(), plain.hash());
    assert_ne!(config(MINIMAL, &["search.c_puct=1.51"]).hash(), plain.hash());
    assert_eq!(plain.hash().len(), 64);
}

#[test]
fn the_hash_is_of_sorted_lines_of_key_and_value() {
    let config = config(MINIMAL, &[]);
    let mut lines: Vec<String> = RunConfig::keys()
        .iter()
        .map(|key| format!("{} = {}\n", key.path(), config.value(&key.path()).unwrap()))
        .collect();
    lines.sort();
    assert!(lines.contains(&"search.fpu = { kind = \"reduction\", value = 0.2 }\n".to_owned()));
    assert_eq!(config.hash(), blake3::hash(lines.concat().as_bytes()).to_hex().as_str());
}

#[test]
fn each_key_changes_the_hash_and_is_in_the_difference() {
    let plain = config(MINIMAL, &[]);
    for change in ["run.seed=2", "search.reuse=false", "gate.score_min=0.6", "rating.anchors=[]"] {
        let changed = config(MINIMAL, &[change]);
        assert_ne!(changed.hash(), plain.hash(), "{change}");
        let difference = plain.diff(&changed);
        assert_eq!(difference.len(), 1, "{difference:?}");
        assert!(change.starts_with(&difference[0].key));
    }
}

#[test]
fn a_difference_says_what_the_change_does() {
    let old = config(MINIMAL, &[]);
    let new = config(MINIMAL, &["run.threads=2", "network.blocks=3", "search.c_puct=2"]);
    let changes = old.diff(&new);
    let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "run.threads: 0 -> 2 (changes speed only)",
            "search.c_puct: 1.5 -> 2.0 (changes results from here on)",
            "network.blocks: 2 -> 3 (may not change in an existing run)",
        ]
    );
    let allowed: Vec<bool> = changes.iter().map(dz_config::Change::may_change).collect();
    assert_eq!(allowed, [true, true, false]);
    assert!(old.diff(&old).is_empty());
}

#[test]
fn what_makes_a_run_what_it_is_stays_fixed() {
    let effect = |path: &str| {
        let keys = RunConfig::keys();
        keys.iter().find(|key| key.path() == path).unwrap().effect
    };
    for path in ["format", "run.game", "run.seed", "network.blocks", "network.global_pooling"] {
        assert_eq!(effect(path), Effect::Fixed, "{path}");
    }
    for path in ["run.threads", "selfplay.parallel_games", "selfplay.cache_entries"] {
        assert_eq!(effect(path), Effect::Speed, "{path}");
    }
    for path in ["run.cycles", "run.device", "training.learning_rate", "gate.games"] {
        assert_eq!(effect(path), Effect::Results, "{path}");
    }
}

#[test]
fn every_key_has_a_meaning() {
    for key in RunConfig::keys() {
        assert!(key.meaning.ends_with(['.', ')']), "{}: {}", key.path(), key.meaning);
    }
}

#[test]
fn the_results_hash_forgets_what_only_speed_depends_on() {
    let base = config(MINIMAL, &[]);
    let faster = config(MINIMAL, &["run.threads=3", "selfplay.cache_entries=0"]);
    assert_eq!(base.results_hash(), faster.results_hash());
    assert_ne!(base.hash(), faster.hash());
    let other = config(MINIMAL, &["search.c_puct=2.0"]);
    assert_ne!(base.results_hash(), other.results_hash());
}
