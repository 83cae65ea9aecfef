//! Columns back to games.

use dz_game::{Komi, Move};

use super::{end_of, outcome_of, plies, unzigzag};
use crate::{
    GameRecord, ParentGame, PlyRecord, ResignThresholds, ShardError,
    columns::{ColumnReader, total},
};

/// The `count` games of a decompressed frame, which may have a komi of their own only where that is said.
pub(crate) fn decode(
    frame: &[u8],
    count: usize,
    own_komi: bool,
) -> Result<Vec<GameRecord>, ShardError> {
    let reader = ColumnReader::new(frame)?;
    let lengths = reader.numbers("plies", count)?;
    let plies = plies::decode(&reader, total(&lengths)?)?;
    let mut plies = plies.into_iter();
    let mut parts = Parts::read(&reader, count, own_komi)?;
    let mut games = Vec::with_capacity(count);
    for (i, length) in lengths.into_iter().enumerate() {
        let record = parts.game(i, plies.by_ref().take(length as usize).collect());
        let record = record.ok_or_else(|| ShardError::damaged(format!("game {i} of a frame")))?;
        record.check()?;
        games.push(record);
    }
    Ok(games)
}

/// The columns of games, and how far the optional ones have been used up.
struct Parts {
    numbers: Vec<u64>,
    seeds: Vec<u64>,
    evaluators: Vec<u16>,
    winners: Vec<u64>,
    ends: Vec<u64>,
    margins: std::vec::IntoIter<Option<i16>>,
    start_moves: std::vec::IntoIter<Vec<Move>>,
    parents: std::vec::IntoIter<Option<ParentGame>>,
    komi: std::vec::IntoIter<Option<Komi>>,
    resigns: std::vec::IntoIter<Option<ResignThresholds>>,
}

impl Parts {
    fn read(reader: &ColumnReader<'_>, count: usize, own_komi: bool) -> Result<Self, ShardError> {
        let komi = if own_komi { komi(reader, count)? } else { vec![None; count] };
        Ok(Self {
            numbers: reader.differences("game", count)?,
            seeds: reader.numbers("seed", count)?,
            evaluators: reader.narrow("evaluator", count)?,
            winners: reader.numbers("winner", count)?,
            ends: reader.numbers("end", count)?,
            margins: margins(reader, count)?.into_iter(),
            start_moves: start_moves(reader, count)?.into_iter(),
            parents: parents(reader, count)?.into_iter(),
            komi: komi.into_iter(),
            resigns: resigns(reader, count)?.into_iter(),
        })
    }

    fn game(&mut self, i: usize, plies: Vec<PlyRecord>) -> Option<GameRecord> {
        Some(GameRecord {
            number: self.numbers[i],
            seed: self.seeds[i],
            start_moves: self.start_moves.next()?,
            parent: self.parents.next()?,
            komi: self.komi.next()?,
            resign: self.resigns.next()?,
            evaluator: self.evaluators[i],
            outcome: outcome_of(self.winners[i], self.margins.next()?)?,
            end: end_of(self.ends[i])?,
            plies,
        })
    }
}

/// Which of `count` games have an optional part, and how many do.
fn given(
    reader: &ColumnReader<'_>,
    name: &str,
    count: usize,
) -> Result<(Vec<u64>, usize), ShardError> {
    let given = reader.numbers(name, count)?;
    let present = given.iter().filter(|&&given| given != 0).count();
    Ok((given, present))
}

/// Puts the parts that are there in their games' places.
fn spread<T>(given: &[u64], parts: Vec<T>) -> Vec<Option<T>> {
    let mut parts = parts.into_iter();
    given.iter().map(|&given| if given == 0 { None } else { parts.next() }).collect()
}

fn margins(reader: &ColumnReader<'_>, count: usize) -> Result<Vec<Option<i16>>, ShardError> {
    let (given, present) = given(reader, "margin_given", count)?;
    let codes: Vec<u16> = reader.narrow("margin", present)?;
    Ok(spread(&given, codes.into_iter().map(unzigzag).collect()))
}

fn start_moves(reader: &ColumnReader<'_>, count: usize) -> Result<Vec<Vec<Move>>, ShardError> {
    let lengths = reader.numbers("start_len", count)?;
    let moves: Vec<u16> = reader.narrow("start_move", total(&lengths)?)?;
    let mut moves = moves.into_iter().map(Move);
    Ok(lengths.into_iter().map(|length| moves.by_ref().take(length as usize).collect()).collect())
}

fn parents(reader: &ColumnReader<'_>, count: usize) -> Result<Vec<Option<ParentGame>>, ShardError> {
    let (given, present) = given(reader, "parent_given", count)?;
    let games = reader.numbers("parent_game", present)?;
    let plies: Vec<u16> = reader.narrow("parent_ply", present)?;
    let parents = games.into_iter().zip(plies).map(|(game, ply)| ParentGame { game, ply });
    Ok(spread(&given, parents.collect()))
}

fn komi(reader: &ColumnReader<'_>, count: usize) -> Result<Vec<Option<Komi>>, ShardError> {
    let (given, present) = given(reader, "komi_given", count)?;
    let codes: Vec<u16> = reader.narrow("komi", present)?;
    let komi = codes.into_iter().map(|code| Komi { halves: unzigzag(code) });
    Ok(spread(&given, komi.collect()))
}

fn resigns(
    reader: &ColumnReader<'_>,
    count: usize,
) -> Result<Vec<Option<ResignThresholds>>, ShardError> {
    let (given, present) = given(reader, "resign_given", count)?;
    let values: Vec<u32> = reader.narrow("resign_value", present)?;
    let turns: Vec<u8> = reader.narrow("resign_turns", present)?;
    let enforced = reader.numbers("resign_enforced", present)?;
    let resigns = values.into_iter().zip(turns).zip(enforced);
    let resigns = resigns.map(|((value, turns), enforced)| ResignThresholds {
        value_min: f32::from_bits(value),
        turns,
        enforced: enforced != 0,
    });
    Ok(spread(&given, resigns.collect()))
}
