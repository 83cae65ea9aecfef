//! The files of a run: the one place that knows their names, and how to prove that a file belongs
//! to the run.
//!
//! A file is removed only if three things hold. It is a regular file that is reached without a link
//! below the run's directory ([`crate::ways`]). Its path is exactly one that a stage makes
//! ([`OwnName::of`]). The ledger proves it: a record names it, or it carries a staging mark and its
//! cycle has been reached. Everything else is left alone. A published file that no record names is
//! moved to `aside/`, since it would be in the way.

use crate::layout::{
    CHECKPOINTS, LOG, MATCHES, NETWORKS, PUBLISHED, ROWS, SHARDS, SNAPSHOTS, checkpoint_path,
    match_path, network_path, number_of, rows_path, shard_path,
};
use crate::{RunState, Stage};

/// Longest path of an object that a record may name.
const PATH_BYTES_MAX: usize = 512;

/// A path inside a run that one of its processes makes, by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnName {
    /// A record of the ledger.
    Record(u64),
    /// A snapshot of the fold.
    Snapshot(u64),
    /// A published object of a stage.
    Object {
        /// The stage that publishes such objects.
        stage: Stage,
        /// The cycle in its name.
        cycle: u32,
    },
}

impl OwnName {
    /// Returns the meaning of a path; `None` unless it is, to the byte, a path that some stage
    /// makes.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let (folder, name) = path.split_once('/')?;
        let object = |stage, cycle| Some(Self::Object { stage, cycle });
        match folder {
            LOG => number_of(path).filter(|_| !name.contains('/')).map(Self::Record),
            SNAPSHOTS => number_of(path).filter(|_| !name.contains('/')).map(Self::Snapshot),
            SHARDS => {
                let (cycle, file) = cycle_of(name)?;
                let number = file.strip_prefix('/')?.strip_suffix(".dzs")?.parse().ok()?;
                (shard_path(cycle, number) == path).then(|| object(Stage::Selfplay, cycle))?
            }
            ROWS => {
                let (cycle, file) = cycle_of(name)?;
                let file = file.strip_prefix('/')?.strip_suffix(".dzr")?;
                let (set, number) = file.split_once('-')?;
                let is_set = ["train", "validation"].contains(&set);
                let is_own = is_set && rows_path(cycle, set, number.parse().ok()?) == path;
                is_own.then(|| object(Stage::Shuffler, cycle))?
            }
            NETWORKS => {
                let (cycle, _) = cycle_of(name)?;
                (network_path(cycle) == path).then(|| object(Stage::Trainer, cycle))?
            }
            CHECKPOINTS => {
                let (cycle, rest) = cycle_of(name)?;
                let rest = rest.strip_prefix("-step-")?.strip_suffix(".dzc")?;
                let (step, attempt) = rest.split_once('-').unwrap_or((rest, "1"));
                let made = checkpoint_path(cycle, step.parse().ok()?, attempt.parse().ok()?);
                (made == path).then(|| object(Stage::Trainer, cycle))?
            }
            MATCHES => {
                let stem = name.strip_suffix(".jsonl")?;
                let cycle = match_cycle(stem)?;
                (match_path(stem) == path).then(|| object(Stage::Gatekeeper, cycle))?
            }
            _ => None,
        }
    }

    /// Whether the run of `state` has come as far as to make this: what proves a staging mark.
    pub(crate) fn is_reached(self, state: &RunState) -> bool {
        match self {
            Self::Record(number) | Self::Snapshot(number) => number <= state.number + 1,
            Self::Object { stage, cycle } => {
                let newest = state.cycles.keys().next_back().copied().unwrap_or(0);
                cycle >= 1 && cycle <= newest.max(state.next_cycle(stage))
            }
        }
    }
}

/// `shards/cycle-0007`, `rows/cycle-0007`.
pub(crate) fn is_cycle_folder(path: &str) -> bool {
    let inside = |name: &str| OwnName::of(&format!("{path}/{name}")).is_some();
    inside("00000000.dzs") || inside("train-0000.dzr")
}

/// The cycle at the beginning of `cycle-0007...`, and what follows it.
fn cycle_of(name: &str) -> Option<(u32, &str)> {
    let rest = name.strip_prefix("cycle-")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = rest.split_at(digits);
    let cycle = digits.parse().ok()?;
    (format!("{cycle:04}") == digits).then_some((cycle, rest))
}

/// The cycle of a match by the name of its files without the ending; `None` for any other name.
pub fn match_cycle(stem: &str) -> Option<u32> {
    let (cycle, rest) = cycle_of(stem)?;
    let word = ["-gate-", "-rating-", "-final-"].iter().find_map(|kind| rest.strip_prefix(kind))?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    (!word.is_empty() && word.bytes().all(plain)).then_some(cycle)
}

