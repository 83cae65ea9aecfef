//! Pass 2, second half: sampled buckets to shuffled files, in bounded memory.

use std::{collections::BTreeMap, io::Write, ops::Range};

use anyhow::Context;
use dz_shard::{
    PackedRows, ROW_LEVEL, RowBlock, RowFileHeader, RowReader, RowWriter, ShardError,
    container::Footer,
};
use rayon::prelude::*;

use crate::{
    hash::{Purpose, hash},
    sample::{Pick, Sample},
    segments::SegmentFile,
};

/// Rows of a frame in the files that the trainer reads: what it decodes at once.
pub const FRAME_ROWS: u64 = 4096;

/// Mixes sampled rows and writes them to files.
#[derive(Clone, Debug)]
pub struct Mixer<'a> {
    /// Header of row files of the game; set, number and cycle are filled in here.
    pub header: &'a RowFileHeader,
    /// The window that was sampled from.
    pub window: &'a [SegmentFile],
    /// Rows that are mixed at once: this many rows are in memory, whatever the window's size.
    pub mixed_rows: u64,
    /// Rows of each file, except the last.
    pub rows_per_file: u64,
    /// Number of the first file.
    pub first_file: u64,
}

/// A row among those that are mixed, with all that its order depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    key: u64,
    shard: u64,
    game: u64,
    ply: u16,
    block: u32,
    row: u32,
}

impl Mixer<'_> {
    /// Writes all rows of several samples of one set, one sample after another. `create` makes the
    /// output of file `number` (from [`Mixer::first_file`]) and `finish` takes each back when it is
    /// complete, in order.
    ///
    /// # Errors
    /// If a segment file is damaged or an output fails.
    pub fn write<W: Write>(
        &self,
        samples: &[Sample],
        mut create: impl FnMut(u64) -> anyhow::Result<W>,
        mut finish: impl FnMut(W, Footer) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut open: Option<RowWriter<W>> = None;
        let mut files = self.first_file;
        let mut left = 0;
        let mut close = |writer: RowWriter<W>| -> anyhow::Result<()> {
            let (out, footer) = writer.finish()?;
            finish(out, footer)
        };
        let groups = samples.iter().flat_map(|sample| {
            sample.groups(self.mixed_rows).into_iter().map(move |group| (sample, group))
        });
        for (sample, group) in groups {
            let (blocks, order) = self.load(sample, &group)?;
            for (range, frame) in frames(&blocks, &order, left, self.rows_per_file)? {
                let mut writer = match open.take() {
                    Some(writer) if left > 0 => writer,
                    done => {
                        done.map(&mut close).transpose()?;
                        let header = RowFileHeader {
                            set: sample.set,
                            number: files,
                            cycle: sample.cycle,
                            ..self.header.clone()
                        };
                        files += 1;
                        left = self.rows_per_file;
                        RowWriter::new(create(files - 1)?, &header, ROW_LEVEL)?
                    }
                };
                writer.push_packed(&frame)?;
                left -= range.len() as u64;
                open = Some(writer);
            }
        }
        open.map(close).transpose()?;
        Ok(())
    }

    /// Reads the rows of a group of picks and finds their order.
    fn load(&self, sample: &Sample, group: &[Pick]) -> anyhow::Result<(Vec<RowBlock>, Vec<Place>)> {
        let mut by_file: BTreeMap<u32, Vec<Pick>> = BTreeMap::new();
        for &pick in group {
            by_file.entry(pick.file).or_default().push(pick);
        }
        let by_file: Vec<(u32, Vec<Pick>)> = by_file.into_iter().collect();
        let read = |(file, picks): &(u32, Vec<Pick>)| {
            self.read(sample, &self.window[*file as usize], picks)
        };
        let loaded: Vec<(u64, RowBlock)> =
            by_file.par_iter().map(read).collect::<anyhow::Result<_>>()?;
        let mut order = Vec::new();
        let mut blocks = Vec::with_capacity(loaded.len());
        for (b, (shard, block)) in loaded.into_iter().enumerate() {
            order.extend((0..block.len()).map(|i| {
                let (game, ply) = block.id(i);
                let words = [sample.cycle, shard, game, u64::from(ply)];
                let mut longer = [0; 5];
                let words = sample.words(&words, &mut longer);
                let key = hash(self.header.seed, Purpose::Order, words);
                Place { key, shard, game, ply, block: b as u32, row: i as u32 }
            }));
            blocks.push(block);
        }
        order.par_sort_unstable();
        Ok((blocks, order))
    }

    /// The rows of one shard's picks.
    fn read(
        &self,
        sample: &Sample,
        segments: &SegmentFile,
        picks: &[Pick],
    ) -> anyhow::Result<(u64, RowBlock)> {
        let path = &segments.buckets(sample.set).path;
        let run = || {
            let mut reader = RowReader::open(path)?;
            let mut rows = RowBlock::new(self.header.shape);
            for pick in picks {
                let block = reader.block(pick.bucket as usize).map_err(|error| error.at(path))?;
                let whole = block.len() as u64 == u64::from(pick.to - pick.from);
                if whole {
                    rows.append(&block)?;
                } else {
                    for i in self.part(sample, segments.id, &block, pick) {
                        rows.push(&block.row(i));
                    }
                }
            }
            Ok::<_, ShardError>(rows)
        };
        let rows = run().with_context(|| format!("reading the segment {}", path.display()))?;
        Ok((segments.id, rows))
    }

    /// Which rows of a bucket belong to a part of it.
    fn part(&self, sample: &Sample, shard: u64, block: &RowBlock, pick: &Pick) -> Vec<usize> {
        let key = |&i: &usize| {
            let (game, ply) = block.id(i);
            let words = [sample.cycle, shard, game, u64::from(ply)];
            let mut longer = [0; 5];
            let words = sample.words(&words, &mut longer);
            (hash(self.header.seed, Purpose::Part, words), game, ply)
        };
        let mut ranked: Vec<usize> = (0..block.len()).collect();
        ranked.sort_unstable_by_key(key);
        ranked.truncate(pick.to as usize);
        ranked.drain(..(pick.from as usize).min(ranked.len()));
        ranked
    }
}

/// Compresses ordered rows as frames that end where files end; `left` rows fit into the open file.
fn frames(
    blocks: &[RowBlock],
    order: &[Place],
    left: u64,
    rows_per_file: u64,
) -> Result<Vec<(Range<usize>, PackedRows)>, ShardError> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut room = left;
    while start < order.len() {
        if room == 0 {
            room = rows_per_file;
        }
        let end = order.len().min(start + room.min(FRAME_ROWS) as usize);
        ranges.push(start..end);
        room -= (end - start) as u64;
        start = end;
    }
    let pack = |range: Range<usize>| {
        let mut rows = RowBlock::new(blocks[order[range.start].block as usize].shape());
        for place in &order[range.clone()] {
            rows.push(&blocks[place.block as usize].row(place.row as usize));
        }
        Ok((range, PackedRows::new(&rows, ROW_LEVEL)?))
    };
    ranges.into_par_iter().map(pack).collect()
}
