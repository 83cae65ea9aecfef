//! Global pooling: the first channels' mean and maximum over the board shift the other channels.

use dz_network_file::NetworkFile;

use crate::layer::Layer;
use crate::matrix::Matrix;
use crate::simd::{LANE, Lane, Simd, Task, Vectors};
use crate::winograd::{Interior, Tiling};

/// A pooling block's linear layer. It takes the means, then the maxima, each filled up to whole
/// lanes, and gives a shift for every channel, which is 0 for the pooled ones.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    layer: Layer,
    /// Points of the board.
    area: f32,
}

impl Pool {
    /// Packs the layer of the residual block of that name.
    pub(crate) fn new(vectors: Vectors, file: &NetworkFile, block: &str) -> Self {
        let spec = &file.header.spec;
        let pooled = spec.pooled_channels();
        let whole = pooled.next_multiple_of(LANE);
        let tensor = |part: &str| &file.tensors[&format!("{block}.pool.{part}")].data;
        let weight = tensor("weight");
        let mut bias = vec![0.0; pooled];
        bias.extend(tensor("bias"));
        let layer = Layer::new(vectors, 2 * whole, &bias, |input, output| {
            let half = input / whole;
            let input = input % whole;
            if input >= pooled || output < pooled {
                return 0.0;
            }
            weight[(output - pooled) * 2 * pooled + half * pooled + input]
        });
        Self { layer, area: spec.area() as f32 }
    }

    /// Lanes to work in: what is pooled, then the shift.
    pub(crate) fn scratch_len(&self) -> usize {
        self.layer.matrix.lanes_in + self.layer.matrix.lanes_out
    }
}

/// Pools a padded board, shifts its points and takes relu of all; the border stays.
pub(crate) struct PoolBoard<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) tiling: &'a Tiling,
    pub(crate) board: &'a mut [Lane],
    pub(crate) scratch: &'a mut [Lane],
}

impl Task for PoolBoard<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { pool, tiling, board, scratch } = self;
        let Matrix { lanes_in, lanes_out, .. } = pool.layer.matrix;
        let (pooled, shift) = scratch[..lanes_in + lanes_out].split_at_mut(lanes_in);
        let Interior { stride, rows, columns } = tiling.interior(lanes_out);
        let half = lanes_in / 2;
        for lane in 0..half {
            let mut sum = s.splat(0.0);
            let mut top = s.splat(0.0);
            for row in board[rows.clone()].chunks_exact(stride) {
                for point in row[columns.clone()].chunks_exact(lanes_out) {
                    let x = s.relu(s.load(&point[lane]));
                    sum = s.add(sum, x);
                    top = s.max(top, x);
                }
            }
            s.store(sum, &mut pooled[lane]);
            for x in &mut pooled[lane].0 {
                *x /= pool.area;
            }
            s.store(top, &mut pooled[half + lane]);
        }
        pool.layer.apply(s, pooled, shift, false);
        for row in board[rows].chunks_exact_mut(stride) {
            for point in row[columns.clone()].chunks_exact_mut(lanes_out) {
                for (x, shift) in point.iter_mut().zip(&*shift) {
                    s.store(s.relu(s.add(s.load(x), s.load(shift))), x);
                }
            }
        }
    }
}
