//! Reports during a run: an alarm is reported once when it appears, and once when it ends.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::finding::{Finding, Severity};

/// How an alarm or a warning changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlarmChange {
    /// It appeared, or changed between warning and alarm.
    Raised,
    /// It is over.
    Ended,
}

/// A line of `metrics/driver.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlarmLine {
    /// The cycle after which it was judged.
    pub cycle: u32,
    /// The check's name.
    pub alarm: String,
    /// What happened.
    pub change: AlarmChange,
    /// How bad it is, or was.
    pub severity: Severity,
    /// What was found, a sentence.
    pub says: String,
    /// What to do about it.
    pub advice: String,
}

impl AlarmLine {
    /// For people.
    pub fn text(&self) -> String {
        let Self { alarm, says, advice, severity, .. } = self;
        match self.change {
            AlarmChange::Raised => format!("{} {alarm}: {says} {advice}", severity.word()),
            AlarmChange::Ended => format!("{} {alarm} is over: {says}", severity.word()),
        }
    }
}

/// The alarms and warnings that are in force after `lines`, oldest first, by name.
pub fn in_force(lines: impl IntoIterator<Item = AlarmLine>) -> BTreeMap<String, AlarmLine> {
    let mut raised = BTreeMap::new();
    for line in lines {
        match line.change {
            AlarmChange::Raised => raised.insert(line.alarm.clone(), line),
            AlarmChange::Ended => raised.remove(&line.alarm),
        };
    }
    raised
}

/// Returns the changes of the open alarms by `findings` after `cycle`. An alarm that can no longer
/// be judged stays open.
pub fn changes(
    raised: &BTreeMap<String, AlarmLine>,
    findings: &[Finding],
    cycle: u32,
) -> Vec<AlarmLine> {
    let mut lines = Vec::new();
    for finding in findings {
        let old = raised.get(finding.id).map(|line| line.severity);
        let line = |change, severity| AlarmLine {
            cycle,
            alarm: finding.id.to_owned(),
            change,
            severity,
            says: finding.says.clone(),
            advice: finding.advice.to_owned(),
        };
        match (old, finding.severity) {
            (Some(old), Severity::Fine) => lines.push(line(AlarmChange::Ended, old)),
            (old, now) if now.is_trouble() && old != Some(now) => {
                lines.push(line(AlarmChange::Raised, now));
            }
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(severity: Severity) -> Vec<Finding> {
        let figures = BTreeMap::new();
        let (id, says) = ("gate-stuck", "It says.".to_owned());
        vec![Finding { id, severity, says, figures, threshold: "", advice: "Do this." }]
    }

    #[test]
    fn an_alarm_is_reported_once_and_once_when_it_ends() {
        use Severity::{Alarm, Fine, Unjudged, Warning};
        let mut kept: Vec<AlarmLine> = Vec::new();
        let mut reported = |severity, cycle| {
            let raised = in_force(kept.clone());
            let lines = changes(&raised, &finding(severity), cycle);
            kept.extend(lines.clone());
            lines.iter().map(|line| (line.change, line.severity)).collect::<Vec<_>>()
        };
        assert_eq!(reported(Fine, 1), []);
        assert_eq!(reported(Warning, 2), [(AlarmChange::Raised, Warning)]);
        assert_eq!(reported(Warning, 3), []);
        assert_eq!(reported(Alarm, 4), [(AlarmChange::Raised, Alarm)]);
        assert_eq!(reported(Unjudged, 5), []);
        assert_eq!(reported(Alarm, 6), []);
        assert_eq!(reported(Fine, 7), [(AlarmChange::Ended, Alarm)]);
        assert_eq!(reported(Fine, 8), []);
        assert_eq!(reported(Alarm, 9), [(AlarmChange::Raised, Alarm)]);
    }

    #[test]
    fn lines_survive_their_file() {
        let lines = changes(&BTreeMap::new(), &finding(Severity::Alarm), 3);
        let text = serde_json::to_string(&lines).unwrap();
        assert_eq!(serde_json::from_str::<Vec<AlarmLine>>(&text).unwrap(), lines);
        assert_eq!(lines[0].text(), "ALARM gate-stuck: It says. Do this.");
    }
}
