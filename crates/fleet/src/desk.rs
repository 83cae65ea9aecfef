//! The home's view of one plan: finished units, units that somebody seems to play, and units to
//! offer.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::board::Offer;
use crate::pace::Pace;
use crate::repeats::{Repeats, Rule, at_once};
use crate::unit_set::UnitSet;

/// Repeats that a board offers at most.
const REPEATS_MAX: usize = 4096;

/// The home's view of one plan. Times count from any fixed moment and never decrease.
#[derive(Clone, Debug)]
pub struct Desk {
    plan: u64,
    /// Units that are wanted and not here.
    missing: UnitSet,
    /// Units of those that the home plays itself.
    at_home: UnitSet,
    /// Claims that were listed, by unit and attempt, and when each was first seen.
    claims: BTreeMap<u32, BTreeMap<u32, Duration>>,
    /// Units that came and whose claims may still be there.
    arrivals: BTreeMap<u32, Arrival>,
    pace: Pace,
    /// The most units that were claimed at a time, about the number of workers.
    workers: usize,
    order: UnitOrder,
}

/// In which order open units are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitOrder {
    /// All at once.
    Any,
    /// The first ones: at least so many, and more where more workers are at work.
    FirstOnes(usize),
}

/// When a unit came.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Duration,
    /// Time since its first claim was listed; 0 if none was.
    took: Duration,
}

impl Desk {
    /// The view of a plan of which `missing` are not here.
    pub fn new(plan: u64, missing: UnitSet, order: UnitOrder) -> Self {
        Self {
            plan,
            missing,
            at_home: UnitSet::default(),
            claims: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            pace: Pace::default(),
            workers: 0,
            order,
        }
    }

    /// The plan's number.
    pub const fn plan(&self) -> u64 {
        self.plan
    }

    /// Units that are wanted and not here yet.
    pub const fn missing(&self) -> &UnitSet {
        &self.missing
    }

    /// Takes the listing of all claims of the plan, as (unit, attempt). A claim that is gone was
    /// released.
    pub fn see_claims(&mut self, now: Duration, listed: impl IntoIterator<Item = (u32, u32)>) {
        let mut seen: BTreeMap<u32, BTreeMap<u32, Duration>> = BTreeMap::new();
        for (unit, attempt) in listed {
            let before = self.claims.get(&unit).and_then(|claims| claims.get(&attempt));
            seen.entry(unit).or_default().insert(attempt, before.copied().unwrap_or(now));
        }
        self.claims = seen;
        self.workers = self.workers.max(self.claims.len());
    }

    /// Returns the claims of units that are here, once, so that they are removed. A worker repeats
    /// a unit only while the claim before is there.
    ///
    /// Workers' boards are up to `board_age` old. As long as such a board may show a unit as open,
    /// its claims stay, so that nobody claims it again.
    pub fn settled_claims(&mut self, now: Duration, board_age: Duration) -> Vec<(u32, u32)> {
        let is_settled = |arrival: &Arrival| {
            now.saturating_sub(arrival.at) >= board_age || arrival.took >= board_age
        };
        let settled = self.arrivals.extract_if(.., |_, arrival| is_settled(arrival));
        let units: Vec<u32> = settled.map(|(unit, _)| unit).collect();
        let claims = units.into_iter().filter_map(|unit| Some((unit, self.claims.get(&unit)?)));
        claims
            .flat_map(|(unit, claims)| claims.keys().map(move |&attempt| (unit, attempt)))
            .collect()
    }

    /// Notes that a unit is here; false if it was not missing.
    pub fn see_unit(&mut self, now: Duration, unit: u32) -> bool {
        let is_new = self.missing.remove(unit);
        let was_at_home = self.at_home.remove(unit);
        let first = self.claims.get(&unit).and_then(|claims| claims.values().min());
        let took = first.map(|first| now.saturating_sub(*first));
        if is_new {
            self.arrivals.insert(unit, Arrival { at: now, took: took.unwrap_or_default() });
            if let Some(took) = took.filter(|_| !was_at_home) {
                self.pace.add(took);
            }
        }
        is_new
    }

    /// Notes that a unit that was here is not good: it is missing again.
    pub fn lose_unit(&mut self, unit: u32) {
        self.missing.insert(unit);
        self.claims.remove(&unit);
        self.arrivals.remove(&unit);
    }

    /// The unit that the home plays next, if there is one: the first open one, else one whose
    /// claims are the oldest.
    pub fn take(&mut self, now: Duration) -> Option<u32> {
        let open = self.missing.iter().find(|&unit| self.is_open(unit));
        let unit = open.or_else(|| self.repeats(now, 1, 0).first())?;
        self.at_home.insert(unit);
        Some(unit)
    }

