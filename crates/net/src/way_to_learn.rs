//! Which way to convolve a network learns by, and whether a card is right about it.

use burn::tensor::{Device, FloatDType, Tensor};
use dz_game::mix64;
use dz_network::NetworkSpec;
use tracing::warn;

use crate::board::{Boards, Ways};
use crate::convolve::{Convolve, Then};
use crate::device::BURN_CONVOLUTION;
use crate::evaluator::Precision;
use crate::heads::entropy;
use crate::learning_canary::largest;
use crate::on_chip::{self, AdamFlats};
use crate::optimizer::{Moments, Update, blend};
use crate::tower::{Convolution, RAW, Tensors, download, upload};
use crate::{DeviceChoice, LearnerOptions, NetError};

/// Largest distance from the processor's numbers, as a share of their length, that is put down to rounding: outputs are rounded
/// to 8 bits twice, gradients of inputs once more.
const DISTANCE_MAX: f64 = 0.02;

/// The same where outputs are rectified: of those near 0 some are then on its other side, whose gradient passes through or does not.
const DISTANCE_MAX_RECTIFIED: f64 = 0.1;

/// The same of a single row, as a share of a row's length on average, where nothing is rectified.
const ROW_DISTANCE_MAX: f64 = 0.1;

/// The same of losses, their gradients and a step of the optimizer, which have 32 bits.
const DISTANCE_MAX_32_BITS: f64 = 1e-4;

/// More than a group of threads has at a time, so that the last one has few.
const FEW_ROWS: usize = 300;

/// No multiple of the rows that a group of threads has.
const ENTROPY_SHARES: usize = 7;

/// Whether kernels of our own can work out a network's 3x3 convolutions and batch norm while it learns on devices, and agree there
/// with the processor. Tells why, if they do not agree.
///
/// # Errors
/// [`NetError::Device`] if a device does nothing more after it tried: a kernel that touches memory that it has not, say, leaves
/// a card of no use to a process.
pub fn learns_on_chip(
    devices: &[DeviceChoice],
    spec: &NetworkSpec,
    precision: Precision,
) -> Result<bool, NetError> {
    if !devices.iter().all(|choice| choice.fits_to_learn_on_chip(spec, precision)) {
        return Ok(false);
    }
    for choice in devices {
        let what = match choice.guard(|| excess(spec, Convolve::OnChip, &choice.open())) {
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
            "layers of our own do not work to learn, so Burn's are used, which are slower: {what}"
        );
        return Ok(false);
    }
    Ok(true)
}

/// How 3x3 convolutions are worked out while a network learns on devices: by kernels of our own where they are asked for and fit, or
/// else as Burn does it.
pub(crate) fn way_to_learn(
    devices: &[(DeviceChoice, Device)],
    spec: &NetworkSpec,
    options: &LearnerOptions,
) -> Convolve {
    let fits = |(choice, _): &(DeviceChoice, Device)| {
        choice.fits_to_learn_on_chip(spec, options.precision)
    };
    if options.on_chip && devices.iter().all(fits) {
        return Convolve::OnChip;
    }
    devices[0].0.ways(true).convolve
}

