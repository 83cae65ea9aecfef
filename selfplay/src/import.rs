//! The games of one run as the first cycle of another: how a larger network takes over from a
//! smaller one, which learns first from all that the smaller one played.

use std::{collections::BTreeMap, time::Instant};

use anyhow::{Context, bail, ensure};
use dz_config::RunConfig;
use dz_search::SearchCounts;
use dz_shard::{GameRecord, ParentGame, ShardHeader, ShardReader};
use dz_stage::{RunBoard, run_boards};
use dz_store::{Entry, Ledger, Run, RunState, SelfplaySummary, Stage};

use crate::summary::{Costs, summary};
use crate::{CycleTally, ShardPublisher};

/// What the evaluator of imported games is called in summaries.
pub const IMPORTED: &str = "imported";

/// Publishes every game that the run `from` still has as cycle 1 of the run `into`, which has not
/// begun, and closes that turn. Games are numbered anew, so they are not forks of each other any
/// more, and belong to generation 0: no network of `into` played them. Visits, values, targets and
/// weights stay. Reanalyzed games still name the game whose moves they have. Where that game is
/// gone they are left out, since it is what shows how they ended.
///
/// # Errors
/// If `into` has begun, `from` has no games or another game's, and what shards and stores report.
pub fn import_games(
    from: &Run,
    from_state: &RunState,
    into: &Run,
    ledger: &mut Ledger,
    config: &RunConfig,
) -> anyhow::Result<SelfplaySummary> {
    let started = Instant::now();
    ledger.claim(Stage::Selfplay)?;
    ensure!(ledger.state().shards().next().is_none(), "the new run has games of its own");
    let header = |board: RunBoard| {
        let RunBoard { game, name } = board;
        let header = ShardPublisher::header(config, &game, 0, String::new(), String::new())?;
        anyhow::Ok((header, name))
    };
    let own = run_boards(config).map(|board| header(board?)).collect::<Result<_, _>>()?;
    let mut import = Import {
        into,
        ledger,
        config,
        own,
        shards: 0,
        numbers: BTreeMap::new(),
        tally: CycleTally::default(),
    };
    for (_, shard) in from.shards_kept(from_state) {
        let mut reader = ShardReader::open(&from.local_path(&shard.object))?;
        let header = reader.header().clone();
        let games: Result<Vec<GameRecord>, _> = reader.games().collect();
        let games = games.with_context(|| format!("cannot read {}", shard.object.path))?;
        import.publish(&header, games)?;
    }
    let tally = import.tally;
    ensure!(tally.games > 0, "{} has no games any more", from.root().display());
    let summary = SelfplaySummary {
        wall_ms: started.elapsed().as_millis() as u64,
        evaluator: IMPORTED.to_owned(),
        ..summary(&tally, &Costs::default())
    };
    let done = Entry::GamesDone { cycle: 1, generation: 0, summary: summary.clone() };
    ledger.append(done)?;
    Ok(summary)
}

/// An import in progress.
struct Import<'a> {
    into: &'a Run,
    ledger: &'a mut Ledger,
    config: &'a RunConfig,
    /// Headers of the new run's shards on each board, and the board's name.
    own: Vec<(ShardHeader, Option<String>)>,
    /// Shards published.
    shards: u64,
    /// New numbers of the old run's games.
    numbers: BTreeMap<u64, u64>,
    tally: CycleTally,
}

impl Import<'_> {
    /// Publishes the games of one shard as one or more of the new run.
    fn publish(&mut self, old: &ShardHeader, games: Vec<GameRecord>) -> anyhow::Result<()> {
        let is_same = |(own, _): &&(ShardHeader, Option<String>)| {
            (&own.game, &own.encoding) == (&old.game, &old.encoding)
        };
        let Some((own, board)) = self.own.iter().find(is_same).cloned() else {
            let named = |own: &ShardHeader| format!("{} ({})", own.game, own.encoding);
            let own: Vec<String> = self.own.iter().map(|(own, _)| named(own)).collect();
            bail!("the run's games are of {}, the new run is of {}", named(old), own.join(" and "));
        };
        // The records point into these lists, which say who played.
        let header = ShardHeader {
            evaluators: old.evaluators.clone(),
            networks: old.networks.clone(),
            ..own
        };
        let most = self.config.selfplay.games_per_shard as usize;
        let games: Vec<GameRecord> =
            games.into_iter().filter_map(|game| self.whence(game)).collect();
        let mut games = games.into_iter().peekable();
        while games.peek().is_some() {
            let first = self.shards * u64::from(self.config.selfplay.games_per_shard);
            let numbers = first..;
            let part: Vec<GameRecord> = games
                .by_ref()
                .take(most)
                .zip(numbers)
                .map(|(game, number)| {
                    self.numbers.insert(game.number, number);
                    GameRecord { number, ..game }
                })
                .collect();
            for game in &part {
                self.tally.add(game, &SearchCounts::default());
            }
            let mut publisher = ShardPublisher {
                run: self.into,
                ledger: self.ledger,
                cycle: 1,
                header: header.clone(),
                board: board.clone(),
                first_shard: 0,
            };
            publisher.publish(self.shards, part)?;
            self.shards += 1;
        }
        Ok(())
    }

    /// A game with the new number of the one whose moves it has, if it has another's; none where
    /// that one is gone.
    fn whence(&self, game: GameRecord) -> Option<GameRecord> {
        let renumbered = |(original, parent): (u64, ParentGame)| {
            Some(ParentGame { game: *self.numbers.get(&original)?, ..parent })
        };
        let parent = match game.reanalyzed().zip(game.parent) {
            None => None,
            Some(found) => Some(renumbered(found)?),
        };
        Some(GameRecord { parent, ..game })
    }
}
