//! Which way to convolve a network learns by, and whether a card is right about it.

mod check;

use burn::tensor::Device;
use dz_network_file::NetworkSpec;
use tracing::warn;

use crate::cuda;
use crate::device::choice::DeviceChoice;
use crate::device::open::BURN_CONVOLUTION;
use crate::error::NetError;
use crate::model::convolution::ConvMethod;
use crate::precision::Precision;
use crate::tensors::{download, upload};
use crate::train::learner::LearnerOptions;
use check::{Kind, Layer, linear_numbers, numbers_of_wholes};

/// Largest distance from the processor's numbers, as a share of their length, that is put down to
/// rounding: outputs are rounded to 8 bits twice, gradients of inputs once more.
const DISTANCE_MAX: f64 = 0.02;

/// The same where outputs are rectified: of those near 0 some are then on its other side, whose
/// gradient passes through or does not.
const DISTANCE_MAX_RECTIFIED: f64 = 0.1;

/// The same of a single row, as a share of a row's length on average, where nothing is rectified.
const ROW_DISTANCE_MAX: f64 = 0.1;

/// The same of losses, their gradients and a step of the optimizer, which have 32 bits, and of
/// planes, which are not rounded.
const DISTANCE_MAX_32_BITS: f64 = 1e-4;

/// The same of linear layers, whose gradient of the inputs is rounded to 8 bits once.
const DISTANCE_MAX_LINEAR: f64 = 5e-3;

/// Returns whether our kernels can compute a network's 3x3 convolutions and batch norm while it
/// learns on devices, and agree there with the processor. Prints why if they do not agree.
///
/// # Errors
/// [`NetError::Device`] if a device no longer works after the try. For example, a kernel with an
/// invalid memory access leaves the CUDA context unusable for the process.
pub fn learns_by_cuda_kernels(
    devices: &[DeviceChoice],
    spec: &NetworkSpec,
    precision: Precision,
) -> Result<bool, NetError> {
    if !devices.iter().all(|choice| choice.fits_cuda_kernels_to_learn(spec, precision)) {
        return Ok(false);
    }
    for choice in devices {
        let what = match choice.guard(|| excess(spec, ConvMethod::CudaKernel, &choice.open())) {
            Ok(excess) if excess <= 1.0 => continue,
            Ok(excess) => format!("on {choice} they are off by {excess:.1} times what is allowed"),
            Err(error) => {
                let still_works = choice.guard(|| download(upload(vec![1.0], &choice.open())));
                if still_works.is_err() {
                    let advice = format!("{error}; start again with {BURN_CONVOLUTION}=1");
                    return Err(choice.failed(&advice));
                }
                error.to_string()
            }
        };
        warn!(
            "our layers do not learn correctly here, so Burn's are used, which are slower: {what}"
        );
        return Ok(false);
    }
    Ok(true)
}

/// How 3x3 convolutions are worked out while a network learns on devices: by our kernels where they
/// are asked for and fit, or else as Burn does it.
pub(crate) fn method_to_learn(
    devices: &[(DeviceChoice, Device)],
    spec: &NetworkSpec,
    options: &LearnerOptions,
) -> ConvMethod {
    let fits = |(choice, _): &(DeviceChoice, Device)| {
        choice.fits_cuda_kernels_to_learn(spec, options.precision)
    };
    if options.cuda_kernels && devices.iter().all(fits) {
        return ConvMethod::CudaKernel;
    }
    devices[0].0.compute_options(true).convolve
}

/// Returns the largest difference between a device and the processor in the outputs and gradients
/// of a network's convolutions with batch norm, in units of the tolerance. Infinite if a number is
/// not finite.
fn excess(spec: &NetworkSpec, convolve: ConvMethod, device: &Device) -> f64 {
    let narrow = spec.block_channels();
    let inputs = spec.channels_in;
    let outputs = spec.channels;
    let first = Layer { spec, side: 3, inputs, outputs, kind: Kind::First };
    let inner = |kind| Layer { inputs: narrow, outputs: narrow, kind, ..first };
    // Heads, and a bottleneck's ways down and up.
    let point = |inputs, outputs| Layer { side: 1, inputs, outputs, kind: Kind::Plain, ..first };
    let points = [(outputs, spec.policy_channels), (outputs, spec.value_channels)];
    let bottleneck = [(outputs, narrow), (narrow, outputs)];
    let bottleneck = bottleneck.into_iter().filter(|_| spec.bottleneck_blocks > 0);
    let points = points.into_iter().chain(bottleneck);
    let size = [spec.height, spec.width];
    let takes = |&(inputs, outputs): &(usize, usize)| {
        cuda::conv::fits::learns(size, [outputs, inputs, 1, 1])
    };
    let points = points.filter(takes).map(|(inputs, outputs)| point(inputs, outputs));
    let found = numbers_of_wholes(spec, convolve, device);
    let wanted = numbers_of_wholes(spec, ConvMethod::Gather, &Device::flex());
    let shares = found.iter().zip(&wanted).map(|(found, wanted)| share(found, wanted));
    let most = largest(shares) / DISTANCE_MAX_32_BITS;
    let found = linear_numbers(spec, convolve, device);
    let wanted = linear_numbers(spec, ConvMethod::Gather, &Device::flex());
    let shares = found.iter().zip(&wanted).map(|(found, wanted)| share(found, wanted));
    let mut most = most.max(largest(shares) / DISTANCE_MAX_LINEAR);
    for layer in [first, inner(Kind::Plain), inner(Kind::Last)].into_iter().chain(points) {
        let found = layer.numbers(convolve, device);
        let wanted = layer.numbers(ConvMethod::Gather, &Device::flex());
        for (found, wanted) in found.iter().zip(&wanted) {
            let share = share(found, wanted);
            most = most.max(match layer.kind {
                Kind::First | Kind::Last => share / DISTANCE_MAX_RECTIFIED,
                Kind::Plain => {
                    let row = row_share(found, wanted, layer.outputs) / ROW_DISTANCE_MAX;
                    row.max(share / DISTANCE_MAX)
                }
            });
        }
    }
    most
}

