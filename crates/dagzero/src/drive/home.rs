//! The home of a run with a mailbox: a thread renews its lease and updates the mirror.

use std::cell::Cell;
use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use dz_config::RunConfig;
use dz_selfplay::HomeLease;
use dz_stage::Stop;
use dz_store::{MailboxError, Mirror, MirrorError, Run};

/// How often the mirror is updated in a folder and in a bucket.
const FOLDER_EVERY: Duration = Duration::from_millis(500);
const BUCKET_EVERY: Duration = Duration::from_secs(4);
/// The pause after a round is at least so many times as long as the round.
const REST: u32 = 9;
/// How long a run that ends waits for a mailbox that fails.
const PATIENCE: Duration = Duration::from_mins(1);
/// Pause before a mailbox that failed is asked again.
const AGAIN: Duration = Duration::from_secs(2);

/// The home's thread, as the driver sees it.
pub(super) struct Home {
    thread: JoinHandle<()>,
    end: Sender<()>,
    notes: Receiver<String>,
    failure: Failure,
}

/// Why the home must end, if it must.
type Failure = Arc<Mutex<Option<MirrorError>>>;

impl Home {
    /// Makes this process the home of a run that has a mailbox, and starts to mirror it.
    ///
    /// # Errors
    /// Another home that is alive or went on with the run, and what mailbox and run report.
    pub(super) fn begin(
        run: &Run,
        config: &RunConfig,
        takes_over: bool,
        stop: &Stop,
        out: &mut dyn Write,
    ) -> anyhow::Result<Option<Self>> {
        let mut say = |text: String| {
            let _ = writeln!(out, "note    {text}");
            let _ = out.flush();
        };
        let Some(lease) = HomeLease::begin(run, config, takes_over, stop, &mut say)? else {
            return Ok(None);
        };
        let mirror = if config.workers.mirror { open(&lease, run, stop, &mut say)? } else { None };
        let (end, ends) = channel();
        let (sender, notes) = channel();
        let failure = Failure::default();
        let keeper = Keeper {
            every: if lease.mailbox().is_folder() { FOLDER_EVERY } else { BUCKET_EVERY },
            lease,
            mirror,
            renewed: Cell::new(Instant::now()),
            is_in_trouble: false,
            sender,
            failure: Arc::clone(&failure),
            stop: stop.clone(),
        };
        let thread = thread::Builder::new().name("mirror".to_owned());
        let thread =
            thread.spawn(move || keeper.keep(&ends)).context("no thread for the mirror")?;
        Ok(Some(Self { thread, end, notes, failure }))
    }

    /// Messages to people since the last call.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> + '_ {
        self.notes.try_iter()
    }

    /// Mirrors the rest of the run, and ends the thread.
    ///
    /// # Errors
    /// Why the home had to end, if it had.
    pub(super) fn end(self, stop: &Stop, out: &mut dyn Write) -> anyhow::Result<()> {
        let _ = self.end.send(());
        let begun = Instant::now();
        let mut said = false;
        while !self.thread.is_finished() && !stop.urgent() {
            if begun.elapsed() > AGAIN && !std::mem::replace(&mut said, true) {
                writeln!(out, "note    the mirror is being updated; Ctrl-C ends without that")?;
                out.flush()?;
            }
            thread::sleep(Duration::from_millis(20));
        }
        for note in self.notes.try_iter() {
            writeln!(out, "note    {note}")?;
        }
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or(Ok(()), |failure| Err(failure.into()))
    }
}

/// Opens the mirror once the mailbox answers. Returns none if a stop was asked for before that.
fn open(
    lease: &HomeLease,
    run: &Run,
    stop: &Stop,
    say: &mut dyn FnMut(String),
) -> Result<Option<Mirror>, MirrorError> {
    let mut said = false;
    loop {
        match Mirror::open(lease.mailbox(), run, lease.epoch()) {
            Err(MirrorError::Mailbox(error)) if error.is_temporary() => {
                if stop.requested() {
                    return Ok(None);
                }
                if !std::mem::replace(&mut said, true) {
                    say(format!("{error}; trying again every {} s", AGAIN.as_secs()));
                }
                thread::sleep(AGAIN);
            }
            other => return other.map(Some),
        }
    }
}

/// The state of the thread.
struct Keeper {
    lease: HomeLease,
    mirror: Option<Mirror>,
    every: Duration,
    renewed: Cell<Instant>,
    /// Whether the mailbox failed last time.
    is_in_trouble: bool,
    sender: Sender<String>,
    failure: Failure,
    stop: Stop,
}

impl Keeper {
    fn keep(mut self, ends: &Receiver<()>) {
        loop {
            let begun = Instant::now();
            let round = self.round();
            if self.must_end(round) {
                return;
            }
            let rest = self.every.max(REST * begun.elapsed());
            match ends.recv_timeout(rest) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let begun = Instant::now();
        loop {
            let round = self.round();
            let is_done = matches!(round, Ok(true));
            if self.must_end(round) || is_done || self.stop.urgent() {
                return;
            }
            if begun.elapsed() > PATIENCE {
                let text = "the mailbox still fails; its mirror of the run is not up to date";
                let _ = self.sender.send(text.to_owned());
                return;
            }
            thread::sleep(AGAIN);
        }
    }

    /// Checks that this process is still the home, and mirrors new files of the run. Returns
    /// whether the mirror is complete.
    fn round(&mut self) -> Result<bool, MirrorError> {
        let (lease, renewed, stop) = (&self.lease, &self.renewed, &self.stop);
        let renew = || -> Result<bool, MailboxError> {
            let is_due = renewed.get().elapsed() >= HomeLease::RENEWED_EVERY;
            if is_due {
                lease.renew()?;
                renewed.set(Instant::now());
            }
            Ok(is_due)
        };
        if !renew()? {
            lease.check()?;
        }
        let Some(mirror) = &mut self.mirror else { return Ok(true) };
        // Many objects take longer than a lease lasts, so it is renewed between them.
        let is_done = mirror.advance(&|| renew().is_err() || stop.urgent())?;
        if mirror.has_needless() {
            lease.check()?;
            mirror.remove_needless()?;
        }
        Ok(is_done)
    }

    /// Reports a failure once, and its end once. Returns whether the home has to end.
    fn must_end(&mut self, round: Result<bool, MirrorError>) -> bool {
        match round {
            Ok(_) => {
                if std::mem::replace(&mut self.is_in_trouble, false) {
                    let _ =
                        self.sender.send("the mirror in the mailbox is updated again".to_owned());
                }
                false
            }
            Err(error @ MirrorError::Mailbox(MailboxError::TakenOver { .. })) => {
                *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                self.stop.ask();
                true
            }
            Err(error) => {
                if !std::mem::replace(&mut self.is_in_trouble, true) {
                    let text = format!("{error}; the run goes on without its mirror meanwhile");
                    let _ = self.sender.send(text);
                }
                false
            }
        }
    }
}
