//! Disks that refuse writes: the run waits until the disk works again and continues.

use std::error::Error;
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

use dz_store::{Pause, Run, RunLock, Stage, StoreError, layout};

use crate::disk::check_free;
use crate::event_sink::EventSink;
use crate::numbers::duration_text;
use crate::stop::Stop;

/// Pauses before a disk that is full or read-only is looked at again: the first, and the longest.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// The same of a device that reports errors: they come in bursts, and each look may meet one more
/// of a burst.
const DEVICE_PAUSE_MIN: Duration = Duration::from_millis(100);
const DEVICE_PAUSE_MAX: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1000 });
/// How long errors of the device itself are waited for, which may never end.
pub(crate) const DEVICE_PATIENCE: Duration = Duration::from_mins(5);
/// What is written to see whether the disk takes it.
static PROBE: [u8; 1 << 16] = [0; 1 << 16];
/// Errors of a device, or of a network file system's server, by Linux's numbers: EIO, ENOTCONN,
/// ETIMEDOUT, ESTALE.
const OF_DEVICES: [i32; 4] = [5, 107, 110, 116];

/// Why nothing can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskTrouble {
    /// The disk or the quota is full.
    Full,
    /// It is mounted read-only.
    ReadOnly,
    /// The device reports errors.
    Device,
}

impl DiskTrouble {
    /// The trouble that an error is about, if it is about the disk.
    pub fn of(error: &anyhow::Error) -> Option<Self> {
        error.chain().find_map(of_cause)
    }
}

/// What troubles the disk, said once.
pub fn trouble_text(error: &anyhow::Error) -> String {
    let store = error.chain().find_map(StoreError::of_cause);
    store.map_or_else(|| format!("{error:#}"), ToString::to_string)
}

fn of_cause(cause: &(dyn Error + 'static)) -> Option<DiskTrouble> {
    let source = match StoreError::of_cause(cause) {
        Some(StoreError::NoSpace { .. }) => return Some(DiskTrouble::Full),
        Some(StoreError::ReadOnly { source, .. } | StoreError::Io { source, .. }) => source,
        _ => cause.downcast_ref::<io::Error>()?,
    };
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(DiskTrouble::Full),
        io::ErrorKind::ReadOnlyFilesystem => Some(DiskTrouble::ReadOnly),
        _ => source
            .raw_os_error()
            .is_some_and(|number| OF_DEVICES.contains(&number))
            .then_some(DiskTrouble::Device),
    }
}

/// Waits for the disk of one stage's run.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// Troubles in a row, none of which the turn survived.
    troubles: u32,
    /// Since when the device reports errors.
    device_errors_since: Option<Instant>,
}

/// Where and for whom a stage waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting<'a> {
    pub(crate) run: &'a Run,
    pub(crate) lock: &'a RunLock,
    pub(crate) free_min_mb: u64,
    pub(crate) events: &'a EventSink,
    pub(crate) stop: &'a Stop,
}

impl Patience {
    /// A turn came to its end.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// As if the device had reported errors since then.
    #[cfg(test)]
    pub(crate) fn since(&mut self, then: Instant) {
        self.device_errors_since = Some(then);
    }

    /// Waits until the disk takes a probe again, or somebody asks to stop. The stage's lock says so
    /// meanwhile.
    ///
    /// # Errors
    /// `error` itself, if it is not about the disk or its device has reported errors for too long.
    pub(crate) fn wait(&mut self, at: Waiting<'_>, error: anyhow::Error) -> anyhow::Result<()> {
        let stage = at.lock.stage();
        let reason = trouble_text(&error);
        let mut trouble = self.bear(error)?;
        self.troubles += 1;
        let begun = Instant::now();
        at.events.note(
            stage,
            format!(
                "PAUSED: {reason}. The {stage} goes on by itself when the disk takes its files"
            ),
        );
        at.lock.note_pause(Some(Pause::now(reason)));
        let waited = loop {
            let pause = pause_of(trouble) * 2_u32.pow(self.troubles.min(6) - 1);
            let until = Instant::now() + pause.min(pause_max(trouble));
            while Instant::now() < until && !at.stop.requested() {
                thread::sleep(Duration::from_millis(20));
            }
            if at.stop.requested() {
                break Ok(());
            }
            let free = check_free(at.run.root(), at.free_min_mb);
            match free.and_then(|()| probe(at.run, stage)) {
                Ok(()) => {
                    let waited = duration_text(begun.elapsed());
                    at.events
                        .note(stage, format!("goes on after {waited}: the disk takes files again"));
                    break Ok(());
                }
                Err(probed) => match self.bear(probed.into()) {
                    Ok(probed) => trouble = probed,
                    Err(error) => break Err(error),
                },
            }
            self.troubles += 1;
        };
        at.lock.note_pause(None);
        waited
    }

    /// Takes an error that may go away by waiting, and reports its cause. Returns the error if it
    /// is not about the disk, or if the device has reported errors for too long.
    pub(crate) fn bear(&mut self, error: anyhow::Error) -> anyhow::Result<DiskTrouble> {
        let Some(trouble) = DiskTrouble::of(&error) else { return Err(error) };
        if trouble == DiskTrouble::Device {
            let since = self.device_errors_since.get_or_insert_with(Instant::now);
            if since.elapsed() > DEVICE_PATIENCE {
                return Err(error);
            }
        } else {
            self.device_errors_since = None;
        }
        Ok(trouble)
    }
}

const fn pause_of(trouble: DiskTrouble) -> Duration {
    match trouble {
        DiskTrouble::Device => DEVICE_PAUSE_MIN,
        DiskTrouble::Full | DiskTrouble::ReadOnly => PAUSE_MIN,
    }
}

const fn pause_max(trouble: DiskTrouble) -> Duration {
    match trouble {
        DiskTrouble::Device => DEVICE_PAUSE_MAX,
        DiskTrouble::Full | DiskTrouble::ReadOnly => PAUSE_MAX,
    }
}

/// Writes a file where the stage keeps its own, which goes again.
fn probe(run: &Run, stage: Stage) -> Result<(), StoreError> {
    // Never published, so that nothing has to make way for it.
    let mut staged = run.create_file(&format!("{}/probe", layout::work_path(stage)))?;
    staged.write_all(&PROBE).map_err(|e| StoreError::io(staged.path(), e))?;
    staged.sync()
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn the_cause_says_whether_waiting_helps() {
        let of = |error: anyhow::Error| DiskTrouble::of(&error.context("writing rows"));
        let raw = io::Error::from_raw_os_error;
        for (code, trouble) in [
            (28, Some(DiskTrouble::Full)),
            (122, Some(DiskTrouble::Full)),
            (30, Some(DiskTrouble::ReadOnly)),
            (5, Some(DiskTrouble::Device)),
            (116, Some(DiskTrouble::Device)),
            (13, None),
            (2, None),
        ] {
            assert_eq!(of(StoreError::io("x", raw(code)).into()), trouble, "{code}");
            assert_eq!(of(raw(code).into()), trouble, "{code}");
            // As writers see it that write through a staged file.
            let wrapped = io::Error::new(raw(code).kind(), StoreError::io("x", raw(code)));
            assert_eq!(of(wrapped.into()), trouble, "{code} wrapped");
        }
        let other: anyhow::Result<()> = Err(anyhow::anyhow!("NaN"));
        assert_eq!(DiskTrouble::of(&other.context("training").unwrap_err()), None);
    }
}
