//! What a cycle's games come to while they are played: shards, progress, costs.

use std::time::{Duration, Instant};

use dz_shard::{GameRecord, ShardHeader};
use dz_stage::{Progress, Rates, Spent, StageContext};
use dz_store::Stage;

use crate::play::EvaluatorInfo;
use crate::play_order::PlayOrder;
use crate::summary::Costs;
use crate::{CyclePlan, CycleTally, ShardPublisher, ShardSink};

/// How often a cycle in progress asks whether there is another champion.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A new champion takes over within a cycle if at least so many games are left for each of the
/// parallel games. Batches run empty until the last game of the old champion ends. A cycle of
/// `connect4-h200` has four games for each. A simulation with its game lengths fills 79 % of the
/// batches if they run empty at the cycle's end only, and 67 % if they do so once before.
const ROUNDS_LEFT_MIN: u64 = 8;

/// Returns whether a new champion plays the `left` games of the cycle, with `places` games in
/// parallel. Bootstrap games (generation 0) end as soon as there is a network.
fn takes_over(generation: u32, left: u64, places: u64) -> bool {
    generation == 0 || left >= ROUNDS_LEFT_MIN * places
}

/// Publishes shards as they fill and reports progress.
pub(crate) struct Collector<'a> {
    pub(crate) plan: &'a CyclePlan,
    pub(crate) context: &'a mut StageContext,
    pub(crate) cycle: u32,
    pub(crate) generation: u32,
    /// Games of shards that were published before this process.
    pub(crate) published_games: u64,
    /// When the champion began to play.
    pub(crate) started: Instant,
    /// The cycle's costs over all processes, and what they were before.
    pub(crate) spent: &'a Spent<Costs>,
    pub(crate) costs_before: Costs,
    /// What the headers of all shards share.
    pub(crate) header: ShardHeader,
    /// The board, see [`ShardPublisher::board`].
    pub(crate) board: Option<String>,
    /// When the ledger was last asked for another champion.
    pub(crate) looked: Instant,
}

/// What a champion plays of a cycle.
#[derive(Clone, Copy)]
pub(crate) struct Assignment<'a> {
    pub(crate) order: &'a PlayOrder,
    pub(crate) spent: &'a Spent<Costs>,
    /// The cycle's costs before this champion.
    pub(crate) costs_before: Costs,
}

impl<'a> Collector<'a> {
    /// Collects games that an evaluator has played since `started`.
    ///
    /// # Errors
    /// If the configuration's game does not exist.
    pub(crate) fn new(
        context: &'a mut StageContext,
        assignment: Assignment<'a>,
        evaluator: &EvaluatorInfo,
        started: Instant,
    ) -> anyhow::Result<Self> {
        let Assignment { order, spent, costs_before } = assignment;
        let PlayOrder { cycle, generation, ref plan, .. } = *order;
        let header = ShardPublisher::header(
            &context.unplanned_config(),
            &order.board.game,
            generation,
            evaluator.id.clone(),
            evaluator.network.clone(),
        )?;
        let published = context.ledger.state().cycle_state(cycle);
        let published_games =
            published.map_or(0, |now| now.shards.values().map(|shard| shard.games).sum());
        let looked = Instant::now();
        Ok(Self {
            plan,
            context,
            cycle,
            generation,
            published_games,
            started,
            spent,
            costs_before,
            header,
            board: order.board.name.clone(),
            looked,
        })
    }
}

impl Collector<'_> {
    /// Whether another champion is there; the ledger is asked now and then where stages work side
    /// by side.
    pub(crate) fn is_succeeded(&mut self) -> bool {
        let side_by_side = self.context.config.lead_cycles() > 0;
        if side_by_side && self.looked.elapsed() >= LOOK_EVERY {
            self.looked = Instant::now();
            if let Err(error) = self.context.ledger.poll() {
                // The next shard's entry meets the same fault, where it can be dealt with.
                tracing::warn!("the ledger cannot be read: {error}");
            }
        }
        self.context.ledger.state().generation() > self.generation
    }
}

impl ShardSink for Collector<'_> {
    fn shard(&mut self, index: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        let mut publisher = ShardPublisher {
            run: &self.context.run,
            ledger: &mut self.context.ledger,
            cycle: self.cycle,
            header: self.header.clone(),
            board: self.board.clone(),
            first_shard: self.plan.first_shard,
        };
        publisher.publish(index, games)
    }

    fn wants_more(&mut self, tally: &CycleTally) -> bool {
        self.spent.note(|| self.costs_before.with(tally));
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let lockstep = &tally.lockstep;
        let playouts = tally.search.playouts;
        let mut rates = Rates::from([
            ("games/s".to_owned(), tally.games as f64 / seconds),
            ("positions/s".to_owned(), tally.positions as f64 / seconds),
            ("playouts/s".to_owned(), playouts as f64 / seconds),
        ]);
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        if lockstep.places > 0 {
            let evaluations = lockstep.evaluations;
            rates.insert("evaluations/s".to_owned(), evaluations as f64 / seconds);
            rates.insert("batch fill %".to_owned(), share(evaluations, lockstep.places));
            let search = &tally.search;
            let asked = search.evaluations + search.cache_hits;
            rates.insert("cache hits %".to_owned(), share(search.cache_hits, asked));
        }
        let transpositions = tally.search.transpositions;
        rates.insert("transpositions %".to_owned(), share(transpositions, playouts));
        self.context.events.progress(Progress {
            stage: Stage::Selfplay,
            cycle: self.cycle,
            generation: self.generation,
            done: self.published_games + tally.games,
            total: self.plan.count,
            unit: "games".to_owned(),
            rates,
        });
        let left = self.plan.count.saturating_sub(self.published_games + tally.games);
        let places = self.plan.lockstep.parallel_games as u64;
        let ends = self.is_succeeded() && takes_over(self.generation, left, places);
        !ends && !self.context.stop.requested()
    }
}

#[cfg(test)]
mod tests {
    use super::takes_over;

    #[test]
    fn the_rest_of_a_cycle_goes_to_another_champion_if_it_is_worth_the_empty_places() {
        assert!(takes_over(0, 1, 3_072), "no network plays bootstrap games");
        assert!(!takes_over(5, 12_000, 3_072) && !takes_over(1, 511, 64));
        assert!(takes_over(5, 24_576, 3_072) && takes_over(1, 512, 64));
    }
}
