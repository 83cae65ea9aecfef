//! Columns of whole numbers as bytes that compress well.
//!
//! A column is a tag and a body; how many numbers it holds is known to the reader:
//!
//! | tag | body |
//! |---|---|
//! | 0 | one LEB128 number: all are equal |
//! | 1 | a byte each, 255 standing for an escape; then LEB128 of `n - 255` for each escape |
//! | 2..=9 | `tag - 1` byte planes, most significant first |
//! | 10 | raw bytes (bit-packed planes) |
//!
//! An empty column has no bytes at all.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_bytes::Bytes;

use crate::{ShardError, container::FRAME_BYTES_MAX};

const CONSTANT: u8 = 0;
const ESCAPED: u8 = 1;
const RAW: u8 = 10;
const ESCAPE: u8 = u8::MAX;
/// Begins a MessagePack map of up to 65,535 pairs. Writers never need more.
const MAP_16: u8 = 0xde;
/// Begins a MessagePack map of more pairs than that.
const MAP_32: u8 = 0xdf;

/// The columns of one frame, in the order of writing.
#[derive(Debug, Default)]
pub struct Columns {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    name: &'static str,
    bytes: Vec<u8>,
    /// Where byte planes start inside `bytes`: good places to end a zstd block.
    cuts: Vec<usize>,
}

impl Columns {
    /// Adds a column of numbers, in the form that suits them.
    pub fn numbers(&mut self, name: &'static str, values: impl IntoIterator<Item = u64>) {
        let values: Vec<u64> = values.into_iter().collect();
        let column = pack(name, &values);
        self.columns.push(column);
    }

    /// Adds a column of differences: the first number, then each minus the one before.
    pub fn differences(&mut self, name: &'static str, values: impl IntoIterator<Item = u64>) {
        let mut last = 0_u64;
        let steps = values.into_iter().map(|value| {
            let step = value.wrapping_sub(last);
            last = value;
            step
        });
        let steps: Vec<u64> = steps.collect();
        // The first number apart, so that equal steps are a constant column.
        let (first, rest) = steps.split_at(steps.len().min(1));
        let mut column = pack(name, first);
        let rest = pack(name, rest);
        let start = column.bytes.len();
        column.bytes.extend(rest.bytes);
        column.cuts = rest.cuts.iter().map(|cut| cut + start).collect();
        self.columns.push(column);
    }

    /// Adds a column of bytes as they are.
    pub fn raw(&mut self, name: &'static str, bytes: &[u8]) {
        let mut column = Vec::with_capacity(bytes.len() + 1);
        column.push(RAW);
        column.extend(bytes);
        self.columns.push(Column { name, bytes: column, cuts: Vec::new() });
    }

    /// Names in the order of writing.
    #[cfg(test)]
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|column| column.name).collect()
    }

    /// The MessagePack map, and where in it columns and byte planes end.
    pub(crate) fn to_bytes(&self) -> Result<(Vec<u8>, Vec<usize>), ShardError> {
        let mut out = Vec::new();
        let mut cuts = Vec::new();
        // A MessagePack map of 16-bit length, then its pairs.
        out.push(MAP_16);
        out.extend((self.columns.len() as u16).to_be_bytes());
        for column in &self.columns {
            let failed = |error| ShardError::Shape { what: format!("{}: {error}", column.name) };
            rmp_serde::encode::write(&mut out, column.name).map_err(failed)?;
            Bytes::new(&column.bytes)
                .serialize(&mut rmp_serde::Serializer::new(&mut out))
                .map_err(failed)?;
            let start = out.len() - column.bytes.len();
            cuts.extend(column.cuts.iter().map(|cut| start + cut));
            cuts.push(out.len());
        }
        Ok((out, cuts))
    }
}

/// The columns of a decompressed frame.
#[derive(Debug)]
pub struct ColumnReader<'a> {
    columns: BTreeMap<&'a str, &'a Bytes>,
}

impl<'a> ColumnReader<'a> {
    /// Reads the map.
    ///
    /// # Errors
    /// [`ShardError::Damaged`], also for a map of more than 65,535 columns: a column costs more
    /// memory than bytes.
    pub fn new(frame: &'a [u8]) -> Result<Self, ShardError> {
        if frame.first() == Some(&MAP_32) {
            return Err(ShardError::damaged("a frame of more columns than there are"));
        }
        let columns = rmp_serde::from_slice(frame)
            .map_err(|error| ShardError::damaged(format!("a frame's columns: {error}")))?;
        Ok(Self { columns })
    }

