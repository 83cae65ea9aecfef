//! How long units take, as far as the home can see.

use std::time::Duration;

/// Units whose times are kept.
const KEPT: usize = 256;
/// Units before their times say anything.
const KNOWN_MIN: usize = 8;
/// A claim older than this many times the slowest tenth is given up.
const STALE_FACTOR: u32 = 3;
/// The same before any times are known.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_tenth_decides() {
        let mut pace = Pace::default();
        assert_eq!(pace.stale_after(), STALE_UNKNOWN);
        (1..=10).for_each(|seconds| pace.add(Duration::from_secs(seconds)));
        assert_eq!(pace.stale_after(), Duration::from_secs(30));
        (0..KEPT).for_each(|_| pace.add(Duration::from_secs(1)));
        assert_eq!(pace.stale_after(), Duration::from_secs(3), "the newest count");
    }
}
