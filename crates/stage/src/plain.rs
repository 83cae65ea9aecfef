//! Events as plain lines, for files and pipes.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use dz_store::Stage;

use crate::event::{Event, Progress};
use crate::exit;
use crate::numbers::{duration_text, progress_head, rates_text};
use crate::sink::Sink;

/// A stage's progress is a line at most once in this time.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Writes each event as a line; progress sparingly.
pub(crate) struct PlainLines {
    out: Box<dyn Write + Send>,
    turns: BTreeMap<Stage, TurnClock>,
    line_every: Duration,
}

impl PlainLines {
    pub(crate) fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out, turns: BTreeMap::new(), line_every: LINE_EVERY }
    }

    fn progress_line(&mut self, progress: &Progress) -> Option<String> {
        let now = Instant::now();
        let turn = self.turns.entry(progress.stage).or_insert_with(|| TurnClock::new(progress));
        if turn.cycle != progress.cycle {
            *turn = TurnClock::new(progress);
        }
        if now.duration_since(turn.shown) < self.line_every {
            return None;
        }
        turn.shown = now;
        let mut line = progress_head(progress);
        if !progress.rates.is_empty() {
            line = format!("{line}, {}", rates_text(&progress.rates));
        }
        if let Some(left) = turn.time_left(progress) {
            line = format!("{line}, {} left", duration_text(left));
        }
        Some(line)
    }
}

impl Sink for PlainLines {
    fn accept(&mut self, event: &Event) {
        let line = match event {
            Event::Progress(progress) => self.progress_line(progress),
            other => kept_line(other),
        };
        if let Some(line) = line {
            // Whoever closed the pipe wanted no more lines.
            let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
        }
    }
}

/// The line of an event that stays on the screen, its control characters escaped; `None` where
/// people need none.
pub(crate) fn kept_line(event: &Event) -> Option<String> {
    let line = match event {
        Event::Started { stage, startup_ms, .. } => {
            Some(format!("{stage:<10} ready after {startup_ms} ms"))
        }
        Event::Note { stage, text } | Event::Alarm { stage, text, .. } => {
            Some(format!("{stage:<10} {text}"))
        }
        Event::TurnDone { stage, cycle, line } => {
            Some(format!("{stage:<10} cycle {cycle}: {line}"))
        }
        Event::Stopped { stage, code, reason } => {
            // The faults of a configuration are a line each.
            let shown = || dz_text::lines(&format!("{stage:<10} stopped: {reason}")).into_owned();
            return (*code != exit::DONE).then(shown);
        }
        Event::Progress(_) => None,
    };
    line.map(|line| dz_text::line(&line).into_owned())
}

/// When a stage's turn began to be seen, for the estimate of the time left.
pub(crate) struct TurnClock {
    /// The turn's cycle.
    pub(crate) cycle: u32,
    begun: Instant,
    done_at_begin: u64,
    shown: Instant,
}

impl TurnClock {
    pub(crate) fn new(progress: &Progress) -> Self {
        let now = Instant::now();
        Self { cycle: progress.cycle, begun: now, done_at_begin: progress.done, shown: now }
    }

    pub(crate) fn time_left(&self, progress: &Progress) -> Option<Duration> {
        let done = progress.done.checked_sub(self.done_at_begin).filter(|&done| done > 0)?;
        let left = progress.total.saturating_sub(progress.done);
        Some(self.begun.elapsed().mul_f64(left as f64 / done as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_sink::tests::{Shared, progress};

    #[test]
    fn progress_waits_for_its_interval_and_notes_do_not() {
        let out = Shared::default();
        let mut lines = PlainLines::new(Box::new(out.clone()));
        for done in 0..100 {
            lines.accept(&Event::Progress(progress(done)));
        }
        lines.accept(&Event::Note { stage: Stage::Selfplay, text: "hello".into() });
        assert_eq!(out.lines(), ["selfplay   hello"]);
        lines.line_every = Duration::ZERO;
        lines.accept(&Event::Progress(progress(100)));
        let line = &out.lines()[1];
        assert!(line.starts_with("selfplay   cycle 3: 100/100 games, 12.0 games/s"), "{line}");
        assert!(line.ends_with("0 s left"), "{line}");
    }

    #[test]
    fn names_of_others_cannot_steer_the_terminal() {
        let text = "anchor \u{1b}[2J\u{7} evil\rgone\nselfplay   cycle 9: done";
        let note = kept_line(&Event::Note { stage: Stage::Gatekeeper, text: text.into() }).unwrap();
        assert!(!note.contains(char::is_control), "{note:?}");
        assert!(note.contains("\\u{1b}[2J\\u{7} evil\\rgone\\nselfplay"), "{note}");
        let reason = "2 faults\n  a\u{1b}[31m\n  b".to_owned();
        let end = kept_line(&Event::Stopped { stage: Stage::Trainer, code: 78, reason }).unwrap();
        assert_eq!(end, "trainer    stopped: 2 faults\n  a\\u{1b}[31m\n  b");
    }

    #[test]
    fn a_clean_end_needs_no_line() {
        let end = |code| Event::Stopped { stage: Stage::Trainer, code, reason: "why".into() };
        assert_eq!(kept_line(&end(exit::DONE)), None);
        assert_eq!(kept_line(&end(exit::TRY_AGAIN)).unwrap(), "trainer    stopped: why");
    }
}
