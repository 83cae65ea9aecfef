//! A network file's numbers in the order in which the kernels take them.

use dz_network_file::{Head, NetworkFile, TensorData};
use half::f16;

use crate::plan::{STEP, TowerPlan};

/// What the kernels read, on the host.
#[derive(Debug)]
pub(crate) struct Weights {
    /// Of all convolutions, products of 16 inputs one after another.
    pub(crate) tower: Vec<u16>,
    /// Of all convolutions, one after another.
    pub(crate) tower_bias: Vec<f32>,
    /// `[globals, C]`
    pub(crate) globals: Vec<f32>,
    /// Of each pooling block `[2 * pooled, shifted]`.
    pub(crate) pool: Vec<f32>,
    pub(crate) pool_bias: Vec<f32>,
    pub(crate) policy: Linear,
    pub(crate) policy_bias: Vec<f32>,
    pub(crate) hidden: Linear,
    pub(crate) hidden_bias: Vec<f32>,
    /// `[3, hidden]`, with the rows of [`TowerPlan::columns`] behind.
    pub(crate) output: Vec<f32>,
    pub(crate) output_bias: Vec<f32>,
}

/// A linear layer of a head.
#[derive(Debug)]
pub(crate) enum Linear {
    /// Of whole boards: `[chunk][tile][32 lanes][8]`, see [`tiles`].
    Boards(Vec<u16>),
    /// Of points, or of means over them: `[outputs, inputs]`.
    Points(Vec<f32>),
}

impl Weights {
    /// Of a file whose tensors are those of its specification.
    pub(crate) fn of(file: &NetworkFile, plan: &TowerPlan) -> Self {
        let tensor = |name: &str| &file.tensors[name];
        let bias = |layer: &str| tensor(&format!("{layer}.bias")).data.clone();
        let weight = |layer: &str| tensor(&format!("{layer}.weight"));
        let beside = || file.header.spec.value_columns().map(Head::layer);
        let value_outputs = || std::iter::once("value.output").chain(beside());
        let mut tower = Vec::new();
        let mut tower_bias = Vec::new();
        let blocks = (0..plan.blocks)
            .flat_map(|i| [format!("blocks.{i}.conv1"), format!("blocks.{i}.conv2")]);
        for layer in std::iter::once("stem.conv".to_owned()).chain(blocks) {
            convolution(&[weight(&layer)], &mut tower);
            tower_bias.extend(bias(&layer));
        }
        // Both heads' convolutions are one.
        convolution(&[weight("policy.conv"), weight("value.conv")], &mut tower);
        tower_bias.extend(bias("policy.conv"));
        tower_bias.extend(bias("value.conv"));
        let linear = |layer: &str, channels| match plan.any_size_rest {
            None => Linear::Boards(tiles(weight(layer), channels)),
            Some(_) => Linear::Points(weight(layer).data.clone()),
        };
        let globals = match plan.globals {
            0 => Vec::new(),
            _ => transposed(weight("stem.globals")).collect(),
        };
        let mut pool = Vec::new();
        let mut pool_bias = Vec::new();
        for layer in (1..plan.blocks).step_by(2).map(|i| format!("blocks.{i}.pool")) {
            if plan.pooled > 0 {
                pool.extend(transposed(weight(&layer)));
                pool_bias.extend(bias(&layer));
            }
        }
        Self {
            tower,
            tower_bias,
            globals,
            pool,
            pool_bias,
            policy: linear("policy.linear", plan.policy_channels),
            policy_bias: bias("policy.linear"),
            hidden: linear("value.hidden", plan.value_channels),
            hidden_bias: bias("value.hidden"),
            output: value_outputs().flat_map(|layer| weight(layer).data.clone()).collect(),
            output_bias: value_outputs().flat_map(bias).collect(),
        }
    }
}

/// Convolutions `[N, C, S, S]` that share their inputs: for each tap and each 16 inputs a matrix as
/// `wgmma` reads it, `[2 halves of 8 inputs][N / 8][8 outputs][8 inputs]`. Inputs are filled up
/// with blank ones.
fn convolution(weights: &[&TensorData], to: &mut Vec<u16>) {
    let inputs = weights[0].shape[1];
    let taps = weights[0].shape[2] * weights[0].shape[3];
    let rows: Vec<&[f32]> =
        weights.iter().flat_map(|weight| weight.data.chunks_exact(inputs * taps)).collect();
    for tap in 0..taps {
        for first in (0..inputs).step_by(STEP) {
            for half in [first, first + 8] {
                for row in &rows {
                    let number = |input| if input < inputs { row[input * taps + tap] } else { 0.0 };
                    to.extend((half..half + 8).map(|input| bits(number(input))));
                }
            }
        }
    }
}

