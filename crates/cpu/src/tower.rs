//! The whole network on a few boards at a time.

use dz_infer::EncodedBatch;
use dz_network::{NetworkFile, NetworkSpec};

use crate::heads::{HeadScratch, Heads};
use crate::pool::{Pool, PoolBoard};
use crate::simd::{LANE, Lane, Vectors};
use crate::stem::{Stem, StemOnBoard, lanes_of};
use crate::transform::{Inputs, Outputs, Then};
use crate::winograd::{Kernel, Spread, Tiling};

/// A network packed for one kind of vectors.
#[derive(Clone, Debug)]
pub(crate) struct Tower {
    vectors: Vectors,
    spread: Spread,
    lanes: usize,
    stem: Stem,
    blocks: Vec<Block>,
    heads: Heads,
    pool_scratch_len: usize,
}

#[derive(Clone, Debug)]
struct Block {
    conv1: Convolution,
    pool: Option<Pool>,
    conv2: Convolution,
}

#[derive(Clone, Debug)]
struct Convolution {
    kernel: Kernel,
    bias: Vec<Lane>,
}

/// The memory that a thread works in.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Padded boards of the residual stream.
    stream: Vec<Lane>,
    /// A padded board between a block's convolutions.
    inner: Vec<Lane>,
    /// Rows of all frequencies, before and after the products.
    rows: Vec<Lane>,
    products: Vec<Lane>,
    shift: Vec<Lane>,
    heads: HeadScratch,
}

/// Bytes that the working memory of a chunk may take, so that it shares the second-level cache with a
/// layer's weights.
const CHUNK_BYTES: usize = 1 << 20;

/// Rows of the largest matrix products beyond which nothing is gained.
const CHUNK_ROWS: usize = 72;

impl Tower {
    /// Packs a checked file.
    pub(crate) fn new(vectors: Vectors, file: &NetworkFile) -> Self {
        let spec = &file.header.spec;
        let NetworkSpec { height, width, channels, .. } = *spec;
        let tiling = Tiling::new(height, width);
        let lanes = channels.div_ceil(LANE);
        let convolution = |name: String| {
            let tensor = |part: &str| &file.tensors[&format!("{name}.{part}")].data;
            let kernel = Kernel::new(vectors, &tiling, tensor("weight"), [channels, channels]);
            Convolution { kernel, bias: lanes_of(tensor("bias").iter().copied()) }
        };
        let block = |i: usize| Block {
            conv1: convolution(format!("blocks.{i}.conv1")),
            pool: spec.is_pooling_block(i).then(|| Pool::new(vectors, file, i)),
            conv2: convolution(format!("blocks.{i}.conv2")),
        };
        Self {
            vectors,
            lanes,
            stem: Stem::new(file),
            blocks: (0..spec.blocks).map(block).collect(),
            spread: Spread::new(tiling, lanes),
            heads: Heads::new(vectors, file),
            pool_scratch_len: Pool::scratch_len(spec),
        }
    }

    /// How many boards run together best.
    pub(crate) fn chunk(&self) -> usize {
        let board = 2 * self.spread.len(1) + self.board_lanes();
        let fitting = CHUNK_BYTES / (board * size_of::<Lane>());
        fitting.clamp(1, CHUNK_ROWS.div_ceil(self.spread.tiling.tiles()))
    }

    /// Memory for chunks of up to `boards`.
    pub(crate) fn scratch(&self, boards: usize) -> Scratch {
        let lanes = |count: usize| vec![Lane::default(); count];
        Scratch {
            stream: lanes(boards * self.board_lanes()),
            inner: lanes(self.board_lanes()),
            rows: lanes(self.spread.len(boards)),
            products: lanes(self.spread.len(boards)),
            shift: lanes(self.lanes.max(self.pool_scratch_len)),
            heads: self.heads.scratch(boards),
        }
    }

    /// Runs positions `first..first + boards` of a batch; `outputs` are their policy logits and WDL logits.
    pub(crate) fn run(
        &self,
        batch: &EncodedBatch,
        first: usize,
        boards: usize,
        scratch: &mut Scratch,
        outputs: (&mut [f32], &mut [f32]),
    ) {
        let globals_len = batch.shape.globals;
        let size = self.board_lanes();
        for (board, stream) in scratch.stream.chunks_exact_mut(size).take(boards).enumerate() {
            let position = first + board;
            self.vectors.run(StemOnBoard {
                stem: &self.stem,
                planes: batch.position(position),
                globals: &batch.globals[position * globals_len..][..globals_len],
                board: stream,
                shift: &mut scratch.shift[..self.lanes],
            });
            self.spread_board(stream, &mut scratch.rows, boards, board);
        }
        for (i, block) in self.blocks.iter().enumerate() {
            self.run_block(block, boards, scratch, i + 1 < self.blocks.len());
        }
        for (board, stream) in scratch.stream.chunks_exact(size).take(boards).enumerate() {
            self.heads.convolve(
                self.vectors,
                &self.spread.tiling,
                stream,
                board,
                &mut scratch.heads,
            );
        }
        self.heads.finish(self.vectors, boards, &mut scratch.heads, outputs);
    }

    /// From the stream's rows to the stream, and to its rows again where a block follows.
    fn run_block(&self, block: &Block, boards: usize, scratch: &mut Scratch, followed: bool) {
        let Scratch { stream, inner, rows, products, shift, .. } = scratch;
        let (vectors, spread) = (self.vectors, &self.spread);
        spread.multiply(vectors, &block.conv1.kernel, boards, rows, products);
        let then = if block.pool.is_some() { Then::Nothing } else { Then::Relu };
        for board in 0..boards {
            let (to, bias) = (&mut inner[..], &block.conv1.bias[..]);
            vectors.run(Outputs { spread, from: products, to, boards, board, bias, then });
            if let Some(pool) = &block.pool {
                vectors.run(PoolBoard {
                    pool,
                    tiling: &self.spread.tiling,
                    board: inner,
                    scratch: shift,
                });
            }
            self.spread_board(inner, rows, boards, board);
        }
        spread.multiply(vectors, &block.conv2.kernel, boards, rows, products);
        for (board, to) in stream.chunks_exact_mut(self.board_lanes()).take(boards).enumerate() {
            let (bias, then) = (&block.conv2.bias[..], Then::AddAndRelu);
            let to = &mut to[..];
            vectors.run(Outputs { spread, from: products, to, boards, board, bias, then });
            if followed {
                self.spread_board(to, rows, boards, board);
            }
        }
    }

    fn spread_board(&self, from: &[Lane], to: &mut [Lane], boards: usize, board: usize) {
        self.vectors.run(Inputs { spread: &self.spread, from, to, boards, board });
    }

    /// Lanes of a padded board.
    fn board_lanes(&self) -> usize {
        self.spread.tiling.padded_area() * self.lanes
    }
}
