//! The names inside a run directory. `data/README.md` of the repository specifies the formats.

use crate::Stage;

/// The effective configuration, the one file that marks a directory as a run.
pub const CONFIG: &str = "config.toml";
/// The page that is made of ledger and metrics; may be replaced at any time.
pub const REPORT: &str = "report.html";
/// What runs of the preset have reached, a copy of the file beside the configuration; for the report only.
pub const EXPECTED: &str = "expected.json";
/// Folder of the ledger's records.
pub const LOG: &str = "log";
/// Folder of the fold's snapshots, a cache of [`LOG`].
pub const SNAPSHOTS: &str = "snapshots";
/// Folder of game shards, written by self-play.
pub const SHARDS: &str = "shards";
/// Folder of training and validation rows, written by the shuffler.
pub const ROWS: &str = "rows";
/// Folder of network files, written by the trainer.
pub const NETWORKS: &str = "networks";
/// Folder of checkpoints, written by the trainer.
pub const CHECKPOINTS: &str = "checkpoints";
/// Folder of match games, written by the gatekeeper.
pub const MATCHES: &str = "matches";
/// Folder of per-step measurements, one JSONL file a stage.
pub const METRICS: &str = "metrics";
/// Folder of what a stage keeps for itself between turns (`work/<stage>/`): no entry names it,
/// no other stage reads it, the sweep leaves it alone, and it can be made again.
pub const WORK: &str = "work";

/// Folder of the processes' logs, for people.
pub const LOGS: &str = "logs";

/// Folder of every configuration that the ledger has named, one file each, under its hash.
pub const CONFIG_HISTORY: &str = "config-history";

/// Every folder of a run directory.
pub const FOLDERS: [&str; 11] = [
    LOG,
    SNAPSHOTS,
    SHARDS,
    ROWS,
    NETWORKS,
    CHECKPOINTS,
    MATCHES,
    METRICS,
    LOGS,
    WORK,
    CONFIG_HISTORY,
];

/// The folders in which a stage publishes objects. Only their owner sweeps them.
pub const fn folders_of(stage: Stage) -> &'static [&'static str] {
    match stage {
        Stage::Driver => &[],
        Stage::Selfplay => &[SHARDS],
        Stage::Shuffler => &[ROWS],
        Stage::Trainer => &[NETWORKS, CHECKPOINTS],
        Stage::Gatekeeper => &[MATCHES],
    }
}

/// `log/00000000000000000042.json`.
pub fn log_path(number: u64) -> String {
    format!("{LOG}/{number:020}.json")
}

/// `snapshots/00000000000000000256.json`.
pub fn snapshot_path(number: u64) -> String {
    format!("{SNAPSHOTS}/{number:020}.json")
}

/// `config-history/<hash>.toml`; none where `hash` is no BLAKE3 hash in hex.
pub fn config_history_path(hash: &str) -> Option<String> {
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| format!("{CONFIG_HISTORY}/{hash}.toml"))
}

/// `lock` for the driver, `lock-<stage>` for the others.
pub fn lock_path(stage: Stage) -> String {
    match stage {
        Stage::Driver => "lock".to_owned(),
        other => format!("lock-{other}"),
    }
}

/// `metrics/<stage>.jsonl`.
pub fn metrics_path(stage: Stage) -> String {
    format!("{METRICS}/{stage}.jsonl")
}

/// `logs/<stage>.log`, of the driver too.
pub fn stage_log_path(stage: Stage) -> String {
    format!("{LOGS}/{stage}.log")
}

/// `work/<stage>`.
pub fn work_path(stage: Stage) -> String {
    format!("{WORK}/{stage}")
}

/// The number in a path such as [`log_path`] makes; `None` for any other file.
pub(crate) fn number_of(path: &str) -> Option<u64> {
    let name = path.rsplit('/').next()?.strip_suffix(".json")?;
    if name.len() == 20 && name.bytes().all(|b| b.is_ascii_digit()) {
        name.parse().ok()
    } else {
        None
    }
}
