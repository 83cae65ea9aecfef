//! Where a stage stands in its turn, noted in its lock for `status` and `watch`.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use dz_store::{RunLock, TurnProgress};

use crate::event::Event;
use crate::event_sink::EventSink;
use crate::numbers::{count_text, duration_text, rate_texts};
use crate::plain::TurnClock;
use crate::sink::Sink;

/// Progress is noted at most once in this time.
const NOTE_EVERY: Duration = Duration::from_secs(1);

/// Hands events on, and notes the turn that they report in the stage's lock.
pub(crate) struct NotedProgress {
    events: EventSink,
    /// Events may still come when the stage has given its lock back.
    lock: Weak<RunLock>,
    clock: Option<TurnClock>,
    noted: Option<Instant>,
}

impl NotedProgress {
    pub(crate) fn sink(events: EventSink, lock: &Arc<RunLock>) -> EventSink {
        let lock = Arc::downgrade(lock);
        EventSink::new(Self { events, lock, clock: None, noted: None })
    }

    fn note(&mut self, event: &Event) {
        let Some(lock) = self.lock.upgrade() else { return };
        match event {
            Event::Progress(progress) => {
                let clock = self
                    .clock
                    .take()
                    .filter(|clock| clock.cycle == progress.cycle)
                    .unwrap_or_else(|| TurnClock::new(progress));
                let left = clock.time_left(progress);
                self.clock = Some(clock);
                if self.noted.is_some_and(|at| at.elapsed() < NOTE_EVERY) {
                    return;
                }
                self.noted = Some(Instant::now());
                lock.note_progress(Some(TurnProgress {
                    cycle: progress.cycle,
                    done: progress.done,
                    total: progress.total,
                    unit: progress.unit.clone(),
                    left_ms: left.map(|left| left.as_millis() as u64),
                    rates: progress.rates.clone(),
                }));
            }
            Event::TurnDone { .. } | Event::Stopped { .. } => {
                self.clock = None;
                if self.noted.take().is_some() {
                    lock.note_progress(None);
                }
            }
            Event::Started { .. } | Event::Note { .. } | Event::Alarm { .. } => {}
        }
    }
}

impl Sink for NotedProgress {
    fn accept(&mut self, event: &Event) {
        self.events.hand_on(event);
        self.note(event);
    }
}

/// `cycle 3: 120/400 games, 8 s left, 35.0 games/s`.
pub fn progress_text(progress: &TurnProgress) -> String {
    let TurnProgress { cycle, done, total, unit, left_ms, rates } = progress;
    let mut text = format!("cycle {cycle}: {}/{} {unit}", count_text(*done), count_text(*total));
    let left = left_ms.map(|ms| format!("{} left", duration_text(Duration::from_millis(ms))));
    for more in left.into_iter().chain(rate_texts(rates)) {
        text = text + ", " + &more;
    }
    text
}

#[cfg(test)]
mod tests {
    use dz_store::{Run, Stage};

    use super::*;
    use crate::event_sink::tests::progress;

    #[test]
    fn the_lock_says_where_the_turn_stands() {
        let dir = tempfile::tempdir().unwrap();
        let run = Run::create(dir.path().join("r"), "format = 1\n").unwrap();
        let lock = Arc::new(RunLock::acquire(&run, Stage::Selfplay).unwrap());
        let noted = || RunLock::holder(&run, Stage::Selfplay).unwrap().progress;
        let (sender, events) = std::sync::mpsc::channel();
        let sink = NotedProgress::sink(EventSink::channel(sender), &lock);
        assert_eq!(noted(), None);
        sink.progress(progress(25));
        // Too soon to be noted, but handed on.
        sink.progress(progress(26));
        let found = noted().unwrap();
        assert_eq!((found.cycle, found.done, found.total), (3, 25, 100));
        assert_eq!(progress_text(&found), "cycle 3: 25/100 games, 12.0 games/s");
        let timed = TurnProgress { done: 1_500, total: 20_000, left_ms: Some(65_000), ..found };
        let text = "cycle 3: 1,500/20,000 games, 1 min 5 s left, 12.0 games/s";
        assert_eq!(progress_text(&timed), text);
        lock.note_pause(Some(dz_store::Pause::now("no space")));
        assert_eq!(noted().map(|noted| noted.done), Some(25), "a pause forgets no progress");
        sink.turn_done(Stage::Selfplay, 3, "played");
        assert_eq!(noted(), None);
        assert_eq!(events.try_iter().count(), 3);
        drop(lock);
        sink.progress(progress(27));
        assert_eq!(RunLock::holder(&run, Stage::Selfplay), None);
    }
}
