//! Columns of auxiliary targets, in memory and in files. A head whose target the rows do not carry
//! has no column.

use dz_aux_heads::{HORIZONS, TargetColumn};
use dz_game::PlaneShape;

use crate::{
    AuxTargets, Head, RowShape, ShardError, WdlShares,
    aux_targets::ownership_shape,
    columns::{ColumnReader, Columns, ends},
};

/// The auxiliary targets of a block's rows. Columns of heads that its shape does not name stay
/// empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AuxColumns {
    /// Where each row's entries end.
    reply_ends: Vec<u32>,
    reply_index: Vec<u16>,
    reply_share: Vec<u16>,
    short_term: Vec<[WdlShares; HORIZONS]>,
    /// 0 where it is not known: a row has at least its own ply left.
    plies_left: Vec<u16>,
    margin: Vec<Option<i16>>,
    ownership_known: Vec<bool>,
    /// As many bytes for each row, 0 where it is not known.
    ownership: Vec<u8>,
}

impl AuxColumns {
    /// Row `i` of a block of `shape`.
    pub(crate) fn get(&self, shape: RowShape, i: usize) -> AuxTargets<'_> {
        let has = |target| shape.targets.has(target);
        let mut row = AuxTargets::default();
        if has(Head::Reply) {
            let start = if i == 0 { 0 } else { self.reply_ends[i - 1] as usize };
            let end = self.reply_ends[i] as usize;
            row.reply_index = &self.reply_index[start..end];
            row.reply_share = &self.reply_share[start..end];
        }
        if has(Head::ShortTerm) {
            row.short_term = Some(self.short_term[i]);
        }
        if has(Head::PliesLeft) {
            row.plies_left = Some(self.plies_left[i]).filter(|&plies| plies > 0);
        }
        if has(Head::Margin) {
            row.margin = self.margin[i];
        }
        if has(Head::Ownership) && self.ownership_known[i] {
            let bytes = ownership_bytes(shape.planes);
            row.ownership = Some(&self.ownership[i * bytes..(i + 1) * bytes]);
        }
        row
    }

    /// Adds a row of a block of `shape`; what that does not carry is left out.
    pub(crate) fn push(&mut self, shape: RowShape, row: &AuxTargets<'_>) {
        for column in shape.targets.columns() {
            match column {
                TargetColumn::Reply => {
                    self.reply_index.extend_from_slice(row.reply_index);
                    self.reply_share.extend_from_slice(row.reply_share);
                    self.reply_ends.push(self.reply_index.len() as u32);
                }
                TargetColumn::ShortTerm => self.short_term.push(row.short_term.unwrap_or_default()),
                TargetColumn::PliesLeft => self.plies_left.push(row.plies_left.unwrap_or(0)),
                TargetColumn::Margin => self.margin.push(row.margin),
                TargetColumn::Ownership => {
                    let end = self.ownership.len() + ownership_bytes(shape.planes);
                    self.ownership_known.push(row.ownership.is_some());
                    self.ownership.extend_from_slice(row.ownership.unwrap_or_default());
                    debug_assert!(row.ownership.is_none() || self.ownership.len() == end);
                    self.ownership.resize(end, 0);
                }
            }
        }
    }

    /// Bytes in memory of a row's auxiliary targets, without entries of replies.
    pub(crate) fn row_bytes(shape: RowShape) -> usize {
        let bytes = shape.targets.columns().map(|column| match column {
            TargetColumn::Reply | TargetColumn::Margin => 4,
            TargetColumn::ShortTerm => HORIZONS * 4,
            TargetColumn::PliesLeft => 2,
            TargetColumn::Ownership => ownership_bytes(shape.planes).saturating_add(1),
        });
        bytes.fold(0, usize::saturating_add)
    }

    /// Entries of all replies.
    pub(crate) fn reply_entries(&self) -> usize {
        self.reply_index.len()
    }

    /// Adds the columns of a frame, those that `shape` names.
    pub(crate) fn encode(&self, shape: RowShape, columns: &mut Columns) {
        let wide = |numbers: &[u16]| numbers.iter().map(|&n| u64::from(n)).collect::<Vec<_>>();
        for column in shape.targets.columns() {
            match column {
                TargetColumn::Reply => {
                    let starts = [0].into_iter().chain(self.reply_ends.iter().copied());
                    let lengths = self.reply_ends.iter().zip(starts);
                    columns.numbers("reply_len", lengths.map(|(&end, start)| (end - start).into()));
                    columns.numbers("reply_index", wide(&self.reply_index));
                    columns.numbers("reply_share", wide(&self.reply_share));
                }
                TargetColumn::ShortTerm => {
                    // A horizon after the other, since each has its own spread.
                    let all = (0..HORIZONS).flat_map(|h| self.short_term.iter().map(move |s| s[h]));
                    columns.numbers("short_win", all.clone().map(|wdl| wdl.win.into()));
                    columns.numbers("short_draw", all.map(|wdl| wdl.draw.into()));
                }
                TargetColumn::PliesLeft => columns.numbers("plies_left", wide(&self.plies_left)),
                TargetColumn::Margin => {
                    columns.numbers("margin", self.margin.iter().copied().map(stored_margin));
                }
                TargetColumn::Ownership => {
                    let known = self.ownership_known.iter().map(|&known| u64::from(known));
                    columns.numbers("ownership_known", known);
                    columns.raw("ownership", &self.ownership);
                }
            }
        }
    }

    /// The columns of a frame of `count` rows.
    ///
    /// # Errors
    /// [`ShardError::Damaged`].
    pub(crate) fn decode(
        reader: &ColumnReader<'_>,
        shape: RowShape,
        count: usize,
    ) -> Result<Self, ShardError> {
        let mut columns = Self::default();
        for column in shape.targets.columns() {
            match column {
                TargetColumn::Reply => columns.decode_reply(reader, shape, count)?,
                TargetColumn::ShortTerm => columns.short_term = decode_short_term(reader, count)?,
                TargetColumn::PliesLeft => {
                    columns.plies_left = reader.narrow("plies_left", count)?;
                }
                TargetColumn::Margin => {
                    let stored = reader.stream("margin", count)?;
                    columns.margin = stored.map(margin).collect::<Result<_, _>>()?;
                }
                TargetColumn::Ownership => columns.decode_ownership(reader, shape, count)?,
            }
        }
        Ok(columns)
    }

    fn decode_reply(
        &mut self,
        reader: &ColumnReader<'_>,
        shape: RowShape,
        count: usize,
    ) -> Result<(), ShardError> {
        let (ends, entries) = ends(reader, "reply_len", count)?;
        self.reply_ends = ends;
        self.reply_index = reader.narrow("reply_index", entries)?;
        self.reply_share = reader.narrow("reply_share", entries)?;
        if self.reply_index.iter().any(|&index| usize::from(index) >= shape.policy_len) {
            return Err(ShardError::damaged("a reply's index is out of range"));
        }
        Ok(())
    }

    fn decode_ownership(
        &mut self,
        reader: &ColumnReader<'_>,
        shape: RowShape,
        count: usize,
    ) -> Result<(), ShardError> {
        let known: Vec<u8> = reader.narrow("ownership_known", count)?;
        if known.iter().any(|&known| known > 1) {
            return Err(ShardError::damaged("ownership is known or not"));
        }
        let bytes = ownership_bytes(shape.planes);
        let packed = reader.raw("ownership", count.saturating_mul(bytes))?;
        let area = shape.planes.area();
        if packed.chunks_exact(bytes).any(|row| has_two_owners(row, area)) {
            return Err(ShardError::damaged("a point of two owners"));
        }
        self.ownership_known = known.into_iter().map(|known| known == 1).collect();
        self.ownership = packed.to_vec();
        Ok(())
    }
}

