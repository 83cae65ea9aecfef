//! Keeps the four stages alive, for the driver.

use std::process::ExitStatus;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::event::Event;
use crate::exit::{CHECK_FAILED, CONFIG, DONE, TRY_AGAIN, USAGE};
use crate::stop::Stop;
use crate::watched::{ChildSpec, StageFailure, Watched, how};

/// How often the supervisor looks after its stages.
const TICK: Duration = Duration::from_millis(50);

/// Starts stages, hands their events on, restarts what crashes, and stops all of them together.
#[derive(Debug)]
pub struct Supervisor {
    specs: Vec<ChildSpec>,
    /// When a crashed stage is started again.
    pub restarts: Restarts,
    /// How long stages may drain before they are killed.
    pub grace: Duration,
}

/// When a crashed stage is started again.
#[derive(Clone, Copy, Debug)]
pub struct Restarts {
    /// Restarts within `window` before the supervisor gives up.
    pub max: usize,
    /// How long a crash counts.
    pub window: Duration,
    /// Pause before the first restart; it doubles with each crash that counts.
    pub pause: Duration,
}

impl Default for Restarts {
    fn default() -> Self {
        Self { max: 3, window: Duration::from_mins(10), pause: Duration::from_secs(1) }
    }
}

/// What [`Supervisor::run`] reports to its caller.
#[derive(Clone, Debug)]
pub enum Update {
    /// A stage printed something.
    Event(Event),
    /// Nothing happened for a moment: time to look at the ledger.
    Idle,
}

impl Supervisor {
    /// A supervisor with the usual restarts and a minute's grace.
    pub fn new(specs: Vec<ChildSpec>) -> Self {
        Self { specs, restarts: Restarts::default(), grace: Duration::from_mins(1) }
    }

    /// Starts all stages and returns when all have ended: by themselves, because of `stop`, or
    /// because one of them cannot be kept alive. The last is an error. Call it on a thread that
    /// lives as long as the process; stages die with the thread that started them.
    pub fn run(self, stop: &Stop, mut on: impl FnMut(Update)) -> Result<(), StageFailure> {
        let (send, receive) = mpsc::channel();
        let mut failure = None;
        let mut stages: Vec<Supervised> = self.specs.iter().cloned().map(Supervised::new).collect();
        let mut stopping: Option<Instant> = None;
        loop {
            for stage in &mut stages {
                if let Err(new) = stage.tend(&send, self.restarts, stopping.is_some()) {
                    failure.get_or_insert(new);
                }
            }
            if stages.iter().all(|s| matches!(s.life, Life::Ended)) {
                break;
            }
            if stopping.is_none() && (stop.requested() || failure.is_some()) {
                stopping = Some(Instant::now());
                signal_all(&stages, libc::SIGTERM);
            }
            if stopping.is_some_and(|since| stop.urgent() || since.elapsed() > self.grace) {
                signal_all(&stages, libc::SIGKILL);
            }
            match receive.recv_timeout(TICK) {
                Ok(event) => on(Update::Event(event)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => on(Update::Idle),
            }
            for event in receive.try_iter() {
                on(Update::Event(event));
                // If events come faster than they are handled, their queue never ends.
                if stopping.is_none() && stop.requested() {
                    break;
                }
            }
        }
        receive.try_iter().map(Update::Event).for_each(&mut on);
        failure.map_or(Ok(()), Err)
    }
}

fn signal_all(stages: &[Supervised], signal: libc::c_int) {
    for stage in stages {
        if let Life::Running(watched) = &stage.life {
            watched.signal(signal);
        }
    }
}

/// One stage and its lives.
struct Supervised {
    spec: ChildSpec,
    life: Life,
    starts: usize,
    crashes: Vec<Instant>,
    /// The last line that it printed when it last failed by itself.
    fault: Option<String>,
}

enum Life {
    /// To be started at this time.
    Due(Instant),
    Running(Watched),
    Ended,
}

impl Supervised {
    fn new(spec: ChildSpec) -> Self {
        Self { spec, life: Life::Due(Instant::now()), starts: 0, crashes: Vec::new(), fault: None }
    }

    /// Starts it when it is due and notices its end.
    fn tend(
        &mut self,
        events: &Sender<Event>,
        restarts: Restarts,
        stopping: bool,
    ) -> Result<(), StageFailure> {
        match &mut self.life {
            Life::Due(_) if stopping => self.life = Life::Ended,
            Life::Due(at) if Instant::now() >= *at => {
                self.starts += 1;
                self.life = Life::Ended;
                self.life = Life::Running(Watched::start(&self.spec, events)?);
            }
            Life::Running(watched) => {
                if let Some(status) = watched.ended() {
                    let last_lines = watched.last_lines();
                    let how = match watched.oom_hint(status) {
                        Some(hint) => format!("{}; {hint}", how(status)),
                        None => how(status),
                    };
                    self.life = Life::Ended;
                    return self.ended((status, how), last_lines, restarts, stopping);
                }
            }
            Life::Due(_) | Life::Ended => {}
        }
        Ok(())
    }

    fn ended(
        &mut self,
        (status, how): (ExitStatus, String),
        last_lines: Vec<String>,
        restarts: Restarts,
        stopping: bool,
    ) -> Result<(), StageFailure> {
        let code = status.code().map(|code| code as u8);
        let asked = stopping && matches!(code, None | Some(TRY_AGAIN));
        if code == Some(DONE) || asked {
            return Ok(());
        }
        let now = Instant::now();
        self.crashes.retain(|at| now.duration_since(*at) < restarts.window);
        self.crashes.push(now);
        // A stage that fails of itself twice, with the same words, would do so a third time.
        let fault = last_lines.last().filter(|_| code == Some(CHECK_FAILED)).cloned();
        let again = self.crashes.len() > 1 && fault.is_some() && fault == self.fault;
        self.fault = fault;
        let hopeless = stopping || again || matches!(code, Some(CONFIG | USAGE));
        if hopeless || self.crashes.len() > restarts.max {
            let stage = self.spec.stage;
            let starts = self.starts;
            return Err(StageFailure { stage, code, how, starts, last_lines });
        }
        let pause = restarts.pause * 2_u32.pow(self.crashes.len() as u32 - 1);
        tracing::warn!("the {} {how}; starting it again in {pause:?}", self.spec.stage);
        self.life = Life::Due(now + pause);
        Ok(())
    }
}
