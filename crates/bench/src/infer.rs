//! `dagzero bench infer`: networks on the processor.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::rates::Rates;
use crate::row::BenchRow;
use anyhow::{Context, ensure};
use dz_cpu_net::{CpuEvaluator, random_network, random_positions};
use dz_game::unpack_planes;
use dz_infer::{EncodedBatch, NetworkEvaluator, NetworkOutputs};
use dz_network_file::{NetworkFile, NetworkSpec};
use dz_onnx::{Meaning, to_onnx};

use crate::python::PythonPeer;

/// Networks of usual sizes with random weights, at several batch sizes, on one thread and as two
/// independent batches on two, beside ONNX Runtime with as many threads.
pub(crate) fn rows() -> anyhow::Result<Vec<BenchRow>> {
    rows_with(Effort { rounds: 9, seconds: 0.15 })
}

/// How long and in how many rounds each figure is measured.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Rounds; in each ours and the peer take turns. A round's figure is its fastest call.
    rounds: usize,
    /// Seconds of each turn.
    seconds: f64,
}

/// Rows, columns, blocks, channels, input planes and moves: Connect Four twice, and Go 9x9.
const NETWORKS: [(usize, usize, usize, usize, usize, usize); 3] =
    [(6, 7, 4, 32, 4, 7), (6, 7, 6, 64, 4, 7), (9, 9, 6, 96, 5, 82)];

/// Batch sizes, ascending.
const BATCHES: [usize; 3] = [1, 32, 128];

/// Largest difference between the peer's logits and ours, which have the size of 1.
const TOLERANCE: f64 = 1e-4;

fn rows_with(effort: Effort) -> anyhow::Result<Vec<BenchRow>> {
    let scratch = tempfile::tempdir().context("cannot make a scratch folder")?;
    let mut rows = Vec::new();
    for (height, width, blocks, channels, planes, moves) in NETWORKS {
        let spec = NetworkSpec::plain([planes, height, width], moves, blocks, channels);
        for threads in [1, 2] {
            rows.extend(measure(&spec, threads, effort, scratch.path())?);
        }
    }
    Ok(rows)
}

/// One network on so many threads.
fn measure(
    spec: &NetworkSpec,
    threads: usize,
    effort: Effort,
    scratch: &Path,
) -> anyhow::Result<Vec<BenchRow>> {
    let file = random_network(spec, 1);
    let network = CpuEvaluator::load(&file)?;
    // Handles work on their own threads alone.
    let mut evaluators: Vec<_> = (0..threads).filter_map(|_| network.handle()).collect();
    let probe = random_positions(spec, BATCHES[BATCHES.len() - 1], 2);
    let ours = answer(evaluators[0].as_mut(), probe.clone())?;
    let mut peer = Onnx::start(&file, &probe, &ours, threads, scratch)?;
    let mut rows = Vec::new();
    for len in BATCHES {
        let batch = random_positions(spec, len, 2);
        let mut rates = Vec::new();
        let mut peer_rates = Vec::new();
        for _ in 0..effort.rounds {
            rates.push((threads * len) as f64 / fastest(&mut evaluators, &batch, effort)?);
            if let Some(peer) = &mut peer {
                peer_rates.push(len as f64 / peer.fastest(len, effort)?);
            }
        }
        let NetworkSpec { height, width, blocks, channels, .. } = spec;
        let network = format!("{height}x{width} b{blocks}c{channels}");
        let plural = if threads > 1 { "s" } else { "" };
        let name = format!("{network}, batch {len}, {threads} thread{plural}");
        let rates = Rates::new(rates);
        let row = BenchRow::new(&name, rates.median(), "positions/s", rates.samples());
        rows.push(match &peer {
            Some(_) => row.beside("ONNX Runtime", Rates::new(peer_rates).median()),
            None => row,
        });
    }
    Ok(rows)
}

fn answer(
    evaluator: &mut dyn NetworkEvaluator,
    batch: EncodedBatch,
) -> anyhow::Result<NetworkOutputs> {
    let ticket = evaluator.submit(batch)?;
    Ok(evaluator.wait(ticket)?)
}

/// Seconds of the fastest call; on several threads, of the slowest thread's.
fn fastest(
    evaluators: &mut [Box<dyn NetworkEvaluator>],
    batch: &EncodedBatch,
    effort: Effort,
) -> anyhow::Result<f64> {
    let one = |evaluator: &mut dyn NetworkEvaluator| {
        let mut best = f64::INFINITY;
        let begin = Instant::now();
        while best.is_infinite() || begin.elapsed().as_secs_f64() < effort.seconds {
            let batch = batch.clone();
            let start = Instant::now();
            answer(evaluator, batch)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        anyhow::Ok(best)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            evaluators.iter_mut().map(|e| scope.spawn(move || one(e.as_mut()))).collect();
        let mut slowest = 0.0_f64;
        for thread in threads {
            let seconds = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            slowest = slowest.max(seconds);
        }
        Ok(slowest)
    })
}

