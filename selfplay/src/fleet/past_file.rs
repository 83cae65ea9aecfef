//! The games of earlier cycles that a cycle needs, as one object for workers, who have no shards:
//! the games that may be forked, and those that are reanalyzed.
//!
//! A line of JSON, and then a shard of the games to reanalyze, numbered from 0.

use std::io::Cursor;

use anyhow::{Context, ensure};
use dz_game::{Komi, Move};
use dz_shard::{GameRecord, SHARD_LEVEL, ShardHeader, ShardReader, ShardWriter};
use serde::{Deserialize, Serialize};

use crate::{Forks, GamePlan, Past, Reanalyses};

/// Longest file that is written or read, in bytes.
pub(super) const PAST_BYTES_MAX: u64 = 1 << 30;
/// Version of the format.
const FORMAT: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: u32,
    forks: Option<ForksHead>,
    /// Numbers of the games that search another game anew, and of that one.
    reanalyses: Option<Vec<(u64, u64)>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForksHead {
    share: f64,
    /// Number, komi in half points where it has its own, moves.
    parents: Vec<(u64, Option<i16>, Vec<u16>)>,
}

/// The file of a plan's past; none where its games take nothing from earlier ones. `shared` is the
/// header of the run's shards.
///
/// # Errors
/// If it would be too long, or what the shard writer reports.
pub(super) fn write_past(plan: &GamePlan, shared: &ShardHeader) -> anyhow::Result<Option<Vec<u8>>> {
    if plan.forks.is_none() && plan.reanalyses.is_none() {
        return Ok(None);
    }
    let forks = plan.forks.as_ref().map(|forks| ForksHead {
        share: forks.share(),
        parents: forks
            .parents()
            .map(|(number, komi, moves)| {
                let moves = moves.iter().map(|mv| mv.0).collect();
                (number, komi.map(|komi| komi.halves), moves)
            })
            .collect(),
    });
    let originals: Option<Vec<(u64, &GameRecord)>> =
        plan.reanalyses.as_ref().map(|games| games.originals().collect());
    let reanalyses = originals
        .as_ref()
        .map(|games| games.iter().map(|(number, game)| (*number, game.number)).collect());
    let mut file = serde_json::to_vec(&Head { format: FORMAT, forks, reanalyses })?;
    file.push(b'\n');
    let games: Vec<&GameRecord> = originals.into_iter().flatten().map(|(_, game)| game).collect();
    if !games.is_empty() {
        file.extend(shard_of(&games, shared)?);
    }
    let bytes = file.len() as u64;
    ensure!(
        bytes <= PAST_BYTES_MAX,
        "workers would need {bytes} bytes of earlier games: lower selfplay.reanalyse_share"
    );
    Ok(Some(file))
}

fn shard_of(games: &[&GameRecord], shared: &ShardHeader) -> anyhow::Result<Vec<u8>> {
    let evaluators = games.iter().map(|game| game.evaluator).max().unwrap_or(0);
    let networks = games.iter().flat_map(|game| &game.plies).map(|ply| ply.network).max();
    // Games name them by index; nobody reads the names.
    let names = |last: u16| vec![String::new(); usize::from(last) + 1];
    let header = ShardHeader {
        number: 0,
        games_per_shard: games.len() as u64,
        own_komi: games.iter().any(|game| game.komi.is_some()),
        evaluators: names(evaluators),
        networks: names(networks.unwrap_or(0)),
        ..shared.clone()
    };
    let mut writer = ShardWriter::new(Vec::new(), header, SHARD_LEVEL)?;
    for (number, game) in (0..).zip(games) {
        writer.push(GameRecord { number, ..(*game).clone() })?;
    }
    Ok(writer.finish()?.0)
}

/// The past in a file.
///
/// # Errors
/// If it is none.
pub(super) fn read_past(file: &[u8]) -> anyhow::Result<Past> {
    let end = file.iter().position(|&byte| byte == b'\n').context("it has no first line")?;
    let head: Head = serde_json::from_slice(&file[..end])?;
    ensure!(head.format == FORMAT, "format {} is not known", head.format);
    let forks = head.forks.map(|forks| {
        let parents = forks.parents.into_iter().map(|(number, halves, moves)| {
            let moves = moves.into_iter().map(Move).collect();
            (number, halves.map(|halves| Komi { halves }), moves)
        });
        Forks::of_moves(parents, forks.share)
    });
    let reanalyses = head.reanalyses.map(|numbers| originals(&file[end + 1..], &numbers));
    Ok(Past { forks, reanalyses: reanalyses.transpose()? })
}

fn originals(shard: &[u8], numbers: &[(u64, u64)]) -> anyhow::Result<Reanalyses> {
    if numbers.is_empty() {
        return Ok(Reanalyses::default());
    }
    let mut reader = ShardReader::new(Cursor::new(shard))?;
    let games = reader.games().collect::<Result<Vec<_>, _>>()?;
    ensure!(games.len() == numbers.len(), "it has {} games of {}", games.len(), numbers.len());
    let numbered = numbers
        .iter()
        .zip(games)
        .map(|(&(number, original), game)| (number, GameRecord { number: original, ..game }));
    Ok(Reanalyses::of(numbered))
}

#[cfg(test)]
mod tests {
    use dz_game::games::TicTacToe;
    use dz_shard::{random_header, random_records};

    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let game = TicTacToe;
        // As they come back from shards.
        let records = random_records(&game, 20, 30, 5).into_iter();
        let records: Vec<GameRecord> = records.map(|game| game.quantised().unwrap()).collect();
        let config = include_str!("../../../configs/tictactoe-smoke.toml");
        let config = dz_config::RunConfig::from_text(config, &[]).unwrap();
        let past = Past {
            forks: Some(Forks::of(&records, 0.3)),
            reanalyses: Some(Reanalyses::of((100..).zip(records.clone()))),
        };
        let plan = crate::cycle_plan(&config, 1, 0, None, past.clone());
        let header = random_header(&game, 0, 16);
        let file = write_past(&plan.games, &header).unwrap().unwrap();
        assert_eq!(read_past(&file).unwrap(), past);
        for end in 0..file.len() {
            assert!(read_past(&file[..end]).is_err(), "{end} bytes");
        }
        let nothing = crate::cycle_plan(&config, 1, 0, None, Past::default());
        assert!(write_past(&nothing.games, &header).unwrap().is_none());
    }
}