    /// The `count` numbers of a column, one by one: a few bytes may stand for any number of them.
    ///
    /// # Errors
    /// [`ShardError::Damaged`] unless the column has its form and exactly so many numbers.
    pub fn stream(&self, name: &str, count: usize) -> Result<Numbers<'a>, ShardError> {
        let mut bytes = self.column(name)?;
        let numbers = Numbers::take(&mut bytes, count).ok_or_else(|| bad_column(name))?;
        if bytes.is_empty() { Ok(numbers) } else { Err(bad_column(name)) }
    }

    /// As [`Self::stream`], each in the range of `T`.
    pub fn narrow_stream<T: TryFrom<u64>>(
        &self,
        name: &str,
        count: usize,
    ) -> Result<impl Iterator<Item = T> + use<'a, T>, ShardError> {
        let numbers = self.stream(name, count)?;
        if !numbers.clone().all(|value| T::try_from(value).is_ok()) {
            return Err(bad_column(name));
        }
        Ok(numbers.map_while(|value| T::try_from(value).ok()))
    }

    /// The `count` numbers of a column; the caller has found room for them.
    pub fn numbers(&self, name: &str, count: usize) -> Result<Vec<u64>, ShardError> {
        Ok(self.stream(name, count)?.collect())
    }

    /// As [`Self::numbers`], each in the range of `T`.
    pub fn narrow<T: TryFrom<u64>>(&self, name: &str, count: usize) -> Result<Vec<T>, ShardError> {
        let numbers = self.narrow_stream(name, count)?;
        let mut values = Vec::with_capacity(count);
        values.extend(numbers);
        Ok(values)
    }

    /// The `count` numbers of a column of differences.
    pub fn differences(&self, name: &str, count: usize) -> Result<Vec<u64>, ShardError> {
        let mut bytes = self.column(name)?;
        let first = Numbers::take(&mut bytes, count.min(1)).ok_or_else(|| bad_column(name))?;
        let rest = count.saturating_sub(1);
        let rest = Numbers::take(&mut bytes, rest).ok_or_else(|| bad_column(name))?;
        if !bytes.is_empty() {
            return Err(bad_column(name));
        }
        let mut last = 0_u64;
        let sum = |step: u64| {
            last = last.wrapping_add(step);
            last
        };
        Ok(first.chain(rest).map(sum).collect())
    }

    /// The `count` bytes of a raw column.
    pub fn raw(&self, name: &str, count: usize) -> Result<&'a [u8], ShardError> {
        match self.column(name)?.split_first() {
            Some((&RAW, body)) if body.len() == count => Ok(body),
            _ => Err(bad_column(name)),
        }
    }

    fn column(&self, name: &str) -> Result<&'a [u8], ShardError> {
        let missing = || ShardError::damaged(format!("column '{name}' is missing"));
        let &bytes: &&'a Bytes = self.columns.get(name).ok_or_else(missing)?;
        Ok(bytes)
    }
}

/// Sum of lengths, refused where it could exhaust memory.
pub fn total(mut lengths: impl Iterator<Item = u64>) -> Result<usize, ShardError> {
    let sum = lengths.try_fold(0_u64, u64::checked_add);
    match sum {
        Some(sum) if sum <= FRAME_BYTES_MAX as u64 => Ok(sum as usize),
        _ => Err(ShardError::damaged("a frame with more elements than fit in it")),
    }
}

fn bad_column(name: &str) -> ShardError {
    ShardError::damaged(format!("column '{name}' is not in its form"))
}

fn pack(name: &'static str, values: &[u64]) -> Column {
    let mut bytes = Vec::new();
    let mut cuts = Vec::new();
    let Some(&first) = values.first() else { return Column { name, bytes, cuts } };
    let top = values.iter().copied().max().unwrap_or(0);
    let escapes = values.iter().filter(|&&value| value >= u64::from(ESCAPE)).count();
    if values.iter().all(|&value| value == first) {
        bytes.push(CONSTANT);
        put_leb(&mut bytes, first);
    } else if escapes * 8 <= values.len() {
        bytes.push(ESCAPED);
        bytes.extend(values.iter().map(|&value| value.min(u64::from(ESCAPE)) as u8));
        cuts.push(bytes.len());
        for &value in values.iter().filter(|&&value| value >= u64::from(ESCAPE)) {
            put_leb(&mut bytes, value - u64::from(ESCAPE));
        }
    } else {
        let width = (u64::BITS - top.leading_zeros()).div_ceil(8);
        bytes.push(width as u8 + 1);
        for plane in (0..width).rev() {
            bytes.extend(values.iter().map(|&value| (value >> (8 * plane)) as u8));
            cuts.push(bytes.len());
        }
    }
    Column { name, bytes, cuts }
}

