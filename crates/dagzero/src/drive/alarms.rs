//! Alarms of a running run: reported once when they appear and once when they end, on the terminal
//! and as lines of `metrics/driver.jsonl`.

use std::collections::BTreeMap;

use dz_report::{AlarmChange, AlarmLine, Finding, Severity, changes, in_force};
use dz_stage::{Event, EventSink};
use dz_store::{MetricsWriter, Run, Stage};

/// Returns the alarms and warnings, by name, that the driver has reported and that have not ended.
pub(crate) fn open_alarms(run: &Run) -> anyhow::Result<BTreeMap<String, AlarmLine>> {
    Ok(in_force(run.metrics::<AlarmLine>(Stage::Driver)?))
}

/// Reports the alarms that `findings` after `cycle` raise, change or end.
pub(super) fn report_changes(
    run: &Run,
    findings: &[Finding],
    cycle: u32,
    events: &EventSink,
) -> anyhow::Result<()> {
    let lines = changes(&open_alarms(run)?, findings, cycle);
    if lines.is_empty() {
        return Ok(());
    }
    let mut metrics = MetricsWriter::open(run, Stage::Driver)?;
    for line in lines {
        metrics.write(&line)?;
        events.emit(&event(&line));
    }
    Ok(())
}

fn event(line: &AlarmLine) -> Event {
    let severity = match line.severity {
        Severity::Alarm => "alarm",
        _ => "warning",
    };
    Event::Alarm {
        stage: Stage::Driver,
        cycle: line.cycle,
        alarm: line.alarm.clone(),
        severity: severity.to_owned(),
        ended: line.change == AlarmChange::Ended,
        text: line.text(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// What the channel got, as (name, over).
    fn events(receive: &mpsc::Receiver<Event>) -> Vec<(String, bool)> {
        let alarm = |event| match event {
            Event::Alarm { alarm, ended, text, .. } => {
                assert!(!text.contains('\n') && !text.is_empty());
                Some((alarm, ended))
            }
            _ => None,
        };
        receive.try_iter().filter_map(alarm).collect()
    }

    #[test]
    fn a_restarted_driver_reports_nothing_twice() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(folder.path().join("run"), "format = 1\n").unwrap();
        let (send, receive) = mpsc::channel();
        let sink = EventSink::channel(send);
        let finding = |severity| Finding {
            id: "gate-stuck",
            severity,
            says: "It is stuck.".to_owned(),
            figures: BTreeMap::new(),
            threshold: "always",
            advice: "Look.",
        };
        report_changes(&run, &[finding(Severity::Alarm)], 4, &sink).unwrap();
        assert_eq!(events(&receive), [("gate-stuck".to_owned(), false)]);
        // Another process: all that it knows is the file.
        report_changes(&run, &[finding(Severity::Alarm)], 5, &sink).unwrap();
        assert_eq!(events(&receive), []);
        assert_eq!(open_alarms(&run).unwrap()["gate-stuck"].cycle, 4);
        report_changes(&run, &[finding(Severity::Fine)], 6, &sink).unwrap();
        assert_eq!(events(&receive), [("gate-stuck".to_owned(), true)]);
        assert!(open_alarms(&run).unwrap().is_empty());
        assert_eq!(run.damaged_metrics(Stage::Driver).unwrap(), 0);
    }
}
