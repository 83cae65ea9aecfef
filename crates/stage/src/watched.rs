//! One stage process under a supervisor.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use dz_store::remedy::{Remedy, advice};
use dz_store::{DRIVER_ENV, Stage};

use crate::event::Event;
use crate::exit::{CHECK_FAILED, CONFIG, TRY_AGAIN, USAGE};
use crate::oom::OomKills;
use crate::stderr::stderr_line;

/// Lines of standard error that a failure report shows.
const LAST_LINES_MAX: usize = 20;

/// How long the last lines of a dead stage are waited for.
const LAST_LINES_WAIT: Duration = Duration::from_millis(500);

/// How to start one stage.
#[derive(Clone, Debug)]
pub struct ChildSpec {
    /// Which stage it is.
    pub stage: Stage,
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// A stage that cannot be kept alive.
#[derive(Debug, thiserror::Error)]
pub struct StageFailure {
    /// Which one.
    pub stage: Stage,
    /// Its last exit code, where it exited by itself.
    pub code: Option<u8>,
    /// How it ended, in words.
    pub how: String,
    /// How often it was started.
    pub starts: usize,
    /// The last lines that it wrote to standard error.
    pub last_lines: Vec<String>,
}

impl StageFailure {
    /// The exit code of a driver that ends for it.
    pub const fn exit_code(&self) -> u8 {
        match self.code {
            Some(code @ (CHECK_FAILED | USAGE | TRY_AGAIN | CONFIG)) => code,
            Some(_) => CHECK_FAILED,
            // Killed from outside: nothing published is lost.
            None => TRY_AGAIN,
        }
    }
}

impl fmt::Display for StageFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stage, how, starts, last_lines, .. } = self;
        let times = if *starts == 1 { "once".to_owned() } else { format!("{starts} times") };
        write!(
            f,
            "the {stage} {how} (started {times}); what it published is kept, start the same command again to go on"
        )?;
        if !last_lines.is_empty() {
            write!(f, "\nits last lines were:")?;
            for line in last_lines {
                write!(f, "\n  {line}")?;
            }
        }
        Ok(())
    }
}

/// A running stage process. Dropped, its pipe closes and it ends by itself.
pub(crate) struct Watched {
    child: Child,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    readers: [JoinHandle<()>; 2],
    /// The kernel's counters when it started.
    oom_kills: OomKills,
}

impl Watched {
    /// Starts the stage. The calling thread must outlive it: the parent-death signal is the
    /// thread's.
    pub(crate) fn start(spec: &ChildSpec, events: &Sender<Event>) -> Result<Self, StageFailure> {
        let spawned = Command::new(&spec.program)
            .args(&spec.args)
            .env(DRIVER_ENV, process::id().to_string())
            // Ctrl-C at the terminal reaches the driver alone, which then asks the stages.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let failure = |error: &io::Error| StageFailure {
            stage: spec.stage,
            code: Some(match Remedy::of(error) {
                Remedy::Again => TRY_AGAIN,
                _ => CHECK_FAILED,
            }),
            how: format!(
                "cannot be started as {}: {error}; {}",
                spec.program.display(),
                advice(error)
            ),
            starts: 1,
            last_lines: Vec::new(),
        };
        let oom_kills = OomKills::now();
        let mut child = spawned.map_err(|error| failure(&error))?;
        let last_lines = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&last_lines);
        let events = events.clone();
        let events =
            each_line(child.stdout.take(), move |line| match serde_json::from_str(&line) {
                // The driver is gone: so will be this process.
                Ok(event) => drop(events.send(event)),
                Err(_) => stderr_line(&line),
            });
        let lines = each_line(child.stderr.take(), move |line| {
            stderr_line(&line);
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() == LAST_LINES_MAX {
                kept.pop_front();
            }
            kept.push_back(line);
        });
        match events.and_then(|events| Ok([events, lines?])) {
            Ok(readers) => Ok(Self { child, last_lines, readers, oom_kills }),
            Err(error) => {
                // Nobody would hear it; its closed pipe ends it, too.
                let _ = child.kill().and_then(|()| child.wait());
                Err(failure(&error))
            }
        }
    }

    /// How it ended, once it has. By then all of its output has been handed on.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().ok()??;
        let begun = Instant::now();
        while begun.elapsed() < LAST_LINES_WAIT && !self.readers.iter().all(JoinHandle::is_finished)
        {
            thread::sleep(Duration::from_millis(5));
        }
        Some(status)
    }

    /// Why the kernel may have killed it with SIGKILL, in words.
    pub(crate) fn oom_hint(&self, status: ExitStatus) -> Option<String> {
        let killed = status.signal() == Some(libc::SIGKILL);
        killed.then(|| self.oom_kills.hint(&OomKills::now())).flatten()
    }

    /// Sends a signal to the stage and whatever it started.
    #[allow(unsafe_code)]
    pub(crate) fn signal(&self, signal: libc::c_int) {
        // SAFETY: kill(2) touches no memory of ours. The group's number is the child's, which is
        // not reaped yet, so it cannot have become another process's.
        unsafe {
            libc::kill(-(self.child.id() as libc::pid_t), signal);
        }
    }

    /// The last lines of its standard error.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        let kept = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().cloned().collect()
    }
}

/// How a process ended, in words.
pub(crate) fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

fn each_line(
    pipe: Option<impl Read + Send + 'static>,
    mut line: impl FnMut(String) + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().spawn(move || {
        let Some(pipe) = pipe else { return };
        for bytes in BufReader::new(pipe).split(b'\n') {
            let Ok(bytes) = bytes else { return };
            line(String::from_utf8_lossy(&bytes).into_owned());
        }
    })
}