/// Largest distance of what a network's convolutions with batch norm find on a device, gradients included, from what they find on the
/// processor, in units of what is allowed; infinite if there is no number.
fn excess(spec: &NetworkSpec, convolve: Convolve, device: &Device) -> f64 {
    let narrow = spec.block_channels();
    let (inputs, outputs) = (spec.channels_in, spec.channels);
    let first = Layer { spec, side: 3, inputs, outputs, kind: Kind::First };
    let inner = |kind| Layer { inputs: narrow, outputs: narrow, kind, ..first };
    // Heads, and a bottleneck's ways down and up.
    let point = |inputs, outputs| Layer { side: 1, inputs, outputs, kind: Kind::Plain, ..first };
    let points = [(outputs, spec.policy_channels), (outputs, spec.value_channels)];
    let bottleneck = [(outputs, narrow), (narrow, outputs)];
    let bottleneck = bottleneck.into_iter().filter(|_| spec.bottleneck_blocks > 0);
    let points = points.into_iter().chain(bottleneck);
    let size = [spec.height, spec.width];
    let takes =
        |&(inputs, outputs): &(usize, usize)| on_chip::learns(size, [outputs, inputs, 1, 1]);
    let points = points.filter(takes).map(|(inputs, outputs)| point(inputs, outputs));
    let found = entropy_numbers(spec, convolve == Convolve::OnChip, device);
    let wanted = entropy_numbers(spec, false, &Device::flex());
    let entropies = found.iter().zip(&wanted).map(|(found, wanted)| share(found, wanted));
    let found = step_numbers(convolve == Convolve::OnChip, device);
    let wanted = step_numbers(false, &Device::flex());
    let step = found.iter().zip(&wanted).map(|(found, wanted)| share(found, wanted));
    let mut most = largest(entropies.chain(step)) / DISTANCE_MAX_32_BITS;
    for layer in [first, inner(Kind::Plain), inner(Kind::Last)].into_iter().chain(points) {
        let found = layer.numbers(convolve, device);
        let wanted = layer.numbers(Convolve::Gather, &Device::flex());
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

/// A cross-entropy of three rows for each share, as many classes as there are moves, and its gradient along the logits.
fn entropy_numbers(spec: &NetworkSpec, on_chip: bool, device: &Device) -> [Vec<f32>; 2] {
    let (device, rows, classes) = (device.clone().autodiff(), 3 * ENTROPY_SHARES, spec.policy_len);
    let flat = |length: usize, seed: u64| upload(random(length, seed), &device);
    let table = |seed: u64| flat(rows * classes, seed).reshape([rows, classes]);
    let logits = table(7).mul_scalar(8.0).detach().require_grad();
    let loss = entropy(logits.clone(), table(8).abs(), flat(ENTROPY_SHARES, 9).abs(), on_chip);
    let gradients = loss.clone().mul_scalar(2.0).backward();
    let gradient = logits.grad(&gradients).expect("the loss looks at the logits");
    [download(loss.inner()), download(gradient)]
}

/// What a step of `AdamW` and of the moving average makes of numbers, and some that were put together of pieces of many lengths.
fn step_numbers(on_chip: bool, device: &Device) -> Vec<Vec<f32>> {
    let pieces: Vec<Tensor<1>> =
        (0..10).map(|i| upload(random(1 + 37 * i, i as u64), device)).collect();
    let joined = if on_chip { on_chip::join(&pieces) } else { Tensor::cat(pieces, 0) };
    let flat = |seed| upload(random(joined.dims()[0], seed), device);
    let [parameters, first, average] = [10, 11, 12].map(flat);
    // Not near 0, or a few numbers would be all that is compared.
    let second = flat(13).abs().add_scalar(0.5);
    let weight_decay = flat(14);
    let update = Update { step: 3, learning_rate: 0.25, gradient_scale: 0.5, weight_decay };
    let stepped = if on_chip {
        let flats = AdamFlats { parameters, first, second, average };
        let AdamFlats { parameters, first, second, average } =
            update.on_chip(flats, joined.clone(), 0.75);
        [parameters, first, second, on_chip::blend(average.clone(), flat(15), 0.9), average]
    } else {
        let mut moments = Moments { first, second };
        let parameters = moments.update(parameters, joined.clone(), &update);
        let average = blend(average, parameters.clone(), 0.75);
        let Moments { first, second } = moments;
        [parameters, first, second, blend(average.clone(), flat(15), 0.9), average]
    };
    stepped.into_iter().chain([joined]).map(download).collect()
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

/// A convolution with batch norm.
#[derive(Clone, Copy)]
struct Layer<'a> {
    spec: &'a NetworkSpec,
    /// Rows and columns of its kernel.
    side: usize,
    inputs: usize,
    outputs: usize,
    kind: Kind,
}

/// Where in a network it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What it takes has no gradient; rectified.
    First,
    /// Something else comes then.
    Plain,
    /// Something is added, and the sum rectified.
    Last,
}

impl Layer<'_> {
    /// Outputs, mean, variance, and the gradients of weight, gamma and beta, of the inputs unless it is the first, and of what is
    /// added if anything is.
    fn numbers(self, convolve: Convolve, device: &Device) -> Vec<Vec<f32>> {
        let Self { spec, side, inputs, outputs, kind } = self;
        let (untracked, device) = (device.clone(), device.clone().autodiff());
        let [height, width] = [spec.height, spec.width];
        let rows = match kind {
            // So many once; they take a while.
            Kind::Plain => on_chip::rows_of_two_turns([height, width], side, inputs, outputs),
            Kind::First | Kind::Last => FEW_ROWS,
        };
        let boards = rows.div_ceil(height * width);
        let rows = boards * height * width;
        let flat =
            |length: usize, seed: u64| -> Tensor<1> { upload(random(length, seed), &device) };
        let table = |columns: usize, seed: u64| -> Tensor<2> {
            flat(rows * columns, seed).reshape([rows, columns])
        };
        let [x, added] = [(inputs, 1), (outputs, 2)].map(|(columns, seed)| table(columns, seed));
        let [x, added] = [(x, kind != Kind::First), (added, kind == Kind::Last)]
            .map(|(tensor, tracked)| if tracked { tensor.require_grad() } else { tensor });
        // Parts of one flat tensor, as they are when a network learns, and at odd places.
        let lengths = [1, side * side * inputs * outputs, outputs, outputs];
        let all = random(lengths.iter().sum(), 3);
        let all: Vec<f32> = all.iter().map(|number| 1.5 + number).collect();
        let all = upload(all, &untracked);
        let mut from = 0;
        let [_, weight, gamma, beta] = lengths.map(|length| {
            let range = from..from + length;
            from = range.end;
            let part = match convolve {
                Convolve::OnChip => on_chip::view(&all, range.start, range.end),
                _ => all.clone().slice(range),
            };
            part.autodiff().require_grad()
        });
        let part = if convolve == Convolve::OnChip { RAW } else { "weight" };
        let tensors = [(part, &weight), ("gamma", &gamma), ("beta", &beta)];
        let tensors =
            tensors.map(|(part, tensor)| (format!("layer.{part}"), tensor.clone())).into();
        let ways = Ways { convolve, sum_boards_first: false };
        let on = Boards::new(spec, boards, ways, Precision::F32, &device);
        let then = match kind {
            Kind::First => Then::Rectify,
            Kind::Plain => Then::Nothing,
            Kind::Last => Then::AddAndRectify(&added),
        };
        let mut statistics = Tensors::new();
        let layer = Convolution::new(&tensors, "layer", [outputs, inputs, side]);
        let y = layer.forward(&on, x.clone(), then, &mut statistics).cast(FloatDType::F32);
        let gradients = (y.clone() * table(outputs, 6)).sum().backward();
        let mut all = vec![download(y.inner())];
        all.extend(statistics.into_values().map(download));
        let found = |tensor: &Tensor<1>| tensor.grad(&gradients).expect("it takes part in the sum");
        all.extend([&weight, &gamma, &beta].map(|tensor| download(found(tensor))));
        let tracked = [x, added].into_iter().filter_map(|tensor| tensor.grad(&gradients));
        all.extend(tracked.map(download));
        all
    }
}

