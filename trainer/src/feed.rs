//! Rows decoded and made into batches ahead of the learner, on a thread of their own.

use std::collections::VecDeque;
use std::fs::File;
use std::io::BufReader;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::Context;
use dz_burn_net::TrainBatch;
use dz_config::Deal;
use dz_shard::{Row, RowBlock, RowReader};
use dz_store::{ObjectRef, Run};

use crate::{BatchMaker, BoardRows, CycleRows};

/// Batches that wait at most: enough to hide the reading of a file's next frame.
const BATCHES_AHEAD: usize = 8;

/// Which rows are read, and what is made of them.
#[derive(Clone, Debug)]
pub struct FeedPlan {
    /// Makes the batches of each board, in the order of [`CycleRows::boards`].
    pub makers: Vec<BatchMaker>,
    /// Rows of a batch, at least 1.
    pub batch: usize,
    /// Index of the first row in its cycle.
    pub from: u64,
    /// Index after the last row.
    pub to: u64,
    /// Whether a last, smaller batch is made of what is left.
    pub keep_rest: bool,
}

/// One batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The rows of each board that has some.
    pub parts: Vec<TrainBatch>,
    /// Index after its last row in the cycle.
    pub rows_end: u64,
}

impl Prepared {
    /// Rows of all parts.
    pub fn rows(&self) -> usize {
        self.parts.iter().map(|part| part.planes.len).sum()
    }
}

/// Batches in the order of the rows. Dropped early, it ends its thread.
#[derive(Debug)]
pub struct Feed {
    batches: Receiver<anyhow::Result<Prepared>>,
    left: u64,
}

impl Feed {
    /// Starts to read.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(rows: &CycleRows, plan: FeedPlan) -> anyhow::Result<Self> {
        let count = plan.to.min(rows.rows).saturating_sub(plan.from);
        let batch = plan.batch as u64;
        let left = if plan.keep_rest { count.div_ceil(batch) } else { count / batch };
        let (sender, batches) = sync_channel(BATCHES_AHEAD);
        let rows = rows.clone();
        thread::Builder::new()
            .name("rows".to_owned())
            .spawn(move || {
                if let Err(error) = read(&rows, &plan, left, &sender) {
                    // Nobody listens where the learner stopped first.
                    let _ = sender.send(Err(error));
                }
            })
            .context("cannot start a thread that reads rows")?;
        Ok(Self { batches, left })
    }

    /// Whether the last batch was handed out.
    pub fn is_finished(&self) -> bool {
        self.left == 0
    }

    /// The next batch; `None` after the last.
    ///
    /// # Errors
    /// If a file is damaged or cannot be read.
    pub fn next_batch(&mut self) -> anyhow::Result<Option<Prepared>> {
        if self.is_finished() {
            return Ok(None);
        }
        self.left -= 1;
        let batch = self.batches.recv().context("the thread that reads rows ended early")??;
        Ok(Some(batch))
    }
}

