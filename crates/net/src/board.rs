//! Boards as rows of channels, and the operations that look across a board.
//!
//! Activations are `[B * H * W, C]`: a row for each point of each position, boards one after another, points
//! row by row. Then a 1x1 convolution is a matrix product, batch norm works on columns, and a 3x3
//! convolution is one large matrix product of the nine points around each ([`Convolve`]).

use burn::tensor::{Device, Tensor};
use dz_network::NetworkSpec;

use crate::convolve::{Convolve, Convolver};
use crate::evaluator::Precision;

/// How operations that look across a board, or across the rows of a batch, are worked out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    pub(crate) convolve: Convolve,
    /// Whether sums over rows take each board first, then the boards, in groups if they are many. A card gives a sum over rows to one of
    /// its threads for every four columns, which adds up all there is one after another.
    pub(crate) sum_boards_first: bool,
}

/// Most boards that are added up without groups: these cost a launch more for each sum, and save the time in which a thread of a
/// card adds up so many numbers. An estimate, since no card was there to measure on.
const UNGROUPED_BOARDS_MAX: usize = 256;

/// The boards of one batch.
#[derive(Clone, Debug)]
pub(crate) struct Boards {
    /// B
    batch: usize,
    /// H
    height: usize,
    /// W
    width: usize,
    sum_boards_first: bool,
    convolver: Convolver,
    /// Whether heads have the same weights at every point.
    any_size: bool,
}

impl Boards {
    /// `batch` boards of a network, whose products take their factors in `precision`.
    pub(crate) fn new(
        spec: &NetworkSpec,
        batch: usize,
        ways: Ways,
        precision: Precision,
        device: &Device,
    ) -> Self {
        let (height, width) = (spec.height, spec.width);
        let convolver = Convolver::new(batch, [height, width], ways.convolve, precision, device);
        let (sum_boards_first, any_size) = (ways.sum_boards_first, spec.any_size);
        Self { batch, height, width, sum_boards_first, convolver, any_size }
    }

    /// Points of all boards, B * H * W.
    fn points(&self) -> usize {
        self.batch * self.area()
    }

    fn area(&self) -> usize {
        self.height * self.width
    }

    /// 3x3 convolutions of these boards.
    pub(crate) const fn convolver(&self) -> &Convolver {
        &self.convolver
    }

    /// Adds `shift [B, C]` to every point of each board.
    pub(crate) fn add_to_boards(&self, x: Tensor<2>, shift: Tensor<2>) -> Tensor<2> {
        let [points, channels] = x.dims();
        let boards = x.reshape([self.batch, self.area(), channels]);
        (boards + shift.reshape([self.batch, 1, channels])).reshape([points, channels])
    }

    /// Multiplies every point of each board with `scale [B, C]`.
    pub(crate) fn scale_boards(&self, x: Tensor<2>, scale: Tensor<2>) -> Tensor<2> {
        let [points, channels] = x.dims();
        let boards = x.reshape([self.batch, self.area(), channels]);
        (boards * scale.reshape([self.batch, 1, channels])).reshape([points, channels])
    }

    /// Mean of each channel over each board: `[B * H * W, C]` to `[B, C]`.
    pub(crate) fn mean(&self, x: Tensor<2>) -> Tensor<2> {
        let [_, channels] = x.dims();
        let boards: Tensor<3> = x.reshape([self.batch, self.area(), channels]);
        boards.mean_dim(1).reshape([self.batch, channels])
    }

    /// Mean of each channel over all rows: `[B * H * W, C]` to `[1, C]`.
    pub(crate) fn mean_of_rows(&self, x: Tensor<2>) -> Tensor<2> {
        if !self.sum_boards_first {
            return x.mean_dim(0);
        }
        let boards = self.mean(x);
        let Some(groups) = self.groups() else { return boards.mean_dim(0) };
        let [_, channels] = boards.dims();
        let boards: Tensor<3> = boards.reshape([groups, self.batch / groups, channels]);
        boards.mean_dim(1).reshape([groups, channels]).mean_dim(0)
    }

    /// Adds `row [1, C]` to every row. Its gradient is a sum over rows.
    pub(crate) fn add_row(&self, x: Tensor<2>, row: Tensor<2>) -> Tensor<2> {
        if !self.sum_boards_first {
            return x + row;
        }
        self.add_to_boards(x, self.for_boards(row))
    }

    /// Multiplies every row with `row [1, C]`. Its gradient is a sum over rows.
    pub(crate) fn scale_by_row(&self, x: Tensor<2>, row: Tensor<2>) -> Tensor<2> {
        if !self.sum_boards_first {
            return x * row;
        }
        self.scale_boards(x, self.for_boards(row))
    }

    /// `[1, C]` to `[B, C]`. Its gradient is a sum over boards, by groups where these are many.
    fn for_boards(&self, row: Tensor<2>) -> Tensor<2> {
        let [_, channels] = row.dims();
        let Some(groups) = self.groups() else { return row.expand([self.batch, channels]) };
        let row: Tensor<3> = row.expand([groups, channels]).reshape([groups, 1, channels]);
        row.expand([groups, self.batch / groups, channels]).reshape([self.batch, channels])
    }

