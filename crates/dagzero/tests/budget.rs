//! A disk budget: old shards go, what training, ratings and the report need stays.

use std::path::Path;
use std::process::Output;

use crate::common::files::files;
use crate::common::program::{command, dagzero};
use dz_testkit::preset;

/// A run whose window holds few of its games, and whose checkpoints alone take more than a
/// megabyte.
fn run(dir: &Path, budget_mb: u32) -> Output {
    let config = preset("tictactoe-smoke");
    let budget = format!("storage.disk_budget_mb={budget_mb}");
    let mut command = command(&["run"]);
    command.arg(config).arg("--dir").arg(dir);
    for pair in ["window.rows_min=100", "window.rows_max=200", "network.channels=48", &budget] {
        command.args(["--set", pair]);
    }
    command.output().expect("dagzero starts")
}

#[test]
fn old_shards_go_and_everything_that_is_made_of_games_is_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let [all, few] = ["all", "few"].map(|name| folder.path().join(name));
    for (dir, budget) in [(&all, 0), (&few, 1)] {
        let ended = run(dir, budget);
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert_eq!(said.contains("the disk budget of 1.00 MB"), budget == 1, "{said}");
        // Checkpoints cannot go: that is said.
        assert_eq!(said.contains("and nothing else can go"), budget == 1, "{said}");
    }
    for folder in ["networks", "matches", "rows"] {
        assert_eq!(files(&all, &[folder]), files(&few, &[folder]), "{folder}");
    }
    let [shards, kept] = [&all, &few].map(|dir| files(dir, &["shards"]));
    assert!(kept.len() < shards.len() && !kept.is_empty(), "{} of {}", kept.len(), shards.len());
    assert!(kept.iter().all(|(name, shard)| shards.get(name) == Some(shard)));

    let few = few.display().to_string();
    let verified = dagzero(&["verify", &few, "--json"]);
    let findings: serde_json::Value = serde_json::from_slice(&verified.stdout).expect("JSON");
    assert!(verified.status.success(), "{findings}");
    assert!(findings["expired"].as_u64() >= Some((shards.len() - kept.len()) as u64), "{findings}");
    assert_eq!(dagzero(&["replay", &few, "--game", "0"]).status.code(), Some(2));
    assert!(dagzero(&["export", &few, "--limit", "1"]).status.success());
    let status = dagzero(&["status", &few, "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert_eq!(status["disk"]["budget_bytes"], 1_000_000);
    assert_eq!(status["disk"]["forecast_bytes"], status["disk"]["bytes"]);
}
