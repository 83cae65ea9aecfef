//! `dagzero bench device`: a network of any size on any device, playing and learning.

use std::{
    str::FromStr,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use dz_cpu::{random_network, random_positions};
use dz_infer::NetworkEvaluator;
use dz_net::{
    BurnEvaluator, BurnLearner, DeviceChoice, EvaluatorOptions, Learner, LearnerOptions, Precision,
    difference_from_processor, first_start_note, pick_device, random_rows,
};
use dz_network::NetworkSpec;
use dz_shard::BenchRow;

/// What `bench device` measures; the other benches take no notice of it.
#[derive(Debug, clap::Args)]
pub(super) struct DeviceArgs {
    /// For `device`: auto, cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// For `device`: rows, columns, blocks and channels of the network
    #[arg(long, value_name = "SIZE", default_value = "9x9b6c96")]
    network: String,
    /// For `device`: positions of a batch
    #[arg(long, value_name = "N", default_value = "1024")]
    batch: usize,
    /// For `device`: f32, f16 or bf16 while playing, several of them, or none
    #[arg(long, value_name = "FORMATS", default_value = "f16")]
    precision: Formats,
    /// For `device`: f32 or bf16 while learning, both, or none
    #[arg(long, value_name = "FORMATS", default_value = "f32")]
    learning: Formats,
    /// For `device`: queues of a card that batches take in turn while playing
    #[arg(long, value_name = "N", default_value = "2",
        value_parser = clap::value_parser!(u8).range(1..=8))]
    lanes: u8,
    /// For `device`: convolve by Burn's operations on a card while playing, not by a kernel of our own
    #[arg(long)]
    burn_convolution: bool,
    /// For `device`: seconds that each figure may take, after what is compiled has been
    #[arg(long, value_name = "S", default_value = "5")]
    seconds: f64,
}

/// Formats to measure, between commas.
#[derive(Clone, Debug)]
struct Formats(Vec<Precision>);

