//! `dagzero bench shard`: a shard's size and speed on a stated synthetic load.

use std::io::Cursor;
use std::time::Instant;

use anyhow::bail;
use dz_game::Game;
use dz_shard::{
    GameRecord, RowBlock, RowShape, SHARD_LEVEL, ShardError, ShardHeader, ShardReader, ShardWriter,
    random_header, random_records, rows_of_game,
};

use crate::row::BenchRow;

/// Writes and reads `games` random games (see [`random_records`]) and reports size and speed, each
/// speed as the best of `repeats`.
///
/// # Errors
/// If what was written does not come back the same.
pub(crate) fn rows<G: Game>(
    game: &G,
    games: u64,
    visits: u32,
    repeats: u32,
) -> anyhow::Result<Vec<BenchRow>> {
    let records = random_records(game, games, visits, 1);
    let positions: u64 = records.iter().map(|record| record.plies.len() as u64).sum();
    let entries: usize = records.iter().flat_map(|r| &r.plies).map(|ply| ply.visits.len()).sum();
    let header = random_header(game, 0, games);
    let mut out = vec![BenchRow::new(
        "shard.visited_moves_per_position",
        entries as f64 / positions as f64,
        "moves",
        positions,
    )];
    for level in [SHARD_LEVEL, 1] {
        let mut best = [f64::INFINITY; 3];
        let mut file = Vec::new();
        for _ in 0..repeats.max(1) {
            let owned = records.clone();
            let start = Instant::now();
            file = write(header.clone(), owned, level)?;
            best[0] = best[0].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let read =
                ShardReader::new(Cursor::new(&file))?.games().collect::<Result<Vec<_>, _>>()?;
            best[1] = best[1].min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            let mut rows = RowBlock::new(RowShape::of(&game.encoding()));
            read.iter().try_for_each(|record| rows_of_game(game, record, &mut rows))?;
            best[2] = best[2].min(start.elapsed().as_secs_f64());
            let mut both = read.iter().zip(&records);
            if !both.all(|(a, b)| b.quantised().is_ok_and(|b| *a == b)) {
                bail!("the bench read other games than it wrote");
            }
        }
        let size = file.len() as f64 / positions as f64;
        let name = |what: &str| format!("shard.level{level}.{what}");
        out.push(BenchRow::new(&name("bytes_per_position"), size, "bytes", positions));
        for (what, seconds) in ["write", "read", "replay_to_rows"].into_iter().zip(best) {
            let rate = positions as f64 / seconds;
            out.push(BenchRow::new(&name(what), rate, "positions/s", positions));
        }
    }
    Ok(out)
}

fn write(header: ShardHeader, games: Vec<GameRecord>, level: i32) -> Result<Vec<u8>, ShardError> {
    let mut writer = ShardWriter::new(Vec::new(), header, level)?;
    games.into_iter().try_for_each(|game| writer.push(game))?;
    Ok(writer.finish()?.0)
}
