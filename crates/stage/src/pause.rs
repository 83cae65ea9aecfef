//! A disk that does not take what is written: the run waits for it and goes on.

use std::error::Error;
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

use dz_store::{Run, Stage, StoreError, layout};

use crate::disk::check_free;
use crate::numbers::duration_text;
use crate::sink::EventSink;
use crate::stop::Stop;

/// Pauses before the disk is looked at again: the first, and the longest.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// How often a turn is tried again after errors of the device itself, which may never end.
const DEVICE_ERRORS_MAX: u32 = 5;
/// What is written to see whether the disk takes it.
static PROBE: [u8; 1 << 16] = [0; 1 << 16];
/// Input or output error, by Linux's number.
const EIO: i32 = 5;

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
        _ => (source.raw_os_error() == Some(EIO)).then_some(DiskTrouble::Device),
    }
}

/// Waits for the disk of one stage's run.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    /// Troubles in a row, none of which the turn survived.
    troubles: u32,
    /// Those of them that were errors of the device.
    device_errors: u32,
}

impl Patience {
    /// A turn came to its end.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Waits until the disk takes a probe again, or somebody asks to stop.
    ///
    /// # Errors
    /// `error` itself, if it is not about the disk or comes back too often.
    pub(crate) fn wait(
        &mut self,
        (run, stage, free_min_mb): (&Run, Stage, u64),
        error: anyhow::Error,
        events: &EventSink,
        stop: &Stop,
    ) -> anyhow::Result<()> {
        let text = trouble_text(&error);
        self.bear(error)?;
        self.troubles += 1;
        let begun = Instant::now();
        events.note(
            stage,
            format!("PAUSED: {text}. The {stage} goes on by itself when the disk takes its files"),
        );
        let mut pause = PAUSE_MIN * 2_u32.pow(self.troubles.min(5) - 1);
        loop {
            let until = Instant::now() + pause.min(PAUSE_MAX);
            while Instant::now() < until && !stop.requested() {
                thread::sleep(Duration::from_millis(20));
            }
            if stop.requested() {
                return Ok(());
            }
            match check_free(run.root(), free_min_mb).and_then(|()| probe(run, stage)) {
                Ok(()) => break,
                Err(probed) => self.bear(probed.into())?,
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
        let waited = duration_text(begun.elapsed());
        events.note(stage, format!("goes on after {waited}: the disk takes files again"));
        Ok(())
    }

    /// Takes an error that waiting may mend; hands it back where it is not about the disk, or where the
    /// device has given as many as it may.
    fn bear(&mut self, error: anyhow::Error) -> anyhow::Result<()> {
        match DiskTrouble::of(&error) {
            None => Err(error),
            Some(DiskTrouble::Device) => {
                self.device_errors += 1;
                if self.device_errors > DEVICE_ERRORS_MAX { Err(error) } else { Ok(()) }
            }
            Some(DiskTrouble::Full | DiskTrouble::ReadOnly) => Ok(()),
        }
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
            (EIO, Some(DiskTrouble::Device)),
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