impl FromStr for Formats {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = text.split(',').filter(|_| text != "none");
        words.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

/// Batches that are with the device at a time: while one is read back the next is worked on.
const IN_FLIGHT: usize = 2;

/// Hands each figure to `each` as soon as it is known: a card may fail at the next.
pub(super) fn rows(
    args: &DeviceArgs,
    each: &mut dyn FnMut(BenchRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let choice = pick_device(&args.device)?;
    if let Some(note) = first_start_note(&[choice]) {
        eprintln!("{note}");
    }
    let spec = spec_of(&args.network)
        .with_context(|| format!("'{}' is no size; write 9x9b6c96", args.network))?;
    let DeviceArgs { network, batch, seconds, .. } = args;
    let name = |what: &str| format!("{choice}, {network}, batch {batch}: {what}");
    let time = Duration::from_secs_f64(*seconds);

    for &precision in &args.precision.0 {
        let lanes = usize::from(args.lanes);
        let options = EvaluatorOptions { precision, ..EvaluatorOptions::for_device(choice) };
        let options = match choice {
            // Chunks of its own, which fit the cache.
            DeviceChoice::Cpu => options,
            DeviceChoice::Cuda(_) => {
                let on_chip = !args.burn_convolution;
                EvaluatorOptions { chunk_max: *batch, chunk_min: *batch, lanes, on_chip, ..options }
            }
        };
        let Playing { first, rate, difference_max } =
            playing(choice, &spec, *batch, options, time)?;
        let mut format = precision.to_string();
        if choice != DeviceChoice::Cpu && lanes == 1 {
            format += ", one lane";
        }
        if choice != DeviceChoice::Cpu && args.burn_convolution {
            format += ", Burn's convolution";
        }
        let first_name = name(&format!("play, {format}, until the first answer"));
        each(BenchRow::new(&first_name, first, "s", 1))?;
        let difference = name(&format!("play, {format}, a logit off the processor's by at most"));
        each(BenchRow::new(&difference, difference_max, "nats", 1))?;
        each(BenchRow::new(&name(&format!("play, {format}")), rate, "positions/s", 1))?;
    }
    for &format in &args.learning.0 {
        let (first, rate) = learning(choice, spec.clone(), *batch, format, time)?;
        let first_name = name(&format!("learn, {format}, until the first step is done"));
        each(BenchRow::new(&first_name, first, "s", 1))?;
        each(BenchRow::new(&name(&format!("learn, {format}")), rate, "rows/s", 1))?;
    }
    Ok(())
}

/// How a network played.
struct Playing {
    /// Seconds until the first answer.
    first: f64,
    /// Positions a second after it.
    rate: f64,
    /// Largest difference of a logit of the first answers from those of the engine that plays on the processor.
    difference_max: f64,
}

fn playing(
    choice: DeviceChoice,
    spec: &NetworkSpec,
    batch: usize,
    options: EvaluatorOptions,
    time: Duration,
) -> anyhow::Result<Playing> {
    let (file, positions) = (random_network(spec, 1), random_positions(spec, batch, 2));
    let begin = Instant::now();
    let mut network = BurnEvaluator::load(&file, choice, options)?;
    let ticket = network.submit(positions.clone())?;
    let found = network.wait(ticket)?;
    let first = begin.elapsed().as_secs_f64();
    let difference_max = difference_from_processor(&file, positions.clone(), &found)?;

    let mut flying = std::collections::VecDeque::new();
    let (begin, mut done) = (Instant::now(), 0);
    while begin.elapsed() < time || done == 0 {
        while flying.len() < IN_FLIGHT {
            flying.push_back(network.submit(positions.clone())?);
        }
        if let Some(ticket) = flying.pop_front() {
            network.wait(ticket)?;
            done += batch;
        }
    }
    let rate = done as f64 / begin.elapsed().as_secs_f64();
    for ticket in flying {
        network.wait(ticket)?;
    }
    Ok(Playing { first, rate, difference_max })
}

/// Seconds until the first step is done, and rows a second after it.
fn learning(
    choice: DeviceChoice,
    spec: NetworkSpec,
    batch: usize,
    precision: Precision,
    time: Duration,
) -> anyhow::Result<(f64, f64)> {
    let rows = random_rows(&spec, batch);
    let options = LearnerOptions::to_measure(precision);
    let begin = Instant::now();
    let mut learner = BurnLearner::new(spec, choice, options)?;
    learner.step(&rows, 1e-4)?;
    let first = begin.elapsed().as_secs_f64();
    let (begin, mut steps) = (Instant::now(), 0);
    while begin.elapsed() < time || steps == 0 {
        learner.step(&rows, 1e-4)?;
        steps += 1;
    }
    Ok((first, (steps * batch) as f64 / begin.elapsed().as_secs_f64()))
}

/// `9x9b6c96` as a network with the heads of the presets, 16 planes, and a move for each point and one more.
fn spec_of(text: &str) -> anyhow::Result<NetworkSpec> {
    let numbers: Vec<usize> =
        text.split(['x', 'b', 'c']).map(str::parse).collect::<Result<_, _>>()?;
    let [height, width, blocks, channels] = numbers[..] else {
        bail!("{} numbers instead of 4", numbers.len());
    };
    let spec = NetworkSpec::plain([16, height, width], height * width + 1, blocks, channels);
    spec.validate()?;
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_nonsense_is_refused() {
        let spec = spec_of("6x7b4c32").unwrap();
        assert_eq!((spec.height, spec.width, spec.blocks, spec.channels), (6, 7, 4, 32));
        for text in ["6x7", "b4c32", "6x7b4c32c1", "6x7b4c", "0x7b4c32"] {
            assert!(spec_of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn formats_are_read_and_none_is_none() {
        let read = |text: &str| text.parse::<Formats>().map(|formats| formats.0);
        assert_eq!(read("f16,bf16"), Ok(vec![Precision::F16, Precision::Bf16]));
        assert_eq!(read("none"), Ok(Vec::new()));
        assert!(read("f16,none").is_err() && read("").is_err());
    }

    #[test]
    fn the_processor_plays_and_learns() {
        let args = DeviceArgs {
            device: "cpu".to_owned(),
            network: "3x3b1c8".to_owned(),
            batch: 16,
            precision: "f32,bf16".parse().unwrap(),
            learning: "f32,bf16".parse().unwrap(),
            lanes: 2,
            burn_convolution: false,
            seconds: 0.0,
        };
        let mut units = Vec::new();
        let mut each = |row: BenchRow| {
            assert!(row.value > 0.0, "{row:?}");
            units.push(row.unit);
            Ok(())
        };
        rows(&args, &mut each).unwrap();
        let (play, learn) = (["s", "nats", "positions/s"], ["s", "rows/s"]);
        assert_eq!(units, [&play[..], &play, &learn, &learn].concat());
    }
}
