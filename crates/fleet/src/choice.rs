//! What a worker does next.

use std::collections::BTreeSet;
use std::time::Duration;

use dz_game::{hash_unit, mix64};

use crate::board::{Offer, Repeat};
use crate::pace::WorkerPace;

/// A unit to claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pick {
    /// The unit.
    pub unit: u32,
    /// The number of the attempt.
    pub attempt: u32,
    /// Of a repeat, an attempt that had a claim. The home removes that claim when it has the unit,
    /// and then a repeat is useless.
    pub before: Option<u32>,
}

impl Pick {
    /// The first attempt at a unit.
    pub const fn first(unit: u32) -> Self {
        Self { unit, attempt: 0, before: None }
    }
}

/// Units sampled from the board before the remaining units are listed.
const SAMPLES: u64 = 8;

/// A worker may repeat a late unit if its own units take at most this many medians.
const LATE_OWN_MAX: f64 = 1.1;
/// The same for a unit that is not late yet.
const YOUNG_OWN_MAX: f64 = 0.6;

/// What a worker knows about itself.
#[derive(Clone, Copy, Debug)]
pub struct Chooser<'a> {
    /// Units that it claimed, or was refused, since the plan came.
    pub tried: &'a BTreeSet<u32>,
    /// Units that it has handed in. The board shows them as being played until the home has them.
    pub handed_in: &'a BTreeSet<u32>,
    /// What its units take.
    pub pace: WorkerPace,
}

impl Chooser<'_> {
    /// The attempt that this worker tries to claim next.
    ///
    /// It is a random unit of those that are open or given up, so that workers rarely meet. The
    /// board is old if it shows a unit as open that this worker has tried. Its other open units
    /// may be claimed by now, too. The worker then takes a random unit of those that are given up
    /// or being played: late ones unless it is slow, and young ones if it is fast. `random` is a
    /// word that no other worker has.
    pub fn choose(&self, offer: &Offer, random: u64) -> Option<Pick> {
        let word = |n: u64| mix64(random.wrapping_add(n));
        let given_up = self.allowed(&offer.given_up);
        let open = u64::from(offer.open.len());
        let is_open = word(0).checked_rem(open + given_up.len() as u64).is_some_and(|at| at < open);
        let board_is_old = self.tried.iter().any(|&unit| offer.open.contains(unit));
        if open > 0 && !board_is_old {
            let free = if is_open {
                self.open_unit(offer, word).map(Pick::first)
            } else {
                one_of(&given_up, word)
            };
            if free.is_some() {
                return free;
            }
        }
        // No repeats are preferred, neither those given up nor the oldest. All workers would claim
        // the same ones, and on an old board many of these have arrived by now.
        let repeats = [given_up, self.played(offer)].concat();
        one_of(&repeats, word).or_else(|| self.open_unit(offer, word).map(Pick::first))
    }

    /// Those of the repeats that this worker has not tried.
    fn allowed<'o>(&self, repeats: &'o [Repeat]) -> Vec<&'o Repeat> {
        repeats.iter().filter(|repeat| !self.tried.contains(&repeat.unit)).collect()
    }

    /// Units that are being played and which this worker may finish earlier.
    fn played<'o>(&self, offer: &'o Offer) -> Vec<&'o Repeat> {
        let is_at_most = |medians: f64| match offer.typical_ms {
            None => true,
            Some(typical) => self
                .pace
                .mean()
                .is_some_and(|own| own <= Duration::from_millis(typical).mul_f64(medians)),
        };
        let mut played: Vec<&Repeat> = Vec::new();
        if is_at_most(LATE_OWN_MAX) {
            played.extend(self.allowed(&offer.late));
        }
        if is_at_most(YOUNG_OWN_MAX) {
            played.extend(self.allowed(&offer.young));
        }
        // A unit that the home has refused is offered as given up later.
        played.retain(|repeat| !self.handed_in.contains(&repeat.unit));
        played
    }

    /// A random open unit that was not tried.
    fn open_unit(&self, offer: &Offer, word: impl Fn(u64) -> u64) -> Option<u32> {
        let open = u64::from(offer.open.len());
        let sampled =
            (1..=SAMPLES.min(open)).filter_map(|n| offer.open.nth((word(n) % open) as u32));
        if let Some(unit) = sampled.into_iter().find(|unit| !self.tried.contains(unit)) {
            return Some(unit);
        }
        let left: Vec<u32> = offer.open.iter().filter(|unit| !self.tried.contains(unit)).collect();
        let place = word(SAMPLES + 1).checked_rem(left.len() as u64)?;
        left.get(place as usize).copied()
    }
}