/// Random numbers that a bf16 has exactly, from -1 to 1. Of those that follow a rule sums may be so small that rounding is all there
/// is of them.
fn random(length: usize, seed: u64) -> Vec<f32> {
    let of_word = |word: u64| (word % 129) as f32 / 64.0 - 1.0;
    (0..length as u64).map(|i| of_word(mix64(mix64(seed) ^ i))).collect()
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
        let way = way_to_learn(&[(choice, choice.open())], &spec(), &options);
        assert_eq!(way, Convolve::Gather);
        assert!(!learns_on_chip(&[choice], &spec(), Precision::Bf16).unwrap());
    }

    #[test]
    fn other_ways_agree_and_a_wrong_number_is_seen() {
        for convolve in [Convolve::Spread, Convolve::Whole] {
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
                .numbers(Convolve::Gather, &Device::flex())
                .iter()
                .map(Vec::len)
                .collect::<Vec<_>>()
        };
        let (all, weight) = (300 * 16, 9 * 16 * 16);
        let first = [all, 16, 16, weight, 16, 16];
        assert_eq!(numbers(Kind::First), first);
        assert_eq!(numbers(Kind::Last), [&first[..], &[all, all]].concat());
        assert_eq!(numbers(Kind::Plain).len(), first.len() + 1);
    }
}
