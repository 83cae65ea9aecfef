//! The names inside a run directory. `data/README.md` of the repository specifies the formats.

use crate::Stage;

/// The effective configuration, the one file that marks a directory as a run.
pub const CONFIG: &str = "config.toml";
/// The page that is made of ledger and metrics; may be replaced at any time.
pub const REPORT: &str = "report.html";
/// The page that compares the run with others; may be replaced at any time.
pub const COMPARISON: &str = "report-compare.html";
/// Expected results of the preset, a copy of the file beside the configuration. For the report
/// only.
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
/// Folder of a stage's private files between turns (`work/<stage>/`): no entry names it, no other
/// stage reads it, the sweep leaves it alone, and it can be made again.
pub const WORK: &str = "work";

/// Folder of published files that no entry names, set aside by a sweep under their own paths.
pub const ASIDE: &str = "aside";
/// Folder of damaged files, moved by `dagzero verify --quarantine` under their own paths.
pub const QUARANTINE: &str = "quarantine";

/// Folder of the processes' logs, for people.
pub const LOGS: &str = "logs";

/// Folder of every configuration that the ledger has named, one file each, under its hash.
pub const CONFIG_HISTORY: &str = "config-history";

/// Folder of copies of the rollouts' policies that the configuration names, each under its hash.
/// Only runs with such policies have it.
pub const POLICIES: &str = "policies";

/// Every folder that a run directory has from the beginning.
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

/// Every folder in which stages publish objects.
pub const PUBLISHED: [&str; 5] = [SHARDS, ROWS, NETWORKS, CHECKPOINTS, MATCHES];

/// `shards/cycle-0007/00000042.dzs`.
pub fn shard_path(cycle: u32, number: u64) -> String {
    format!("{SHARDS}/cycle-{cycle:04}/{number:08}.dzs")
}

/// `rows/cycle-0007/train-0003.dzr`; `set` is `train` or `validation`.
pub fn rows_path(cycle: u32, set: &str, number: u64) -> String {
    format!("{ROWS}/cycle-{cycle:04}/{set}-{number:04}.dzr")
}

/// `networks/cycle-0007.dzn`.
pub fn network_path(cycle: u32) -> String {
    format!("{NETWORKS}/cycle-{cycle:04}.dzn")
}

/// `checkpoints/cycle-0007-step-000012345.dzc`, with `-2` and so on before the ending of later
/// attempts at one step.
pub fn checkpoint_path(cycle: u32, step: u64, attempt: u32) -> String {
    let suffix = if attempt <= 1 { String::new() } else { format!("-{attempt}") };
    format!("{CHECKPOINTS}/cycle-{cycle:04}-step-{step:09}{suffix}.dzc")
}

/// `matches/<stem>.jsonl`. The stem is `cycle-0007-gate-<player>` or `cycle-0007-rating-<players>`.
pub fn match_path(stem: &str) -> String {
    format!("{MATCHES}/{stem}.jsonl")
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

/// `policies/<hash>.policy`; none where `hash` is no BLAKE3 hash in hex.
pub fn policy_path(hash: &str) -> Option<String> {
    let is_hash = hash.len() == 64 && hash.bytes().all(|b| b"0123456789abcdef".contains(&b));
    is_hash.then(|| format!("{POLICIES}/{hash}.policy"))
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
