//! The columns of plies.

use dz_game::Move;

use super::{kind_code, kind_of};
use crate::{
    GameRecord, PlyRecord, ShardError, WdlShares, Weight,
    columns::{ColumnReader, Columns, total},
};

/// Moves below this are stored as one bit each of a mask; wider games store gaps.
const MASK_MOVES: u16 = 16;

/// A policy target as shares of moves.
type Target = Vec<(Move, u16)>;

pub(super) fn encode(games: &[GameRecord], columns: &mut Columns) -> Result<(), ShardError> {
    let plies: Vec<&PlyRecord> = games.iter().flat_map(|game| &game.plies).collect();
    let column = |of: fn(&PlyRecord) -> u64| plies.iter().map(move |ply| of(ply));
    columns.numbers("move", column(|ply| u64::from(ply.mv.0)));
    columns.numbers("network", column(|ply| u64::from(ply.network)));
    columns.numbers("kind", column(|ply| kind_code(ply.kind)));
    columns.numbers("budget", column(|ply| u64::from(ply.budget)));
    columns.numbers("flags", column(|ply| u64::from(ply.flags)));
    let mut values = Vec::with_capacity(plies.len());
    let mut weights = Vec::with_capacity(plies.len());
    for game in games {
        for ply in &game.plies {
            let bad = |what: &str| ShardError::BadRecord { game: game.number, what: what.into() };
            values.push(WdlShares::new(ply.root_value).ok_or_else(|| bad("root value"))?);
            weights.push(Weight::new(ply.weight).ok_or_else(|| bad("weight"))?);
        }
    }
    columns.numbers("root_win", values.iter().map(|value| u64::from(value.win)));
    columns.numbers("root_draw", values.iter().map(|value| u64::from(value.draw)));
    columns.numbers("weight", weights.iter().map(|weight| u64::from(weight.0)));

    let visits = || plies.iter().map(|ply| ply.visits.as_slice());
    encode_moves(["visit_form", "visit_set", "visit_len", "visit_gap"], visits, columns);
    let sum = |visits: &[(Move, u32)]| visits.iter().map(|&(_, count)| u64::from(count)).sum();
    columns.numbers("visit_sum", visits().map(sum));
    // The last count of a ply is what the others leave of the sum.
    let counts = visits().flat_map(|visits| &visits[..visits.len().saturating_sub(1)]);
    columns.numbers("visit_count", counts.map(|&(_, count)| u64::from(count)));

    columns.numbers("target_given", column(|ply| u64::from(ply.target.is_some())));
    let targets = || plies.iter().filter_map(|ply| ply.target.as_deref());
    encode_moves(["target_form", "target_set", "target_len", "target_gap"], targets, columns);
    let shares = targets().flatten().map(|&(_, share)| u64::from(share));
    columns.numbers("target_share", shares);
    Ok(())
}

/// Columns of ascending move lists: a form, then masks, or lengths and gaps.
fn encode_moves<'a, T: 'a, I: Iterator<Item = &'a [(Move, T)]>>(
    [form, set, len, gap]: [&'static str; 4],
    lists: impl Fn() -> I,
    columns: &mut Columns,
) {
    let masks = lists().flatten().all(|&(mv, _)| mv.0 < MASK_MOVES);
    columns.numbers(form, [u64::from(masks)]);
    if masks {
        let mask = |list: &[(Move, T)]| list.iter().fold(0, |mask, &(mv, _)| mask | 1_u64 << mv.0);
        columns.numbers(set, lists().map(mask));
        return;
    }
    columns.numbers(len, lists().map(|list| list.len() as u64));
    let gaps = lists().flat_map(|list| {
        let mut next = 0;
        list.iter().map(move |&(mv, _)| {
            let gap = u64::from(mv.0 - next);
            // The highest move has no successor, and nothing follows it in an ascending list.
            next = mv.0.saturating_add(1);
            gap
        })
    });
    columns.numbers(gap, gaps);
}

