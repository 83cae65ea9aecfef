//! Pass 1: one shard's games to scattered rows.

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use dz_game::{Game, hash_below, hash_unit};
use dz_shard::{
    GameRecord, PackedRows, ROW_LEVEL, RowBlock, RowFileHeader, RowReader, RowSet, RowWriter,
    ShardError, ShardReader, rows_of_game,
};
use dz_store::{Writes, open_own, rename_own};
use rayon::prelude::*;

use crate::hash::{Purpose, hash};

/// Rows of a bucket on average: what is read at once, and how finely a cycle samples.
pub const BUCKET_ROWS: u64 = 256;

/// A published shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in all hashes; greater is newer.
    pub id: u64,
    /// Games in it.
    pub games: u64,
    /// The file.
    pub path: PathBuf,
}

/// A shard's rows after pass 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentFile {
    /// The shard's id.
    pub id: u64,
    /// Games of the shard, validation included.
    pub games: u64,
    /// Rows to train on.
    pub train: Buckets,
    /// Rows to validate on.
    pub validation: Buckets,
}

/// One segment file: each bucket is a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The file.
    pub path: PathBuf,
    /// Rows of each bucket.
    pub rows: Vec<u32>,
}

impl Buckets {
    /// Rows of all buckets.
    pub fn total(&self) -> u64 {
        self.rows.iter().map(|&rows| u64::from(rows)).sum()
    }

    /// Opens a file that pass 1 wrote earlier; `None` unless it is whole and has this header.
    fn open(path: &Path, header: &RowFileHeader) -> Option<Self> {
        let reader = RowReader::open(path).ok()?;
        let rows = reader.footer().frames.iter().map(|frame| frame.positions).collect();
        (reader.header() == header).then(|| Self { path: path.to_owned(), rows })
    }
}

impl SegmentFile {
    /// The buckets of a set.
    pub fn buckets(&self, set: RowSet) -> &Buckets {
        if set == RowSet::Validation { &self.validation } else { &self.train }
    }

    /// The shard's id in the name of a segment file, with one of these endings; `None` for any
    /// other name.
    pub fn id_of(name: &str, endings: &[&str]) -> Option<u64> {
        let (id, rest) = name.split_at_checked(20)?;
        let ending = rest.strip_prefix("-train").or_else(|| rest.strip_prefix("-validation"))?;
        let is_number = id.bytes().all(|b| b.is_ascii_digit());
        (is_number && endings.contains(&ending)).then(|| id.parse().ok())?
    }

    /// Paths of a shard's two segment files in `folder`.
    pub fn paths(folder: &Path, id: u64) -> [PathBuf; 2] {
        ["train", "validation"].map(|set| folder.join(format!("{id:020}-{set}.dzr")))
    }
}

/// Does pass 1 for shards of one game.
#[derive(Clone, Debug)]
pub struct Scatter<'a, G> {
    /// The game.
    pub game: &'a G,
    /// Header of row files of this game; set, number and source are filled in here.
    pub header: &'a RowFileHeader,
    /// Where segment files are kept.
    pub folder: &'a Path,
    /// Share of the games whose rows are for validation.
    pub validation_share: f64,
}

