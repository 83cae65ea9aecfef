//! Columns back to games.

use dz_game::{Komi, Move};

use super::codes::{end_of, outcome_of, unzigzag};
use super::plies::{self, Plies};
use crate::{
    GameRecord, ParentGame, PlyRecord, ResignThresholds, ShardError,
    columns::{ColumnReader, total},
};

/// The `count` games of a decompressed frame, which may have a komi of their own only where that is
/// said. Answers the bytes of memory that they take, too.
///
/// # Errors
/// [`ShardError::Damaged`], also where the games would take more than `bytes_max` bytes: a few
/// bytes can stand for any number of equal plies.
pub(crate) fn decode(
    frame: &[u8],
    count: usize,
    own_komi: bool,
    bytes_max: u64,
) -> Result<(Vec<GameRecord>, u64), ShardError> {
    let reader = ColumnReader::new(frame)?;
    let lengths = reader.stream("plies", count)?;
    let mut plies = Plies::read(&reader, total(lengths.clone())?)?;
    let start_moves = total(reader.stream("start_len", count)?)?;
    let bytes = plies.bytes() + unpacked(count, start_moves);
    if bytes > bytes_max {
        return Err(ShardError::damaged(format!(
            "a frame unpacks to {bytes} bytes, the most for its length is {bytes_max}"
        )));
    }
    let mut parts = Parts::read(&reader, count, own_komi)?;
    let mut games = Vec::with_capacity(count);
    for (i, length) in lengths.enumerate() {
        let mut recorded = Vec::with_capacity(length as usize);
        for _ in 0..length {
            recorded.push(plies.ply()?);
        }
        let record = parts.game(i, recorded);
        let record = record.ok_or_else(|| ShardError::damaged(format!("game {i} of a frame")))?;
        record.check()?;
        games.push(record);
    }
    Ok((games, bytes))
}

/// Bytes of memory that games take, without their plies.
fn unpacked(games: usize, start_moves: usize) -> u64 {
    (games * size_of::<GameRecord>() + start_moves * size_of::<Move>()) as u64
}

/// Bytes of memory that games take: what [`decode`] answers for them.
pub(crate) fn unpacked_bytes(games: &[GameRecord]) -> u64 {
    let start_moves = games.iter().map(|game| game.start_moves.len()).sum();
    let plies = games.iter().flat_map(|game| &game.plies);
    plies.fold(unpacked(games.len(), start_moves), |bytes, ply| {
        let targets = ply.target.as_ref().map_or(0, Vec::len);
        bytes + plies::unpacked(1, ply.visits.len(), targets)
    })
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
    let lengths = reader.stream("start_len", count)?;
    let moves = reader.narrow_stream("start_move", total(lengths.clone())?)?;
    let mut moves = moves.map(Move);
    Ok(lengths.map(|length| moves.by_ref().take(length as usize).collect()).collect())
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
