//! Units: parts of a shard as files of their own, written by whoever plays them and checked by the
//! home.

use std::io::Cursor;

use dz_config::RunConfig;
use dz_fleet::{EvaluatorRule, Plan};
use dz_game::{Game, Outcome};
use dz_shard::{
    GameEnd, GameRecord, ResignThresholds, SHARD_LEVEL, ShardHeader, ShardReader, ShardWriter,
    replay_with,
};

use super::plan::resign_of;
use crate::komi::own_komi;
use crate::seeds::game_seed;
use crate::{CyclePlan, GamePlan, Past, ShardPublisher, cycle_plan};

/// What is in a unit.
pub(super) struct PlayedUnit {
    pub(super) games: Vec<GameRecord>,
    pub(super) evaluator: String,
}

/// The cycle's plan with units in the place of shards.
pub(super) fn unit_plan(plan: &CyclePlan, unit_games: u64) -> CyclePlan {
    let first_shard = plan.first_shard * (plan.games_per_shard / unit_games);
    CyclePlan { games_per_shard: unit_games, first_shard, ..plan.clone() }
}

/// What the headers of a plan's units share.
pub(super) fn shared_header(
    plan: &Plan,
    config: &RunConfig,
    evaluator: &str,
) -> anyhow::Result<ShardHeader> {
    let (evaluator, network) = (evaluator.to_owned(), plan.network_name.clone());
    let header = ShardPublisher::header(
        config,
        &config.run.game.parse()?,
        plan.generation,
        evaluator,
        network,
    )?;
    Ok(ShardHeader { config_hash: plan.header_hash.clone(), ..header })
}

/// The games of a plan as a worker plays them, by units.
pub(super) fn games_of(plan: &Plan, config: &RunConfig, past: Past) -> CyclePlan {
    let first_shard = plan.first_game / plan.games_per_shard;
    let games = cycle_plan(config, plan.generation, first_shard, resign_of(plan), past);
    let games = CyclePlan { count: plan.games, games_per_shard: plan.games_per_shard, ..games };
    unit_plan(&games, plan.unit_games)
}

/// The header of a unit. `shared` is what the headers of the cycle's shards share.
fn unit_header(plan: &Plan, shared: &ShardHeader, unit: u32, own_komi: bool) -> ShardHeader {
    ShardHeader {
        number: plan.shard_number(unit),
        games_per_shard: plan.unit_games,
        own_komi,
        ..shared.clone()
    }
}

/// The file of a unit.
///
/// # Errors
/// What the shard writer reports.
pub(super) fn write_unit(
    plan: &Plan,
    shared: &ShardHeader,
    unit: u32,
    games: Vec<GameRecord>,
) -> anyhow::Result<Vec<u8>> {
    let own_komi = games.iter().any(|game| game.komi.is_some());
    let header = unit_header(plan, shared, unit, own_komi);
    let mut writer = ShardWriter::new(Vec::new(), header, SHARD_LEVEL)?;
    for game in games {
        writer.push(game)?;
    }
    Ok(writer.finish()?.0)
}

/// What the home knows of every unit of a plan, to check those of others.
pub(super) struct UnitCheck<G: Game> {
    pub(super) game: G,
    pub(super) plan: Plan,
    /// What headers share, with the home's evaluator.
    pub(super) shared: ShardHeader,
    pub(super) games: GamePlan,
}

