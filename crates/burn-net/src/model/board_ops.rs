//! boards as rows of channels, and the operations that look across a board.
//!
//! Activations are `[B * H * W, C]`: a row for each point of each position, boards one after
//! another, points row by row. Then a 1x1 convolution is a matrix product, batch norm works on
//! columns, and a 3x3 convolution is one large matrix product of the nine points around each
//! ([`ConvMethod`]).

use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use dz_network_file::NetworkSpec;

use crate::cuda;
use crate::model::batches::Batches;
use crate::model::convolution::{ConvMethod, Convolver};
use crate::precision::Precision;

/// How operations that look across a board, or across the rows of a batch, are worked out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComputeOptions {
    pub(crate) convolve: ConvMethod,
    /// Whether batch norm is one operation, whose sums over rows take each board first, and other
    /// sums over rows take parts first.
    pub(crate) sum_boards_first: bool,
    /// Whether layers that take whole boards take them point by point, as they lie, instead of
    /// channel by channel, as files have these layers.
    pub(crate) by_point: bool,
}

/// The boards of one batch.
#[derive(Clone, Debug)]
pub(crate) struct BoardOps {
    /// B
    batch: usize,
    /// H
    height: usize,
    /// W
    width: usize,
    compute: ComputeOptions,
    convolver: Convolver,
    /// See [`NetworkSpec::is_policy_by_point`].
    policy_by_point: bool,
    /// Planes of the policy; 0 where it is not made of planes.
    policy_planes: usize,
    /// Whether heads have the same weights at every point.
    any_size: bool,
}

impl BoardOps {
    /// `batch` boards of a network, whose products take their factors in `precision`.
    pub(crate) fn new(
        spec: &NetworkSpec,
        batch: usize,
        compute: ComputeOptions,
        precision: Precision,
        device: &Device,
    ) -> Self {
        let height = spec.height;
        let width = spec.width;
        let convolver = Convolver::new(batch, [height, width], compute.convolve, precision, device);
        Self {
            batch,
            height,
            width,
            compute,
            convolver,
            policy_by_point: spec.is_policy_by_point(),
            policy_planes: spec.policy_planes,
            any_size: spec.any_size,
        }
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

    /// Adds `shift [B, n]` to the last `n` channels of every point of each board, and rectifies all
    /// channels, in the format of `x`.
    pub(crate) fn shift_and_rectify(&self, x: Tensor<2>, shift: Tensor<2>) -> Tensor<2> {
        if self.has_kernels() {
            return cuda::shift_and_rectify(x, shift, self.area());
        }
        let [_, channels] = x.dims();
        let [_, shifted] = shift.dims();
        let shift = shift.cast(x.dtype());
        if shifted == channels {
            return relu(self.add_to_boards(x, shift));
        }
        let head = self.channels(x.clone(), 0, channels - shifted);
        let tail = self.channels(x, channels - shifted, channels);
        relu(Tensor::cat(vec![head, self.add_to_boards(tail, shift)], 1))
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
        self.mean_of(x, 0, channels)
    }

    /// The same of channels `from..to`.
    pub(crate) fn mean_of(&self, x: Tensor<2>, from: usize, to: usize) -> Tensor<2> {
        if self.has_kernels() {
            return cuda::board_means(x, self.area(), from..to);
        }
        let channels = to - from;
        let x = self.channels(x, from, to);
        let boards: Tensor<3> = x.reshape([self.batch, self.area(), channels]);
        boards.mean_dim(1).reshape([self.batch, channels])
    }

    /// How sums over all rows are taken, if not row after row.
    pub(crate) fn batches(&self) -> Option<Batches> {
        self.compute.sum_boards_first.then(|| Batches::of(self.batch))
    }

    /// Parts of one size in which a sum over so many rows is taken first, if it is one over all
    /// points of boards, on a card.
    pub(crate) fn parts_of(&self, rows: usize) -> Option<usize> {
        self.batches().map(Batches::parts).filter(|_| rows == self.points() && self.area() > 1)
    }

    /// Returns the input of a policy's layer from rows `[B * H * W, C]`: these, or whole boards,
    /// `[B, C * H * W]`, or `[B, H * W * C]` if [`ComputeOptions::by_point`].
    pub(crate) fn policy_inputs(&self, x: Tensor<2>) -> Tensor<2> {
        if self.policy_by_point { x } else { self.flatten(x) }
    }

    /// What the value's hidden layer takes of rows `[B * H * W, C]`: means, `[B, C]`, or whole
    /// boards.
    pub(crate) fn value_inputs(&self, x: Tensor<2>) -> Tensor<2> {
        if self.any_size { self.mean(x) } else { self.flatten(x) }
    }

    /// Returns the policy's logits `[B, A]` from the output of its layer. That output has one of
    /// three forms. `[B, A]` is taken unchanged. `[B * H * W, K]` gives each board's planes in
    /// order. Of `[B * H * W, 1 + E]` the first column gives a logit for each point, and the means
    /// of the other columns over the board follow.
    pub(crate) fn policy_logits(&self, x: Tensor<2>) -> Tensor<2> {
        if self.policy_planes > 0 {
            let boards: Tensor<3> = x.reshape([self.batch, self.area(), self.policy_planes]);
            return boards.swap_dims(1, 2).reshape([self.batch, self.policy_planes * self.area()]);
        }
        if !self.any_size {
            return x;
        }
        let [_, columns] = x.dims();
        let points = self.channels(x.clone(), 0, 1).reshape([self.batch, self.area()]);
        if columns == 1 {
            return points;
        }
        Tensor::cat(vec![points, self.mean_of(x, 1, columns)], 1)
    }

    /// Means of the first `channels` channels over each board and then their maxima, after a
    /// `ReLU`: `[B * H * W, C]` to `[B, 2 * channels]`.
    pub(crate) fn rectified_means_and_maxima(&self, x: &Tensor<2>, channels: usize) -> Tensor<2> {
        if self.has_kernels() {
            return cuda::rectified_means_and_maxima(x.clone(), self.area(), 0..channels);
        }
        let head = relu(self.channels(x.clone(), 0, channels));
        let boards: Tensor<3> = head.reshape([self.batch, self.area(), channels]);
        let shape = [self.batch, channels];
        let mean = boards.clone().mean_dim(1).reshape(shape);
        Tensor::cat(vec![mean, boards.max_dim(1).reshape(shape)], 1)
    }

    /// Whether our CUDA kernels add up along boards.
    const fn has_kernels(&self) -> bool {
        self.convolver.has_kernels()
    }

    /// Each board's channels in order, each row by row: `[B * H * W, C]` to `[B, C * H * W]`; or
    /// its points, each channel by channel.
    fn flatten(&self, x: Tensor<2>) -> Tensor<2> {
        let [_, channels] = x.dims();
        if self.compute.by_point {
            return x.reshape([self.batch, self.area() * channels]);
        }
        let boards: Tensor<3> = x.reshape([self.batch, self.area(), channels]);
        boards.swap_dims(1, 2).reshape([self.batch, channels * self.area()])
    }

    /// Columns `from..to` of rows.
    fn channels(&self, x: Tensor<2>, from: usize, to: usize) -> Tensor<2> {
        x.slice([0..self.points(), from..to])
    }
}
