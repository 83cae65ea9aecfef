//! Units that are played again at home before they count, and the consequences of a difference.

use dz_fleet::{EvaluatorRule, UnitName, UnitNote};
use dz_shard::GameRecord;
use dz_store::Stage;

use super::excluded;
use super::home::Home;
use super::orders::{Delivered, Order};
use super::shelf::Held;
use super::unit::PlayedUnit;

impl Home<'_> {
    /// Whether a unit is played again before it counts. Other evaluators round otherwise, so theirs
    /// cannot be compared.
    pub(super) fn is_audited(&self, delivered: &Delivered<PlayedUnit>) -> bool {
        let is_comparable = delivered.content.evaluator == self.collector.header.evaluators[0];
        let share = self.collector.context.config.workers.audit_share;
        is_comparable && is_drawn(self.audit_random, delivered.name.unit, share)
    }

    /// Two workers handed in different files for one unit. Where all evaluators are the same, one
    /// of them is wrong: the home plays it to see which.
    pub(super) fn contradict(&mut self, name: &UnitName) {
        let of_same = self.fleet_plan.evaluators == EvaluatorRule::Same;
        if !of_same {
            return;
        }
        let text = format!("{}; ", excluded::contradiction(name));
        let text = match self.shelf.take(name.unit) {
            Some(Held { games, evaluator, file: Some((file, worker)) }) => {
                let note = UnitNote { worker, ..UnitNote::default() };
                let content = PlayedUnit { games, evaluator };
                let delivered = Delivered { name: file, content, note: Some(note) };
                self.audits.insert(name.unit, delivered);
                self.handle.lock().audits.push_back(name.unit);
                text + "it is played here, too"
            }
            Some(held) => {
                // Its shard is not whole, or the unit had not been here.
                let _ = self.shelf.put(name.unit, held);
                text + "the one that was played here counts"
            }
            None if self.audits.contains_key(&name.unit) => text + "it is being played here, too",
            None => text + "the first one is published: compare its games with `dagzero replay`",
        };
        self.collector.context.events.note(Stage::Selfplay, text);
    }

    /// Compares a unit with what it came to here.
    pub(super) fn compare(
        &mut self,
        delivered: Delivered<PlayedUnit>,
        games: Vec<GameRecord>,
    ) -> anyhow::Result<()> {
        let unit = delivered.name.unit;
        let own = games.iter().map(GameRecord::quantised).collect::<Result<Vec<_>, _>>()?;
        if own == delivered.content.games {
            return self.accept(unit, delivered.into());
        }
        let worker = delivered.worker().to_owned();
        let differing =
            own.iter().zip(&delivered.content.games).find(|(own, theirs)| own != theirs);
        let number = differing.map_or(0, |(own, _)| own.number);
        let text = excluded::alarm(&worker, number);
        tracing::error!("{text}");
        self.collector.context.events.note(Stage::Selfplay, text);
        self.handle.lock().excluded.insert(worker.clone());
        self.mail.order(Order::Exclude(worker.clone()));
        let why = "played again it has other games".to_owned();
        self.mail.order(Order::Refused(delivered.name, why));
        self.put_aside(&worker);
        let evaluator = self.fleet_plan.evaluator.clone();
        self.accept(unit, Held { games, evaluator, file: None })
    }

    /// Puts aside what a worker handed in that is not published yet.
    fn put_aside(&mut self, worker: &str) {
        for unit in self.shelf.units_of(worker) {
            let file = self.shelf.take(unit).and_then(|held| held.file);
            self.handle.lock().desk.lose_unit(unit);
            if let Some((name, _)) = file {
                let why = format!("{worker} handed in a wrong unit");
                self.mail.order(Order::Refused(name, why));
            }
        }
    }
}

/// Whether a unit is played again before it counts, by a random number that workers do not know.
pub(super) fn is_drawn(secret: u64, unit: u32, share: f64) -> bool {
    dz_game::hash_unit(dz_game::mix64(secret ^ u64::from(unit))) < share
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker whose units are all wrong is caught within 150 of them in 95 % of cases.
    #[test]
    fn a_share_of_a_fiftieth_catches_a_worker_within_150_units() {
        let secrets = (0..4_000_u64).map(dz_game::mix64);
        let caught = secrets.filter(|&secret| (0..150).any(|unit| is_drawn(secret, unit, 0.02)));
        let share = caught.count() as f64 / 4_000.0;
        // 1 - 0.98^150 = 0.952, with a standard deviation of 0.0034.
        assert!((0.94..0.965).contains(&share), "{share}");
        assert!((0..1_000).all(|unit| is_drawn(7, unit, 1.0) && !is_drawn(7, unit, 0.0)));
    }
}