/// Sends `batches` batches, then ends; ends early where nobody listens.
///
/// The rows of the boards are dealt to the places of the cycle as evenly as their numbers allow, so
/// each batch has rows of all, and the place in the cycle determines which rows were used.
fn read(
    rows: &CycleRows,
    plan: &FeedPlan,
    batches: u64,
    out: &SyncSender<anyhow::Result<Prepared>>,
) -> anyhow::Result<()> {
    let mut deal = Deal::new(rows.boards.iter().map(|board| board.rows() as f64));
    deal.by_ref().take(plan.from as usize).for_each(drop);
    let mut readers: Vec<BoardReader<'_>> = rows
        .boards
        .iter()
        .zip(deal.dealt())
        .map(|(board, &used)| BoardReader::new(&rows.run, board, used))
        .collect();
    let end = plan.to.min(rows.rows);
    let mut first = plan.from;
    for _ in 0..batches {
        let size = (plan.batch as u64).min(end - first);
        let before = deal.dealt().to_vec();
        deal.by_ref().take(size as usize).for_each(drop);
        first += size;
        let mut parts = Vec::new();
        for (at, reader) in readers.iter_mut().enumerate() {
            let count = (deal.dealt()[at] - before[at]) as usize;
            if count > 0 {
                parts.push(reader.take(&plan.makers[at], stream_of(at), count)?);
            }
        }
        if out.send(Ok(Prepared { parts, rows_end: first })).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Index of the first row of a board in the stream that its symmetries are sampled from: far from
/// the rows of other boards.
fn stream_of(board: usize) -> u64 {
    (board as u64) << 48
}

/// Reads the rows of one board in order.
struct BoardReader<'a> {
    run: &'a Run,
    files: std::slice::Iter<'a, (ObjectRef, u64)>,
    /// The file that is being read, and its next frame.
    open: Option<(&'a ObjectRef, RowReader<BufReader<File>>, usize)>,
    /// Rows to pass over before the first one.
    skip: u64,
    waiting: Waiting,
}

/// Rows that are decoded and not yet in a batch.
struct Waiting {
    /// Frames, and how many rows at the start of the first one are used up.
    frames: VecDeque<RowBlock>,
    used: usize,
    rows: u64,
    /// Index in the cycle of the first row, among those of its board.
    first: u64,
}

impl<'a> BoardReader<'a> {
    /// From row `from` of the board on.
    fn new(run: &'a Run, board: &'a BoardRows, from: u64) -> Self {
        let waiting = Waiting { frames: VecDeque::new(), used: 0, rows: 0, first: from };
        Self { run, files: board.files.iter(), open: None, skip: from, waiting }
    }

    /// A batch of the next `count` rows, whose symmetries are from the stream at `stream`.
    fn take(
        &mut self,
        maker: &BatchMaker,
        stream: u64,
        count: usize,
    ) -> anyhow::Result<TrainBatch> {
        while self.waiting.rows < count as u64 {
            self.read_frame()?;
        }
        Ok(self.waiting.take(maker, stream, count))
    }

    /// Reads the next frame with rows that are wanted.
    fn read_frame(&mut self) -> anyhow::Result<()> {
        loop {
            let Some((object, reader, frame)) = &mut self.open else {
                self.open_file()?;
                continue;
            };
            let Some(entry) = reader.footer().frames.get(*frame) else {
                self.open = None;
                continue;
            };
            let rows = u64::from(entry.positions);
            let at = *frame;
            *frame += 1;
            if self.skip >= rows {
                self.skip -= rows;
                continue;
            }
            let block = reader.block(at).with_context(|| format!("cannot read {object}"))?;
            self.waiting.push(block, std::mem::take(&mut self.skip));
            return Ok(());
        }
    }

    /// Opens the next file with rows that are wanted.
    fn open_file(&mut self) -> anyhow::Result<()> {
        loop {
            let next = self.files.next();
            let (object, rows) = next.context("a board has fewer rows than its files state")?;
            if self.skip >= *rows {
                self.skip -= rows;
                continue;
            }
            self.run.verify(object)?;
            let reader = RowReader::open(&self.run.local_path(object))?;
            self.open = Some((object, reader, 0));
            return Ok(());
        }
    }
}

impl Waiting {
    /// Adds a frame; only the first one is not taken from its start.
    fn push(&mut self, frame: RowBlock, skip: u64) {
        self.rows += frame.len() as u64 - skip;
        self.used += skip as usize;
        self.frames.push_back(frame);
    }

    /// Makes a batch of the first `size` rows, which are all there, and forgets used-up frames.
    fn take(&mut self, maker: &BatchMaker, stream: u64, size: usize) -> TrainBatch {
        // Not `skip`: it would build every row that it skips.
        let all = self.frames.iter().enumerate().flat_map(|(i, frame)| {
            let from = if i == 0 { self.used } else { 0 };
            (from..frame.len()).map(|row| frame.row(row))
        });
        let rows: Vec<Row<'_>> = all.take(size).collect();
        let batch = maker.make(&rows, stream + self.first);
        self.first += size as u64;
        self.rows -= size as u64;
        self.used += size;
        while let Some(front) = self.frames.front().filter(|frame| frame.len() <= self.used) {
            self.used -= front.len();
            self.frames.pop_front();
        }
        batch
    }
}