/// `[N, K]` as `[K, N]`.
fn transposed(weight: &TensorData) -> impl Iterator<Item = f32> {
    let inputs = weight.shape[1];
    (0..inputs).flat_map(move |input| weight.data.iter().skip(input).step_by(inputs).copied())
}

/// A linear layer `[N, C * points]`, as lanes of `heads.cu` take it: `[chunk of 32 inputs][tile of
/// 8 outputs][32 lanes][8 inputs]`, where lane `l` has output `l / 4` and the inputs from `8 * (l %
/// 4)` on. The kernel's inputs come point by point, the file's channel by channel.
fn tiles(weight: &TensorData, channels: usize) -> Vec<u16> {
    let &[outputs, inputs] = weight.shape.as_slice() else { return Vec::new() };
    let points = inputs / channels;
    let number = |output: usize, input: usize| {
        if output >= outputs || input >= inputs {
            return 0.0;
        }
        let [point, channel] = [input / channels, input % channels];
        weight.data[output * inputs + channel * points + point]
    };
    let mut found = Vec::new();
    for chunk in 0..inputs.div_ceil(32) {
        for tile in 0..outputs.div_ceil(8) {
            for lane in 0..32 {
                let first = chunk * 32 + lane % 4 * 8;
                let output = tile * 8 + lane / 4;
                found.extend((first..first + 8).map(|input| bits(number(output, input))));
            }
        }
    }
    found
}

fn bits(number: f32) -> u16 {
    f16::from_f32(number).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that halves hold.
    fn tensor(shape: &[usize]) -> TensorData {
        let len = shape.iter().product::<usize>();
        TensorData { shape: shape.to_vec(), data: (0..len).map(|i| (i % 1024) as f32).collect() }
    }

    fn number(bits: u16) -> f32 {
        f16::from_bits(bits).to_f32()
    }

    #[test]
    fn each_weight_of_a_convolution_is_where_the_product_looks_for_it() {
        let [policy, value] = [tensor(&[16, 18, 3, 3]), tensor(&[8, 18, 3, 3])];
        let mut packed = Vec::new();
        convolution(&[&policy, &value], &mut packed);
        let steps = 2;
        assert_eq!(packed.len(), 9 * steps * STEP * 24);
        for tap in 0..9 {
            for input in 0..steps * STEP {
                for output in 0..24 {
                    let from = if output < 16 { &policy } else { &value };
                    let wanted = match input {
                        18.. => 0.0,
                        _ => from.data[(output % 16 * 18 + input) * 9 + tap],
                    };
                    // The descriptor's distances: 8 inputs, 8 outputs, an output, an input.
                    let step = (tap * steps + input / STEP) * STEP * 24;
                    let place = step + input % STEP / 8 * (24 * 8) + output * 8 + input % 8;
                    assert_eq!(number(packed[place]), wanted, "{tap} {input} {output}");
                }
            }
        }
    }

    #[test]
    fn a_matrix_is_turned() {
        let turned: Vec<f32> = transposed(&tensor(&[2, 3])).collect();
        assert_eq!(turned, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    }

    /// What the lanes of a warp add up is the product of the matrices.
    #[test]
    fn lanes_take_a_linear_layer_whole() {
        let [outputs, channels, points] = [11, 8, 5];
        let inputs = channels * points;
        let weight = tensor(&[outputs, inputs]);
        let packed = tiles(&weight, channels);
        let tile_count = 2;
        for output in 0..outputs {
            for point in 0..points {
                for channel in 0..channels {
                    let input = point * channels + channel;
                    let lane = output % 8 * 4 + input % 32 / 8;
                    let place =
                        ((input / 32 * tile_count + output / 8) * 32 + lane) * 8 + input % 8;
                    let wanted = weight.data[output * inputs + channel * points + point];
                    assert_eq!(number(packed[place]), wanted);
                }
            }
        }
        assert_eq!(packed.len(), 2 * tile_count * 32 * 8);
        assert_eq!(packed.iter().filter(|bits| **bits != 0).count(), outputs * inputs - 1);
    }
}