/// The path that a staged file will have once it is published: what stands before `#<digits>`.
/// `None` for a name without that mark.
pub(crate) fn published_name(path: &str) -> Option<&str> {
    let (name, mark) = path.rsplit_once('#')?;
    // Process id and three digits of the attempt.
    let is_mark = (4..=20).contains(&mark.len()) && mark.bytes().all(|b| b.is_ascii_digit());
    is_mark.then_some(name)
}

/// Whether a record may name an object by this path, which is to lie below one of `folders`.
///
/// # Errors
/// In words, what is wrong with the path.
pub(crate) fn check_object_path(path: &str, folders: &[&str]) -> Result<(), String> {
    let bad = |what: &str| Err(format!("it names the file {path:?}, {what}"));
    if path.len() > PATH_BYTES_MAX {
        return bad("which is longer than any file's name here");
    }
    if path.chars().any(|c| c.is_control() || c == '\\' || c == '#') {
        return bad("which has characters that no published file has");
    }
    if path.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
        return bad("which is no plain path inside the run");
    }
    let inside = path.split_once('/').is_some_and(|(folder, _)| folders.contains(&folder));
    if inside { Ok(()) } else { bad("which is not in the folder of such files") }
}

/// As [`check_object_path`], for a file of any kind.
pub(crate) fn check_any_object_path(path: &str) -> Result<(), String> {
    check_object_path(path, &PUBLISHED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_that_a_stage_makes_is_known_and_none_close_to_it() {
        let object = |stage, cycle| Some(OwnName::Object { stage, cycle });
        let own = [
            (shard_path(3, 17), object(Stage::Selfplay, 3)),
            (shard_path(12_345, 123_456_789), object(Stage::Selfplay, 12_345)),
            (rows_path(3, "train", 0), object(Stage::Shuffler, 3)),
            (rows_path(3, "validation", 12_345), object(Stage::Shuffler, 3)),
            (network_path(9), object(Stage::Trainer, 9)),
            (checkpoint_path(2, 77, 1), object(Stage::Trainer, 2)),
            (checkpoint_path(2, 1_234_567_890, 3), object(Stage::Trainer, 2)),
            (match_path("cycle-0005-gate-bootstrap"), object(Stage::Gatekeeper, 5)),
            (match_path("cycle-0005-rating-network-0003"), object(Stage::Gatekeeper, 5)),
            (match_path("cycle-0005-final-rollout-1000"), object(Stage::Gatekeeper, 5)),
            (crate::layout::log_path(7), Some(OwnName::Record(7))),
            (crate::layout::snapshot_path(256), Some(OwnName::Snapshot(256))),
        ];
        for (path, expected) in own {
            assert_eq!(OwnName::of(&path), expected, "{path}");
            for close in [
                format!("{path}x"),
                format!("x{path}"),
                format!("{path}/x"),
                path.replacen('0', "", 1),
                path.replacen('/', "//", 1),
                path.replace("cycle-", "cycle-0"),
                path.replace('.', ".x."),
                format!("{path}.bak"),
                path.to_uppercase(),
            ] {
                // Of a long number without leading zeros one digit less is another number.
                let is_other = OwnName::of(&close).is_none() || close.len() < path.len();
                let is_match = close.starts_with("matches/");
                assert!(close == path || is_other || is_match, "{close}");
            }
        }
        for path in ["", "shards", "shards/a", "networks/best.onnx", "checkpoints/run7/model.pt"] {
            assert_eq!(OwnName::of(path), None, "{path}");
        }
        assert_eq!(OwnName::of("shards/cycle-0001/+0000001.dzs"), None);
        assert_eq!(OwnName::of("checkpoints/cycle-0001-step-000000001-1.dzc"), None);
        assert_eq!(OwnName::of("matches/cycle-0001-gate-a b.jsonl"), None);
    }

    #[test]
    fn staging_marks_are_digits_of_a_process_and_an_attempt() {
        assert_eq!(published_name("shards/a#123000"), Some("shards/a"));
        for path in ["shards/a", "shards/a#", "shards/a#12", "shards/a#12x4", "#song (remix)"] {
            assert_eq!(published_name(path), None, "{path}");
        }
    }

    #[test]
    fn records_name_files_in_their_folders_only() {
        check_object_path("shards/cycle-0001/00000000.dzs", &[SHARDS]).unwrap();
        check_any_object_path("matches/a.jsonl").unwrap();
        for path in [
            "",
            "a",
            "/etc/passwd",
            "../secret",
            "shards/../../secret",
            "shards//a",
            "shards/./a",
            "shards",
            "shards/",
            "work/x/y",
            "rows/a\nb",
            "rows\\a",
            "shards/a\u{1b}[2J",
            "log/1.json",
            "shards/a#1",
            "shards/\u{7f}",
        ] {
            let what = check_any_object_path(path).unwrap_err();
            assert!(!what.contains('\n') && !what.contains('\u{1b}'), "{what}");
        }
        assert!(check_object_path("rows/a", &[SHARDS]).is_err());
        assert!(check_any_object_path(&format!("rows/{}", "x".repeat(600))).is_err());
    }
}
