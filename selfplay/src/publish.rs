//! From finished games to published shards and ledger entries.

use anyhow::Context;
use dz_config::RunConfig;
use dz_game::{GameSpec, game_ids};
use dz_shard::{GameRecord, SHARD_LEVEL, ShardHeader, ShardWriter};
use dz_store::{Entry, Ledger, Run, RunState, layout};

/// Writes shards of one cycle.
#[derive(Debug)]
pub struct ShardPublisher<'a> {
    /// The run.
    pub run: &'a Run,
    /// Where shards are announced.
    pub ledger: &'a mut Ledger,
    /// The cycle.
    pub cycle: u32,
    /// Common fields of the headers of the cycle's shards; `number` and `own_komi` are set for
    /// each.
    pub header: ShardHeader,
    /// The game where it is on another board than the run's own.
    pub board: Option<String>,
    /// Number of the cycle's first shard.
    pub first_shard: u64,
}

impl ShardPublisher<'_> {
    /// The header that the shards of a cycle on one board share; what its games decide is set for
    /// each. `game` is the game on that board.
    ///
    /// # Errors
    /// [`dz_game::GameError`] if the game does not exist.
    pub fn header(
        config: &RunConfig,
        game: &GameSpec,
        generation: u32,
        evaluator: String,
        network: String,
    ) -> anyhow::Result<ShardHeader> {
        let (game, encoding) = game_ids(game)?;
        Ok(ShardHeader {
            game,
            encoding,
            generation,
            number: 0,
            games_per_shard: config.selfplay.games_per_shard.into(),
            run_seed: config.run.seed,
            config_hash: config.results_hash(),
            evaluators: vec![evaluator],
            networks: vec![network],
            own_komi: false,
        })
    }

    /// Publishes shard `index` of the cycle, then announces it. A kill between the two leaves a
    /// file that the next try finds equal.
    ///
    /// # Errors
    /// What the store or the shard writer report.
    pub fn publish(&mut self, index: u64, games: Vec<GameRecord>) -> anyhow::Result<()> {
        let number = self.first_shard + index;
        let path = layout::shard_path(self.cycle, number);
        let own_komi = games.iter().any(|game| game.komi.is_some());
        let header = ShardHeader { number, own_komi, ..self.header.clone() };
        let count = games.len() as u64;
        let positions = games.iter().map(|game| game.plies.len() as u64).sum();
        let staged = self.run.create_file(&path)?;
        let mut writer = ShardWriter::new(staged, header, SHARD_LEVEL)?;
        for game in games {
            writer.push(game)?;
        }
        let (staged, _) = writer.finish().with_context(|| format!("cannot write shard {path}"))?;
        let object = staged.publish()?;
        self.ledger.append(Entry::Shard {
            cycle: self.cycle,
            generation: self.header.generation,
            number: index as u32,
            games: count,
            positions,
            object,
            board: self.board.clone(),
        })?;
        Ok(())
    }
}

/// Number of the first shard of `cycle`: as many as earlier cycles have shards, since numbers begin
/// at 0.
pub fn first_shard(state: &RunState, cycle: u32) -> u64 {
    state.shards().filter(|&(earlier, _)| earlier < cycle).count() as u64
}