/// Largest distance of a row of so many numbers, as a share of a row's length on average.
fn row_share(found: &[f32], wanted: &[f32], columns: usize) -> f64 {
    let rows = found.chunks_exact(columns).zip(wanted.chunks_exact(columns));
    let mean = (wanted.len() as f64 / columns as f64).sqrt();
    let whole = length(wanted.iter().copied()) / mean;
    largest(rows.map(|(a, b)| distance(a, b) / whole))
}

fn distance(found: &[f32], wanted: &[f32]) -> f64 {
    length(found.iter().zip(wanted).map(|(a, b)| a - b))
}

/// Euclidean.
fn length(numbers: impl Iterator<Item = f32>) -> f64 {
    numbers.map(|number| f64::from(number).powi(2)).sum::<f64>().sqrt()
}

/// Distance as a share of the length of what is wanted.
fn share(found: &[f32], wanted: &[f32]) -> f64 {
    let length = length(wanted.iter().copied()).max(f64::MIN_POSITIVE);
    largest(std::iter::once(distance(found, wanted) / length))
}

/// Returns the largest share; infinite if one is not a number, which must not be ignored.
pub(crate) fn largest(mut shares: impl Iterator<Item = f64>) -> f64 {
    let add = |most: f64, share: f64| share.is_finite().then(|| most.max(share));
    shares.try_fold(0.0, add).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> NetworkSpec {
        NetworkSpec::plain([3, 4, 5], 7, 2, 16)
    }

    #[test]
    fn the_processor_learns_its_own_way() {
        let choice = DeviceChoice::Cpu;
        let options = LearnerOptions::to_measure(Precision::Bf16);
        let way = method_to_learn(&[(choice, choice.open())], &spec(), &options);
        assert_eq!(way, ConvMethod::Gather);
        assert!(!learns_by_cuda_kernels(&[choice], &spec(), Precision::Bf16).unwrap());
    }

    #[test]
    fn other_ways_agree_and_a_wrong_number_is_seen() {
        for convolve in [ConvMethod::OneHot, ConvMethod::Conv2d] {
            let excess = excess(&spec(), convolve, &Device::flex());
            assert!(excess < 0.1, "{convolve:?}: {excess}");
        }
        assert_eq!(share(&[3.0, 0.0], &[3.0, 4.0]), 0.8);
        assert_eq!(share(&[f32::NAN, 4.0], &[1.0, 4.0]), f64::INFINITY);
        // One row of a hundred is wrong.
        let wanted = vec![1.0; 200];
        let found: Vec<f32> = (0..200).map(|i| if i / 2 == 7 { -1.0 } else { 1.0 }).collect();
        assert!((row_share(&found, &wanted, 2) - 2.0).abs() < 1e-9);
        assert_eq!(row_share(&[1.0, f32::NAN], &[1.0, 1.0], 2), f64::INFINITY);
    }

    #[test]
    fn every_gradient_that_there_is_is_compared() {
        let spec = spec();
        let numbers = |kind| {
            let layer = Layer { spec: &spec, side: 3, inputs: 16, outputs: 16, kind };
            layer
                .numbers(ConvMethod::Gather, &Device::flex())
                .iter()
                .map(Vec::len)
                .collect::<Vec<_>>()
        };
        let all = 300 * 16;
        let weight = 9 * 16 * 16;
        let first = [all, 16, 16, weight, 16, 16];
        assert_eq!(numbers(Kind::First), first);
        assert_eq!(numbers(Kind::Last), [&first[..], &[all, all]].concat());
        assert_eq!(numbers(Kind::Plain).len(), first.len() + 1);
    }
}
