//! Units that may be claimed again.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::board::Repeat;
use crate::pace::Pace;

/// How many workers may attempt one unit at the same time. The fewer units are missing, the more
/// workers may.
const AT_ONCE: [u32; 4] = [2, 3, 4, 8];
/// The next number of [`AT_ONCE`] applies from so many workers for each missing unit on.
const WORKERS_FOR_A_UNIT: [usize; 3] = [8, 20, 200];
/// The assumed time of a unit as long as no unit has come, for example after the home's restart. If
/// two workers die at one unit, it is offered again after this time.
const TYPICAL_UNKNOWN: Duration = Duration::from_mins(1);

/// How many workers may attempt one unit at the same time.
pub(crate) fn at_once(missing: usize, workers: usize) -> u32 {
    let passed = WORKERS_FOR_A_UNIT.iter().filter(|each| missing * **each <= workers).count();
    AT_ONCE[passed]
}

/// Units to claim again by kind, the oldest claim first.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    pub(crate) given_up: Vec<Repeat>,
    pub(crate) late: Vec<Repeat>,
    pub(crate) young: Vec<Repeat>,
}

/// Why a unit may be claimed again, see [`crate::Offer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    GivenUp,
    Late,
    Young,
}

impl Repeats {
    pub(crate) fn push(&mut self, kind: Kind, repeat: Repeat) {
        let list = match kind {
            Kind::GivenUp => &mut self.given_up,
            Kind::Late => &mut self.late,
            Kind::Young => &mut self.young,
        };
        list.push(repeat);
    }

    /// The unit of the first one.
    pub(crate) fn first(&self) -> Option<u32> {
        let first = self.given_up.iter().chain(&self.late).chain(&self.young).next();
        first.map(|repeat| repeat.unit)
    }
}

/// Which claimed units may be claimed again now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    now: Duration,
    stale_after: Duration,
    late_after: Duration,
    due_after: Duration,
    typical: Duration,
    /// How many workers may attempt one unit at the same time; 0 while many units are open, so
    /// that only those are offered whose claims are all given up.
    at_once: u32,
}

impl Rule {
    pub(crate) fn new(now: Duration, pace: &Pace, at_once: u32) -> Self {
        Self {
            now,
            stale_after: pace.stale_after(),
            // As long as no unit has come, repeats are offered at once.
            late_after: pace.late_after().unwrap_or_default(),
            due_after: pace.due_after().unwrap_or_default(),
            typical: pace.typical().unwrap_or(TYPICAL_UNKNOWN),
            at_once,
        }
    }

    /// Whether and why a unit with these claims may be claimed again.
    pub(crate) fn judge(
        &self,
        unit: u32,
        claims: &BTreeMap<u32, Duration>,
    ) -> Option<(Kind, Repeat)> {
        let age = |since: &Duration| self.now.saturating_sub(*since);
        let (&last, _) = claims.last_key_value()?;
        if claims.values().all(|since| age(since) > self.stale_after) {
            return Some((Kind::GivenUp, Repeat { unit, last, places: self.at_once.max(2) - 1 }));
        }
        let oldest = claims.values().map(age).max()?;
        // All workers that need longer than most count as one, since they may be gone.
        let in_time = claims.values().filter(|since| age(since) <= self.typical).count();
        let playing = in_time + usize::from(in_time < claims.len());
        let places = self.at_once.saturating_sub(playing as u32);
        let kind = if oldest >= self.late_after { Kind::Late } else { Kind::Young };
        let is_due = oldest >= self.due_after && places > 0;
        is_due.then_some((kind, Repeat { unit, last, places }))
    }
}
