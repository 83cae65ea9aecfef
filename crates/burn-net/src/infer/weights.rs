//! A network file's tensors on a device, as a way to work the network out wants them.

use burn::tensor::{Device, Tensor};
use dz_network_file::{Head, HeadOutput, NetworkFile, NetworkSpec};

use crate::cuda::conv::fits;
use crate::cuda::linear::plan::LinearPlan;
use crate::model::board_ops::ComputeOptions;
use crate::model::convolution::{ConvMethod, kernel3x3};
use crate::model::tower::Tower;
use crate::precision::Precision;
use crate::tensors::{Parameters, WeightFormat, upload};

/// A file's network on a device, to play.
pub(crate) fn tower_of(
    file: &NetworkFile,
    precision: Precision,
    compute: ComputeOptions,
    device: &Device,
) -> Tower {
    let spec = &file.header.spec;
    let mut parameters = Parameters::default();
    for (name, tensor) in &file.tensors {
        let numbers = upload(tensor.data.clone(), device).cast(precision.dtype());
        match (name.strip_suffix(".weight"), tensor.shape.as_slice()) {
            (Some(layer), &[outputs, inputs, side, _]) => {
                let (weight, format) = convolution(spec, compute, numbers, [outputs, inputs, side]);
                parameters.insert_weight(layer, weight, format);
            }
            // Globals of the first layer have no bias, and are no layer of their own.
            (Some(layer), &[outputs, inputs]) if layer != "stem.globals" => {
                let (weight, format) = linear(spec, compute, layer, numbers, [outputs, inputs]);
                parameters.insert_weight(layer, weight, format);
            }
            _ => parameters.insert(name.clone(), numbers),
        }
    }
    Tower::new(spec, &parameters)
}

/// The weight of a convolution, flat, and its format.
fn convolution(
    spec: &NetworkSpec,
    compute: ComputeOptions,
    numbers: Tensor<1>,
    [outputs, inputs, side]: [usize; 3],
) -> (Tensor<1>, WeightFormat) {
    let shape = [outputs, inputs, side, side];
    let has_cuda_kernels = compute.convolve == ConvMethod::CudaKernel;
    if !has_cuda_kernels || !fits::plays([spec.height, spec.width], shape) {
        return (numbers, WeightFormat::File);
    }
    let kernel = match side {
        1 => numbers.reshape([outputs, inputs]).transpose(),
        _ => kernel3x3(numbers.reshape(shape)),
    };
    (fits::pack(kernel, side * side).flatten(0, 1), WeightFormat::Packed)
}

/// The weight of a linear layer, flat, and its format.
fn linear(
    spec: &NetworkSpec,
    compute: ComputeOptions,
    layer: &str,
    numbers: Tensor<1>,
    [outputs, inputs]: [usize; 2],
) -> (Tensor<1>, WeightFormat) {
    let mut weight: Tensor<2> = numbers.reshape([outputs, inputs]);
    if let (true, Some(channels)) = (compute.by_point, board_channels(spec, layer)) {
        // [out, C * H * W] -> [out, H * W * C]
        let boards: Tensor<3> = weight.reshape([outputs, channels, spec.area()]);
        weight = boards.swap_dims(1, 2).reshape([outputs, inputs]);
    }
    match LinearPlan::new([inputs, outputs]).filter(|_| compute.convolve == ConvMethod::CudaKernel)
    {
        Some(plan) => (plan.pack(weight.transpose()), WeightFormat::Packed),
        None => (weight.reshape([outputs * inputs]), WeightFormat::File),
    }
}

/// Channels of the boards that a linear layer takes, if it takes whole ones.
fn board_channels(spec: &NetworkSpec, layer: &str) -> Option<usize> {
    let is_policy = |head: &Head| head.output() == HeadOutput::Policy && head.layer() == layer;
    match layer {
        _ if spec.any_size => None,
        "value.hidden" => Some(spec.value_channels),
        _ if spec.policy_planes > 0 => None,
        "policy.linear" => Some(spec.policy_channels),
        _ => Head::ALL.iter().any(is_policy).then_some(spec.policy_channels),
    }
}

#[cfg(test)]
mod tests {
    use dz_cpu_net::{random_network, random_positions};

    use super::*;
    use crate::model::board_ops::BoardOps;
    use crate::model::planes::{Inputs, Unpack};
    use crate::tensors::download;

    /// All heads, which take boards or not.
    #[test]
    fn boards_point_by_point_say_what_boards_channel_by_channel_do() {
        let mut spec = NetworkSpec { heads: Head::ALL.into(), ..crate::canary_spec() };
        let area = spec.area();
        let shapes = [(false, 0, area + 1), (true, 0, area + 1), (false, 3, 3 * area)];
        for (any_size, policy_planes, policy_len) in shapes {
            spec = NetworkSpec { any_size, policy_planes, policy_len, ..spec };
            let file = random_network(&spec, 5);
            let device = Device::flex();
            let positions = random_positions(&spec, 4, 7);
            let with = |by_point| {
                let convolve = ConvMethod::Gather;
                let compute = ComputeOptions { convolve, sum_boards_first: false, by_point };
                let on = BoardOps::new(&spec, 4, compute, Precision::F32, &device);
                let dtype = Precision::F32.dtype();
                let inputs = Inputs::of(&positions, 0..4, Unpack::OnHost, dtype, &device);
                let tower = tower_of(&file, Precision::F32, compute, &device);
                let (logits, heads) = tower.forward_all(&on, inputs);
                let mut all = vec![download(logits.policy), download(logits.wdl)];
                all.extend(heads.into_iter().map(|(_, output)| download(output)));
                all
            };
            let by_channel = with(false);
            let by_point = with(true);
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