pub(super) fn decode(
    reader: &ColumnReader<'_>,
    count: usize,
) -> Result<Vec<PlyRecord>, ShardError> {
    let moves: Vec<u16> = reader.narrow("move", count)?;
    let networks: Vec<u16> = reader.narrow("network", count)?;
    let kinds = reader.numbers("kind", count)?;
    let budgets: Vec<u32> = reader.narrow("budget", count)?;
    let flags: Vec<u8> = reader.narrow("flags", count)?;
    let wins: Vec<u16> = reader.narrow("root_win", count)?;
    let draws: Vec<u16> = reader.narrow("root_draw", count)?;
    let weights: Vec<u16> = reader.narrow("weight", count)?;
    let mut visits = decode_visits(reader, count)?.into_iter();
    let mut targets = decode_targets(reader, count)?.into_iter();
    let mut plies = Vec::with_capacity(count);
    for i in 0..count {
        let value = WdlShares { win: wins[i], draw: draws[i] };
        let kind = kind_of(kinds[i]).filter(|_| value.is_valid());
        plies.push(PlyRecord {
            mv: Move(moves[i]),
            network: networks[i],
            kind: kind.ok_or_else(|| ShardError::damaged(format!("ply {i} of a frame")))?,
            budget: budgets[i],
            visits: visits.next().unwrap_or_default(),
            root_value: value.wdl(),
            flags: flags[i],
            weight: Weight(weights[i]).get(),
            target: targets.next().flatten(),
        });
    }
    Ok(plies)
}

fn decode_visits(
    reader: &ColumnReader<'_>,
    count: usize,
) -> Result<Vec<Vec<(Move, u32)>>, ShardError> {
    let names = ["visit_form", "visit_set", "visit_len", "visit_gap"];
    let lists = decode_moves(names, reader, count)?;
    let sums = reader.numbers("visit_sum", count)?;
    let stored = lists.iter().map(|list| list.len().saturating_sub(1)).sum();
    let mut counts = reader.narrow::<u32>("visit_count", stored)?.into_iter();
    let mut visits = Vec::with_capacity(count);
    for (list, sum) in lists.into_iter().zip(sums) {
        let mut left = Some(sum);
        let mut ply = Vec::with_capacity(list.len());
        let last = list.len().saturating_sub(1);
        for (i, mv) in list.into_iter().enumerate() {
            let rest = left.and_then(|left| u32::try_from(left).ok());
            let visits = if i == last { rest } else { counts.next() };
            let visits = visits.filter(|&visits| visits > 0);
            let visits = visits.ok_or_else(|| ShardError::damaged("visit counts"))?;
            left = left.and_then(|left| left.checked_sub(u64::from(visits)));
            ply.push((mv, visits));
        }
        if left != Some(0) {
            return Err(ShardError::damaged("visit counts do not sum to their total"));
        }
        visits.push(ply);
    }
    Ok(visits)
}

fn decode_targets(
    reader: &ColumnReader<'_>,
    count: usize,
) -> Result<Vec<Option<Target>>, ShardError> {
    let given: Vec<u8> = reader.narrow("target_given", count)?;
    let targets = given.iter().filter(|&&given| given != 0).count();
    let names = ["target_form", "target_set", "target_len", "target_gap"];
    let lists = decode_moves(names, reader, targets)?;
    let entries = lists.iter().map(Vec::len).sum();
    let mut shares = reader.narrow::<u16>("target_share", entries)?.into_iter();
    let mut lists = lists.into_iter();
    let mut take = |given: u8| {
        let list = (given != 0).then(|| lists.next()).flatten()?;
        Some(list.into_iter().zip(shares.by_ref()).collect())
    };
    Ok(given.into_iter().map(&mut take).collect())
}

fn decode_moves(
    [form, set, len, gap]: [&'static str; 4],
    reader: &ColumnReader<'_>,
    count: usize,
) -> Result<Vec<Vec<Move>>, ShardError> {
    if reader.numbers(form, 1)? == [1] {
        let masks: Vec<u16> = reader.narrow(set, count)?;
        let list = |mask: u16| (0..16).filter(|bit| mask >> bit & 1 == 1).map(Move).collect();
        return Ok(masks.into_iter().map(list).collect());
    }
    let lengths = reader.numbers(len, count)?;
    let gaps = reader.numbers(gap, total(&lengths)?)?;
    let mut gaps = gaps.into_iter();
    let mut lists = Vec::with_capacity(count);
    for length in lengths {
        let mut next = 0_u64;
        let mut list = Vec::with_capacity(length as usize);
        for gap in gaps.by_ref().take(length as usize) {
            let mv = next.checked_add(gap).and_then(|mv| u16::try_from(mv).ok());
            let mv = mv.ok_or_else(|| ShardError::damaged("a list of moves"))?;
            list.push(Move(mv));
            next = u64::from(mv) + 1;
        }
        lists.push(list);
    }
    Ok(lists)
}
