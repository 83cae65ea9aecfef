//! Files of training rows.

use std::{
    fs::File,
    io::{BufReader, Read, Seek, Write},
    path::Path,
};

use dz_game::{Encoding, Game, PlaneShape};
use serde::{Deserialize, Serialize};

use crate::{
    Head, RowBlock, RowShape, RowTargets, ShardError, SymmetryTables, WdlShares, Weight,
    aux_columns::AuxColumns,
    columns::{ColumnReader, Columns, ends, total},
    container::{DENSE, FileKind, Footer, FrameReader, FrameWriter, PackedFrame},
    symmetry_tables,
};

/// The newest version of the row file format: 2 has auxiliary targets. Files without them are
/// written in version 1.
pub const ROW_FORMAT: u32 = 2;
/// zstd's level for rows: they are read soon and deleted soon.
pub const ROW_LEVEL: i32 = 1;

/// Maximum bits of a row's planes, so that memory can be allocated by the shape in a file: a
/// thousand planes of 64x64.
const BITS_MAX: usize = 1 << 22;

/// Rows of a frame at most: 16 times as many as the shuffler puts into one.
const FRAME_ROWS_MAX: usize = 1 << 16;

const ROW_KIND: FileKind = FileKind { magic: *b"DZROWS\0\0", name: "row file", format: ROW_FORMAT };

/// The purpose of a row file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowSet {
    /// One shard's training rows, scattered: frame `b` is bucket `b`.
    Segments,
    /// Rows that a cycle trains on, shuffled; read in order.
    Train,
    /// Rows of games that are never trained on.
    Validation,
}

/// What all rows of a file share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowFileHeader {
    /// The game with every parameter, canonical.
    pub game: String,
    /// The encoding's id.
    pub encoding: String,
    /// Shape of planes and policy, and the auxiliary targets that rows carry.
    pub shape: RowShape,
    /// What the file is for.
    pub set: RowSet,
    /// The shard's number for segments and a shard's validation rows, else the file's in its cycle.
    pub number: u64,
    /// The cycle that the file was written for; 0 where it serves many.
    pub cycle: u64,
    /// The seed of the shuffle.
    pub seed: u64,
    /// Content hash of the one shard that the rows are from; empty where they are from many.
    pub source: String,
    /// How to turn rows, identity first; a trainer needs no rules for it.
    pub symmetries: Vec<SymmetryTables>,
}

impl RowFileHeader {
    /// The header of a game's rows in its current encoding, with symmetry tables.
    ///
    /// # Errors
    /// [`ShardError::Symmetry`] if the encoding's symmetries are no permutations.
    pub fn new<G: Game>(game: &G, set: RowSet, seed: u64) -> Result<Self, ShardError> {
        let encoding = game.encoding();
        Ok(Self {
            game: game.spec().to_string(),
            encoding: encoding.id(),
            shape: RowShape::of(&encoding),
            set,
            number: 0,
            cycle: 0,
            seed,
            source: String::new(),
            symmetries: symmetry_tables(game)?,
        })
    }

    /// The same for rows that carry auxiliary targets.
    ///
    /// # Errors
    /// [`ShardError::NoTarget`] if the game does not offer one.
    pub fn carrying<G: Game>(self, game: &G, targets: RowTargets) -> Result<Self, ShardError> {
        let shape = self.shape.carrying(targets);
        shape.check_offered(&game.encoding())?;
        Ok(Self { shape, ..self })
    }

    /// The earliest format that can hold this header.
    fn format(&self) -> u32 {
        if self.shape.targets.is_empty() { 1 } else { 2 }
    }
}

/// A compressed frame of rows. Frames are packed on any thread and written in order.
#[derive(Debug)]
pub struct PackedRows {
    frame: PackedFrame,
    shape: RowShape,
}

impl PackedRows {
    /// Compresses `rows`. `level` is zstd's, [`ROW_LEVEL`] unless there is a reason.
    ///
    /// # Errors
    /// [`ShardError::Shape`] if they are more than a frame holds.
    pub fn new(rows: &RowBlock, level: i32) -> Result<Self, ShardError> {
        let frame = PackedFrame::new(&encode(rows), level, 0, rows.len())?;
        let beside_planes = (rows.bytes() - rows.bits.len()) as u64;
        if rows.len() > FRAME_ROWS_MAX || beside_planes > DENSE.bytes_max(frame.bytes()) {
            let what = format!("{} rows, more than a frame holds", rows.len());
            return Err(ShardError::Shape { what });
        }
        Ok(Self { frame, shape: rows.shape })
    }
}

/// Writes row files, a block a frame.
#[derive(Debug)]
pub struct RowWriter<W> {
    frames: FrameWriter<W>,
    shape: RowShape,
}

