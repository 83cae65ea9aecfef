//! Units that are played again at home before they count, and what follows from a difference.

use dz_fleet::{EvaluatorRule, UnitName, UnitNote};
use dz_shard::GameRecord;
use dz_store::Stage;

use super::excluded;
use super::home::Home;
use super::orders::{Delivered, Order};
use super::shelf::Held;

impl Home<'_> {
    /// Whether a unit is played again before it counts. Other evaluators round otherwise, so theirs
    /// cannot be compared.
    pub(super) fn is_audited(&self, delivered: &Delivered) -> bool {
        let is_comparable = delivered.evaluator == self.collector.header.evaluators[0];
        let share = self.collector.context.config.workers.audit_share;
        is_comparable && excluded::is_drawn(self.audit_random, delivered.name.unit, share)
    }

    /// Two workers handed in different files for one unit. Where all evaluators are the same, one
    /// of them is wrong: the home plays it to see which.
    pub(super) fn contradict(&mut self, name: &UnitName) {
        let of_same = self.fleet_plan.evaluators == EvaluatorRule::Same;
        if !of_same {
            return;
        }
        let text =
            format!("unit {} of plan {} was handed in with two contents; ", name.unit, name.plan);
        let text = match self.shelf.take(name.unit) {
            Some(Held { games, evaluator, file: Some((file, worker)) }) => {
                let note = UnitNote { worker, ..UnitNote::default() };
                let delivered = Delivered { name: file, games, evaluator, note: Some(note) };
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
        delivered: Delivered,
        games: Vec<GameRecord>,
    ) -> anyhow::Result<()> {
        let unit = delivered.name.unit;
        let own = games.iter().map(GameRecord::quantised).collect::<Result<Vec<_>, _>>()?;
        if own == delivered.games {
            return self.accept(unit, delivered.into());
        }
        let worker = delivered.worker().to_owned();
        let differing = own.iter().zip(&delivered.games).find(|(own, theirs)| own != theirs);
        let number = differing.map_or(0, |(own, _)| own.number);
        let text = format!(
            "ALARM: {worker} handed in a unit whose game {number} is not what it comes to here. Its units are \
             not taken any more; look at that machine's memory, driver and version. Once it is right, remove \
             {} from the mailbox",
            excluded::path(&worker)
        );
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
