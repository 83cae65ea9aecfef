//! Blocks of the tower: residual blocks and bottlenecks, with global pooling and
//! squeeze-excitation.

use burn::tensor::Tensor;
use burn::tensor::activation::{relu, sigmoid};
use dz_network_file::{NetworkSpec, ResidualSpec};

use crate::model::board_ops::Boards;
use crate::model::conv_layer::Convolution;
use crate::model::epilogue::Then;
use crate::model::linear::Linear;
use crate::tensors::Tensors;

/// A block of the tower.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The 1x1 convolutions down and up, if it is a bottleneck.
    bottleneck: Option<[Convolution; 2]>,
    /// One, or those within the bottleneck.
    residuals: Vec<Residual>,
    squeeze: Option<Squeeze>,
}

impl Block {
    /// Block `i` from its tensors.
    pub(crate) fn new(spec: &NetworkSpec, tensors: &Tensors, i: usize) -> Self {
        let (wide, narrow) = (spec.channels, spec.block_channels());
        let bottleneck = (spec.bottleneck_blocks > 0).then(|| {
            let shapes = [("conv_down", [narrow, wide, 1]), ("conv_up", [wide, narrow, 1])];
            shapes.map(|(part, shape)| {
                Convolution::new(tensors, &format!("blocks.{i}.{part}"), shape)
            })
        });
        let residual = |residual| Residual::new(tensors, residual, spec.pooled_channels());
        let squeeze = spec.squeezed_channels().map(|squeezed| Squeeze {
            hidden: Linear::new(tensors, &format!("blocks.{i}.squeeze"), [squeezed, wide]),
            excite: Linear::new(tensors, &format!("blocks.{i}.excite"), [2 * wide, squeezed]),
        });
        Self { bottleneck, residuals: spec.residuals(i).iter().map(residual).collect(), squeeze }
    }

    /// Rows of the board, `[B * H * W, C]`, to the same.
    pub(crate) fn forward(
        &self,
        on: &Boards,
        h: &Tensor<2>,
        statistics: &mut Tensors,
    ) -> Tensor<2> {
        let last = Then::AddAndRectify(h);
        let Some(squeeze) = &self.squeeze else {
            return self.residuals(on, h.clone(), last, statistics);
        };
        let t = self.residuals(on, h.clone(), Then::Nothing, statistics);
        last.of(squeeze.forward(on, t))
    }

    /// What is added to `h`, and what comes then.
    fn residuals(
        &self,
        on: &Boards,
        h: Tensor<2>,
        then: Then<'_>,
        statistics: &mut Tensors,
    ) -> Tensor<2> {
        let Some([down, up]) = &self.bottleneck else {
            return self.residuals[0].forward(on, h, then, statistics);
        };
        let mut u = down.forward(on, h, Then::Rectify, statistics);
        for residual in &self.residuals {
            u = residual.forward(on, u.clone(), Then::AddAndRectify(&u), statistics);
        }
        up.forward(on, u, then, statistics)
    }
}

/// Two 3x3 convolutions, before their input is added.
#[derive(Clone, Debug)]
struct Residual {
    conv1: Convolution,
    conv2: Convolution,
    pool: Option<Pool>,
}

impl Residual {
    fn new(tensors: &Tensors, residual: &ResidualSpec, pooled: usize) -> Self {
        let ResidualSpec { name, channels: c, pooling } = residual;
        let convolution =
            |part: &str| Convolution::new(tensors, &format!("{name}.{part}"), [*c, *c, 3]);
        let pool = pooling.then(|| {
            let linear = Linear::new(tensors, &format!("{name}.pool"), [c - pooled, 2 * pooled]);
            Pool { pooled, linear }
        });
        Self { conv1: convolution("conv1"), conv2: convolution("conv2"), pool }
    }

    fn forward(
        &self,
        on: &Boards,
        x: Tensor<2>,
        then: Then<'_>,
        statistics: &mut Tensors,
    ) -> Tensor<2> {
        let t = match &self.pool {
            None => self.conv1.forward(on, x, Then::Rectify, statistics),
            Some(pool) => {
                relu(pool.forward(on, self.conv1.forward(on, x, Then::Nothing, statistics)))
            }
        };
        self.conv2.forward(on, t, then, statistics)
    }
}

/// Global pooling: the first channels' mean and maximum over the board shift the other channels.
#[derive(Clone, Debug)]
struct Pool {
    pooled: usize,
    linear: Linear,
}

impl Pool {
    fn forward(&self, on: &Boards, t: Tensor<2>) -> Tensor<2> {
        let [_, channels] = t.dims();
        let head = on.channels(t.clone(), 0, self.pooled);
        let tail = on.channels(t, self.pooled, channels);
        let pooled = on.mean_and_max(relu(head.clone())).to_vec();
        let shift = self.linear.forward(Tensor::cat(pooled, 1));
        Tensor::cat(vec![head, on.add_to_boards(tail, shift)], 1)
    }
}

/// Squeeze-excitation: the channels' means over the board scale and shift them.
#[derive(Clone, Debug)]
struct Squeeze {
    hidden: Linear,
    excite: Linear,
}

impl Squeeze {
    fn forward(&self, on: &Boards, t: Tensor<2>) -> Tensor<2> {
        let squeezed = self.hidden.rectified(on.mean(t.clone()));
        // [B, 2C] to two of [B, C]
        let [scale, shift]: [Tensor<2>; 2] =
            self.excite.forward(squeezed).chunk(2, 1).try_into().expect("2C is even");
        on.add_to_boards(on.scale_boards(t, sigmoid(scale)), shift)
    }
}
