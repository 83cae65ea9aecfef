//! What a worker does next.

use std::collections::BTreeSet;
use std::time::Duration;

use dz_game::{hash_unit, mix64};

use crate::board::Offer;

/// A unit to claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pick {
    /// The unit.
    pub unit: u32,
    /// The number of the attempt.
    pub attempt: u32,
}

impl Pick {
    /// Returns the attempt before this one, if this one is a repeat. The home removes the claim of
    /// that attempt when it has the unit. Without the claim a repeat is useless.
    pub const fn attempt_before(self) -> Option<u32> {
        self.attempt.checked_sub(1)
    }
}

/// Units sampled from the board before the remaining units are listed.
const SAMPLES: u64 = 8;

/// Workers sample from at least this many repeats, or from all.
const FRONT_MIN: usize = 256;

/// The unit that a worker tries to claim next: a random open one, so that workers rarely meet; else
/// one of those that were claimed long ago. `tried` are those that it claimed, or was refused,
/// since the plan came; `random` is a word that no other worker has.
pub fn choose(offer: &Offer, tried: &BTreeSet<Pick>, random: u64) -> Option<Pick> {
    let is_new = |unit: u32| !tried.contains(&Pick { unit, attempt: 0 });
    let open = u64::from(offer.open.len());
    let word = |n: u64| mix64(random.wrapping_add(n));
    let sampled = (0..SAMPLES.min(open)).filter_map(|n| offer.open.nth((word(n) % open) as u32));
    if let Some(unit) = sampled.into_iter().find(|&unit| is_new(unit)) {
        return Some(Pick { unit, attempt: 0 });
    }
    let left: Vec<u32> = offer.open.iter().filter(|&unit| is_new(unit)).collect();
    if !left.is_empty() {
        let unit = left[(word(SAMPLES) % left.len() as u64) as usize];
        return Some(Pick { unit, attempt: 0 });
    }
    // A worker does not play again what it has played, or plays.
    let is_others = |unit: u32| {
        tried.range(Pick { unit, attempt: 0 }..=Pick { unit, attempt: u32::MAX }).next().is_none()
    };
    let again = offer.again.iter().map(|&(unit, attempt)| Pick { unit, attempt });
    let again: Vec<Pick> =
        again.filter(|pick| !tried.contains(pick)).filter(|pick| is_others(pick.unit)).collect();
    // The oldest first. Others may have claimed many of them since the board was written, so
    // workers sample from many.
    let front = again.len().div_ceil(4).max(FRONT_MIN).min(again.len());
    let place = word(SAMPLES).checked_rem(front as u64)?;
    again.get(place as usize).copied()
}

/// Longest pause before a worker's first request.
const START_DELAY: Duration = Duration::from_secs(30);

/// How long a worker of a bucket waits before its first request: thousands may be started in the
/// same moment, and stores limit the requests of a second.
pub fn start_delay(random: u64) -> Duration {
    START_DELAY.mul_f64(hash_unit(mix64(random)))
}

/// Pauses of a worker that finds nothing to play: they grow from the first to the last.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    first: Duration,
    last: Duration,
    now: Duration,
}

impl Backoff {
    /// Pauses from `first` to `last`.
    pub const fn new(first: Duration, last: Duration) -> Self {
        Self { first, last, now: first }
    }

    /// The next pause, between half of it and all of it by the random word, so that workers do not
    /// ask in step.
    pub fn next(&mut self, random: u64) -> Duration {
        let pause = self.now;
        self.now = (pause * 3 / 2).min(self.last);
        pause.mul_f64(0.5 + 0.5 * hash_unit(mix64(random)))
    }

    /// Begins anew: there was something to play.
    pub const fn reset(&mut self) {
        self.now = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit_set::UnitSet;

    #[test]
    fn open_units_come_first_and_each_once() {
        let offer = Offer { plan: 1, open: UnitSet::of(0..5), again: vec![(9, 1), (8, 2)] };
        let mut tried = BTreeSet::new();
        let mut picked = Vec::new();
        for random in 0..20 {
            let Some(pick) = choose(&offer, &tried, random) else { break };
            assert!(tried.insert(pick), "{pick:?} twice");
            picked.push(pick.unit);
        }
        assert_eq!(picked.len(), 7);
        assert_eq!(picked[..5].iter().copied().collect::<BTreeSet<_>>(), (0..5).collect());
        assert_eq!(picked[5..].iter().copied().collect::<BTreeSet<_>>(), [8, 9].into());
    }

    #[test]
    fn of_many_repeats_the_oldest_come_first() {
        let again: Vec<(u32, u32)> = (0..2_000).map(|unit| (unit, 1)).collect();
        let offer = Offer { plan: 1, open: UnitSet::default(), again };
        let picked: BTreeSet<u32> = (0..5_000)
            .filter_map(|random| choose(&offer, &BTreeSet::new(), random))
            .map(|pick| pick.unit)
            .collect();
        assert!(picked.len() > 490 && *picked.last().unwrap() < 500, "{}", picked.len());
    }

    #[test]
    fn nobody_repeats_what_he_played_himself() {
        let offer = Offer { plan: 1, open: UnitSet::default(), again: vec![(3, 1)] };
        let own = BTreeSet::from([Pick { unit: 3, attempt: 0 }]);
        assert_eq!(choose(&offer, &own, 1), None);
        assert_eq!(choose(&offer, &BTreeSet::new(), 1), Some(Pick { unit: 3, attempt: 1 }));
    }

    #[test]
    fn pauses_grow_to_the_last() {
        let [first, last] = [5, 60].map(Duration::from_secs);
        let mut backoff = Backoff::new(first, last);
        let pauses: Vec<Duration> = (0..20).map(|random| backoff.next(random)).collect();
        assert!(pauses[0] <= first && pauses[0] >= first / 2);
        assert!(pauses[19] <= last && pauses[19] >= last / 2);
        backoff.reset();
        assert!(backoff.next(1) <= first);
    }
}
