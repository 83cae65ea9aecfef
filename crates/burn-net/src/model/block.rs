//! Blocks of the tower: residual blocks and bottlenecks, with global pooling and
//! squeeze-excitation.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use dz_network_file::{NetworkSpec, ResidualSpec};

use crate::model::board_ops::BoardOps;
use crate::model::conv_layer::{ApplyConv, ConvLayer};
use crate::model::epilogue::Epilogue;
use crate::model::linear::Linear;
use crate::tensors::Parameters;

/// A block of the tower.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The 1x1 convolutions down and up, if it is a bottleneck.
    bottleneck: Option<[ConvLayer; 2]>,
    /// One, or those within the bottleneck.
    residuals: Vec<Residual>,
    squeeze: Option<Squeeze>,
}

impl Block {
    /// Block `i` from its tensors.
    pub(crate) fn new(spec: &NetworkSpec, parameters: &Parameters, i: usize) -> Self {
        let wide = spec.channels;
        let narrow = spec.block_channels();
        let bottleneck = (spec.bottleneck_blocks > 0).then(|| {
            let shapes = [("conv_down", [narrow, wide, 1]), ("conv_up", [wide, narrow, 1])];
            shapes.map(|(part, shape)| {
                ConvLayer::new(parameters, &format!("blocks.{i}.{part}"), shape)
            })
        });
        let residual = |residual| Residual::new(parameters, residual, spec.pooled_channels());
        let squeeze = spec.squeezed_channels().map(|squeezed| Squeeze {
            hidden: Linear::new(parameters, &format!("blocks.{i}.squeeze"), [squeezed, wide]),
            excite: Linear::new(parameters, &format!("blocks.{i}.excite"), [2 * wide, squeezed]),
        });
        Self { bottleneck, residuals: spec.residuals(i).iter().map(residual).collect(), squeeze }
    }

    /// Rows of the board, `[B * H * W, C]`, to the same.
    pub(crate) fn forward(
        &self,
        ops: &BoardOps,
        h: &Tensor<2>,
        apply: &mut ApplyConv<'_>,
    ) -> Tensor<2> {
        let last = Epilogue::AddRelu(h);
        let Some(squeeze) = &self.squeeze else {
            return self.residuals(ops, h.clone(), last, apply);
        };
        let t = self.residuals(ops, h.clone(), Epilogue::Identity, apply);
        last.apply(squeeze.forward(ops, t))
    }

    /// What is added to `h`, and the epilogue.
    fn residuals(
        &self,
        ops: &BoardOps,
        h: Tensor<2>,
        epilogue: Epilogue<'_>,
        apply: &mut ApplyConv<'_>,
    ) -> Tensor<2> {
        let Some([down, up]) = &self.bottleneck else {
            return self.residuals[0].forward(ops, h, epilogue, apply);
        };
        let mut u = apply(down, h, Epilogue::Relu);
        for residual in &self.residuals {
            u = residual.forward(ops, u.clone(), Epilogue::AddRelu(&u), apply);
        }
        apply(up, u, epilogue)
    }
}

/// Two 3x3 convolutions, before their input is added.
#[derive(Clone, Debug)]
struct Residual {
    conv1: ConvLayer,
    conv2: ConvLayer,
    pool: Option<Pool>,
}

impl Residual {
    fn new(parameters: &Parameters, residual: &ResidualSpec, pooled: usize) -> Self {
        let ResidualSpec { name, channels: c, pooling } = residual;
        let convolution =
            |part: &str| ConvLayer::new(parameters, &format!("{name}.{part}"), [*c, *c, 3]);
        let pool = pooling.then(|| {
            let linear = Linear::new(parameters, &format!("{name}.pool"), [c - pooled, 2 * pooled]);
            Pool { pooled, linear }
        });
        Self { conv1: convolution("conv1"), conv2: convolution("conv2"), pool }
    }

    fn forward(
        &self,
        ops: &BoardOps,
        x: Tensor<2>,
        epilogue: Epilogue<'_>,
        apply: &mut ApplyConv<'_>,
    ) -> Tensor<2> {
        let t = match &self.pool {
            None => apply(&self.conv1, x, Epilogue::Relu),
            Some(pool) => pool.forward(ops, apply(&self.conv1, x, Epilogue::Identity)),
        };
        apply(&self.conv2, t, epilogue)
    }
}

/// Global pooling: the first channels' mean and maximum over the board shift the other channels,
/// before a `ReLU`.
#[derive(Clone, Debug)]
struct Pool {
    pooled: usize,
    linear: Linear,
}

impl Pool {
    fn forward(&self, ops: &BoardOps, t: Tensor<2>) -> Tensor<2> {
        let pooled = ops.rectified_means_and_maxima(&t, self.pooled);
        ops.shift_and_rectify(t, self.linear.forward(pooled))
    }
}

/// Squeeze-excitation: the channels' means over the board scale and shift them.
#[derive(Clone, Debug)]
struct Squeeze {
    hidden: Linear,
    excite: Linear,
}

impl Squeeze {
    fn forward(&self, ops: &BoardOps, t: Tensor<2>) -> Tensor<2> {
        // Training kernels give 16 bits, and Burn's operations here train in 32.
        let t = t.cast(self.excite.sums());
        let squeezed = self.hidden.rectified(ops, ops.mean(t.clone()));
        // [B, 2C] to two of [B, C]
        let [scale, shift]: [Tensor<2>; 2] =
            self.excite.forward(squeezed).chunk(2, 1).try_into().expect("2C is even");
        ops.add_to_boards(ops.scale_boards(t, sigmoid(scale)), shift)
    }
}
