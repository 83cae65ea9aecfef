//! `dagzero doctor RUN` on a run that learns, on networks that were tampered with, and alarms of a
//! run that repeats itself.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::program::{dagzero, smoke_preset, text};
use dz_network_file::NetworkFile;
use serde_json::Value;

/// A run of the tic-tac-toe preset.
fn smoke(folder: &tempfile::TempDir, set: &[&str]) -> (String, String) {
    let dir = folder.path().join("run").display().to_string();
    let preset = smoke_preset();
    let mut args = vec!["run", preset.as_str(), "--dir", dir.as_str()];
    for pair in set {
        args.extend(["--set", pair]);
    }
    let done = dagzero(&args);
    assert!(done.status.success(), "{}", text(&done.stderr));
    (dir, text(&done.stdout))
}

/// Exit code and findings by name, as (severity, what was found).
fn doctor(args: &[&str]) -> (i32, std::collections::BTreeMap<String, (String, String)>) {
    let said = dagzero(&[&["doctor", "--json"], args].concat());
    let json: Value = serde_json::from_slice(&said.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&said.stderr)));
    let word = |finding: &Value, key: &str| finding[key].as_str().expect("a word").to_owned();
    let findings = json["findings"].as_array().expect("findings");
    let by_id =
        findings.iter().map(|f| (word(f, "id"), (word(f, "severity"), word(f, "says")))).collect();
    (said.status.code().expect("an end"), by_id)
}

/// The newest network of a run, changed and written elsewhere.
fn tampered(dir: &str, change: impl Fn(&mut NetworkFile)) -> PathBuf {
    let networks = fs::read_dir(Path::new(dir).join("networks")).expect("networks");
    let newest = networks.map(|entry| entry.expect("an entry").path()).max().expect("a network");
    let mut file = NetworkFile::from_bytes(&fs::read(newest).expect("bytes")).expect("a network");
    change(&mut file);
    let path = Path::new(dir).with_file_name("tampered.dzn");
    fs::write(&path, file.to_bytes().expect("bytes")).expect("written");
    path
}

#[test]
fn a_run_that_learns_is_healthy_and_tampered_networks_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let longer = [
        "run.cycles=8",
        "selfplay.games=200",
        "bootstrap.games=600",
        "window.rows_max=20_000",
        "training.rows_per_new_row=8.0",
        "training.learning_rate=0.01",
        "gate.rule=\"always\"",
        "rating.games=0",
    ];
    let (dir, _) = smoke(&folder, &longer);
    let (code, findings) = doctor(&[&dir]);
    assert_eq!(code, 0, "{findings:?}");
    for id in ["symmetry", "value-sign", "value-outcome", "duplicated-games", "stale-data"] {
        assert_ne!(findings[id].0, "alarm", "{id}: {findings:?}");
        assert_ne!(findings[id].0, "unjudged", "{id}: {findings:?}");
    }
    assert_eq!(findings["value-sign"].0, "fine", "{findings:?}");
    let said = text(&dagzero(&["doctor", &dir]).stdout);
    assert!(said.contains("0 alarms") && said.contains("value-sign"), "{said}");

    // Win and loss change places.
    let swapped = tampered(&dir, |file| {
        let hidden = file.header.spec.value_hidden;
        let weights = &mut file.tensors.get_mut("value.output.weight").expect("the head").data;
        for i in 0..hidden {
            weights.swap(i, 2 * hidden + i);
        }
        file.tensors.get_mut("value.output.bias").expect("the head").data.swap(0, 2);
    });
    let (code, findings) = doctor(&[&dir, "--network", &swapped.display().to_string()]);
    assert_eq!(code, 1);
    assert_eq!(findings["value-sign"].0, "alarm", "{findings:?}");
    assert_eq!(findings["value-outcome"].0, "alarm", "{findings:?}");
    assert_ne!(findings["symmetry"].0, "alarm", "{findings:?}");

    // Each policy index is the next one's: no symmetry of the board.
    let shifted = tampered(&dir, |file| {
        let area = file.header.spec.policy_channels * file.header.spec.area();
        file.tensors.get_mut("policy.linear.weight").expect("the head").data.rotate_left(area);
        file.tensors.get_mut("policy.linear.bias").expect("the head").data.rotate_left(1);
    });
    let (code, findings) = doctor(&[&dir, "--network", &shifted.display().to_string()]);
    assert_eq!(code, 1);
    assert_eq!(findings["symmetry"].0, "alarm", "{findings:?}");
    assert_ne!(findings["value-sign"].0, "alarm", "{findings:?}");
}

#[test]
fn the_smoke_preset_has_no_alarm() {
    let folder = tempfile::tempdir().expect("a folder");
    let (dir, said) = smoke(&folder, &[]);
    assert!(!said.contains("ALARM"), "{said}");
    let (code, findings) = doctor(&[&dir]);
    assert_eq!(code, 0, "{findings:?}");
    assert!(!findings.values().any(|(severity, _)| severity == "alarm"), "{findings:?}");
}

/// Without noise, temperature and openings the champion plays the same few games.
#[test]
fn a_run_that_repeats_itself_says_so_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let same = [
        "selfplay.temperature=0",
        "selfplay.temperature_final=0",
        "selfplay.dirichlet_share=0",
        "selfplay.opening_plies_max=0",
        "selfplay.games=1000",
        "rating.games=0",
        "gate.rule=\"always\"",
    ];
    let (dir, said) = smoke(&folder, &same);
    assert_eq!(said.matches("ALARM duplicated-games").count(), 1, "{said}");
    let kept = fs::read_to_string(Path::new(&dir).join("metrics/driver.jsonl")).expect("metrics");
    assert_eq!(kept.matches("duplicated-games").count(), 1, "{kept}");
    let status = dagzero(&["status", &dir, "--json"]);
    let status: Value = serde_json::from_slice(&status.stdout).expect("JSON");
    let alarms = status["alarms"].as_array().expect("alarms");
    assert!(alarms.iter().any(|alarm| alarm["alarm"] == "duplicated-games"), "{alarms:?}");
    let page = fs::read_to_string(Path::new(&dir).join("report.html")).expect("the report");
    assert!(page.contains("What to look at") && page.contains("duplicated-games"));
    assert_eq!(doctor(&[&dir]).0, 1);
    assert!(dagzero(&["verify", &dir]).status.success());
}

#[test]
fn a_run_without_data_is_not_judged_and_none_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("new").display().to_string();
    assert!(dagzero(&["init", &smoke_preset(), "--dir", &dir]).status.success());
    let (code, findings) = doctor(&[&dir]);
    assert_eq!(code, 0);
    assert!(findings.values().all(|(severity, _)| severity == "unjudged"), "{findings:?}");
    let nowhere = folder.path().join("nowhere").display().to_string();
    assert!(!dagzero(&["doctor", &nowhere]).status.success());
    assert_eq!(dagzero(&["doctor", "--network", "x"]).status.code(), Some(2));
}
