//! Rows decoded and made into batches ahead of the learner, on a thread of their own.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::Context;
use dz_burn_net::TrainBatch;
use dz_shard::{Row, RowBlock, RowReader};

use crate::{BatchMaker, CycleRows};

/// Batches that wait at most: enough to hide the reading of a file's next frame.
const BATCHES_AHEAD: usize = 8;

/// Which rows are read, and what is made of them.
#[derive(Clone, Debug)]
pub struct FeedPlan {
    /// Makes the batches.
    pub maker: BatchMaker,
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
    /// The rows.
    pub batch: TrainBatch,
    /// Index after its last row in the cycle.
    pub rows_end: u64,
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

/// Rows that are decoded and not yet in a batch.
struct Waiting {
    /// Frames, and how many rows at the start of the first one are used up.
    frames: VecDeque<RowBlock>,
    used: usize,
    rows: u64,
    /// Index in the cycle of the first row.
    first: u64,
}

/// Sends `batches` batches, then ends; ends early where nobody listens.
fn read(
    rows: &CycleRows,
    plan: &FeedPlan,
    batches: u64,
    out: &SyncSender<anyhow::Result<Prepared>>,
) -> anyhow::Result<()> {
    let mut waiting = Waiting { frames: VecDeque::new(), used: 0, rows: 0, first: plan.from };
    let end = plan.to.min(rows.rows);
    let mut sent = 0;
    let mut file_begin = 0;
    for (object, count) in &rows.files {
        let mut frame_begin = file_begin;
        file_begin += count;
        if file_begin <= plan.from {
            continue;
        }
        if sent == batches {
            break;
        }
        rows.run.verify(object)?;
        let mut reader = RowReader::open(&rows.run.local_path(object))?;
        for frame in 0..reader.footer().frames.len() {
            let frame_end = frame_begin + u64::from(reader.footer().frames[frame].positions);
            if frame_end > plan.from {
                let block = reader.block(frame).with_context(|| format!("cannot read {object}"))?;
                waiting.push(block, plan.from.saturating_sub(frame_begin));
            }
            frame_begin = frame_end;
            while sent < batches {
                let size = (plan.batch as u64).min(end - waiting.first);
                if waiting.rows < size {
                    break;
                }
                let batch = waiting.take(&plan.maker, size as usize);
                sent += 1;
                if out.send(Ok(Prepared { batch, rows_end: waiting.first })).is_err() {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

impl Waiting {
    /// Adds a frame; only the first one is not taken from its start.
    fn push(&mut self, frame: RowBlock, skip: u64) {
        self.rows += frame.len() as u64 - skip;
        self.used += skip as usize;
        self.frames.push_back(frame);
    }

    /// Makes a batch of the first `size` rows, which are all there, and forgets used-up frames.
    fn take(&mut self, maker: &BatchMaker, size: usize) -> TrainBatch {
        // Not `skip`: it would build every row that it skips.
        let all = self.frames.iter().enumerate().flat_map(|(i, frame)| {
            let from = if i == 0 { self.used } else { 0 };
            (from..frame.len()).map(|row| frame.row(row))
        });
        let rows: Vec<Row<'_>> = all.take(size).collect();
        let batch = maker.make(&rows, self.first);
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
