//! Events that a stage reports while it works: typed JSON lines.

use std::collections::BTreeMap;

use dz_store::Stage;
use serde::{Deserialize, Serialize};

/// Rates and shares by name. A name says its unit: `games/s`, `playouts/s`, `batch fill %`
/// (0 to 100), `policy loss`.
pub type Rates = BTreeMap<String, f64>;

/// One line on a stage's standard output under `--events`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The stage is ready and waits for its turn.
    Started {
        /// Who.
        stage: Stage,
        /// Its process id.
        process_id: u32,
        /// From the start of the process to here.
        startup_ms: u64,
    },
    /// Where the stage stands in its turn.
    Progress(Progress),
    /// Something a person should read.
    Note {
        /// Who.
        stage: Stage,
        /// One line.
        text: String,
    },
    /// The stage's turn in this cycle is over.
    TurnDone {
        /// Who.
        stage: Stage,
        /// The cycle.
        cycle: u32,
        /// What came of it, in one line.
        line: String,
    },
    /// A silent problem begins or ends. Reported once each.
    Alarm {
        /// Who.
        stage: Stage,
        /// The cycle after which it was judged.
        cycle: u32,
        /// The check's name.
        alarm: String,
        /// `alarm` or `warning`.
        severity: String,
        /// True where it is over.
        ended: bool,
        /// What was found and what to do, one line.
        text: String,
    },
    /// The stage is about to exit.
    Stopped {
        /// Who.
        stage: Stage,
        /// Its exit code.
        code: u8,
        /// Why, in one line.
        reason: String,
    },
}

impl Event {
    /// Who says it.
    pub const fn stage(&self) -> Stage {
        match self {
            Self::Progress(progress) => progress.stage,
            Self::Started { stage, .. }
            | Self::Note { stage, .. }
            | Self::TurnDone { stage, .. }
            | Self::Alarm { stage, .. }
            | Self::Stopped { stage, .. } => *stage,
        }
    }
}

/// Where a stage stands in its turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Who.
    pub stage: Stage,
    /// The cycle.
    pub cycle: u32,
    /// Generation of the champion.
    pub generation: u32,
    /// How many of `total` are done.
    pub done: u64,
    /// How many there are in this turn.
    pub total: u64,
    /// Of what: `games`, `rows`, `steps`.
    pub unit: String,
    /// Rates and shares by name.
    #[serde(default)]
    pub rates: Rates,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_survive_the_wire() {
        let stage = Stage::Selfplay;
        let rates = Rates::from([("games/s".to_owned(), 0.1 + 0.2)]);
        let events = [
            Event::Started { stage, process_id: 7, startup_ms: 12 },
            Event::Progress(Progress {
                stage,
                cycle: 2,
                generation: 1,
                done: 3,
                total: 9,
                unit: "games".into(),
                rates,
            }),
            Event::Note { stage, text: "a \"quoted\"\nline".into() },
            Event::TurnDone { stage, cycle: 2, line: "9 games".into() },
            Event::Alarm {
                stage,
                cycle: 2,
                alarm: "gate-stuck".into(),
                severity: "warning".into(),
                ended: false,
                text: "look".into(),
            },
            Event::Stopped { stage, code: 75, reason: "stopped".into() },
        ];
        for event in events {
            let line = serde_json::to_string(&event).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
            assert_eq!(event.stage(), stage);
        }
    }
}
