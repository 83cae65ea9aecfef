//! `dagzero bench device`: a network of any size on any device, playing and learning.

use std::time::{Duration, Instant};

use anyhow::Context;
use dz_burn_net::{
    BurnEvaluator, BurnLearner, DeviceChoice, EvaluatorOptions, Learner, LearnerOptions,
    difference_from_processor, network_with, random_rows,
};
use dz_cpu_net::{random_network, random_positions};
use dz_infer::NetworkEvaluator;
use dz_network_file::NetworkSpec;

use crate::device_args::DeviceArgs;
use crate::row::BenchRow;

/// Batches that are with the device at a time: while one is read back the next is worked on.
const IN_FLIGHT: usize = 2;

/// Hands each figure to `each` as soon as it is known: a card may fail at the next.
pub(crate) fn rows(
    args: &DeviceArgs,
    each: &mut dyn FnMut(BenchRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let choice = args.choice()?;
    let spec = args.size()?.spec()?;
    let DeviceArgs { network, batch, .. } = args;
    let name = |what: &str| format!("{choice}, {network}, batch {batch}: {what}");
    let time = args.time();

    for &precision in &args.precision.0 {
        let lanes = usize::from(args.lanes);
        let options = args.options(choice, precision);
        let Playing { first, rate, difference_max } =
            playing(choice, &spec, *batch, options, time)?;
        let mut format = precision.to_string();
        if choice != DeviceChoice::Cpu && lanes == 1 {
            format += ", one lane";
        }
        if choice != DeviceChoice::Cpu && args.burn_convolution {
            format += ", Burn's convolution";
        } else if choice != DeviceChoice::Cpu && args.layers {
            format += ", layer by layer";
        }
        let first_name = name(&format!("play, {format}, until the first answer"));
        each(BenchRow::new(&first_name, first, "s", 1))?;
        let difference = name(&format!("play, {format}, a logit off the processor's by at most"));
        each(BenchRow::new(&difference, difference_max, "nats", 1))?;
        each(BenchRow::new(&name(&format!("play, {format}")), rate, "positions/s", 1))?;
    }
    for &format in &args.learning.0 {
        let options = LearnerOptions {
            cuda_kernels: !args.burn_convolution,
            ..LearnerOptions::to_measure(format)
        };
        let Learning { first, rate, graph } =
            learning(choice, spec.clone(), *batch, options, time)?;
        let mut format = format.to_string();
        match graph {
            Some(Ok(())) => format += ", as a CUDA graph",
            Some(Err(reason)) => eprintln!("warning: steps do not run as a CUDA graph: {reason}"),
            None => {}
        }
        if choice != DeviceChoice::Cpu && args.burn_convolution {
            format += ", Burn's convolution";
        }
        let first_name = name(&format!("learn, {format}, until the first step is done"));
        each(BenchRow::new(&first_name, first, "s", 1))?;
        each(BenchRow::new(&name(&format!("learn, {format}")), rate, "rows/s", 1))?;
    }
    Ok(())
}

/// How a network played.
pub(crate) struct Playing {
    /// Seconds until the first answer.
    first: f64,
    /// Positions a second after it.
    pub(crate) rate: f64,
    /// Largest difference between a logit of the first answers and that of the engine that plays on
    /// the processor.
    difference_max: f64,
}

pub(crate) fn playing(
    choice: DeviceChoice,
    spec: &NetworkSpec,
    batch: usize,
    options: EvaluatorOptions,
    time: Duration,
) -> anyhow::Result<Playing> {
    let file = random_network(spec, 1);
    let positions = random_positions(spec, batch, 2);
    let begin = Instant::now();
    // On the processor Burn is measured, not what plays there.
    let mut network: Box<dyn NetworkEvaluator> = match choice {
        DeviceChoice::Cpu => Box::new(BurnEvaluator::load(&file, choice, options)?),
        DeviceChoice::Cuda(_) => network_with(choice, &file, options)?,
    };
    let ticket = network.submit(positions.clone())?;
    let found = network.wait(ticket)?;
    let first = begin.elapsed().as_secs_f64();
    let difference_max = difference_from_processor(&file, positions.clone(), &found)?;

    let mut in_flight = std::collections::VecDeque::new();
    let begin = Instant::now();
    let mut done = 0;
    while begin.elapsed() < time || done == 0 {
        while in_flight.len() < IN_FLIGHT {
            in_flight.push_back(network.submit(positions.clone())?);
        }
        if let Some(ticket) = in_flight.pop_front() {
            network.wait(ticket)?;
            done += batch;
        }
    }
    let rate = done as f64 / begin.elapsed().as_secs_f64();
    for ticket in in_flight {
        network.wait(ticket)?;
    }
    Ok(Playing { first, rate, difference_max })
}

/// The speed of training.
struct Learning {
    /// Seconds until the first step was done.
    first: f64,
    /// Rows a second after it.
    rate: f64,
    /// Whether steps were replayed as a CUDA graph, or why not.
    graph: Option<Result<(), String>>,
}

fn learning(
    choice: DeviceChoice,
    spec: NetworkSpec,
    batch: usize,
    options: LearnerOptions,
    time: Duration,
) -> anyhow::Result<Learning> {
    let rows = random_rows(&spec, batch);
    let begin = Instant::now();
    let mut learner = BurnLearner::new(spec, choice, options)?;
    learner.step(&rows, 1e-4)?;
    let first = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let mut steps: usize = 0;
    let mut sent = 0;
    while begin.elapsed() < time || steps == 0 {
        learner.submit(std::slice::from_ref(&rows), 1e-4)?;
        sent += 1;
        // Like the trainer, submit a batch while the device works on the previous one.
        while sent - steps > learner.steps_ahead() {
            learner.collect().context("a submitted step has no report")??;
            steps += 1;
        }
    }
    while let Some(report) = learner.collect() {
        report?;
        steps += 1;
    }
    let rate = (steps * batch) as f64 / begin.elapsed().as_secs_f64();
    let graph = learner.has_cuda_graph().map(|graph| graph.map_err(str::to_owned));
    Ok(Learning { first, rate, graph })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_plays_and_learns() {
        let words = ["--network", "3x3b1c8", "--batch", "16", "--seconds", "0"];
        let formats = ["--precision", "f32,bf16", "--learning", "f32,bf16"];
        let args = DeviceArgs::of(&[&["--device", "cpu"][..], &words, &formats].concat());
        let mut units = Vec::new();
        let mut each = |row: BenchRow| {
            assert!(row.value > 0.0, "{row:?}");
            units.push(row.unit);
            Ok(())
        };
        rows(&args, &mut each).unwrap();
        let play = ["s", "nats", "positions/s"];
        let learn = ["s", "rows/s"];
        assert_eq!(units, [&play[..], &play, &learn, &learn].concat());
    }
}
