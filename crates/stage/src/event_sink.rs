//! Where events go: lines for people, JSON lines for a driver, a channel, bars.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dz_store::Stage;

use crate::event::{Event, Progress};
use crate::logging::log_event;
use crate::plain::PlainLines;
use crate::sink::Sink;
use crate::terminal::TerminalBars;

/// Progress events reach the driver at most once in this time; other events always do.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// Receives events. Cheap to clone; any thread may send.
#[derive(Clone)]
pub struct EventSink(Arc<Mutex<dyn Sink + Send>>);

impl EventSink {
    /// A sink of any kind.
    pub fn new(sink: impl Sink + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(sink)))
    }

    /// JSON lines on standard output, for the driver.
    pub fn json() -> Self {
        Self::new(JsonLines::new(Box::new(io::stdout())))
    }

    /// For people: bars on standard error where that is a terminal, else plain lines; lines that
    /// stay (notes, finished turns) go to standard output.
    pub fn people() -> Self {
        if io::stderr().is_terminal() {
            Self::new(TerminalBars::new())
        } else {
            Self::new(PlainLines::new(Box::new(io::stdout())))
        }
    }

    /// Sends every event into a channel.
    pub fn channel(sender: Sender<Event>) -> Self {
        Self::new(Channel(sender))
    }

    /// Hands an event over, and to the run's log.
    pub fn emit(&self, event: &Event) {
        log_event(event);
        self.hand_on(event);
    }

    /// Hands an event over that the log has already.
    pub(crate) fn hand_on(&self, event: &Event) {
        // A panic in another thread's event leaves nothing half-done that matters here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).accept(event);
    }

    /// Says where a stage stands. May be called often: it is thinned out.
    pub fn progress(&self, progress: Progress) {
        self.emit(&Event::Progress(progress));
    }

    /// Says something that a person should read.
    pub fn note(&self, stage: Stage, text: impl Into<String>) {
        self.emit(&Event::Note { stage, text: text.into() });
    }

    /// Says what came of a turn.
    pub fn turn_done(&self, stage: Stage, cycle: u32, line: impl Into<String>) {
        self.emit(&Event::TurnDone { stage, cycle, line: line.into() });
    }
}

impl std::fmt::Debug for EventSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EventSink")
    }
}

struct Channel(Sender<Event>);

impl Sink for Channel {
    fn accept(&mut self, event: &Event) {
        // Nobody listens any more: then nobody misses it.
        let _ = self.0.send(event.clone());
    }
}

struct JsonLines {
    out: Box<dyn Write + Send>,
    sent: Option<Instant>,
}

impl JsonLines {
    fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out, sent: None }
    }
}

impl Sink for JsonLines {
    fn accept(&mut self, event: &Event) {
        if let Event::Progress(progress) = event {
            let early = self.sent.is_some_and(|at| at.elapsed() < PROGRESS_EVERY);
            if early && progress.done < progress.total {
                return;
            }
            self.sent = Some(Instant::now());
        }
        // A driver that is gone is noticed by its pipe and by the parent-death signal, not here.
        if let Ok(mut line) = serde_json::to_vec(event) {
            line.push(b'\n');
            let _ = self.out.write_all(&line).and_then(|()| self.out.flush());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A writer whose content outlives the sink that owns it.
    #[derive(Clone, Default)]
    pub(crate) struct Shared(pub(crate) Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(buffer)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Shared {
        pub(crate) fn lines(&self) -> Vec<String> {
            let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
            text.lines().map(str::to_owned).collect()
        }
    }

    pub(crate) fn progress(done: u64) -> Progress {
        let rates = [("games/s".to_owned(), 12.0)].into();
        let stage = Stage::Selfplay;
        let unit = "games".to_owned();
        Progress { stage, cycle: 3, generation: 2, done, total: 100, unit, rates }
    }

    #[test]
    fn progress_is_thinned_out_and_other_events_are_not() {
        let out = Shared::default();
        let sink = EventSink::new(JsonLines::new(Box::new(out.clone())));
        for done in 0..=100 {
            sink.progress(progress(done));
        }
        sink.note(Stage::Selfplay, "one");
        sink.note(Stage::Selfplay, "two");
        let events: Vec<Event> =
            out.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(events[0], Event::Progress(progress(0)));
        assert!(events.len() < 50, "{} events", events.len());
        let end = events.len();
        assert_eq!(events[end - 3], Event::Progress(progress(100)));
        assert_eq!(events[end - 1], Event::Note { stage: Stage::Selfplay, text: "two".into() });
    }
}
