//! Global pooling in training: see [`crate::pool`]. Its numbers are few, so loops are plain.

use super::batch_norm::Normed;
use super::grid::Grid;
use crate::simd::{LANE, Lane};

/// A pooling block's linear layer.
#[derive(Debug)]
pub(super) struct Pooling {
    /// P
    pooled: usize,
    /// C
    channels: usize,
    /// `[C - P, 2 P]`
    weight: Vec<f32>,
    /// `[C - P]`
    bias: Vec<f32>,
}

/// What was pooled of a shard.
#[derive(Debug, Default)]
pub(super) struct Pools {
    /// Shifts, a row of lanes a board.
    pub(super) shifts: Vec<Lane>,
    /// Means, then maxima, `[B, 2 P]`.
    pooled: Vec<f32>,
    /// Where a board's maxima stand, in lanes from the board's first, `[B, P]`.
    tops: Vec<usize>,
}

/// Gradients of weight and bias.
#[derive(Debug)]
pub(super) struct PoolingGradient {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Pooling {
    pub(super) fn new(pooled: usize, channels: usize, weight: Vec<f32>, bias: Vec<f32>) -> Self {
        Self { pooled, channels, weight, bias }
    }

    pub(super) fn gradient(&self) -> PoolingGradient {
        PoolingGradient { weight: vec![0.0; self.weight.len()], bias: vec![0.0; self.bias.len()] }
    }

    /// Pools all boards of a shard.
    pub(super) fn forward(&self, grid: Grid, boards: usize, normed: &Normed, to: &mut Pools) {
        let pooled = self.pooled;
        to.shifts.clear();
        to.shifts.resize(boards * grid.lanes, Lane::default());
        to.pooled.clear();
        to.pooled.resize(boards * 2 * pooled, 0.0);
        to.tops.clear();
        to.tops.resize(boards * pooled, 0);
        for board in 0..boards {
            let pools = &mut to.pooled[board * 2 * pooled..][..2 * pooled];
            let tops = &mut to.tops[board * pooled..][..pooled];
            for (k, top) in tops.iter_mut().enumerate() {
                let lane = k / LANE;
                let i = k % LANE;
                let scale = normed.scale[lane].0[i];
                let shift = normed.shift[lane].0[i];
                let mut sum = 0.0;
                let mut most = f32::NEG_INFINITY;
                for start in grid.rows(board) {
                    for x in 0..grid.width {
                        let at = start + x * grid.lanes + lane;
                        let number = (normed.raw[at].0[i] * scale + shift).max(0.0);
                        sum += number;
                        if number > most {
                            (most, *top) = (number, at - board * grid.board());
                        }
                    }
                }
                pools[k] = sum / grid.area() as f32;
                pools[pooled + k] = most;
            }
            for (c, row) in self.weight.chunks_exact(2 * pooled).enumerate() {
                let products = row.iter().zip(&*pools).map(|(w, p)| w * p);
                let channel = pooled + c;
                to.shifts[board * grid.lanes + channel / LANE].0[channel % LANE] =
                    self.bias[c] + products.sum::<f32>();
            }
        }
    }

    /// Takes the gradient of some boards' outputs, already behind relu, back to that of the
    /// convolution's. `sums` are its sums over each board and `outputs` what relu gave, rows and
    /// boards of these alone; `first` is the first one's number in the shard.
    pub(super) fn back(
        &self,
        grid: Grid,
        first: usize,
        pools: &Pools,
        (outputs, sums): (&[Lane], &[Lane]),
        gradient: &mut [Lane],
        to: &mut PoolingGradient,
    ) {
        let pooled = self.pooled;
        for (board, sums) in sums.chunks_exact(grid.lanes).enumerate() {
            let of = first + board;
            let inputs = &pools.pooled[of * 2 * pooled..][..2 * pooled];
            let mut back = vec![0.0; 2 * pooled];
            for c in 0..self.channels - pooled {
                let channel = pooled + c;
                let shift = sums[channel / LANE].0[channel % LANE];
                to.bias[c] += shift;
                let row = c * 2 * pooled..(c + 1) * 2 * pooled;
                let weights = self.weight[row.clone()].iter().zip(&mut to.weight[row]);
                for ((back, input), (weight, gradient)) in back.iter_mut().zip(inputs).zip(weights)
                {
                    *gradient += shift * input;
                    *back += shift * weight;
                }
            }
            for k in 0..pooled {
                let lane = k / LANE;
                let i = k % LANE;
                let mean = back[k] / grid.area() as f32;
                for start in grid.rows(board) {
                    for x in 0..grid.width {
                        let at = start + x * grid.lanes + lane;
                        if outputs[at].0[i] > 0.0 {
                            gradient[at].0[i] += mean;
                        }
                    }
                }
                let top = board * grid.board() + pools.tops[of * pooled + k];
                if outputs[top].0[i] > 0.0 {
                    gradient[top].0[i] += back[pooled + k];
                }
            }
        }
    }
}