/// Whether a bit is set in both planes of `area` bits.
fn has_two_owners(row: &[u8], area: usize) -> bool {
    // Eight points at a time; of the last ones, bits beyond the planes do not count.
    let octet = |bit: usize| {
        let byte = |at: usize| u16::from(row.get(at).copied().unwrap_or(0));
        (byte(bit / 8) | byte(bit / 8 + 1) << 8) >> (bit % 8) & 0xff
    };
    (0..area).step_by(8).any(|point| {
        let valid = if area - point < 8 { (1 << (area - point)) - 1 } else { 0xff };
        octet(point) & octet(area + point) & valid != 0
    })
}

/// Bytes of a row's ownership.
pub(crate) fn ownership_bytes(planes: PlaneShape) -> usize {
    ownership_shape(planes).packed_bytes()
}

fn decode_short_term(
    reader: &ColumnReader<'_>,
    count: usize,
) -> Result<Vec<[WdlShares; HORIZONS]>, ShardError> {
    let all = count.saturating_mul(HORIZONS);
    let win: Vec<u16> = reader.narrow("short_win", all)?;
    let draw: Vec<u16> = reader.narrow("short_draw", all)?;
    let share = |i: usize| WdlShares { win: win[i], draw: draw[i] };
    if !(0..all).all(|i| share(i).is_valid()) {
        return Err(ShardError::damaged("a short-term value is no distribution"));
    }
    Ok((0..count).map(|i| std::array::from_fn(|h| share(h * count + i))).collect())
}