    /// How many groups of one size the boards make, about as many as there are boards in each; none if they are few.
    fn groups(&self) -> Option<usize> {
        let divides = |groups: &usize| self.batch.is_multiple_of(*groups);
        let groups = (self.batch.isqrt()..self.batch).find(divides);
        groups.filter(|_| self.batch > UNGROUPED_BOARDS_MAX)
    }

    /// What the layer of a policy takes of rows `[B * H * W, C]`: these, or whole boards, `[B, C * H * W]`.
    pub(crate) fn policy_inputs(&self, x: Tensor<2>) -> Tensor<2> {
        if self.any_size { x } else { self.flatten(x) }
    }

    /// What the value's hidden layer takes of rows `[B * H * W, C]`: means, `[B, C]`, or whole boards.
    pub(crate) fn value_inputs(&self, x: Tensor<2>) -> Tensor<2> {
        if self.any_size { self.mean(x) } else { self.flatten(x) }
    }

    /// `[B, A]` of what the layer of a policy gives: that, or of `[B * H * W, 1 + E]` the first column's numbers at the
    /// points of each board, then the other columns' means over the board.
    pub(crate) fn policy_logits(&self, x: Tensor<2>) -> Tensor<2> {
        if !self.any_size {
            return x;
        }
        let [_, columns] = x.dims();
        let points = self.channels(x.clone(), 0, 1).reshape([self.batch, self.area()]);
        if columns == 1 {
            return points;
        }
        Tensor::cat(vec![points, self.mean(self.channels(x, 1, columns))], 1)
    }

    /// Mean and maximum of each channel over each board: `[B * H * W, C]` to two of `[B, C]`.
    pub(crate) fn mean_and_max(&self, x: Tensor<2>) -> [Tensor<2>; 2] {
        let [_, channels] = x.dims();
        let boards: Tensor<3> = x.reshape([self.batch, self.area(), channels]);
        let shape = [self.batch, channels];
        [boards.clone().mean_dim(1).reshape(shape), boards.max_dim(1).reshape(shape)]
    }

    /// Each board's channels in order, each row by row: `[B * H * W, C]` to `[B, C * H * W]`.
    fn flatten(&self, x: Tensor<2>) -> Tensor<2> {
        let [_, channels] = x.dims();
        let boards: Tensor<3> = x.reshape([self.batch, self.area(), channels]);
        boards.swap_dims(1, 2).reshape([self.batch, channels * self.area()])
    }

    /// Columns `from..to` of rows.
    pub(crate) fn channels(&self, x: Tensor<2>, from: usize, to: usize) -> Tensor<2> {
        x.slice([0..self.points(), from..to])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tower::{download, upload};

    /// Both ways to work on columns, with the gradients of what is added and multiplied.
    #[test]
    fn columns_by_rows_and_by_boards_are_alike() {
        let spec = NetworkSpec::plain([3, 4, 5], 2, 0, 6);
        let device = Device::flex().autodiff();
        let wave =
            |length: usize, pace: f32| (0..length).map(|i| (i as f32 * pace).sin()).collect();
        let with = |batch: usize, sum_boards_first| {
            let ways = Ways { convolve: Convolve::Gather, sum_boards_first };
            let boards = Boards::new(&spec, batch, ways, Precision::F32, &device);
            let rows = 20 * batch;
            let x: Tensor<2> =
                upload(wave(rows * 6, 0.7), &device).reshape([rows, 6]).require_grad();
            let [row, scale] = [0.3, 1.1].map(|pace| -> Tensor<2> {
                upload(wave(6, pace), &device).reshape([1, 6]).require_grad()
            });
            let shifted = boards.add_row(x.clone(), row.clone());
            let scaled = boards.scale_by_row(shifted, scale.clone());
            let mean = boards.mean_of_rows(scaled.clone() * scaled.clone());
            let gradients = (scaled.clone() * scaled * mean.clone()).sum().backward();
            let gradient = |of: &Tensor<2>| download(of.grad(&gradients).expect("a gradient"));
            [download(mean.inner()), gradient(&x), gradient(&row), gradient(&scale)]
        };
        // Few boards, and many, which make 20 groups of 13.
        for batch in [2, 260] {
            let (by_rows, by_boards) = (with(batch, false), with(batch, true));
            assert_eq!(by_rows.each_ref().map(Vec::len), [6, 120 * batch, 6, 6]);
            for (wanted, found) in by_rows.iter().zip(&by_boards) {
                let largest = wanted.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
                for (a, b) in wanted.iter().zip(found) {
                    assert!((a - b).abs() < 1e-4 * largest, "{batch} boards: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn many_boards_make_groups_of_one_size() {
        let groups = |batch| {
            let spec = NetworkSpec::plain([1, 2, 2], 2, 0, 2);
            let ways = Ways { convolve: Convolve::Whole, sum_boards_first: true };
            Boards::new(&spec, batch, ways, Precision::F32, &Device::flex()).groups()
        };
        assert_eq!([1, 256, 257, 260, 1024].map(groups), [None, None, None, Some(20), Some(32)]);
    }
}
