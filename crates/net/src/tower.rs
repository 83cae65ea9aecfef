//! The network itself, as functions of tensors by name. The maths is written down in [`dz_network`].

use std::collections::BTreeMap;

use burn::tensor::activation::relu;
use burn::tensor::module::{batch_norm_train, conv2d};
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Shape, Tensor};
use dz_network::NetworkSpec;

use crate::planes::Inputs;

/// Added to variances before the square root.
pub(crate) const EPSILON: f64 = 1e-5;

/// Flat tensors by the names of a network file or of a network in training.
pub(crate) type Tensors = BTreeMap<String, Tensor<1>>;

/// What a network says of a batch.
pub(crate) struct Logits {
    /// `[B, A]`
    pub(crate) policy: Tensor<2>,
    /// Win, draw, loss: `[B, 3]`.
    pub(crate) wdl: Tensor<2>,
}

/// A network whose tensors are on a device.
#[derive(Clone, Debug)]
pub(crate) struct Tower {
    stem: Convolution,
    /// `[C, G]`
    stem_globals: Option<Tensor<2>>,
    blocks: Vec<Block>,
    policy_conv: Convolution,
    policy: Linear,
    value_conv: Convolution,
    value_hidden: Linear,
    value_output: Linear,
}

impl Tower {
    /// Takes its tensors from `tensors`. Convolutions have a `bias` (folded, to play) or `gamma` and
    /// `beta` (to train); everything else is the same.
    pub(crate) fn new(spec: &NetworkSpec, tensors: &Tensors) -> Self {
        let c = spec.channels;
        let block = |i: usize| Block {
            conv1: Convolution::new(tensors, &format!("blocks.{i}.conv1"), [c, c, 3]),
            conv2: Convolution::new(tensors, &format!("blocks.{i}.conv2"), [c, c, 3]),
            pool: spec.is_pooling_block(i).then(|| {
                let pooled = spec.pooled_channels();
                let linear =
                    Linear::new(tensors, &format!("blocks.{i}.pool"), [c - pooled, 2 * pooled]);
                Pool { pooled, linear }
            }),
        };
        let (policy, value, area) = (spec.policy_channels, spec.value_channels, spec.area());
        let hidden = spec.value_hidden;
        Self {
            stem: Convolution::new(tensors, "stem.conv", [c, spec.channels_in, 3]),
            stem_globals: tensors
                .get("stem.globals.weight")
                .map(|weight| weight.clone().reshape([c, spec.globals])),
            blocks: (0..spec.blocks).map(block).collect(),
            policy_conv: Convolution::new(tensors, "policy.conv", [policy, c, 1]),
            policy: Linear::new(tensors, "policy.linear", [spec.policy_len, policy * area]),
            value_conv: Convolution::new(tensors, "value.conv", [value, c, 1]),
            value_hidden: Linear::new(tensors, "value.hidden", [hidden, value * area]),
            value_output: Linear::new(tensors, "value.output", [3, hidden]),
        }
    }

    /// Runs the network. In training, each convolution's mean and variance over the batch go to
    /// `statistics` under its name.
    pub(crate) fn forward(&self, inputs: Inputs, statistics: &mut Tensors) -> Logits {
        let mut h = self.stem.forward(inputs.planes, statistics);
        if let (Some(weight), Some(globals)) = (&self.stem_globals, inputs.globals) {
            h = add_to_channels(h, globals.matmul(weight.clone().transpose()));
        }
        let mut h = relu(h);
        for block in &self.blocks {
            h = block.forward(h, statistics);
        }
        let policy = relu(self.policy_conv.forward(h.clone(), statistics));
        let value = relu(self.value_conv.forward(h, statistics));
        // [B, channels, H, W] -> [B, channels * H * W]
        let value = relu(self.value_hidden.forward(value.flatten(1, 3)));
        Logits {
            policy: self.policy.forward(policy.flatten(1, 3)),
            wdl: self.value_output.forward(value),
        }
    }
}

#[derive(Clone, Debug)]
struct Block {
    conv1: Convolution,
    conv2: Convolution,
    pool: Option<Pool>,
}