/// ONNX Runtime in a process of its own.
struct Onnx {
    peer: PythonPeer,
    /// Largest difference between its logits and ours; below [`TOLERANCE`].
    #[cfg(test)]
    difference: f64,
}

impl Onnx {
    /// Starts it, if there is a Python for it, and compares its answers for `batch` with ours.
    fn start(
        file: &NetworkFile,
        batch: &EncodedBatch,
        ours: &NetworkOutputs,
        threads: usize,
        scratch: &Path,
    ) -> anyhow::Result<Option<Self>> {
        const SCRIPT: &str = include_str!("../../../benchmarks/onnx_peer.py");
        let paths = ["network.onnx", "planes.f32", "outputs.f32"];
        let [network, planes, outputs] = paths.map(|name| scratch.join(name));
        fs::write(&network, to_onnx(file, &Meaning::default())?)?;
        let mut numbers = vec![0.0; batch.len * batch.shape.bits()];
        for (i, numbers) in numbers.chunks_exact_mut(batch.shape.bits()).enumerate() {
            unpack_planes(batch.shape, batch.position(i), numbers);
        }
        fs::write(&planes, numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
        let count = threads.to_string();
        let args = [network.as_ref(), planes.as_ref(), outputs.as_ref(), count.as_ref()];
        let packages = "onnxruntime and numpy";
        let Some(peer) = PythonPeer::start(SCRIPT, packages, &args)? else { return Ok(None) };
        let theirs = fs::read(&outputs)?;
        let mut theirs = theirs.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b));
        let policy_logits = theirs.by_ref().take(ours.policy_logits.len()).collect();
        let wdl_logits = theirs.collect();
        // The peer's script asks for logits alone.
        let theirs = NetworkOutputs { policy_logits, wdl_logits, ..ours.clone() };
        let difference = ours.difference_max(&theirs);
        ensure!(
            difference < TOLERANCE,
            "ONNX Runtime's logits differ by {difference}: the two do not run the same network"
        );
        Ok(Some(Self {
            peer,
            #[cfg(test)]
            difference,
        }))
    }

    fn fastest(&mut self, len: usize, effort: Effort) -> anyhow::Result<f64> {
        self.peer.ask(&format!("{len} {}", effort.seconds))?.parse().context("the peer's seconds")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the three networks of the bench have none of. Needs `DAGZERO_PYTHON`.
    #[test]
    fn blocks_of_every_kind() {
        let pooling =
            NetworkSpec { global_pooling: true, ..NetworkSpec::plain([3, 5, 7], 8, 3, 24) };
        let squeezed = NetworkSpec { squeeze_ratio: 3, ..pooling.clone() };
        let nested = NetworkSpec { bottleneck_blocks: 2, ..squeezed.clone() };
        for spec in [pooling, squeezed, nested] {
            let file = random_network(&spec, 3);
            let batch = random_positions(&spec, 4, 5);
            let ours = answer(&mut CpuEvaluator::load(&file).unwrap(), batch.clone()).unwrap();
            let scratch = tempfile::tempdir().unwrap();
            let peer = Onnx::start(&file, &batch, &ours, 1, scratch.path()).unwrap();
            let Some(mut peer) = peer else {
                println!("skipped: set DAGZERO_PYTHON to a Python that has onnxruntime");
                return;
            };
            let effort = Effort { rounds: 1, seconds: 0.0 };
            assert!(peer.difference < 2e-5, "{} of {spec:?}", peer.difference);
            assert!(peer.fastest(1, effort).unwrap() > 0.0, "{spec:?}");
        }
    }

    /// One call each. With `DAGZERO_PYTHON`, ONNX Runtime's other logits are an error.
    #[test]
    fn every_network_is_measured_at_every_batch() {
        let rows = rows_with(Effort { rounds: 1, seconds: 0.0 }).unwrap();
        assert_eq!(rows.len(), 18);
        assert!(rows.iter().all(|row| row.value > 0.0 && row.samples == 1));
        assert_eq!(rows[0].name, "6x7 b4c32, batch 1, 1 thread");
        assert_eq!(rows[17].name, "9x9 b6c96, batch 128, 2 threads");
        match rows[0].peer_value {
            Some(_) => assert!(rows.iter().all(|row| row.peer_value.is_some_and(|v| v > 0.0))),
            None => println!("no peer: set DAGZERO_PYTHON to a Python that has onnxruntime"),
        }
    }
}