/// The numbers of one column, unpacked one at a time.
#[derive(Clone, Debug)]
pub struct Numbers<'a> {
    form: Form<'a>,
    /// How many are left.
    left: usize,
}

#[derive(Clone, Debug)]
enum Form<'a> {
    Constant(u64),
    Escaped {
        low: &'a [u8],
        wide: &'a [u8],
    },
    /// Byte planes of `count` bytes each, most significant first.
    Planes {
        planes: &'a [u8],
        count: usize,
    },
}

impl<'a> Numbers<'a> {
    /// Takes one column of `count` numbers off `bytes`; `None` unless all of them are there.
    fn take(bytes: &mut &'a [u8], count: usize) -> Option<Self> {
        if count == 0 {
            return Some(Self { form: Form::Constant(0), left: 0 });
        }
        if count > FRAME_BYTES_MAX {
            return None;
        }
        let (&tag, body) = bytes.split_first()?;
        *bytes = body;
        let form = match tag {
            CONSTANT => Form::Constant(take_leb(bytes)?),
            ESCAPED => {
                let low = bytes.split_off(..count)?;
                let wide = *bytes;
                for _ in low.iter().filter(|&&byte| byte == ESCAPE) {
                    take_leb(bytes)?.checked_add(u64::from(ESCAPE))?;
                }
                Form::Escaped { low, wide }
            }
            2..=9 => {
                let planes = bytes.split_off(..count * usize::from(tag - 1))?;
                Form::Planes { planes, count }
            }
            _ => return None,
        };
        Some(Self { form, left: count })
    }
}

impl Iterator for Numbers<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let left = self.left.checked_sub(1)?;
        let value = match &mut self.form {
            Form::Constant(value) => *value,
            Form::Escaped { low, wide } => match *low.split_off_first()? {
                ESCAPE => take_leb(wide)?.checked_add(u64::from(ESCAPE))?,
                byte => u64::from(byte),
            },
            Form::Planes { planes, count } => {
                let at = *count - self.left;
                let bytes = planes[at..].iter().step_by(*count);
                bytes.fold(0, |value, &byte| value << 8 | u64::from(byte))
            }
        };
        self.left = left;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Numbers<'_> {}

fn put_leb(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn take_leb(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        if shift == 63 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Where each row's entries end, and how many there are in all.
pub(crate) fn ends(
    reader: &ColumnReader<'_>,
    lengths: &str,
    count: usize,
) -> Result<(Vec<u32>, usize), ShardError> {
    let lengths = reader.stream(lengths, count)?;
    let entries = total(lengths.clone())?;
    let mut end = 0_u32;
    let ends = lengths.map(|length| {
        end += length as u32;
        end
    });
    Ok((ends.collect(), entries))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in prop::collection::vec(prop_oneof![
            0..4_u64, 200..300_u64, any::<u64>()], 0..200), constant in any::<u64>())
        {
            let mut columns = Columns::default();
            columns.numbers("a", values.iter().copied());
            columns.differences("b", values.iter().copied());
            columns.numbers("c", values.iter().map(|_| constant));
            columns.numbers("d", values.iter().map(|value| value & 0xff));
            let (bytes, _) = columns.to_bytes().unwrap();
            let reader = ColumnReader::new(&bytes).unwrap();
            prop_assert_eq!(&reader.numbers("a", values.len()).unwrap(), &values);
            prop_assert_eq!(&reader.differences("b", values.len()).unwrap(), &values);
            prop_assert_eq!(reader.numbers("c", values.len()).unwrap(), vec![constant; values.len()]);
            let low: Vec<u64> = values.iter().map(|value| value & 0xff).collect();
            prop_assert_eq!(reader.numbers("d", values.len()).unwrap(), low);
            prop_assert!(reader.numbers("e", values.len()).is_err());
        }

        #[test]
        fn any_bytes_are_refused_or_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60),
            count in 0..40_usize)
        {
            let mut rest = bytes.as_slice();
            let _ = Numbers::take(&mut rest, count).map(Iterator::count);
            let _ = ColumnReader::new(&bytes);
        }
    }

    #[test]
    fn constant_columns_take_two_bytes() {
        assert_eq!(pack("a", &[7; 1000]).bytes, [CONSTANT, 7]);
        assert!(pack("a", &[]).bytes.is_empty());
    }
}
