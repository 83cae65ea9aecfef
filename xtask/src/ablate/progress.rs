//! The state of a run, as its report shows it.

use anyhow::Context;
use serde_json::Value;

use super::cell::{Cycle, Seconds};

/// What a run has come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Progress {
    /// Cycles that are over.
    pub(super) cycles: Vec<Cycle>,
    /// Time by stage.
    pub(super) seconds: Seconds,
    /// Rows trained on.
    pub(super) trained_rows: u64,
    /// Whether a network's cycle has games but no evaluations. Costs are those of the process that
    /// closed the cycle, and that process may have found the games finished.
    pub(super) is_lost: bool,
}

impl Progress {
    /// The report's data of finished cycles: those that have a time.
    pub(super) fn of(report: &Value) -> anyhow::Result<Self> {
        let mut progress = Self::default();
        let mut times = [0; 3];
        for facts in report["cycles"].as_array().context("the cycles of the report")? {
            if facts["wall_ms"].is_null() {
                continue;
            }
            let number = |part: &str, key: &str| {
                let found = facts[part][key].as_u64();
                found.with_context(|| format!("{part}.{key} of cycle {}", facts["cycle"]))
            };
            // Searches of generation 0 ask no network.
            let by_network = facts["generation"].as_u64() > Some(0);
            let evaluations = number("selfplay", "evaluations")?;
            progress.is_lost |= by_network && evaluations == 0;
            progress.cycles.push(Cycle {
                games: number("selfplay", "games")?,
                positions: number("selfplay", "positions")?,
                evaluations: if by_network { evaluations } else { 0 },
            });
            progress.trained_rows += number("losses", "rows")?;
            for (sum, part) in times.iter_mut().zip(["selfplay", "rows", "losses"]) {
                *sum += number(part, "wall_ms")?;
            }
        }
        let [selfplay, shuffle, training] = times.map(|ms| ms as f64 / 1000.0);
        progress.seconds = Seconds { selfplay, shuffle, training };
        Ok(progress)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_shows_the_times_of_cycles() {
        let cycle = |generation: u64, evaluations: u64, wall_ms: Option<u64>| {
            json!({
                "cycle": 1, "generation": generation, "wall_ms": wall_ms,
                "selfplay": {"games": 10, "positions": 120, "evaluations": evaluations, "wall_ms": 2000},
                "rows": {"wall_ms": 250}, "losses": {"rows": 640, "wall_ms": 1000},
            })
        };
        let report = json!({"cycles": [
            cycle(0, 9000, Some(1)), cycle(1, 700, Some(1)), cycle(2, 800, None),
        ]});
        let progress = Progress::of(&report).expect("a report");
        let counted = |evaluations| Cycle { games: 10, positions: 120, evaluations };
        assert_eq!(progress.cycles, [counted(0), counted(700)], "rollouts ask no network");
        assert!(!progress.is_lost);
        assert_eq!(progress.trained_rows, 1280);
        let seconds = Seconds { selfplay: 4.0, shuffle: 0.5, training: 2.0 };
        assert_eq!(progress.seconds, seconds);
        let killed = json!({"cycles": [cycle(0, 9000, Some(1)), cycle(1, 0, Some(1))]});
        assert!(Progress::of(&killed).expect("a report").is_lost);
        let broken = json!({"cycles": [{"cycle": 4, "wall_ms": 1, "generation": 1}]});
        let error = Progress::of(&broken).expect_err("no self-play").to_string();
        assert_eq!(error, "selfplay.evaluations of cycle 4");
    }
}
