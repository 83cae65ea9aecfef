//! The shufflers of a run's boards, which share a folder and a window.

use std::path::Path;

use dz_config::RunConfig;
use dz_game::{Game, GameSpec, with_game};
use dz_shard::{RowFileHeader, RowTargets};

use crate::segments::{SegmentFile, Source};
use crate::shuffler::{Shuffler, Window};
use crate::sources::RunSources;
use crate::window::WindowLaw;

/// A shuffler for each board of a run, its own first.
pub(crate) struct BoardShufflers {
    shufflers: Vec<Box<dyn AnyShuffler>>,
}

/// A shuffler of any game.
trait AnyShuffler {
    fn header(&self) -> &RowFileHeader;
    fn segments(&mut self, source: &Source) -> anyhow::Result<SegmentFile>;
    fn remove_damaged(&mut self, error: anyhow::Error) -> anyhow::Result<u64>;
    fn expire(&mut self, window: &Window) -> anyhow::Result<()>;
}

impl BoardShufflers {
    /// Shufflers whose segments live in `folder`, one for each board of the configuration.
    ///
    /// # Errors
    /// As [`Shuffler::open`] and [`Shuffler::carrying`].
    pub(crate) fn open(config: &RunConfig, folder: &Path) -> anyhow::Result<Self> {
        let open = |game: &str| {
            let spec: GameSpec = game.parse()?;
            with_game!(&spec, |game| open_board(game, config, folder))?
        };
        let shufflers = config.boards().into_iter().map(|board| open(board.game));
        Ok(Self { shufflers: shufflers.collect::<anyhow::Result<_>>()? })
    }

    /// How many boards there are.
    pub(crate) fn count(&self) -> usize {
        self.shufflers.len()
    }

    /// Header of the row files of a board.
    pub(crate) fn header(&self, board: usize) -> &RowFileHeader {
        self.shufflers[board].header()
    }

    /// As [`Shuffler::segments`] for a shard of the run.
    ///
    /// # Errors
    /// As [`Shuffler::segments`].
    pub(crate) fn segments(
        &mut self,
        sources: &RunSources,
        source: &Source,
    ) -> anyhow::Result<SegmentFile> {
        self.shufflers[sources.board(source.id)].segments(source)
    }

    /// The newest whole shards of all boards together, see [`Shuffler::window`].
    ///
    /// # Errors
    /// As [`Shuffler::segments`].
    pub(crate) fn window(
        &mut self,
        law: &WindowLaw,
        sources: &RunSources,
        rows_total: u64,
    ) -> anyhow::Result<Window> {
        let segments = |source: &Source| self.segments(sources, source);
        Window::newest(law.rows(rows_total), &sources.all, segments)
    }

    /// As [`Shuffler::remove_damaged`], of any board.
    ///
    /// # Errors
    /// As [`Shuffler::remove_damaged`].
    pub(crate) fn remove_damaged(&mut self, error: anyhow::Error) -> anyhow::Result<u64> {
        let mut error = Err(error);
        for shuffler in &mut self.shufflers {
            match error {
                Err(left) => error = shuffler.remove_damaged(left),
                Ok(id) => return Ok(id),
            }
        }
        error
    }

    /// As [`Shuffler::expire`].
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub(crate) fn expire(&mut self, window: &Window) -> anyhow::Result<()> {
        self.shufflers.iter_mut().try_for_each(|shuffler| shuffler.expire(window))
    }
}

fn open_board<G: Game>(
    game: G,
    config: &RunConfig,
    folder: &Path,
) -> anyhow::Result<Box<dyn AnyShuffler>> {
    let share = config.window.validation_share;
    let targets: RowTargets = config.heads.heads().into_iter().collect();
    let shuffler = Shuffler::open(game, config.run.seed, share, folder)?;
    Ok(Box::new(shuffler.carrying(targets)?))
}

impl<G: Game> AnyShuffler for Shuffler<G> {
    fn header(&self) -> &RowFileHeader {
        self.header()
    }

    fn segments(&mut self, source: &Source) -> anyhow::Result<SegmentFile> {
        Ok(self.segments(source)?.clone())
    }

    fn remove_damaged(&mut self, error: anyhow::Error) -> anyhow::Result<u64> {
        self.remove_damaged(error)
    }

    fn expire(&mut self, window: &Window) -> anyhow::Result<()> {
        self.expire(window)
    }
}
