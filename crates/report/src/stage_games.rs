//! One self-play game of each of three stages of the run, as Silver et al. (2017) show games of
//! three stages of training.

use std::path::Path;

use dz_game::{AnyGame, Game, GameError, Player};
use dz_shard::{GameEnd, GameRecord, ShardError, ShardReader};
use dz_store::Run;

use crate::measures::StageGame;
use crate::report::Report;

/// Plies of a game that are shown (Silver et al. 2017, figure 5: 80).
const PLIES_MAX: usize = 80;

impl Report {
    /// Reads a game of the first, the middle and the last cycle that a network played. Without such
    /// cycles it takes those of generation 0.
    pub(crate) fn add_stage_games(&mut self, run: &Run) {
        let mut cycles = Vec::new();
        for (&cycle, state) in &self.state.cycles {
            let is_done = state.games_done.is_some();
            let mut own = state.shards.values().filter(|shard| shard.board.is_none());
            let Some(shard) = own.next().filter(|_| is_done) else { continue };
            if self.state.expired.contains(&shard.object.path) {
                continue;
            }
            cycles.push((cycle, shard.generation, run.local_path(&shard.object)));
        }
        if cycles.iter().any(|&(_, generation, _)| generation > 0) {
            cycles.retain(|&(_, generation, _)| generation > 0);
        }
        for place in stages(cycles.len()) {
            let (cycle, generation, path) = &cycles[place];
            // The health section reports shards that cannot be read.
            let Ok(Ok(Some(game))) = first_game(&self.run.game, path) else { continue };
            let (cycle, generation) = (*cycle, *generation);
            self.measures.stage_games.push(StageGame { cycle, generation, ..game });
        }
    }
}

/// The first, the middle and the last of so many.
fn stages(count: usize) -> Vec<usize> {
    let mut places = match count {
        0 => Vec::new(),
        _ => vec![0, (count - 1) / 2, count - 1],
    };
    places.dedup();
    places
}

/// The first game of a shard that was played from the start.
fn first_game(game: &str, path: &Path) -> Result<Result<Option<StageGame>, ShardError>, GameError> {
    let game = AnyGame::of(&game.parse()?)?;
    let find = || {
        for record in ShardReader::open(path)?.games() {
            let record = record?;
            if record.parent.is_none() {
                return Ok(Some(shown(&game, &record)));
            }
        }
        Ok(None)
    };
    Ok(find())
}

fn shown<G: Game>(game: &G, record: &GameRecord) -> StageGame {
    let moves = record.moves().take(PLIES_MAX).map(|mv| game.format_move(mv)).collect();
    let winner = match record.outcome.winner {
        Some(Player::First) => "first player won",
        Some(Player::Second) => "second player won",
        None => "drawn",
    };
    let how = match record.end {
        GameEnd::Rules => "by the rules",
        GameEnd::Resigned => "by resignation",
        GameEnd::PlyLimit => "before the rules ended the game",
    };
    StageGame {
        cycle: 0,
        generation: 0,
        number: record.number,
        moves,
        plies: record.plies_total() as u32,
        result: format!("{winner}, {how}"),
    }
}

#[cfg(test)]
mod tests {
    use super::stages;

    #[test]
    fn stages_are_spread_over_the_run() {
        let wanted: [(usize, &[usize]); 6] = [
            (0, &[]),
            (1, &[0]),
            (2, &[0, 1]),
            (3, &[0, 1, 2]),
            (4, &[0, 1, 3]),
            (41, &[0, 20, 40]),
        ];
        for (count, places) in wanted {
            assert_eq!(stages(count), places);
        }
    }
}