impl<G: Game> Scatter<'_, G> {
    /// The shard's segments, from disk if an earlier call finished them, else made now.
    ///
    /// # Errors
    /// If the shard is damaged, of another game or against the rules; no part of it is used then.
    pub fn shard(&self, source: &Source) -> anyhow::Result<SegmentFile> {
        let run = || {
            let mut reader = ShardReader::open(&source.path)?;
            let content = reader.footer().content_hex();
            if let Some(found) = self.find(source, &content) {
                return Ok(found);
            }
            reader.check_game(self.game).map_err(|error| error.at(&source.path))?;
            reader.verify().map_err(|error| error.at(&source.path))?;
            let frames = reader.footer().frames.len();
            let blocks = self.rows(source, frames)?;
            let [train, validation] = SegmentFile::paths(self.folder, source.id);
            Ok(SegmentFile {
                id: source.id,
                games: source.games,
                train: self.write(source, &content, train, &blocks, RowSet::Segments)?,
                validation: self.write(
                    source,
                    &content,
                    validation,
                    &blocks,
                    RowSet::Validation,
                )?,
            })
        };
        let made: anyhow::Result<_> = run();
        made.with_context(|| format!("making rows of shard {}", source.path.display()))
    }

    /// Whether a game is for validation: a hash of seed, shard and game, so it never changes.
    pub fn is_validation(&self, shard: u64, game: u64) -> bool {
        hash_unit(hash(self.header.seed, Purpose::Validation, &[shard, game]))
            < self.validation_share
    }

    fn find(&self, source: &Source, content: &str) -> Option<SegmentFile> {
        let [train, validation] = SegmentFile::paths(self.folder, source.id);
        Some(SegmentFile {
            id: source.id,
            games: source.games,
            train: Buckets::open(&train, &self.header(source, content, RowSet::Segments))?,
            validation: Buckets::open(
                &validation,
                &self.header(source, content, RowSet::Validation),
            )?,
        })
    }

    fn header(&self, source: &Source, content: &str, set: RowSet) -> RowFileHeader {
        RowFileHeader {
            set,
            number: source.id,
            cycle: 0,
            source: content.to_owned(),
            ..self.header.clone()
        }
    }

    /// Rows of each frame's games: training, validation.
    fn rows(&self, source: &Source, frames: usize) -> Result<Vec<[RowBlock; 2]>, ShardError> {
        let open = || ShardReader::open(&source.path);
        let frame = |reader: &mut Result<ShardReader<_>, ShardError>, index| {
            let reader = match reader {
                Ok(reader) => reader,
                Err(_) => &mut open()?,
            };
            let games_per_shard = reader.header().games_per_shard.max(1);
            let games: Vec<GameRecord> = reader.frame(index)?;
            let mut sets = [RowBlock::new(self.header.shape), RowBlock::new(self.header.shape)];
            for game in &games {
                // A game that was reanalyzed has the positions and the outcome of another, so it
                // is on the same side.
                let whose = game.reanalyzed().map(|number| (number / games_per_shard, number));
                let (shard, number) = whose.unwrap_or((source.id, game.number));
                let set = usize::from(self.is_validation(shard, number));
                rows_of_game(self.game, game, &mut sets[set])?;
            }
            Ok(sets)
        };
        let frames = (0..frames).into_par_iter().map_init(open, frame);
        frames.collect::<Result<_, ShardError>>().map_err(|error| error.at(&source.path))
    }

    /// Scatters one set's rows into buckets and writes them as a file, whole or not at all.
    fn write(
        &self,
        source: &Source,
        content: &str,
        path: PathBuf,
        blocks: &[[RowBlock; 2]],
        set: RowSet,
    ) -> anyhow::Result<Buckets> {
        let blocks = || blocks.iter().map(|block| &block[usize::from(set == RowSet::Validation)]);
        let total: u64 = blocks().map(|block| block.len() as u64).sum();
        let mut buckets: Vec<Vec<(u32, u32)>> =
            vec![Vec::new(); total.div_ceil(BUCKET_ROWS) as usize];
        for (b, block) in blocks().enumerate() {
            for i in 0..block.len() {
                let (game, ply) = block.id(i);
                let words = [source.id, game, u64::from(ply)];
                let hash = hash(self.header.seed, Purpose::Bucket, &words);
                let bucket = hash_below(hash, buckets.len() as u64);
                buckets[bucket as usize].push((b as u32, i as u32));
            }
        }
        let blocks: Vec<&RowBlock> = blocks().collect();
        let pack = |places: &Vec<(u32, u32)>| {
            let mut rows = RowBlock::new(self.header.shape);
            for &(b, i) in places {
                rows.push(&blocks[b as usize].row(i as usize));
            }
            PackedRows::new(&rows, ROW_LEVEL)
        };
        let frames: Vec<PackedRows> = buckets.par_iter().map(pack).collect::<Result<_, _>>()?;

        let temporary = path.with_extension("unfinished");
        let file = open_own(&temporary, Writes::Anew)
            .with_context(|| format!("cannot create {}", temporary.display()))?;
        let header = self.header(source, content, set);
        let mut writer = RowWriter::new(BufWriter::new(file), &header, ROW_LEVEL)?;
        frames.iter().try_for_each(|frame| writer.push_packed(frame))?;
        writer.finish()?.0.flush()?;
        // Not synced: after a power cut the footer or a hash is wrong and the file is made again.
        rename_own(&temporary, &path)
            .with_context(|| format!("cannot rename {}", temporary.display()))?;
        let rows = buckets.iter().map(|places| places.len() as u32).collect();
        Ok(Buckets { path, rows })
    }
}