    /// Drops missing units of shards that were not begun. A shard is begun if `is_begun` says so,
    /// or if somebody plays one of its units.
    pub fn close(&mut self, units_per_shard: u32, is_begun: impl Fn(u32) -> bool) {
        let played = self.claims.keys().copied().chain(self.at_home.iter());
        let played: BTreeSet<u32> = played.map(|unit| unit / units_per_shard).collect();
        let is_kept = |unit: &u32| {
            let shard = unit / units_per_shard;
            played.contains(&shard) || is_begun(shard)
        };
        self.missing = UnitSet::of(self.missing.iter().filter(is_kept));
    }

    /// Drops missing units that nobody wants any more.
    pub fn drop_units(&mut self, is_dropped: impl Fn(u32) -> bool) {
        self.missing = UnitSet::of(self.missing.iter().filter(|&unit| !is_dropped(unit)));
    }

    /// What workers may play now.
    pub fn offer(&self, now: Duration) -> Offer {
        let open = UnitSet::of(self.missing.iter().filter(|&unit| self.is_open(unit)));
        let Repeats { given_up, late, young } = self.repeats(now, REPEATS_MAX, open.len() as usize);
        let open = match self.order {
            UnitOrder::Any => open,
            UnitOrder::FirstOnes(least) => {
                UnitSet::of(open.iter().take(least + 2 * self.claims.len()))
            }
        };
        let typical_ms = self.pace.typical().map(|typical| typical.as_millis() as u64);
        Offer { plan: self.plan, open, given_up, late, young, typical_ms }
    }

    /// Whether nobody seems to play a missing unit.
    fn is_open(&self, unit: u32) -> bool {
        !self.at_home.contains(unit) && !self.claims.contains_key(&unit)
    }

