//! What kernels make of numbers that are compared.

use burn::tensor::{Device, FloatDType, Tensor};
use dz_cpu_net::random_positions;
use dz_game::mix64;
use dz_network_file::NetworkSpec;

use crate::cuda;
use crate::cuda::adam_step::{AdamFlats, AdamStep, STATISTICS_SHARE, StepTensors};
use crate::device::choice::DeviceChoice;
use crate::model::board_ops::{BoardOps, ComputeOptions};
use crate::model::conv_layer::ConvLayer;
use crate::model::convolution::ConvMethod;
use crate::model::epilogue::{BatchNormOutput, Epilogue};
use crate::model::heads::entropy;
use crate::model::linear::Linear;
use crate::model::planes::{Inputs, Unpack};
use crate::precision::Precision;
use crate::tensors::{Parameters, WeightFormat, download, upload};
use crate::train::optimizer;
use crate::train::optimizer::{Moments, Update, blend};

/// More than a group of threads has at a time, so that the last one has few.
const FEW_ROWS: usize = 300;

/// No multiple of the rows that a group of threads has.
const ENTROPY_SHARES: usize = 7;

/// What our kernels compute beside convolutions: planes, cross-entropies, statistics of boards, the
/// optimizer and joined tensors.
pub(super) fn numbers_of_wholes(
    spec: &NetworkSpec,
    convolve: ConvMethod,
    device: &Device,
) -> Vec<Vec<f32>> {
    let cuda_kernels = convolve == ConvMethod::CudaKernel;
    let mut numbers = vec![plane_numbers(spec, convolve, device)];
    numbers.extend(entropy_numbers(spec, cuda_kernels, device));
    numbers.extend(board_numbers(spec, convolve, device));
    numbers.extend(step_numbers(cuda_kernels, device));
    numbers
}

/// Positions that do not begin with a batch and end behind it.
fn plane_numbers(spec: &NetworkSpec, convolve: ConvMethod, device: &Device) -> Vec<f32> {
    let batch = random_positions(spec, 11, 5);
    let unpack = Unpack::of(true, convolve);
    let inputs = Inputs::of(&batch, 3..14, unpack, FloatDType::BF16, &device.clone().autodiff());
    download(inputs.planes.inner().cast(FloatDType::F32))
}

/// A cross-entropy of three rows for each share, as many classes as there are moves, and its
/// gradient along the logits.
fn entropy_numbers(spec: &NetworkSpec, cuda_kernels: bool, device: &Device) -> [Vec<f32>; 2] {
    let device = device.clone().autodiff();
    let rows = 3 * ENTROPY_SHARES;
    let classes = spec.policy_len;
    let flat = |length: usize, seed: u64| upload(random(length, seed), &device);
    let table = |seed: u64| flat(rows * classes, seed).reshape([rows, classes]);
    let logits = table(7).mul_scalar(8.0).detach().require_grad();
    let loss = entropy(logits.clone(), table(8).abs(), flat(ENTROPY_SHARES, 9).abs(), cuda_kernels);
    let gradients = loss.clone().mul_scalar(2.0).backward();
    let gradient = logits.grad(&gradients).expect("the loss looks at the logits");
    [download(loss.inner()), download(gradient)]
}

/// Sums and shifts along boards of more columns than a group of threads takes, and their gradients.
fn board_numbers(spec: &NetworkSpec, convolve: ConvMethod, device: &Device) -> Vec<Vec<f32>> {
    const BOARDS: usize = 3;
    const COLUMNS: usize = 40;
    const POOLED: usize = 9;
    let device = device.clone().autodiff();
    let compute = ComputeOptions { convolve, sum_boards_first: false, by_point: false };
    let ops = BoardOps::new(spec, BOARDS, compute, Precision::F32, &device);
    let points = BOARDS * spec.area();
    // No two numbers are equal, because a maximum's gradient goes to one point.
    let numbers = random(points * COLUMNS, 16);
    let numbers = numbers.iter().enumerate().map(|(i, number)| number + i as f32 * 1e-7).collect();
    let x = upload(numbers, &device).reshape([points, COLUMNS]).require_grad();
    let table = |columns: usize, seed: u64| -> Tensor<2> {
        upload(random(BOARDS * columns, seed), &device).reshape([BOARDS, columns])
    };
    let shifts = [(COLUMNS, 17), (COLUMNS - POOLED, 18)]
        .map(|(columns, seed)| table(columns, seed).require_grad());
    let outputs = [
        ops.rectified_means_and_maxima(&x, POOLED),
        ops.mean_of(x.clone(), POOLED, COLUMNS),
        ops.shift_and_rectify(x.clone(), shifts[0].clone()),
        ops.shift_and_rectify(x.clone(), shifts[1].clone()),
    ];
    let losses = outputs.iter().map(|output| (output.clone() * output.clone()).sum());
    let loss = losses.reduce(|sum, loss| sum + loss).expect("there are outputs");
    let gradients = loss.backward();
    let inputs = [&x, &shifts[0], &shifts[1]];
    let gradients = inputs.map(|input| input.grad(&gradients).expect("all outputs are counted"));
    let outputs = outputs.into_iter().map(Tensor::inner);
    outputs.chain(gradients).map(download).collect()
}

