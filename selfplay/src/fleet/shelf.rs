//! Units that are here while their shard is not whole.

use std::collections::BTreeMap;

use dz_fleet::{Plan, PlanObject, UnitName};
use dz_shard::GameRecord;

use super::orders::Delivered;
use super::unit::PlayedUnit;

/// A unit whose shard is not whole yet.
pub(super) struct Held {
    pub(super) games: Vec<GameRecord>,
    pub(super) evaluator: String,
    /// Its file in the inbox, and the worker; none of what the home played.
    pub(super) file: Option<(UnitName, String)>,
}

impl Held {
    fn positions(&self) -> u64 {
        self.games.iter().map(|game| game.plies.len() as u64).sum()
    }
}

impl From<Delivered<PlayedUnit>> for Held {
    fn from(delivered: Delivered<PlayedUnit>) -> Self {
        let worker = delivered.worker().to_owned();
        let PlayedUnit { games, evaluator } = delivered.content;
        Self { games, evaluator, file: Some((delivered.name, worker)) }
    }
}

/// The games of a whole shard, ready to be published.
pub(super) struct WholeShard {
    pub(super) shard: u32,
    pub(super) games: Vec<GameRecord>,
    /// The evaluators that played them, which games name by index.
    pub(super) evaluators: Vec<String>,
    /// Files of the inbox that they came in.
    pub(super) files: Vec<UnitName>,
}

/// Units that are here, by shard.
pub(super) struct Shelf {
    units_per_shard: u32,
    units: u32,
    shards: BTreeMap<u32, BTreeMap<u32, Held>>,
    /// Games of all units that were ever put here, less those that were taken away.
    pub(super) games: u64,
    /// Positions of these games.
    pub(super) positions: u64,
}

impl Shelf {
    pub(super) fn new(plan: &Plan) -> Self {
        let (units_per_shard, units) = (plan.units_per_shard(), plan.units());
        Self { units_per_shard, units, shards: BTreeMap::new(), games: 0, positions: 0 }
    }

    /// The shard that a unit is part of.
    pub(super) const fn shard_of(&self, unit: u32) -> u32 {
        unit / self.units_per_shard
    }

    /// Puts a unit here. Returns its shard if that is whole now: the games that one machine would
    /// have written into it.
    pub(super) fn put(&mut self, unit: u32, held: Held) -> Option<WholeShard> {
        let shard = self.shard_of(unit);
        self.games += held.games.len() as u64;
        self.positions += held.positions();
        let units = self.shards.entry(shard).or_default();
        units.insert(unit, held);
        let first = shard * self.units_per_shard;
        let wanted = (first + self.units_per_shard).min(self.units) - first;
        (units.len() as u32 == wanted).then(|| whole(shard, self.shards.remove(&shard)))
    }

    /// Takes a unit away.
    pub(super) fn take(&mut self, unit: u32) -> Option<Held> {
        let shard = self.shard_of(unit);
        let units = self.shards.get_mut(&shard)?;
        let held = units.remove(&unit)?;
        if units.is_empty() {
            self.shards.remove(&shard);
        }
        self.games -= held.games.len() as u64;
        self.positions -= held.positions();
        Some(held)
    }

    /// Units here that came from `worker`.
    pub(super) fn units_of(&self, worker: &str) -> Vec<u32> {
        let is_of = |held: &Held| held.file.as_ref().is_some_and(|(_, of)| of.as_str() == worker);
        let all = self.shards.values().flatten();
        all.filter(|(_, held)| is_of(held)).map(|(&unit, _)| unit).collect()
    }

    /// Shards of which something is here.
    pub(super) fn shards(&self) -> Vec<u32> {
        self.shards.keys().copied().collect()
    }

    /// Takes away what the home played.
    pub(super) fn take_own(&mut self) -> Vec<(u32, Held)> {
        let all = self.shards.values().flatten();
        let own: Vec<u32> =
            all.filter(|(_, held)| held.file.is_none()).map(|(&unit, _)| unit).collect();
        own.into_iter().filter_map(|unit| Some((unit, self.take(unit)?))).collect()
    }
}

fn whole(shard: u32, units: Option<BTreeMap<u32, Held>>) -> WholeShard {
    let (mut games, mut evaluators, mut files) = (Vec::new(), Vec::<String>::new(), Vec::new());
    for held in units.into_iter().flat_map(BTreeMap::into_values) {
        let known = evaluators.iter().position(|known| *known == held.evaluator);
        let evaluator = known.unwrap_or_else(|| {
            evaluators.push(held.evaluator);
            evaluators.len() - 1
        });
        let of_unit = held.games.into_iter();
        games.extend(of_unit.map(|game| GameRecord { evaluator: evaluator as u16, ..game }));
        files.extend(held.file.map(|(name, _)| name));
    }
    WholeShard { shard, games, evaluators, files }
}