    /// Units to claim again, the `most` with the oldest claims. As long as many units are `open`,
    /// only those whose claims are all given up.
    fn repeats(&self, now: Duration, most: usize, open: usize) -> Repeats {
        // Workers' boards are old, so open units may be gone before they see it.
        let few_open = open <= self.claims.len();
        let at_once = if few_open { at_once(self.missing.len() as usize, self.workers) } else { 0 };
        let rule = Rule::new(now, &self.pace, at_once);
        let is_wanted = |unit: u32| self.missing.contains(unit) && !self.at_home.contains(unit);
        let claims = self.claims.iter().filter(|(unit, _)| is_wanted(**unit));
        let mut found: Vec<_> = claims
            .filter_map(|(&unit, claims)| Some((claims.values().min()?, rule.judge(unit, claims)?)))
            .collect();
        found.sort_by_key(|&(oldest, _)| oldest);
        let mut repeats = Repeats::default();
        for (_, (kind, repeat)) in found.into_iter().take(most) {
            repeats.push(kind, repeat);
        }
        repeats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Repeat;

    /// Units and the attempts to claim now.
    fn attempts(repeats: &[Repeat]) -> Vec<(u32, u32)> {
        repeats.iter().map(|repeat| (repeat.unit, repeat.last + 1)).collect()
    }

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A desk of ten units whose pace is known: 10 s a unit.
    fn desk() -> Desk {
        let mut desk = Desk::new(1, UnitSet::of(0..20), UnitOrder::Any);
        desk.see_claims(at(0), (10..20).map(|unit| (unit, 0)));
        (10..20).for_each(|unit| assert!(desk.see_unit(at(10), unit)));
        desk
    }

    #[test]
    fn what_is_claimed_is_not_offered_until_it_is_given_up() {
        let mut desk = desk();
        desk.see_claims(at(20), [(0, 0), (1, 0)]);
        let offer = desk.offer(at(21));
        assert_eq!((offer.open, offer.given_up), (UnitSet::of(2..10), vec![]));
        let offer = desk.offer(at(51));
        assert_eq!(attempts(&offer.given_up), [(0, 1), (1, 1)], "three times 10 s are over");
        desk.see_claims(at(51), [(0, 0), (1, 0), (0, 1)]);
        assert_eq!(attempts(&desk.offer(at(52)).given_up), [(1, 1)]);
        assert!(desk.see_unit(at(53), 0) && !desk.see_unit(at(54), 0), "counted once");
        desk.see_claims(at(55), [(1, 0)]);
        assert_eq!(desk.offer(at(55)).open, UnitSet::of(2..10), "what is here is not open");
    }

    #[test]
    fn a_claim_that_was_released_is_open_again() {
        let mut desk = desk();
        desk.see_claims(at(20), [(0, 0)]);
        assert!(!desk.offer(at(20)).open.contains(0));
        desk.see_claims(at(22), []);
        assert!(desk.offer(at(22)).open.contains(0));
    }

    #[test]
    fn idle_workers_repeat_what_is_being_played_two_at_once() {
        let mut desk = desk();
        desk.see_claims(at(20), [(5, 0)]);
        desk.see_claims(at(21), (0..10).map(|unit| (unit, 0)));
        assert!(desk.offer(at(22)).young.is_empty(), "they have only just begun");
        let offer = desk.offer(at(24));
        assert_eq!(
            (offer.young.len(), offer.young[0]),
            (10, Repeat { unit: 5, last: 0, places: 1 })
        );
        assert_eq!(offer.typical_ms, Some(10_000));
        desk.see_claims(at(27), (0..10).map(|unit| (unit, 0)).chain([(5, 1)]));
        let is_shown = |repeats: &[Repeat]| repeats.iter().any(|repeat| repeat.unit == 5);
        assert!(!is_shown(&desk.offer(at(28)).young), "two are at it");
        let late = desk.offer(at(33)).late;
        assert_eq!(attempts(&late), [], "the second one may still be in time");
        let late = desk.offer(at(38)).late;
        assert_eq!((late.len(), attempts(&late)[0]), (10, (5, 2)), "12.5 s are over");
    }

    #[test]
    fn before_the_end_nothing_is_repeated() {
        let mut desk = desk();
        desk.see_claims(at(20), (0..4).map(|unit| (unit, 0)));
        let offer = desk.offer(at(29));
        assert_eq!((offer.open.len(), offer.young.len()), (6, 0), "more open than played");
        desk.see_claims(at(29), (0..5).map(|unit| (unit, 0)));
        let offer = desk.offer(at(29));
        assert_eq!((offer.open.len(), offer.young.len()), (5, 4), "the fifth has just begun");
    }

    #[test]
    fn a_home_that_was_restarted_offers_what_dead_workers_have_claimed() {
        let mut desk = Desk::new(1, UnitSet::of(0..2), UnitOrder::Any);
        desk.see_claims(at(0), [(0, 0), (1, 0)]);
        assert_eq!(attempts(&desk.offer(at(0)).late), [(0, 1), (1, 1)]);
        desk.see_claims(at(1), [(0, 0), (0, 1), (1, 0)]);
        assert_eq!(attempts(&desk.offer(at(1)).late), [(1, 1)], "two are at the other one");
        assert_eq!(attempts(&desk.offer(at(70)).late), [(0, 2), (1, 1)], "for a minute");
    }

    #[test]
    fn the_last_few_units_are_tried_by_more() {
        let mut desk = Desk::new(1, UnitSet::of(0..200), UnitOrder::Any);
        desk.see_claims(at(0), (0..200).map(|unit| (unit, 0)));
        (0..195).for_each(|unit| assert!(desk.see_unit(at(10), unit)));
        desk.see_claims(at(11), (195..200).map(|unit| (unit, 0)).chain([(196, 1), (196, 2)]));
        let offer = desk.offer(at(15));
        let shown = offer.young.iter().chain(&offer.late).find(|repeat| repeat.unit == 196);
        assert_eq!(shown, Some(&Repeat { unit: 196, last: 2, places: 1 }), "four at once");
        desk.see_claims(at(15), (0..4).map(|attempt| (196, attempt)));
        let offer = desk.offer(at(16));
        assert_eq!((offer.young, offer.late), (vec![], vec![]), "four are at it");
    }

    #[test]
    fn claims_of_what_is_here_are_removed_a_while_later() {
        let mut desk = Desk::new(1, UnitSet::of(0..3), UnitOrder::Any);
        desk.see_claims(at(0), [(0, 0), (1, 0), (1, 1)]);
        assert!(desk.see_unit(at(5), 1));
        assert_eq!(desk.settled_claims(at(14), at(10)), []);
        assert_eq!(desk.settled_claims(at(15), at(10)), [(1, 0), (1, 1)]);
        assert_eq!(desk.settled_claims(at(20), at(10)), [], "once");
        assert!(desk.see_unit(at(12), 0));
        assert_eq!(desk.settled_claims(at(12), at(10)), [(0, 0)], "no board shows it as open");
    }

    #[test]
    fn the_home_plays_what_nobody_plays() {
        let mut desk = desk();
        desk.see_claims(at(20), [(0, 0)]);
        assert_eq!(desk.take(at(20)), Some(1));
        assert!(!desk.offer(at(20)).open.contains(1));
        desk.close(2, |shard| shard == 4);
        assert_eq!(
            desk.missing(),
            &UnitSet::of([0, 1, 8, 9]),
            "a claim and a unit here keep theirs"
        );
    }

    #[test]
    fn an_ordered_desk_shows_the_first_ones() {
        let mut desk = Desk::new(1, UnitSet::of(0..100), UnitOrder::FirstOnes(16));
        assert_eq!(desk.offer(at(0)).open, UnitSet::of(0..16));
        desk.see_claims(at(0), (0..10).map(|unit| (unit, 0)));
        assert_eq!(desk.offer(at(0)).open, UnitSet::of(10..46), "more where more are at work");
        desk.drop_units(|unit| unit >= 20);
        assert_eq!(desk.offer(at(0)).open, UnitSet::of(10..20), "the others are not wanted");
    }
}