/// Returns consecutive parts of a flat tensor, as a network in training has its parameters. The
/// first part starts at the second number, so that no part is aligned.
fn parts_at_odd_places<const N: usize>(
    all: &Tensor<1>,
    lengths: [usize; N],
    convolve: ConvMethod,
) -> [Tensor<1>; N] {
    let mut from = 1;
    lengths.map(|length| {
        let range = from..from + length;
        from = range.end;
        let part = match convolve {
            ConvMethod::CudaKernel => cuda::view(all, range.start, range.end),
            _ => all.clone().slice(range),
        };
        part.autodiff().require_grad()
    })
}

/// Returns the format in which a layer that learns by this method takes its weight.
fn weight_format(convolve: ConvMethod) -> WeightFormat {
    match convolve {
        ConvMethod::CudaKernel => WeightFormat::InPlace,
        _ => WeightFormat::File,
    }
}

/// Returns the outputs of two linear layers, and the gradients of inputs, weight and bias. The
/// kernels read rows of the first layer in vectors of eight, and rows of the second one by one.
pub(super) fn linear_numbers(
    spec: &NetworkSpec,
    convolve: ConvMethod,
    device: &Device,
) -> Vec<Vec<f32>> {
    const ROWS: usize = 150;
    let untracked = device.clone();
    let device = device.clone().autodiff();
    let compute = ComputeOptions { convolve, sum_boards_first: false, by_point: false };
    let ops = BoardOps::new(spec, ROWS, compute, Precision::F32, &device);
    let one = |(inputs, outputs): (usize, usize)| {
        let table = |columns: usize, seed: u64| -> Tensor<2> {
            upload(random(ROWS * columns, seed), &device).reshape([ROWS, columns])
        };
        let x = table(inputs, 21).require_grad();
        let all = upload(random(1 + outputs * (inputs + 1), 22), &untracked);
        let [weight, bias] = parts_at_odd_places(&all, [outputs * inputs, outputs], convolve);
        let mut parameters = Parameters::default();
        parameters.insert_weight("layer", weight.clone(), weight_format(convolve));
        parameters.insert("layer.bias".to_owned(), bias.clone());
        let y = Linear::new(&parameters, "layer", [outputs, inputs]).logits(&ops, x.clone());
        let gradients = (y.clone() * table(outputs, 23)).sum().backward();
        let of_x = x.grad(&gradients).expect("the outputs depend on it");
        let of_parameters = [&weight, &bias]
            .map(|tensor| download(tensor.grad(&gradients).expect("the outputs depend on it")));
        [vec![download(y.inner()), download(of_x)], of_parameters.into()].concat()
    };
    [(200, spec.policy_len), (13, 3)].into_iter().flat_map(one).collect()
}

