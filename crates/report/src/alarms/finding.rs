//! Findings, and what the checks that make them share.

use std::collections::BTreeMap;

use dz_config::RunConfig;
use serde::{Deserialize, Serialize};

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
    /// There is too little data to judge by.
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
    pub(super) const fn above(value: f64, warning: f64, alarm: f64) -> Self {
        if value > alarm {
            Self::Alarm
        } else if value > warning {
            Self::Warning
        } else {
            Self::Fine
        }
    }

    /// Whether it is reported while the run goes on.
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
    /// The thresholds of a warning and of an alarm, and the reason for them.
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
pub(super) struct Check {
    pub(super) id: &'static str,
    pub(super) threshold: &'static str,
    pub(super) advice: &'static str,
}

impl Check {
    pub(super) fn found<const N: usize>(
        &self,
        severity: Severity,
        says: String,
        figures: [(&'static str, f64); N],
    ) -> Finding {
        let Self { id, threshold, advice } = *self;
        Finding { id, severity, says, figures: figures.into(), threshold, advice }
    }

    pub(super) fn unjudged(&self, why: &str) -> Finding {
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