/// A random one of the repeats, and of its places.
fn one_of(repeats: &[&Repeat], word: impl Fn(u64) -> u64) -> Option<Pick> {
    let at = word(SAMPLES + 2).checked_rem(repeats.len() as u64)?;
    let repeat = repeats.get(at as usize)?;
    let place = word(SAMPLES + 3).checked_rem(repeat.places.into()).unwrap_or(0) as u32;
    let attempt = repeat.last.saturating_add(1).saturating_add(place);
    Some(Pick { unit: repeat.unit, attempt, before: Some(repeat.last) })
}

/// Claims that a worker tries to make after it had something to play, and after a pause.
const TRIES: u32 = 4;
const TRIES_AFTER_PAUSE: u32 = 1;

/// Longest pause before a worker's first request.
const START_DELAY: Duration = Duration::from_secs(30);

/// How long a worker of a bucket waits before its first request: thousands may be started in the
/// same moment, and stores limit the requests of a second.
pub fn start_delay(random: u64) -> Duration {
    START_DELAY.mul_f64(hash_unit(mix64(random)))
}

/// Longest pause of a worker before a home has begun.
const HOME_DELAY: Duration = Duration::from_secs(20);

/// How long a worker of a bucket waits before it looks for a home again. Pauses that grow would
/// have most of the workers ask within the first seconds, and leave many of them in a long pause
/// when the home begins.
pub fn home_delay(random: u64) -> Duration {
    half_to_all(HOME_DELAY, random)
}

