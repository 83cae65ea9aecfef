//! The columns of plies.

use dz_game::Move;

use super::codes::{kind_code, kind_of};
use crate::{
    GameRecord, PlyRecord, ShardError, WdlShares, Weight,
    columns::{ColumnReader, Columns, Numbers, total},
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

/// Bytes of memory that plies take with the entries of their visits and targets.
pub(super) fn unpacked(plies: usize, visits: usize, targets: usize) -> u64 {
    let entries = visits * size_of::<(Move, u32)>() + targets * size_of::<(Move, u16)>();
    (plies * size_of::<PlyRecord>() + entries) as u64
}

/// The plies of a frame, unpacked one at a time: only what the caller keeps takes memory.
pub(super) struct Plies<'a> {
    moves: Narrow<'a, u16>,
    networks: Narrow<'a, u16>,
    kinds: Numbers<'a>,
    budgets: Narrow<'a, u32>,
    flags: Narrow<'a, u8>,
    wins: Narrow<'a, u16>,
    draws: Narrow<'a, u16>,
    weights: Narrow<'a, u16>,
    visits: MoveLists<'a>,
    sums: Numbers<'a>,
    counts: Narrow<'a, u32>,
    given: Narrow<'a, u8>,
    targets: MoveLists<'a>,
    shares: Narrow<'a, u16>,
    /// What all plies take in memory.
    bytes: u64,
    /// The moves of one list.
    scratch: Vec<Move>,
}

/// Numbers of a column in the range of `T`.
type Narrow<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

impl<'a> Plies<'a> {
    /// Finds the columns of `count` plies and checks them.
    pub(super) fn read(reader: &ColumnReader<'a>, count: usize) -> Result<Self, ShardError> {
        let visit_names = ["visit_form", "visit_set", "visit_len", "visit_gap"];
        let visits = MoveLists::read(visit_names, reader, count)?;
        // The last count of a ply is what the others leave of its sum.
        let stored = visits.entries - visits.not_empty;
        let given = narrow(reader, "target_given", count)?;
        let present = given.filter(|&given: &u8| given != 0).count();
        let target_names = ["target_form", "target_set", "target_len", "target_gap"];
        let targets = MoveLists::read(target_names, reader, present)?;
        Ok(Self {
            moves: narrow(reader, "move", count)?,
            networks: narrow(reader, "network", count)?,
            kinds: reader.stream("kind", count)?,
            budgets: narrow(reader, "budget", count)?,
            flags: narrow(reader, "flags", count)?,
            wins: narrow(reader, "root_win", count)?,
            draws: narrow(reader, "root_draw", count)?,
            weights: narrow(reader, "weight", count)?,
            sums: reader.stream("visit_sum", count)?,
            counts: narrow(reader, "visit_count", stored)?,
            given: narrow(reader, "target_given", count)?,
            shares: narrow(reader, "target_share", targets.entries)?,
            bytes: unpacked(count, visits.entries, targets.entries),
            scratch: Vec::new(),
            visits,
            targets,
        })
    }

    /// Bytes of memory that all plies take.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next ply.
    pub(super) fn ply(&mut self) -> Result<PlyRecord, ShardError> {
        let value = self.wins.next().zip(self.draws.next());
        let value = value.map(|(win, draw)| WdlShares { win, draw });
        let value = value.filter(|value| value.is_valid());
        let kind = self.kinds.next().and_then(kind_of);
        let visits = self.next_visits()?;
        let target = self.next_target()?;
        let columns = || {
            Some(PlyRecord {
                mv: Move(self.moves.next()?),
                network: self.networks.next()?,
                kind: kind?,
                budget: self.budgets.next()?,
                visits,
                root_value: value?.wdl(),
                flags: self.flags.next()?,
                weight: Weight(self.weights.next()?).get(),
                target,
            })
        };
        columns().ok_or_else(|| ShardError::damaged("a ply of a frame"))
    }

    fn next_visits(&mut self) -> Result<Vec<(Move, u32)>, ShardError> {
        self.visits.next_into(&mut self.scratch)?;
        let mut left = self.sums.next();
        let mut visits = Vec::with_capacity(self.scratch.len());
        let last = self.scratch.len().saturating_sub(1);
        for (i, &mv) in self.scratch.iter().enumerate() {
            let rest = left.and_then(|left| u32::try_from(left).ok());
            let count = if i == last { rest } else { self.counts.next() };
            let count = count.filter(|&count| count > 0);
            let count = count.ok_or_else(|| ShardError::damaged("visit counts"))?;
            left = left.and_then(|left| left.checked_sub(u64::from(count)));
            visits.push((mv, count));
        }
        if left != Some(0) {
            return Err(ShardError::damaged("visit counts do not sum to their total"));
        }
        Ok(visits)
    }

    fn next_target(&mut self) -> Result<Option<Target>, ShardError> {
        if self.given.next().is_none_or(|given| given == 0) {
            return Ok(None);
        }
        self.targets.next_into(&mut self.scratch)?;
        let mut target = Vec::with_capacity(self.scratch.len());
        target.extend(self.scratch.iter().copied().zip(&mut self.shares));
        Ok(Some(target))
    }
}

fn narrow<'a, T: TryFrom<u64> + 'a>(
    reader: &ColumnReader<'a>,
    name: &str,
    count: usize,
) -> Result<Narrow<'a, T>, ShardError> {
    Ok(Box::new(reader.narrow_stream(name, count)?))
}

/// Ascending lists of moves, unpacked one at a time.
struct MoveLists<'a> {
    form: Form<'a>,
    /// Moves in all lists.
    entries: usize,
    /// Lists with a move or more.
    not_empty: usize,
}

enum Form<'a> {
    Masks(Narrow<'a, u16>),
    Gaps { lengths: Numbers<'a>, gaps: Numbers<'a> },
}

impl<'a> MoveLists<'a> {
    /// Finds the columns of `count` lists.
    fn read(
        [form, set, len, gap]: [&'static str; 4],
        reader: &ColumnReader<'a>,
        count: usize,
    ) -> Result<Self, ShardError> {
        if reader.numbers(form, 1)? == [1] {
            let masks = narrow::<u16>(reader, set, count)?;
            let mut entries = 0;
            let mut not_empty = 0;
            for mask in masks {
                entries += mask.count_ones() as usize;
                not_empty += usize::from(mask != 0);
            }
            let form = Form::Masks(narrow(reader, set, count)?);
            return Ok(Self { form, entries, not_empty });
        }
        let lengths = reader.stream(len, count)?;
        let entries = total(lengths.clone())?;
        let not_empty = lengths.clone().filter(|&length| length > 0).count();
        let gaps = reader.stream(gap, entries)?;
        Ok(Self { form: Form::Gaps { lengths, gaps }, entries, not_empty })
    }

    /// Puts the moves of the next list in the place of what `list` holds.
    fn next_into(&mut self, list: &mut Vec<Move>) -> Result<(), ShardError> {
        list.clear();
        match &mut self.form {
            Form::Masks(masks) => {
                let mask = masks.next().unwrap_or(0);
                list.extend((0..16).filter(|bit| mask >> bit & 1 == 1).map(Move));
            }
            Form::Gaps { lengths, gaps } => {
                let mut next = 0_u64;
                let length = lengths.next().unwrap_or(0);
                for gap in gaps.take(length as usize) {
                    let mv = next.checked_add(gap).and_then(|mv| u16::try_from(mv).ok());
                    let mv = mv.ok_or_else(|| ShardError::damaged("a list of moves"))?;
                    list.push(Move(mv));
                    next = u64::from(mv) + 1;
                }
            }
        }
        Ok(())
    }
}