/// What a step of `AdamW` and of the moving average makes of numbers, and some that were put
/// together of pieces of many lengths.
fn step_numbers(cuda_kernels: bool, device: &Device) -> Vec<Vec<f32>> {
    let pieces: Vec<Tensor<1>> =
        (0..10).map(|i| upload(random(1 + 37 * i, i as u64), device)).collect();
    let joined = if cuda_kernels { cuda::join(&pieces) } else { Tensor::cat(pieces, 0) };
    let flat = |seed| upload(random(joined.dims()[0], seed), device);
    let [parameters, first, average] = [10, 11, 12].map(flat);
    // Not near 0, or a few numbers would be all that is compared.
    let second = flat(13).abs().add_scalar(0.5);
    let weight_decay = flat(14);
    // The gradient is clipped to half of its norm.
    let step_number = 3;
    let learning_rate = 0.25;
    let statistics = flat(15);
    let stepped = if cuda_kernels {
        let settings = AdamStep::new(step_number, learning_rate, 4.0, 0.75, 0.9).settings();
        let settings = upload(settings.to_vec(), device);
        let flats = AdamFlats {
            parameters: &parameters,
            first: &first,
            second: &second,
            average: &average,
        };
        let numbers = |norm: f32| upload(vec![1.0, norm], device);
        // The first step is not finite. Anything that it changed would show.
        for norm in [f32::NAN, 8.0] {
            let step = StepTensors { settings: settings.clone(), numbers: numbers(norm) };
            cuda::adam(&flats, joined.clone(), &weight_decay, &step);
            cuda::blend(&statistics, average.clone(), STATISTICS_SHARE, &step);
        }
        [parameters, first, second, statistics, average]
    } else {
        let mut moments = Moments { first, second };
        let gradient_scale = 0.5;
        let update = Update { step: step_number, learning_rate, gradient_scale, weight_decay };
        let parameters = moments.update(parameters, joined.clone(), &update);
        let average = blend(average, parameters.clone(), 0.75);
        let Moments { first, second } = moments;
        [parameters, first, second, blend(statistics, average.clone(), 0.9), average]
    };
    let norm = if cuda_kernels {
        cuda::norm(joined.clone())
    } else {
        optimizer::norm(joined.clone(), DeviceChoice::Cpu)
    };
    stepped.into_iter().chain([joined, norm]).map(download).collect()
}

/// A convolution with batch norm.
#[derive(Clone, Copy)]
pub(super) struct Layer<'a> {
    pub(super) spec: &'a NetworkSpec,
    /// Rows and columns of its kernel.
    pub(super) side: usize,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) kind: Kind,
}

/// Where in a network it stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What it takes has no gradient; rectified.
    First,
    /// Something else comes then.
    Plain,
    /// Something is added, and the sum rectified.
    Last,
}

impl Layer<'_> {
    /// Outputs, mean, variance, and the gradients of weight, gamma and beta, of the inputs unless
    /// it is the first, and of what is added if anything is.
    pub(super) fn numbers(self, convolve: ConvMethod, device: &Device) -> Vec<Vec<f32>> {
        let Self { spec, side, inputs, outputs, kind } = self;
        let untracked = device.clone();
        let device = device.clone().autodiff();
        let [height, width] = [spec.height, spec.width];
        let rows = match kind {
            // So many once; they take a while.
            Kind::Plain => {
                cuda::conv::fits::rows_of_two_turns([height, width], side, inputs, outputs)
            }
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
        let lengths = [side * side * inputs * outputs, outputs, outputs];
        let all = random(1 + lengths.iter().sum::<usize>(), 3);
        let all: Vec<f32> = all.iter().map(|number| 1.5 + number).collect();
        let all = upload(all, &untracked);
        let [weight, gamma, beta] = parts_at_odd_places(&all, lengths, convolve);
        let mut parameters = Parameters::default();
        parameters.insert_weight("layer", weight.clone(), weight_format(convolve));
        parameters.insert("layer.gamma".to_owned(), gamma.clone());
        parameters.insert("layer.beta".to_owned(), beta.clone());
        let compute = ComputeOptions { convolve, sum_boards_first: false, by_point: false };
        let on = BoardOps::new(spec, boards, compute, Precision::F32, &device);
        let epilogue = match kind {
            Kind::First => Epilogue::Relu,
            Kind::Plain => Epilogue::Identity,
            Kind::Last => Epilogue::AddRelu(&added),
        };
        let layer = ConvLayer::new(&parameters, "layer", [outputs, inputs, side]);
        let BatchNormOutput { output, mean, variance } =
            layer.forward_train(&on, x.clone(), epilogue);
        let y = output.cast(FloatDType::F32);
        let gradients = (y.clone() * table(outputs, 6)).sum().backward();
        let mut all = vec![download(y.inner()), download(mean), download(variance)];
        let found = |tensor: &Tensor<1>| tensor.grad(&gradients).expect("it takes part in the sum");
        all.extend([&weight, &gamma, &beta].map(|tensor| download(found(tensor))));
        let tracked = [x, added].into_iter().filter_map(|tensor| tensor.grad(&gradients));
        all.extend(tracked.map(download));
        all
    }
}

/// Random numbers that a bf16 has exactly, from -1 to 1. Of those that follow a rule sums may be so
/// small that rounding is all there is of them.
fn random(length: usize, seed: u64) -> Vec<f32> {
    let of_word = |word: u64| (word % 129) as f32 / 64.0 - 1.0;
    (0..length as u64).map(|i| of_word(mix64(mix64(seed) ^ i))).collect()
}