/// 0 for none; else 1 and the margin with its sign as the lowest bit, so that small margins are
/// small.
fn stored_margin(margin: Option<i16>) -> u64 {
    margin.map_or(0, |margin| {
        let margin = i32::from(margin);
        u64::from(((margin << 1) ^ (margin >> 31)) as u32) + 1
    })
}

/// Undoes [`stored_margin`].
///
/// # Errors
/// [`ShardError::Damaged`] for what it never gives.
fn margin(stored: u64) -> Result<Option<i16>, ShardError> {
    let Some(folded) = stored.checked_sub(1) else { return Ok(None) };
    let folded =
        u16::try_from(folded).map_err(|_| ShardError::damaged("a margin is out of range"))?;
    Ok(Some((folded >> 1) as i16 ^ -((folded & 1) as i16)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowTargets;

    #[test]
    fn every_margin_comes_back_and_small_ones_are_small() {
        for value in (i16::MIN..=i16::MAX).map(Some).chain([None]) {
            assert_eq!(margin(stored_margin(value)).ok(), Some(value));
        }
        let small = [None, Some(0), Some(-1), Some(1), Some(-2)].map(stored_margin);
        assert_eq!(small, [0, 1, 2, 3, 4]);
        assert!(margin(65_537).is_err());
    }

    fn shape() -> RowShape {
        let planes = PlaneShape { channels: 1, height: 3, width: 3, globals: 0 };
        RowShape { planes, policy_len: 4, targets: RowTargets::all() }
    }

    /// The columns of two rows, one of them replaced.
    fn decode(name: &'static str, change: Option<&[u64]>) -> Result<AuxColumns, ShardError> {
        let mut columns = Columns::default();
        for (column, numbers) in [
            ("reply_len", &[2, 1][..]),
            ("reply_index", &[0, 3, 2]),
            ("reply_share", &[1, 65_534, 65_535]),
            ("short_win", &[0, 65_535, 9, 9, 9, 9]),
            ("short_draw", &[65_535, 0, 9, 9, 9, 9]),
            ("plies_left", &[0, 9]),
            ("margin", &[0, 65_536]),
            ("ownership_known", &[0, 1]),
        ] {
            let replaced = change.filter(|_| column == name);
            columns.numbers(column, replaced.unwrap_or(numbers).iter().copied());
        }
        let owners: Vec<u8> = match change.filter(|_| name == "ownership") {
            Some(change) => change.iter().map(|&byte| byte as u8).collect(),
            None => vec![0, 0, 0, 1, 4, 0],
        };
        columns.raw("ownership", &owners);
        let (bytes, _) = columns.to_bytes()?;
        AuxColumns::decode(&ColumnReader::new(&bytes)?, shape(), 2)
    }

    #[test]
    fn columns_out_of_range_are_refused() {
        let good = decode("none", None).expect("good columns");
        let row = good.get(shape(), 1);
        assert_eq!((row.reply_index, row.margin), (&[2][..], Some(i16::MIN)));
        assert_eq!((row.plies_left, row.ownership), (Some(9), Some(&[1, 4, 0][..])));
        assert_eq!((good.get(shape(), 0).plies_left, good.get(shape(), 0).ownership), (None, None));
        for (name, numbers) in [
            ("reply_len", &[2, 2][..]),
            ("reply_len", &[u64::MAX, 3]),
            ("reply_len", &[1 << 40, 1]),
            ("reply_index", &[0, 4, 2]),
            ("reply_share", &[1, 65_536, 2]),
            ("short_win", &[1, 65_535, 9, 9, 9, 9]),
            ("short_win", &[0, 65_535, 9]),
            ("plies_left", &[0, 65_536]),
            ("margin", &[0, 65_537]),
            ("ownership_known", &[0, 2]),
            ("ownership_known", &[0, 1, 0]),
            ("ownership", &[0, 0, 0, 1, 2, 0]),
            ("ownership", &[0, 0, 0, 1, 4]),
        ] {
            let error = decode(name, Some(numbers)).expect_err(name);
            assert!(matches!(error, ShardError::Damaged { .. }), "{name}: {error}");
        }
    }
}
