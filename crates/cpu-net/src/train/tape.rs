//! What the way back needs of the way forward, and the memory for both.

use std::collections::BTreeMap;
use std::ops::Range;

use super::batch_norm::Normed;
use super::convolution::{Convolver, Rows};
use super::pooling::Pools;
use crate::simd::Lane;

/// A shard that went forward: everything that [`crate::Trunk::back`] needs, kept to be used again.
#[derive(Debug)]
pub struct Tape {
    /// Which rows of the batch it is.
    pub(super) rows: Range<usize>,
    pub(super) channels: usize,
    pub(super) stem: Normed,
    /// Shifts by globals, a row of lanes a board; empty without globals.
    pub(super) shifts: Vec<Lane>,
    /// The residual stream before each block and after the last, padded boards.
    pub(super) stream: Vec<Vec<Lane>>,
    pub(super) blocks: Vec<BlockTape>,
    pub(super) work: Work,
}

/// What a block leaves.
#[derive(Debug)]
pub(super) struct BlockTape {
    pub(super) norms: [Normed; 2],
    pub(super) pools: Pools,
}

/// Memory to work in.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) rows: Rows,
    /// A chunk of padded boards: what a convolution is given.
    pub(super) inputs: Vec<Lane>,
    /// A chunk of padded boards: gradients of a convolution's outputs.
    pub(super) gradients: Vec<Lane>,
    /// Gradients of the stream, all boards.
    pub(super) outer: Vec<Lane>,
    /// Gradients between a block's convolutions, all boards.
    pub(super) inner: Vec<Lane>,
    /// Gradients of each frequency's matrix.
    pub(super) sums: Vec<Lane>,
    /// A row of lanes for each board.
    pub(super) board_sums: Vec<Lane>,
}

impl Tape {
    pub(super) fn new(
        convolver: &Convolver,
        boards: usize,
        blocks: usize,
        channels: usize,
    ) -> Self {
        let grid = convolver.grid;
        let all = || vec![Lane::default(); boards * grid.board()];
        let some = || vec![Lane::default(); convolver.chunk.min(boards) * grid.board()];
        let normed = || Normed::new(grid, boards);
        let block = |_| BlockTape { norms: [normed(), normed()], pools: Pools::default() };
        Self {
            rows: 0..boards,
            channels,
            stem: normed(),
            shifts: Vec::new(),
            stream: (0..=blocks).map(|_| all()).collect(),
            blocks: (0..blocks).map(block).collect(),
            work: Work {
                rows: convolver.rows(),
                inputs: some(),
                gradients: some(),
                outer: all(),
                inner: all(),
                sums: vec![Lane::default(); convolver.spread.sums_len().0],
                board_sums: vec![Lane::default(); boards * grid.lanes],
            },
        }
    }

    /// C, the numbers of a point.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Mean and variance of each convolution's outputs over the shard, `[C]` each, by the names
    /// `<convolution>.mean` and `<convolution>.variance`.
    pub fn statistics(&self) -> BTreeMap<String, Vec<f32>> {
        let mut statistics = BTreeMap::new();
        let mut take = |name: String, normed: &Normed| {
            statistics.insert(format!("{name}.mean"), normed.mean(self.channels));
            statistics.insert(format!("{name}.variance"), normed.variance(self.channels));
        };
        take("stem.conv".to_owned(), &self.stem);
        for (i, block) in self.blocks.iter().enumerate() {
            take(format!("blocks.{i}.conv1"), &block.norms[0]);
            take(format!("blocks.{i}.conv2"), &block.norms[1]);
        }
        statistics
    }
}
