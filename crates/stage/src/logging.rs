//! Log lines: on standard error for people, and in the run's own folder, one file a process.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use dz_store::{Run, Stage, Writes, layout, utc};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{EnvFilter, registry};

use crate::event::Event;
use crate::stderr::stderr_line;
use crate::threads::end_for_lack_of_threads;

/// The run's log of this process, once it has one.
static RUN_LOG: Mutex<Option<RunLog>> = Mutex::new(None);

/// A log file and what its lines begin with.
struct RunLog {
    file: File,
    run: String,
    stage: Stage,
    generation: u32,
}

/// Starts `tracing` on standard error and for the run's log. `RUST_LOG` decides what is shown on
/// standard error; without it `info`, and `warn` where a driver shows this process's events anyway
/// (`driven`). The run's log takes `info` and above, from [`log_to_run`] on.
pub fn init_logging(driven: bool) {
    end_for_lack_of_threads();
    let default = if driven { "warn" } else { "info" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let shown = layer().with_target(false).with_ansi(false).with_writer(|| AroundBars);
    let kept = layer().with_target(false).with_ansi(false).without_time().with_writer(|| Kept);
    // Fails only if it was started before, as by another stage in the same process.
    let _ = registry()
        .with(shown.with_filter(filter))
        .with(kept.with_filter(LevelFilter::INFO))
        .try_init();
}

/// From here on this process writes its log lines and events to the run's `logs/<stage>.log` too.
/// Where that file cannot be opened the run goes on without it, since nothing depends on it.
pub fn log_to_run(run: &Run, stage: Stage, generation: u32) {
    let path = layout::stage_log_path(stage);
    match run.open_to_write(&path, Writes::Append) {
        Ok(file) => *lock() = Some(RunLog { file, run: run.name(), stage, generation }),
        Err(error) => tracing::warn!("no log is kept in {path}: {error}"),
    }
}

/// The generation that later lines of the run's log name.
pub fn log_generation(generation: u32) {
    if let Some(log) = lock().as_mut() {
        log.generation = generation;
    }
}

/// Writes an event to the run's log; progress is not kept.
pub(crate) fn log_event(event: &Event) {
    let text = match event {
        Event::Progress(_) => return,
        Event::Started { process_id, startup_ms, .. } => {
            format!("started as process {process_id} in {startup_ms} ms")
        }
        Event::Note { text, .. } | Event::Alarm { text, .. } => text.clone(),
        Event::TurnDone { cycle, line, .. } => format!("cycle {cycle}: {line}"),
        Event::Stopped { code, reason, .. } => format!("stopped with code {code}: {reason}"),
    };
    keep(event.stage(), &text);
}

/// One line of the run's log; a disk that takes nothing is reported elsewhere.
fn keep(stage: Stage, text: &str) {
    let mut log = lock();
    let Some(log) = log.as_mut() else { return };
    let ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let mut line = utc(ms as u64);
    let _ = write!(line, " run={} stage={stage} generation={} ", log.run, log.generation);
    // A line is one line, whatever an error or a name brings along.
    line.push_str(&dz_text::line(&text.trim_end().replace('\n', " ")));
    line.push('\n');
    let _ = log.file.write_all(line.as_bytes());
}

fn lock() -> std::sync::MutexGuard<'static, Option<RunLog>> {
    RUN_LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Standard error as a writer; `tracing` hands it whole lines. It never fails: `tracing` would
/// report the error by a macro that panics where standard error is closed.
struct AroundBars;

impl Write for AroundBars {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        stderr_line(String::from_utf8_lossy(buffer).trim_end_matches('\n'));
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The run's log as a writer; `tracing` hands it whole lines.
struct Kept;

impl Write for Kept {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let stage = lock().as_ref().map(|log| log.stage);
        if let Some(stage) = stage {
            keep(stage, &String::from_utf8_lossy(buffer));
        }
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