/// Between half of a pause and all of it by the random word, so that workers do not ask in step.
fn half_to_all(pause: Duration, random: u64) -> Duration {
    pause.mul_f64(0.5 + 0.5 * hash_unit(mix64(random)))
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

    /// The next pause, shortened to as little as half by the random word, so that workers do not
    /// ask in step.
    pub fn next(&mut self, random: u64) -> Duration {
        let pause = self.now;
        self.now = (pause * 3 / 2).min(self.last);
        half_to_all(pause, random)
    }

    /// Claims that a worker tries to make before the next pause. After a pause without success most
    /// of what the board shows is claimed by others, so more tries would only be more requests.
    pub fn tries(&self) -> u32 {
        if self.now == self.first { TRIES } else { TRIES_AFTER_PAUSE }
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

    const fn repeat(unit: u32, last: u32, places: u32) -> Repeat {
        Repeat { unit, last, places }
    }

    /// The unit that the workers of these tests have handed in.
    const HANDED_IN: u32 = 100;

    /// The choice of a worker whose units take `own_ms`.
    fn choose(offer: &Offer, tried: &[u32], own_ms: Option<u64>, random: u64) -> Option<Pick> {
        let mut pace = WorkerPace::default();
        if let Some(own_ms) = own_ms {
            pace.add(Duration::from_millis(own_ms));
        }
        let tried = &tried.iter().copied().collect();
        Chooser { tried, handed_in: &BTreeSet::from([HANDED_IN]), pace }.choose(offer, random)
    }

    /// All that a worker may choose.
    fn choices(offer: &Offer, tried: &[u32], own_ms: Option<u64>) -> BTreeSet<(u32, u32)> {
        let picks = (0..500).filter_map(|random| choose(offer, tried, own_ms, random));
        picks.map(|pick| (pick.unit, pick.attempt)).collect()
    }

    #[test]
    fn free_units_come_first_and_each_once() {
        let given_up = vec![repeat(9, 0, 1), repeat(8, 1, 1)];
        let open = UnitSet::of(0..5);
        let offer =
            Offer { plan: 1, open, given_up, late: vec![repeat(7, 0, 1)], ..Offer::default() };
        assert_eq!(
            choices(&offer, &[], None),
            [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (9, 1), (8, 2)].into(),
            "open or given up, but not what is being played"
        );
        let mut tried = Vec::new();
        for random in 0..20 {
            let Some(pick) = choose(&offer, &tried, None, random) else { break };
            assert!(!tried.contains(&pick.unit), "{pick:?} twice");
            tried.push(pick.unit);
        }
        tried.sort_unstable();
        assert_eq!(tried, [0, 1, 2, 3, 4, 7, 8, 9]);
    }

    #[test]
    fn a_refused_worker_takes_the_board_for_an_old_one() {
        let open = UnitSet::of(0..5);
        let offer = Offer { plan: 1, open, late: vec![repeat(7, 0, 1)], ..Offer::default() };
        assert_eq!(choices(&offer, &[2], None), [(7, 1)].into());
        assert_eq!(choices(&offer, &[2, 7], None), [(0, 0), (1, 0), (3, 0), (4, 0)].into());
        assert_eq!(choices(&offer, &[6], None).len(), 5, "of another time");
    }

    #[test]
    fn fast_workers_repeat_more_than_slow_ones() {
        let offer = Offer {
            plan: 1,
            given_up: vec![],
            late: vec![repeat(3, 0, 1)],
            young: vec![repeat(4, 1, 1)],
            typical_ms: Some(1_000),
            ..Offer::default()
        };
        let late = (3, 1);
        let young = (4, 2);
        assert_eq!(choices(&offer, &[], Some(600)), [late, young].into());
        assert_eq!(choices(&offer, &[], Some(601)), [late].into());
        assert_eq!(choices(&offer, &[], Some(1_100)), [late].into());
        assert_eq!(choices(&offer, &[], Some(1_101)), [].into());
        assert_eq!(choices(&offer, &[], None), [].into(), "a worker that knows nothing of itself");
        let unknown = Offer { typical_ms: None, ..offer };
        assert_eq!(choices(&unknown, &[], None), [late, young].into(), "nothing is known");
        let given_up = Offer { given_up: vec![repeat(5, 0, 1)], ..unknown };
        let all = [late, young, (5, 1)].into();
        assert_eq!(choices(&given_up, &[], None), all, "not all idle workers at one unit");
    }

    #[test]
    fn a_worker_repeats_its_own_unit_only_if_it_is_given_up() {
        let own = || vec![repeat(HANDED_IN, 0, 1)];
        let offer = Offer { plan: 1, late: own(), young: own(), ..Offer::default() };
        assert_eq!(choices(&offer, &[], None), [].into(), "the home has not seen it yet");
        let offer = Offer { given_up: own(), ..offer };
        assert_eq!(choices(&offer, &[], None), [(HANDED_IN, 1)].into(), "the home refused it");
    }

    #[test]
    fn repeats_take_one_of_the_places() {
        let given_up = vec![repeat(3, 4, 3)];
        let offer = Offer { plan: 1, given_up, ..Offer::default() };
        assert_eq!(choices(&offer, &[], None), [(3, 5), (3, 6), (3, 7)].into());
        assert_eq!(choose(&offer, &[], None, 1).and_then(|pick| pick.before), Some(4));
        assert_eq!(choose(&offer, &[3], None, 1), None, "it has played this unit itself");
    }

    #[test]
    fn pauses_grow_to_the_last() {
        let [first, last] = [5, 60].map(Duration::from_secs);
        let mut backoff = Backoff::new(first, last);
        assert_eq!(backoff.tries(), TRIES);
        let pauses: Vec<Duration> = (0..20).map(|random| backoff.next(random)).collect();
        assert!(pauses[0] <= first && pauses[0] >= first / 2);
        assert!(pauses[19] <= last && pauses[19] >= last / 2);
        assert_eq!(backoff.tries(), TRIES_AFTER_PAUSE);
        backoff.reset();
        assert_eq!(backoff.tries(), TRIES);
        assert!(backoff.next(1) <= first);
    }
}