impl Block {
    fn forward(&self, h: Tensor<4>, statistics: &mut Tensors) -> Tensor<4> {
        let mut t = self.conv1.forward(h.clone(), statistics);
        if let Some(pool) = &self.pool {
            t = pool.forward(t);
        }
        relu(self.conv2.forward(relu(t), statistics) + h)
    }
}

/// Global pooling: the first channels' mean and maximum over the board shift the other channels.
#[derive(Clone, Debug)]
struct Pool {
    pooled: usize,
    linear: Linear,
}

impl Pool {
    fn forward(&self, t: Tensor<4>) -> Tensor<4> {
        let [batch, channels, height, width] = t.dims();
        let area = height * width;
        let head = t.clone().slice([0..batch, 0..self.pooled]);
        let tail = t.slice([0..batch, self.pooled..channels]);
        // [B, P, H, W] -> [B, P, H * W] -> two of [B, P]
        let points: Tensor<3> = relu(head.clone()).reshape([batch, self.pooled, area]);
        let mean = points.clone().mean_dim(2).reshape([batch, self.pooled]);
        let top = points.max_dim(2).reshape([batch, self.pooled]);
        let shift = self.linear.forward(Tensor::cat(vec![mean, top], 1));
        Tensor::cat(vec![head, add_to_channels(tail, shift)], 1)
    }
}

/// Adds `shift [B, C]` to every point of `x [B, C, H, W]`.
fn add_to_channels(x: Tensor<4>, shift: Tensor<2>) -> Tensor<4> {
    let [batch, channels] = shift.dims();
    x + shift.reshape([batch, channels, 1, 1])
}

#[derive(Clone, Debug)]
struct Convolution {
    name: String,
    /// `[out, in, k, k]`
    weight: Tensor<4>,
    /// Batch norm's scale, `[out]`; none if batch norm was folded into the weights.
    gamma: Option<Tensor<1>>,
    /// The bias, or batch norm's beta: `[out]`.
    shift: Tensor<1>,
}

impl Convolution {
    fn new(tensors: &Tensors, name: &str, [out, inputs, kernel]: [usize; 3]) -> Self {
        let gamma = tensors.get(&format!("{name}.gamma")).cloned();
        let shift = named(tensors, name, if gamma.is_some() { "beta" } else { "bias" });
        let weight = named(tensors, name, "weight").reshape([out, inputs, kernel, kernel]);
        Self { name: name.to_owned(), weight, gamma, shift }
    }

    fn forward(&self, x: Tensor<4>, statistics: &mut Tensors) -> Tensor<4> {
        let padding = self.weight.dims()[2] / 2;
        let options = ConvOptions::new([1, 1], [padding, padding], [1, 1], 1);
        let (weight, shift) = (self.weight.clone(), self.shift.clone());
        let Some(gamma) = &self.gamma else { return conv2d(x, weight, Some(shift), options) };
        let norm =
            batch_norm_train(conv2d(x, weight, None, options), gamma.clone(), shift, EPSILON);
        statistics.insert(format!("{}.mean", self.name), norm.mean.inner());
        statistics.insert(format!("{}.variance", self.name), norm.variance.inner());
        norm.output
    }
}

#[derive(Clone, Debug)]
struct Linear {
    /// `[out, in]`
    weight: Tensor<2>,
    /// `[1, out]`
    bias: Tensor<2>,
}

impl Linear {
    fn new(tensors: &Tensors, name: &str, shape: [usize; 2]) -> Self {
        Self {
            weight: named(tensors, name, "weight").reshape(shape),
            bias: named(tensors, name, "bias").reshape([1, shape[0]]),
        }
    }

    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        x.matmul(self.weight.clone().transpose()) + self.bias.clone()
    }
}

fn named(tensors: &Tensors, layer: &str, part: &str) -> Tensor<1> {
    tensors.get(&format!("{layer}.{part}")).cloned().expect("the layout names every tensor")
}

/// A file's tensor, flat, on a device.
pub(crate) fn upload(values: Vec<f32>, device: &burn::tensor::Device) -> Tensor<1> {
    let length = values.len();
    Tensor::from_data(burn::tensor::TensorData::new(values, Shape::new([length])), device)
}

/// A tensor's numbers, row-major.
pub(crate) fn download<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("tensors here are 32-bit floats")
}
