//! What a stage spent on a cycle, over kills.

use std::{
    io,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use dz_store::{Run, Stage, write_own};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The file, in the stage's own folder.
const FILE: &str = "spent.json";
/// Longest file that is looked at.
const BYTES_MAX: u64 = 1 << 20;
/// How often it is written: so much of a process's time nobody knows of after it was killed.
const NOTE_EVERY: Duration = Duration::from_secs(1);

/// Wall time and counts of one stage's work on one cycle, summed over all processes that had a part
/// in it. They are noted from time to time during the work, so that the process that continues
/// after a kill or a stop has them. Only times and counts depend on this file. Without it, those of
/// this process count.
#[derive(Debug)]
pub struct Spent<C = ()> {
    path: Option<PathBuf>,
    cycle: u32,
    since: Instant,
    before: Noted<C>,
    noted_at: Mutex<Instant>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Noted<C> {
    cycle: u32,
    wall_ms: u64,
    counts: C,
}

impl<C: Default + Serialize + DeserializeOwned> Spent<C> {
    /// Work of `stage` on `cycle` that has been going on in this process `since` then. If nothing
    /// can be read or written, the work continues.
    pub fn open(run: &Run, stage: Stage, cycle: u32, since: Instant) -> Self {
        let path = run.work_dir(stage).ok().map(|folder| folder.join(FILE));
        let text = path.as_ref().and_then(|path| dz_text::read_file(path, BYTES_MAX).ok());
        let noted = text.and_then(|text| serde_json::from_slice::<Noted<C>>(&text).ok());
        let before = noted.filter(|noted| noted.cycle == cycle).unwrap_or_default();
        Self { path, cycle, since, before, noted_at: Mutex::new(Instant::now()) }
    }

    /// The cycle that is worked on.
    pub const fn cycle(&self) -> u32 {
        self.cycle
    }

    /// What earlier processes counted.
    pub const fn before(&self) -> &C {
        &self.before.counts
    }

    /// Milliseconds of all processes until now.
    pub fn wall_ms(&self) -> u64 {
        self.before.wall_ms + self.since.elapsed().as_millis() as u64
    }

    /// Writes down the times until now, with the counts of all processes, unless that was done a
    /// moment ago.
    pub fn note(&self, counts: impl FnOnce() -> C) {
        let mut noted_at = self.noted_at.lock().unwrap_or_else(PoisonError::into_inner);
        if noted_at.elapsed() >= NOTE_EVERY {
            *noted_at = Instant::now();
            self.note_last(counts());
        }
    }

    /// As [`Self::note`], by a process that leaves the work to another one.
    pub fn note_last(&self, counts: C) {
        let Some(path) = &self.path else { return };
        let noted = Noted { cycle: self.cycle, wall_ms: self.wall_ms(), counts };
        let write = || -> io::Result<()> { write_own(path, &serde_json::to_vec(&noted)?) };
        if let Err(error) = write() {
            tracing::debug!("{}: {error}", path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGE: Stage = Stage::Trainer;

    #[test]
    fn who_goes_on_knows_what_was_spent_before() {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(folder.path().join("run"), "").unwrap();
        let long_ago = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
        let first = Spent::<u64>::open(&run, STAGE, 3, long_ago);
        assert_eq!(*first.before(), 0);
        first.note(|| 6);
        // That was too soon after it was opened.
        assert_eq!(Spent::<u64>::open(&run, STAGE, 3, Instant::now()).wall_ms() / 1000, 0);
        *first.noted_at.lock().unwrap() = long_ago;
        first.note(|| 6);
        first.note(|| 8);
        assert_eq!(*Spent::<u64>::open(&run, STAGE, 3, Instant::now()).before(), 6);
        first.note_last(7);
        let second = Spent::<u64>::open(&run, STAGE, 3, Instant::now());
        assert_eq!(*second.before(), 7);
        assert!((5_000..60_000).contains(&second.wall_ms()), "{}", second.wall_ms());
        // Another cycle begins at nothing, and so does whoever finds no sense in the file.
        let other = Spent::<u64>::open(&run, STAGE, 4, Instant::now());
        assert_eq!((*other.before(), other.wall_ms() / 1000), (0, 0));
        std::fs::write(run.work_dir(STAGE).unwrap().join(FILE), "{\"cycle\":3,").unwrap();
        assert_eq!(*Spent::<u64>::open(&run, STAGE, 3, Instant::now()).before(), 0);
    }
}
