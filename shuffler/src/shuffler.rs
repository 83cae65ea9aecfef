//! What the shuffler keeps between cycles: segments, and the window that is made of them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use dz_game::Game;
use dz_shard::{RowFileHeader, RowSet, RowTargets, ShardError};
use dz_store::remove_own;

use crate::{
    segments::{Scatter, SegmentFile, Source},
    window::WindowLaw,
};

/// Segments of a run's shards, kept in a folder and indexed in memory by name.
#[derive(Debug)]
pub struct Shuffler<G> {
    game: G,
    header: RowFileHeader,
    folder: PathBuf,
    validation_share: f64,
    segments: BTreeMap<u64, SegmentFile>,
}

/// The newest shards, whole, that training samples from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Their segments, oldest first.
    pub files: Vec<SegmentFile>,
    /// Rows to train on.
    pub train_rows: u64,
    /// Rows to validate on.
    pub validation_rows: u64,
    /// Games, validation included.
    pub games: u64,
}

impl Window {
    /// The newest whole shards that hold at least `wanted` training rows, or all there are.
    /// `sources` are all shards, oldest first, and `segments` is pass 1.
    ///
    /// # Errors
    /// What `segments` reports.
    pub fn newest(
        wanted: u64,
        sources: &[Source],
        mut segments: impl FnMut(&Source) -> anyhow::Result<SegmentFile>,
    ) -> anyhow::Result<Self> {
        let mut window = Self { files: Vec::new(), train_rows: 0, validation_rows: 0, games: 0 };
        for source in sources.iter().rev() {
            if window.train_rows >= wanted {
                break;
            }
            let segments = segments(source)?;
            window.train_rows += segments.train.total();
            window.validation_rows += segments.validation.total();
            window.games += segments.games;
            window.files.push(segments);
        }
        window.files.reverse();
        Ok(window)
    }
}

impl<G: Game> Shuffler<G> {
    /// A shuffler whose segments live in `folder`, which is created if it is not there.
    ///
    /// # Errors
    /// If the folder cannot be made or the game's encoding has no symmetry tables.
    pub fn open(game: G, seed: u64, validation_share: f64, folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let header = RowFileHeader::new(&game, RowSet::Segments, seed)?;
        let folder = folder.to_owned();
        let shuffler = Self { game, header, folder, validation_share, segments: BTreeMap::new() };
        shuffler.remove(|name| SegmentFile::id_of(name, &[".unfinished"]).is_some())?;
        Ok(shuffler)
    }

    /// The same with rows that carry auxiliary targets. Segments that carry others are made again.
    ///
    /// # Errors
    /// If the game does not offer them.
    pub fn carrying(self, targets: RowTargets) -> anyhow::Result<Self> {
        Ok(Self { header: self.header.carrying(&self.game, targets)?, ..self })
    }

    /// Header of this run's row files.
    pub fn header(&self) -> &RowFileHeader {
        &self.header
    }

    /// Pass 1 for one shard, once: later calls find its result in memory or on disk.
    ///
    /// # Errors
    /// As [`Scatter::shard`].
    pub fn segments(&mut self, source: &Source) -> anyhow::Result<&SegmentFile> {
        if !self.segments.contains_key(&source.id) {
            let scatter = Scatter {
                game: &self.game,
                header: &self.header,
                folder: &self.folder,
                validation_share: self.validation_share,
            };
            let made = scatter.shard(source)?;
            self.segments.insert(source.id, made);
        }
        Ok(&self.segments[&source.id])
    }

    /// Removes the segment file that `error` is about, so that it is made again. Returns the id of
    /// its shard, or the error if it is about something else.
    ///
    /// # Errors
    /// `error` itself, or that the file cannot be removed.
    pub fn remove_damaged(&mut self, error: anyhow::Error) -> anyhow::Result<u64> {
        let path = error.chain().find_map(|cause| match cause.downcast_ref::<ShardError>() {
            Some(found @ ShardError::At { path, .. }) if found.is_bad_file() => Some(path.clone()),
            _ => None,
        });
        let of = |id: &u64| {
            SegmentFile::paths(&self.folder, *id)
                .into_iter()
                .find(|own| path.as_ref().is_some_and(|path| own.display().to_string() == *path))
        };
        let found = self.segments.keys().find_map(|id| Some((*id, of(id)?)));
        let Some((id, path)) = found else { return Err(error) };
        self.segments.remove(&id);
        remove_own(&path)
            .with_context(|| format!("cannot remove the damaged segment {}", path.display()))?;
        Ok(id)
    }

    /// The newest whole shards that hold at least as many training rows as `law` says for
    /// `rows_total` rows played. `sources` are all shards, oldest first.
    ///
    /// # Errors
    /// As [`Scatter::shard`].
    pub fn window(
        &mut self,
        law: &WindowLaw,
        sources: &[Source],
        rows_total: u64,
    ) -> anyhow::Result<Window> {
        let segments = |source: &Source| Ok(self.segments(source)?.clone());
        Window::newest(law.rows(rows_total), sources, segments)
    }

    /// Deletes the segments of shards older than the window. They can be made again.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub fn expire(&mut self, window: &Window) -> anyhow::Result<()> {
        let Some(oldest) = window.files.first().map(|segments| segments.id) else {
            return Ok(());
        };
        self.segments = self.segments.split_off(&oldest);
        self.remove(|name| SegmentFile::id_of(name, &[".dzr"]).is_some_and(|id| id < oldest))
    }

    fn remove(&self, expired: impl Fn(&str) -> bool) -> anyhow::Result<()> {
        let context = || format!("cannot tidy up the folder {}", self.folder.display());
        for entry in fs::read_dir(&self.folder).with_context(context)? {
            let entry = entry.with_context(context)?;
            if entry.file_name().to_str().is_some_and(&expired) {
                remove_own(&entry.path()).with_context(context)?;
            }
        }
        Ok(())
    }
}
