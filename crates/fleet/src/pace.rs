//! How long units take, as far as the home can see.

use std::time::Duration;

/// Units whose times are kept.
const KEPT: usize = 256;
/// Units before their times say anything.
const KNOWN_MIN: usize = 8;
/// A claim older than this many times the slowest tenth is given up.
const STALE_FACTOR: u32 = 3;
/// A claim older than this many times the slowest tenth is late.
const LATE_FACTOR: f64 = 1.25;
/// The age of a claim from which a fast worker may be here before the first one, in medians.
const DUE_FACTOR: f64 = 0.3;
/// The age at which a claim is given up, before any times are known.
const STALE_UNKNOWN: Duration = Duration::from_mins(30);

/// Times of the newest units, from the claim to the inbox.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace {
    times: Vec<Duration>,
    next: usize,
}

impl Pace {
    /// Notes what a unit took.
    pub(crate) fn add(&mut self, time: Duration) {
        if self.times.len() < KEPT {
            self.times.push(time);
        } else {
            self.times[self.next] = time;
            self.next = (self.next + 1) % KEPT;
        }
    }

    /// The age at which a claim is given up.
    pub(crate) fn stale_after(&self) -> Duration {
        self.quantile(9, 10).map_or(STALE_UNKNOWN, |slow| slow * STALE_FACTOR)
    }

    /// The age at which a claim is late: its worker is slow, or gone.
    pub(crate) fn late_after(&self) -> Option<Duration> {
        self.quantile(9, 10).map(|slow| slow.mul_f64(LATE_FACTOR))
    }

    /// The age of a claim from which a repeat may be of use.
    pub(crate) fn due_after(&self) -> Option<Duration> {
        self.typical().map(|typical| typical.mul_f64(DUE_FACTOR))
    }

    /// What a unit takes, half of the time; none where little is known.
    pub(crate) fn typical(&self) -> Option<Duration> {
        self.quantile(1, 2)
    }

    fn quantile(&self, of: usize, parts: usize) -> Option<Duration> {
        let mut times = self.times.clone();
        times.sort_unstable();
        (times.len() >= KNOWN_MIN).then(|| times[times.len() * of / parts])
    }
}

/// How much the newest unit counts in [`WorkerPace`].
const NEWEST_SHARE: f64 = 0.25;

/// What units take on one worker, from the claim to the inbox.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkerPace {
    mean: Option<Duration>,
}

impl WorkerPace {
    /// Notes what a unit took.
    pub fn add(&mut self, time: Duration) {
        let before = self.mean.unwrap_or(time);
        self.mean = Some(before.mul_f64(1.0 - NEWEST_SHARE) + time.mul_f64(NEWEST_SHARE));
    }

    /// What the last units took, the newest ones weighing most; none before the first one.
    pub const fn mean(&self) -> Option<Duration> {
        self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_tenth_decides() {
        let mut pace = Pace::default();
        assert_eq!(pace.stale_after(), STALE_UNKNOWN);
        (1..=10).for_each(|seconds| pace.add(Duration::from_secs(seconds)));
        assert_eq!(pace.stale_after(), Duration::from_secs(30));
        assert_eq!(pace.late_after(), Some(Duration::from_millis(12_500)));
        assert_eq!(pace.due_after(), Some(Duration::from_millis(1_800)));
        (0..KEPT).for_each(|_| pace.add(Duration::from_secs(1)));
        assert_eq!(pace.stale_after(), Duration::from_secs(3), "the newest count");
    }

    #[test]
    fn a_worker_knows_its_pace() {
        let mut pace = WorkerPace::default();
        assert_eq!(pace.mean(), None);
        pace.add(Duration::from_secs(8));
        assert_eq!(pace.mean(), Some(Duration::from_secs(8)));
        pace.add(Duration::from_secs(16));
        assert_eq!(pace.mean(), Some(Duration::from_secs(10)));
    }
}