impl<W: Write> RowWriter<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// [`ShardError::Io`].
    pub fn new(out: W, header: &RowFileHeader, level: i32) -> Result<Self, ShardError> {
        let kind = FileKind { format: header.format(), ..ROW_KIND };
        let frames = FrameWriter::new(out, kind, header, level)?;
        Ok(Self { frames, shape: header.shape })
    }

    /// Writes `rows` as the next frame, empty ones too.
    ///
    /// # Errors
    /// [`ShardError::Shape`] if the shape differs from the header's, [`ShardError::Io`].
    pub fn push(&mut self, rows: &RowBlock) -> Result<(), ShardError> {
        self.push_packed(&PackedRows::new(rows, self.frames.level())?)
    }

    /// Writes rows that were compressed before as the next frame.
    ///
    /// # Errors
    /// As [`RowWriter::push`].
    pub fn push_packed(&mut self, rows: &PackedRows) -> Result<(), ShardError> {
        if rows.shape != self.shape {
            return Err(ShardError::Shape { what: format!("{:?}, {:?}", self.shape, rows.shape) });
        }
        self.frames.push(&rows.frame)
    }

    /// Writes the footer. The caller syncs and publishes the file.
    ///
    /// # Errors
    /// [`ShardError::Io`].
    pub fn finish(self) -> Result<(W, Footer), ShardError> {
        self.frames.finish()
    }
}

/// Reads row files, a frame in memory at a time.
#[derive(Debug)]
pub struct RowReader<R> {
    frames: FrameReader<R>,
    header: RowFileHeader,
}

impl RowReader<BufReader<File>> {
    /// Opens a row file on disk.
    ///
    /// # Errors
    /// As [`RowReader::new`], with the path.
    pub fn open(path: &Path) -> Result<Self, ShardError> {
        let file = dz_text::open_regular(path).map_err(ShardError::io("open the row file"));
        file.and_then(|file| Self::new(BufReader::new(file))).map_err(|error| error.at(path))
    }
}

impl<R: Read + Seek> RowReader<R> {
    /// Reads and checks header and footer.
    ///
    /// # Errors
    /// Every kind of bad file, see [`FrameReader::open`].
    pub fn new(input: R) -> Result<Self, ShardError> {
        let (frames, header): (_, RowFileHeader) = FrameReader::open(input, ROW_KIND)?;
        let PlaneShape { channels, height, width, .. } = header.shape.planes;
        let bits = height.checked_mul(width).and_then(|area| area.checked_mul(channels));
        if !bits.is_some_and(|bits| (1..=BITS_MAX).contains(&bits)) {
            return Err(ShardError::damaged("rows of no possible board"));
        }
        let fits = |tables: &SymmetryTables| tables.fits(header.shape);
        if header.symmetries.is_empty() || !header.symmetries.iter().all(fits) {
            return Err(ShardError::damaged("symmetry tables are no permutations of the shape"));
        }
        Ok(Self { frames, header })
    }

    /// What all rows share.
    pub fn header(&self) -> &RowFileHeader {
        &self.header
    }

    /// The index: frames, totals, hashes.
    pub fn footer(&self) -> &Footer {
        self.frames.footer()
    }

    /// Rows in the file.
    pub fn rows(&self) -> u64 {
        self.footer().positions
    }

    /// Refuses rows of another game or encoding.
    ///
    /// # Errors
    /// [`ShardError::WrongGame`] or [`ShardError::WrongEncoding`].
    pub fn check(&self, game: &str, encoding: &str) -> Result<(), ShardError> {
        if self.header.game != game {
            let expected = game.to_owned();
            let found = self.header.game.clone();
            return Err(ShardError::WrongGame { expected, found });
        }
        if self.header.encoding != encoding {
            let expected = encoding.to_owned();
            let found = self.header.encoding.clone();
            return Err(ShardError::WrongEncoding { expected, found });
        }
        Ok(())
    }

    /// Reads the whole file once and compares all hashes.
    ///
    /// # Errors
    /// [`ShardError::Damaged`].
    pub fn verify(&mut self) -> Result<(), ShardError> {
        self.frames.verify()
    }

    /// The rows of frame `index`.
    ///
    /// # Errors
    /// [`ShardError::Damaged`].
    pub fn block(&mut self, index: usize) -> Result<RowBlock, ShardError> {
        let bytes = self.frames.frame(index)?;
        let rows = self.footer().frames[index].positions as usize;
        let bytes_max = DENSE.bytes_max(self.frames.compressed_bytes(index));
        let raw_bytes = bytes.len();
        let block = decode(bytes, self.header.shape, rows, bytes_max)?;
        self.frames.spend(index, (raw_bytes + block.bytes()) as u64)?;
        Ok(block)
    }

    /// The rows of each frame in order.
    pub fn blocks(&mut self) -> impl Iterator<Item = Result<RowBlock, ShardError>> + '_ {
        (0..self.footer().frames.len()).map(|index| self.block(index))
    }
}

