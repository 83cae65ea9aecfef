//! A network file's tensors on a device, as a way to work the network out wants them.

use burn::tensor::{Device, Tensor};
use dz_network_file::{Head, NetworkFile, NetworkSpec};

use crate::cuda;
use crate::cuda::linear::plan::LinearPlan;
use crate::model::board_ops::Ways;
use crate::model::conv_layer::PACKED;
use crate::model::convolution::Convolve;
use crate::model::convolution::kernel3x3;
use crate::model::tower::Tower;
use crate::precision::Precision;
use crate::tensors::upload;

/// A file's network on a device, to play.
pub(crate) fn tower_of(
    file: &NetworkFile,
    precision: Precision,
    ways: Ways,
    device: &Device,
) -> Tower {
    let spec = &file.header.spec;
    let place = |(name, tensor): (&String, &dz_network_file::TensorData)| {
        let numbers = upload(tensor.data.clone(), device).cast(precision.dtype());
        match (name.strip_suffix(".weight"), tensor.shape.as_slice()) {
            (Some(layer), &[outputs, inputs, side, _]) => {
                convolution(spec, ways, layer, numbers, [outputs, inputs, side])
            }
            // Globals of the first layer have no bias, and are no layer of their own.
            (Some(layer), &[outputs, inputs]) if layer != "stem.globals" => {
                linear(spec, ways, layer, numbers, [outputs, inputs])
            }
            _ => (name.clone(), numbers),
        }
    };
    Tower::new(spec, &file.tensors.iter().map(place).collect())
}

/// The weight of a convolution, flat, under its name.
fn convolution(
    spec: &NetworkSpec,
    ways: Ways,
    layer: &str,
    numbers: Tensor<1>,
    [outputs, inputs, side]: [usize; 3],
) -> (String, Tensor<1>) {
    let shape = [outputs, inputs, side, side];
    let is_on_chip = ways.convolve == Convolve::OnChip;
    if !is_on_chip || !cuda::conv::fits::plays([spec.height, spec.width], shape) {
        return (format!("{layer}.weight"), numbers);
    }
    let kernel = match side {
        1 => numbers.reshape([outputs, inputs]).transpose(),
        _ => kernel3x3(numbers.reshape(shape)),
    };
    (format!("{layer}.{PACKED}"), cuda::conv::fits::pack(kernel, side * side).flatten(0, 1))
}

/// The weight of a linear layer, flat, under its name.
fn linear(
    spec: &NetworkSpec,
    ways: Ways,
    layer: &str,
    numbers: Tensor<1>,
    [outputs, inputs]: [usize; 2],
) -> (String, Tensor<1>) {
    let mut weight: Tensor<2> = numbers.reshape([outputs, inputs]);
    if let (true, Some(channels)) = (ways.by_point, board_channels(spec, layer)) {
        // [out, C * H * W] -> [out, H * W * C]
        let boards: Tensor<3> = weight.reshape([outputs, channels, spec.area()]);
        weight = boards.swap_dims(1, 2).reshape([outputs, inputs]);
    }
    match LinearPlan::new([inputs, outputs]).filter(|_| ways.convolve == Convolve::OnChip) {
        Some(plan) => (format!("{layer}.{PACKED}"), plan.pack(weight.transpose())),
        None => (format!("{layer}.weight"), weight.reshape([outputs * inputs])),
    }
}

/// Channels of the boards that a linear layer takes, if it takes whole ones.
fn board_channels(spec: &NetworkSpec, layer: &str) -> Option<usize> {
    let takes_policy = [Head::Reply, Head::SoftPolicy].map(|head| head.layer(spec).0);
    match layer {
        _ if spec.any_size => None,
        "value.hidden" => Some(spec.value_channels),
        "policy.linear" => Some(spec.policy_channels),
        _ => takes_policy.contains(&layer).then_some(spec.policy_channels),
    }
}

#[cfg(test)]
mod tests {
    use dz_cpu_net::{random_network, random_positions};

    use super::*;
    use crate::model::board_ops::Boards;
    use crate::model::planes::Inputs;
    use crate::model::planes::Unpack;
    use crate::tensors::Tensors;
    use crate::tensors::download;

    /// All heads, which take boards or not.
    #[test]
    fn boards_point_by_point_say_what_boards_channel_by_channel_do() {
        let mut spec = NetworkSpec { heads: Head::ALL.into(), ..crate::canary_spec() };
        spec.policy_len = spec.area() + 1;
        for any_size in [false, true] {
            spec.any_size = any_size;
            let file = random_network(&spec, 5);
            let (device, positions) = (Device::flex(), random_positions(&spec, 4, 7));
            let with = |by_point| {
                let convolve = Convolve::Gather;
                let ways = Ways { convolve, sum_boards_first: false, by_point };
                let on = Boards::new(&spec, 4, ways, Precision::F32, &device);
                let dtype = Precision::F32.dtype();
                let inputs = Inputs::of(&positions, 0..4, Unpack::Here, dtype, &device);
                let tower = tower_of(&file, Precision::F32, ways, &device);
                let (logits, heads) = tower.forward_all(&on, inputs, &mut Tensors::new());
                let mut all = vec![download(logits.policy), download(logits.wdl)];
                all.extend(heads.into_iter().map(|(_, output)| download(output)));
                all
            };
            let (by_channel, by_point) = (with(false), with(true));
            assert_eq!(by_channel.len(), 2 + spec.heads.len());
            for (i, (one, other)) in by_channel.iter().zip(&by_point).enumerate() {
                assert!(one.len() == other.len() && one.iter().any(|x| x.abs() > 1e-3), "{i}");
                for (one, other) in one.iter().zip(other) {
                    assert!((one - other).abs() < 1e-4, "{i}: {one} {other}");
                }
            }
        }
    }
}
