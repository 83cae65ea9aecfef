//! `dagzero bench soak`: whether memory stays where it is in a process that goes on for long.

use anyhow::ensure;
use dz_burn_net::{BurnLearner, DeviceChoice, Learner, LearnerOptions, network_on, random_rows};
use dz_cpu_net::{random_network, random_positions};
use dz_network_file::NetworkSpec;
use dz_stage::resident_bytes;

use crate::device_args::DeviceArgs;
use crate::row::BenchRow;

/// Times at which memory is read, besides the first.
const SAMPLES: u64 = 40;
const MIB: f64 = (1 << 20) as f64;

/// Loads networks one after another as self-play does, each for one batch, then takes training
/// steps. Hands each figure to `each` as soon as it is known.
pub(crate) fn rows(
    args: &DeviceArgs,
    each: &mut dyn FnMut(BenchRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let choice = args.choice()?;
    let spec = args.size()?.spec()?;
    ensure!(args.batch > 0, "a batch of no positions: give --batch 1 or more");
    let name = format!("{choice}, {}, batch {}", args.network, args.batch);
    let mut report = |what: &str, done: u64| {
        let row = |of: &str, bytes: u64| {
            let name = format!("{name}: {of} memory after {done} {what}");
            BenchRow::new(&name, bytes as f64 / MIB, "MiB", done)
        };
        if let Some(bytes) = resident_bytes() {
            each(row("host", bytes))?;
        }
        choice.memory_taken_bytes().map_or(Ok(()), |bytes| each(row("device", bytes)))
    };
    swap(choice, &spec, args, &mut report)?;
    learn(choice, spec, args, &mut report)
}

/// Reads memory and reports it. Takes what was done, and how often.
type Report<'a> = dyn FnMut(&str, u64) -> anyhow::Result<()> + 'a;

fn swap(
    choice: DeviceChoice,
    spec: &NetworkSpec,
    args: &DeviceArgs,
    report: &mut Report<'_>,
) -> anyhow::Result<()> {
    let files = [1, 2].map(|seed| random_network(spec, seed));
    let positions = random_positions(spec, args.batch, 3);
    for swap in 1..=args.swaps {
        let mut network = network_on(choice, &files[(swap % 2) as usize])?;
        let ticket = network.submit(positions.clone())?;
        network.wait(ticket)?;
        drop(network);
        if is_time(swap, args.swaps) {
            report("networks", swap)?;
        }
    }
    Ok(())
}

fn learn(
    choice: DeviceChoice,
    spec: NetworkSpec,
    args: &DeviceArgs,
    report: &mut Report<'_>,
) -> anyhow::Result<()> {
    let rows = random_rows(&spec, args.batch);
    let options = LearnerOptions::to_measure(choice.learning_precision());
    let mut learner = BurnLearner::new(spec, choice, options)?;
    for step in 1..=args.steps {
        learner.step(&rows, 1e-4)?;
        if is_time(step, args.steps) {
            report("steps", step)?;
        }
    }
    Ok(())
}

/// After the first, and then at even distances up to the last.
fn is_time(done: u64, all: u64) -> bool {
    let part = |done: u64| done * SAMPLES / all;
    done == 1 || part(done) > part(done - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_after_the_first_and_at_even_distances_up_to_the_last() {
        let times = |all: u64| (1..=all).filter(|&done| is_time(done, all)).collect::<Vec<_>>();
        assert_eq!(times(3), [1, 2, 3]);
        let many = times(2000);
        assert_eq!((many.len(), many[0], many[1], many[2]), (41, 1, 50, 100));
        assert_eq!(many.last(), Some(&2000));
    }

    #[test]
    fn networks_are_swapped_and_steps_taken() {
        let words = ["--device", "cpu", "--network", "3x3b1c8", "--batch", "4"];
        let args = DeviceArgs::of(&[&words[..], &["--swaps", "2", "--steps", "3"]].concat());
        let mut names = Vec::new();
        let mut each = |row: BenchRow| {
            assert!(row.value > 1.0 && row.unit == "MiB", "{row:?}");
            names.push(row.name);
            Ok(())
        };
        rows(&args, &mut each).unwrap();
        if cfg!(target_os = "linux") {
            assert_eq!(names.len(), 5, "{names:?}");
            assert!(names[1].ends_with("host memory after 2 networks"), "{names:?}");
            assert!(names[4].ends_with("host memory after 3 steps"), "{names:?}");
        }
    }
}
