//! What goes wrong in silence: findings about a run, each with the figures that it was judged by.
//!
//! [`Report::judge`] asks every check that needs no network; it reads nothing and measures nothing,
//! so the driver asks it after each cycle and `dagzero doctor RUN` asks it again. What only a
//! network can answer is measured elsewhere and judged by [`Probed::judge`].

mod games;
mod losses;
mod probed;
mod strength;
mod tell;

use std::collections::BTreeMap;

use dz_config::RunConfig;
use serde::{Deserialize, Serialize};

pub use probed::{Moment, Probed, Scatter, ValueSign};
pub use tell::{AlarmChange, AlarmLine, changes, in_force};

use crate::facts::Report;

/// How bad a finding is; the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The run does not learn, or learns something wrong: do something.
    Alarm,
    /// It may be so: look.
    Warning,
    /// Nothing was found.
    Fine,
    /// There is too little to judge by.
    Unjudged,
}

impl Severity {
    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Alarm => "ALARM",
            Self::Warning => "warning",
            Self::Fine => "fine",
            Self::Unjudged => "not judged",
        }
    }

    /// An alarm above one bound, a warning above a lower one.
    const fn above(value: f64, warning: f64, alarm: f64) -> Self {
        if value > alarm {
            Self::Alarm
        } else if value > warning {
            Self::Warning
        } else {
            Self::Fine
        }
    }

    /// Whether somebody should be told.
    pub const fn is_trouble(self) -> bool {
        matches!(self, Self::Alarm | Self::Warning)
    }
}

/// What one check says of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The check's name, which stays the same.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found, a sentence.
    pub says: String,
    /// The figures that it was judged by; names say the unit, shares are 0 to 1.
    pub figures: BTreeMap<&'static str, f64>,
    /// From where on it is a warning or an alarm, and why there.
    pub threshold: &'static str,
    /// What to do about it, a sentence.
    pub advice: &'static str,
}

impl Finding {
    /// The finding as one line for people, with what to do where something is to be done.
    pub fn line(&self) -> String {
        let Self { id, says, advice, .. } = self;
        if self.severity.is_trouble() {
            format!("{id}: {says} {advice}")
        } else {
            format!("{id}: {says}")
        }
    }
}

/// What is the same for all findings of a check.
struct Check {
    id: &'static str,
    threshold: &'static str,
    advice: &'static str,
}

impl Check {
    fn found<const N: usize>(
        &self,
        severity: Severity,
        says: String,
        figures: [(&'static str, f64); N],
    ) -> Finding {
        let Self { id, threshold, advice } = *self;
        Finding { id, severity, says, figures: figures.into(), threshold, advice }
    }

    fn unjudged(&self, why: &str) -> Finding {
        self.found(Severity::Unjudged, why.to_owned(), [])
    }
}

/// What findings take from the configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// `selfplay.resign_false_positives_max`, 0 to 1.
    pub resign_wrong_max: f64,
}

impl Rules {
    /// Those of a run; the defaults where its configuration does not load.
    pub fn of(config: Option<&RunConfig>) -> Self {
        let configured = config.map(|config| config.selfplay.resign_false_positives_max);
        // The default of the key.
        Self { resign_wrong_max: configured.unwrap_or(0.05) }
    }
}

impl Report {
    /// Every finding that needs no network, the worst first.
    pub fn judge(&self, rules: &Rules) -> Vec<Finding> {
        let mut findings = vec![
            games::target_entropy(self),
            games::policy_entropy(self),
            games::duplicated(&self.cycles),
            games::openings(&self.cycles),
            games::cut(&self.cycles),
            games::stale(&self.cycles),
            games::resignation(&self.cycles, rules),
            losses::overfitting(&self.cycles),
            losses::rising(&self.measures.steps),
            losses::clipping(&self.measures.steps),
            strength::gate_stuck(&self.cycles),
            strength::repeated_gate(&self.cycles),
            strength::learning(self),
            strength::forgetting(self),
            strength::raw_policy(self),
            strength::search_gain(self),
        ];
        sort(&mut findings);
        findings
    }

    /// The findings that somebody should be told, the worst first.
    pub fn troubles(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity.is_trouble())
    }

    /// Lays findings of a closer look over those of the same name.
    pub fn add_findings(&mut self, findings: Vec<Finding>) {
        self.findings.retain(|old| findings.iter().all(|new| new.id != old.id));
        self.findings.extend(findings);
        sort(&mut self.findings);
    }

    /// Whether the raw policy is as good as right where the truth is known: a policy that has
    /// learned a small game stands still and is sure of itself, and rightly so. False where nobody
    /// knows the truth.
    fn is_solved(&self) -> bool {
        let newest = self.measures.truth.iter().rfind(|line| line.truth_playouts == 0);
        newest.is_some_and(|line| {
            line.nontrivial > 0
                && line.nontrivial_preserving as f64 >= SOLVED * line.nontrivial as f64
        })
    }
}

/// Share of solved positions, where some move loses value, in which a policy that has learned the
/// game keeps it.
const SOLVED: f64 = 0.9;

fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| finding.severity);
}

/// `1 cycle`, `3 cycles`.
fn plural(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", crate::count::whole(count))
}
