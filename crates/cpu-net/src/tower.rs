//! The whole network on a few boards at a time.

use dz_infer::{EncodedBatch, ValueColumns};
use dz_network_file::NetworkFile;

use crate::blocks::{Blocks, Work};
use crate::heads::{HeadScratch, Heads};
use crate::simd::{Lane, Vectors};
use crate::stem::{Stem, StemOnBoard};
use crate::transform::Epilogue;

/// A network packed for one kind of vectors.
#[derive(Clone, Debug)]
pub(crate) struct Tower {
    vectors: Vectors,
    stem: Stem,
    blocks: Blocks,
    heads: Heads,
}

/// The memory that a thread works in.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Padded boards of the residual stream.
    stream: Vec<Lane>,
    /// A row of lanes for the stem.
    shift: Vec<Lane>,
    work: Work,
    heads: HeadScratch,
}

/// Bytes that the working memory of a chunk may take, so that it shares the second-level cache with
/// a layer's weights.
const CHUNK_BYTES: usize = 1 << 20;

/// Rows of the largest matrix products beyond which nothing is gained.
const CHUNK_ROWS: usize = 72;

impl Tower {
    /// Packs a checked file.
    pub(crate) fn new(vectors: Vectors, file: &NetworkFile) -> Self {
        let stem = Stem::new(file);
        let blocks = Blocks::new(vectors, file);
        Self { vectors, stem, blocks, heads: Heads::new(vectors, file) }
    }

    /// How many boards run together best.
    pub(crate) fn chunk(&self) -> usize {
        let board = self.blocks.work_lanes() + self.blocks.board_lanes();
        let fitting = CHUNK_BYTES / (board * size_of::<Lane>());
        fitting.clamp(1, CHUNK_ROWS.div_ceil(self.blocks.tiling().tiles()))
    }

    /// Memory for chunks of up to `boards`.
    pub(crate) fn scratch(&self, boards: usize) -> Scratch {
        Scratch {
            stream: vec![Lane::default(); boards * self.blocks.board_lanes()],
            shift: vec![Lane::default(); self.stem.lanes()],
            work: self.blocks.work(boards),
            heads: self.heads.scratch(boards),
        }
    }

    /// Runs positions `first..first + boards` of a batch; `outputs` are their policy logits and
    /// their rows of [`Tower::columns`].
    pub(crate) fn run(
        &self,
        batch: &EncodedBatch,
        first: usize,
        boards: usize,
        scratch: &mut Scratch,
        outputs: (&mut [f32], &mut [f32]),
    ) {
        self.run_blocks(batch, first, boards, scratch);
        let Self { vectors, blocks, heads, .. } = self;
        let Scratch { stream, heads: head_scratch, .. } = scratch;
        for (board, stream) in self.boards(stream, boards).enumerate() {
            heads.convolve(*vectors, blocks.tiling(), stream, board, head_scratch);
        }
        heads.finish(*vectors, boards, head_scratch, outputs);
    }

    /// As [`Heads::columns`].
    pub(crate) fn columns(&self) -> ValueColumns {
        self.heads.columns()
    }

    /// Whether the network learnt whose each point will be.
    pub(crate) fn owns(&self) -> bool {
        self.heads.owns()
    }

    /// Appends the owners' logits of positions `first..first + boards` of a batch, `[H, W, 3]`
    /// each.
    pub(crate) fn own(
        &self,
        batch: &EncodedBatch,
        first: usize,
        boards: usize,
        scratch: &mut Scratch,
        logits: &mut Vec<f32>,
    ) {
        self.run_blocks(batch, first, boards, scratch);
        for board in self.boards(&scratch.stream, boards) {
            self.heads.own(self.vectors, self.blocks.tiling(), board, logits);
        }
    }

    fn boards<'a>(&self, stream: &'a [Lane], boards: usize) -> impl Iterator<Item = &'a [Lane]> {
        stream.chunks_exact(self.blocks.board_lanes()).take(boards)
    }

    /// Everything but the heads.
    fn run_blocks(&self, batch: &EncodedBatch, first: usize, boards: usize, scratch: &mut Scratch) {
        let Self { vectors, stem, blocks, .. } = self;
        let Scratch { stream, shift, work, .. } = scratch;
        let globals_len = batch.shape.globals;
        let size = blocks.board_lanes();
        for (board, stream) in stream.chunks_exact_mut(size).take(boards).enumerate() {
            let position = first + board;
            vectors.run(StemOnBoard {
                stem,
                planes: batch.position(position),
                globals: &batch.globals[position * globals_len..][..globals_len],
                board: stream,
                shift: &mut *shift,
                epilogue: Epilogue::Relu,
            });
        }
        blocks.run(boards, stream, work);
    }
}