fn encode(rows: &RowBlock) -> Columns {
    let mut columns = Columns::default();
    columns.raw("bits", &rows.bits);
    columns.numbers("global", rows.globals.iter().map(|global| u64::from(global.to_bits())));
    let lengths = rows.rows().map(|row| row.policy_index.len() as u64);
    columns.numbers("policy_len", lengths);
    columns.numbers("policy_index", rows.policy_index.iter().map(|&index| u64::from(index)));
    columns.numbers("policy_share", rows.policy_share.iter().map(|&share| u64::from(share)));
    columns.numbers("outcome_win", rows.outcome.iter().map(|wdl| u64::from(wdl.win)));
    columns.numbers("outcome_draw", rows.outcome.iter().map(|wdl| u64::from(wdl.draw)));
    columns.numbers("root_win", rows.root_value.iter().map(|wdl| u64::from(wdl.win)));
    columns.numbers("root_draw", rows.root_value.iter().map(|wdl| u64::from(wdl.draw)));
    columns.numbers("policy_weight", rows.policy_weight.iter().map(|w| u64::from(w.0)));
    columns.numbers("value_weight", rows.value_weight.iter().map(|w| u64::from(w.0)));
    columns.numbers("game", rows.game.iter().copied());
    columns.numbers("ply", rows.ply.iter().map(|&ply| u64::from(ply)));
    rows.aux.encode(rows.shape, &mut columns);
    columns
}

/// The `count` rows of a decompressed frame.
///
/// # Errors
/// [`ShardError::Damaged`], also where they would take more than `bytes_max` bytes beside their
/// planes.
fn decode(
    mut frame: Vec<u8>,
    shape: RowShape,
    count: usize,
    bytes_max: u64,
) -> Result<RowBlock, ShardError> {
    let reader = ColumnReader::new(&frame)?;
    let bits_len = count.saturating_mul(shape.planes.packed_bytes());
    let bits = reader.raw("bits", bits_len)?;
    let bits_at = bits.as_ptr() as usize - frame.as_ptr() as usize;
    check_memory(&reader, shape, count, bytes_max)?;
    let wdl = |win: &str, draw: &str| wdl_shares(&reader, win, draw, count);
    let (policy_ends, entries) = ends(&reader, "policy_len", count)?;
    let policy_index: Vec<u16> = reader.narrow("policy_index", entries)?;
    if policy_index.iter().any(|&index| usize::from(index) >= shape.policy_len) {
        return Err(ShardError::damaged("a policy index is out of range"));
    }
    let globals = reader.narrow_stream("global", count.saturating_mul(shape.planes.globals))?;
    let weights =
        |name: &str| Ok::<_, ShardError>(reader.narrow_stream(name, count)?.map(Weight).collect());
    let mut block = RowBlock {
        shape,
        bits: Vec::new(),
        globals: globals.map(f32::from_bits).collect(),
        policy_ends,
        policy_index,
        policy_share: reader.narrow("policy_share", entries)?,
        outcome: wdl("outcome_win", "outcome_draw")?,
        root_value: wdl("root_win", "root_draw")?,
        policy_weight: weights("policy_weight")?,
        value_weight: weights("value_weight")?,
        game: reader.numbers("game", count)?,
        ply: reader.narrow("ply", count)?,
        aux: AuxColumns::decode(&reader, shape, count)?,
    };
    // The planes are most of the frame, so they are not copied.
    frame.truncate(bits_at + bits_len);
    frame.drain(..bits_at);
    frame.shrink_to_fit();
    block.bits = frame;
    Ok(block)
}

/// Refuses rows that would take more memory beside their planes than `bytes_max`.
fn check_memory(
    reader: &ColumnReader<'_>,
    shape: RowShape,
    count: usize,
    bytes_max: u64,
) -> Result<(), ShardError> {
    let policy = total(reader.stream("policy_len", count)?)?;
    let reply =
        if shape.targets.has(Head::Reply) { total(reader.stream("reply_len", count)?)? } else { 0 };
    let bytes = RowBlock::bytes_beside_planes(shape, count, [policy, reply]);
    if count > FRAME_ROWS_MAX || bytes > bytes_max {
        return Err(ShardError::damaged(format!(
            "a frame of {count} rows that take {bytes} bytes beside their planes; \
             at most {FRAME_ROWS_MAX} rows and {bytes_max} bytes fit in a frame of its length"
        )));
    }
    Ok(())
}

/// Two columns as distributions.
fn wdl_shares(
    reader: &ColumnReader<'_>,
    win: &str,
    draw: &str,
    count: usize,
) -> Result<Vec<WdlShares>, ShardError> {
    let shares = reader.narrow_stream(win, count)?.zip(reader.narrow_stream(draw, count)?);
    let shares: Vec<_> = shares.map(|(win, draw)| WdlShares { win, draw }).collect();
    let valid = shares.iter().all(|shares| shares.is_valid());
    valid.then_some(shares).ok_or_else(|| ShardError::damaged("a value is no distribution"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specification_names_every_column() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/README.md");
        let page = std::fs::read_to_string(page).expect("data/README.md is in the repository");
        let rows = &page[page.find("### Row files").unwrap()..page.find("## Networks").unwrap()];
        let game = dz_game::games::Connect4::new(7, 6, 4).unwrap();
        let shape = RowShape::of(&game.encoding()).carrying(RowTargets::all());
        for name in encode(&RowBlock::new(shape)).names() {
            assert!(rows.contains(&format!("`{name}`")), "{name} is not specified");
        }
    }
}