impl<G: Game> UnitCheck<G> {
    /// The games of a unit and the evaluator that played them, if `bytes` are such a unit: the
    /// right header, numbers and seeds, and games that follow the rules.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub(super) fn check(
        &self,
        unit: u32,
        bytes: &[u8],
    ) -> Result<(Vec<GameRecord>, String), String> {
        let mut reader = ShardReader::new(Cursor::new(bytes)).map_err(|e| e.to_string())?;
        reader.verify().map_err(|e| e.to_string())?;
        let header = reader.header().clone();
        let evaluator = self.check_header(unit, &header)?;
        let wanted = self.plan.games_of(unit);
        if reader.footer().games != wanted {
            return Err(format!("it has {} games instead of {wanted}", reader.footer().games));
        }
        let games: Vec<GameRecord> =
            reader.games().collect::<Result<_, _>>().map_err(|e| e.to_string())?;
        if games.len() as u64 != wanted {
            return Err(format!("it has {} games instead of {wanted}", games.len()));
        }
        if header.own_komi != games.iter().any(|game| game.komi.is_some()) {
            return Err("its header and its games differ on komi".to_owned());
        }
        for game in &games {
            self.check_game(game)?;
        }
        Ok((games, evaluator))
    }

    fn check_header(&self, unit: u32, header: &ShardHeader) -> Result<String, String> {
        let [evaluator] = &header.evaluators[..] else {
            return Err(format!("its header has {} evaluators", header.evaluators.len()));
        };
        let wanted = unit_header(&self.plan, &self.shared, unit, header.own_komi);
        let of_home = &self.shared.evaluators[0];
        if evaluator != of_home && self.plan.evaluators == EvaluatorRule::Same {
            return Err(format!("the evaluator {evaluator} played it, and {of_home} was to"));
        }
        let wanted = ShardHeader { evaluators: header.evaluators.clone(), ..wanted };
        if *header != wanted {
            return Err("its header is not that of this unit".to_owned());
        }
        Ok(evaluator.clone())
    }

    fn check_game(&self, record: &GameRecord) -> Result<(), String> {
        let of_game = |what: &str| format!("game {}: {what}", record.number);
        let seed = game_seed(self.games.run_seed, record.number);
        if record.seed != seed {
            return Err(of_game("another seed than its number gives"));
        }
        let original = self.games.reanalyses.as_ref().and_then(|all| all.original(record.number));
        if let Some(original) = original {
            // They say whether the last to move resigned, or the next.
            let resign = original.resign.filter(ResignThresholds::is_at_once);
            let is_it = record.reanalyzed() == Some(original.number)
                && record.start_moves == original.start_moves
                && record.moves().eq(original.moves())
                && (record.komi, record.resign) == (original.komi, resign)
                && (record.outcome, record.end) == (original.outcome, original.end);
            if !is_it {
                return Err(of_game("it is not the game to reanalyze"));
            }
            return self.check_rules(record);
        }
        if record.reanalyzed().is_some() {
            return Err(of_game("it was to be played, not reanalyzed"));
        }
        if record.resign != self.games.resign.map(|plan| plan.thresholds(seed)) {
            return Err(of_game("other resign thresholds"));
        }
        let fork = self.games.forks.as_ref().and_then(|forks| forks.fork(seed));
        let komi = match &fork {
            None => own_komi(&self.game, self.games.komi, seed),
            Some(fork) => fork.komi,
        };
        if record.komi != komi {
            return Err(of_game("another komi than its number gives"));
        }
        if record.parent != fork.as_ref().map(|fork| fork.parent) {
            return Err(of_game("another parent than its number gives"));
        }
        let begins_right = match &fork {
            None => record.start_moves.len() <= self.games.opening.plies_max as usize,
            Some(fork) => record.start_moves.starts_with(&fork.moves),
        };
        if !begins_right {
            return Err(of_game("its start does not fit its number"));
        }
        let is_full = record.plies_total() >= self.games.plies_max as usize;
        if record.end == GameEnd::PlyLimit && !(is_full && record.outcome == Outcome::DRAW) {
            return Err(of_game("it ends at the ply limit, and is shorter or no draw"));
        }
        self.check_rules(record)
    }

    /// Every move, the outcome and who resigned, by the rules.
    fn check_rules(&self, record: &GameRecord) -> Result<(), String> {
        replay_with(&self.game, record, |_, _| Ok(())).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
#[path = "unit_tests.rs"]
mod tests;
