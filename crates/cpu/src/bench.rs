//! Positions a second, beside ONNX Runtime on the same network in the same minutes.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use dz_game::unpack_planes;
use dz_infer::{EncodedBatch, EvaluatorError, NetworkEvaluator, NetworkOutputs};
use dz_network::{NetworkError, NetworkFile, NetworkSpec};
use thiserror::Error;

use crate::{CpuEvaluator, random_network, random_positions};

/// What stops a bench.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The network cannot be made.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// Files or the peer's process.
    #[error("the peer cannot be run: {0}; it needs Python with onnx, onnxruntime and numpy")]
    Io(#[from] io::Error),
    /// Threads.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The peer computes something else.
    #[error("ONNX Runtime's logits differ by {0}: the two do not run the same network")]
    Disagreement(f32),
}

/// One figure: positions a second, the median of rounds of the best call in each.
#[derive(Clone, Debug, PartialEq)]
pub struct InferFigure {
    /// Network, batch and threads.
    pub name: String,
    /// Ours.
    pub value: f64,
    /// Rounds.
    pub samples: u64,
    /// ONNX Runtime's, if it was asked.
    pub peer_value: Option<f64>,
}

/// How long and in how many rounds each figure is measured.
#[derive(Clone, Copy, Debug)]
pub struct InferEffort {
    /// Rounds; in each ours and the peer take turns.
    pub rounds: usize,
    /// Seconds of each turn.
    pub seconds: f64,
}

impl InferEffort {
    /// For tables.
    pub const TABLE: Self = Self { rounds: 9, seconds: 0.15 };
}

/// Measures networks of usual sizes with random weights, at several batch sizes, on one thread and as two
/// independent batches on two. `python` runs the peer, with as many threads of its own; files go to
/// `scratch`.
///
/// # Errors
/// If the peer fails, or answers other logits.
pub fn infer_figures(
    effort: InferEffort,
    python: Option<&OsStr>,
    scratch: &Path,
) -> Result<Vec<InferFigure>, BenchError> {
    let mut figures = Vec::new();
    for (height, width, blocks, channels, planes, moves) in NETWORKS {
        let name = format!("{height}x{width} b{blocks}c{channels}");
        let spec = NetworkSpec {
            game: "bench".to_owned(),
            encoding: "bench".to_owned(),
            channels_in: planes,
            height,
            width,
            globals: 0,
            policy_len: moves,
            blocks,
            channels,
            policy_channels: 16,
            value_channels: 8,
            value_hidden: 64,
            global_pooling: false,
            squeeze_ratio: 0,
            bottleneck_blocks: 0,
        };
        for threads in [1, 2] {
            let with = Setting { name: &name, threads, effort, python, scratch };
            figures.extend(with.measure(&spec)?);
        }
    }
    Ok(figures)
}

/// Rows, columns, blocks, channels, input planes and moves: Connect Four twice, and Go 9x9.
const NETWORKS: [(usize, usize, usize, usize, usize, usize); 3] =
    [(6, 7, 4, 32, 4, 7), (6, 7, 6, 64, 4, 7), (9, 9, 6, 96, 5, 82)];

/// How one network is measured.
struct Setting<'a> {
    name: &'a str,
    threads: usize,
    effort: InferEffort,
    python: Option<&'a OsStr>,
    scratch: &'a Path,
}

impl Setting<'_> {
    fn measure(&self, spec: &NetworkSpec) -> Result<Vec<InferFigure>, BenchError> {
        let Self { name, threads, effort, python, scratch } = *self;
        let file = random_network(spec, 1);
        let mut evaluators = Vec::new();
        for _ in 0..threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
            evaluators.push((pool, CpuEvaluator::load(&file)?));
        }
        let mut peer = None;
        if let Some(python) = python {
            let batch = random_positions(spec, BATCHES[BATCHES.len() - 1], 2);
            let evaluator = &mut evaluators[0].1;
            let ticket = evaluator.submit(batch.clone())?;
            let ours = evaluator.wait(ticket)?;
            peer = Some(Peer::start(python, &file, &batch, &ours, threads, scratch)?);
        }
        let mut figures = Vec::new();
        for len in BATCHES {
            let batch = random_positions(spec, len, 2);
            let (mut rates, mut peer_rates) = (Vec::new(), Vec::new());
            for _ in 0..effort.rounds {
                rates.push((threads * len) as f64 / fastest(&mut evaluators, &batch, effort)?);
                if let Some(peer) = &mut peer {
                    peer_rates.push(len as f64 / peer.fastest(len, effort)?);
                }
            }
            let plural = if threads > 1 { "s" } else { "" };
            figures.push(InferFigure {
                name: format!("{name}, batch {len}, {threads} thread{plural}"),
                value: median(rates),
                samples: effort.rounds as u64,
                peer_value: peer.is_some().then(|| median(peer_rates)),
            });
        }
        Ok(figures)
    }
}

/// Batch sizes, ascending.
const BATCHES: [usize; 3] = [1, 32, 128];

/// Largest difference between logits of the size of 1.
const TOLERANCE: f32 = 1e-4;

/// Seconds of the fastest call; on several threads, of the slowest thread's.
fn fastest(
    evaluators: &mut [(rayon::ThreadPool, CpuEvaluator)],
    batch: &EncodedBatch,
    effort: InferEffort,
) -> Result<f64, BenchError> {
    let one = |(pool, evaluator): &mut (rayon::ThreadPool, CpuEvaluator)| {
        pool.install(|| {
            let (mut best, begin) = (f64::INFINITY, Instant::now());
            // One call is made even where none fits.
            while best.is_infinite() || begin.elapsed().as_secs_f64() < effort.seconds {
                let batch = batch.clone();
                let start = Instant::now();
                let ticket = evaluator.submit(batch)?;
                evaluator.wait(ticket)?;
                best = best.min(start.elapsed().as_secs_f64());
            }
            Ok::<f64, BenchError>(best)
        })
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = evaluators.iter_mut().map(|e| scope.spawn(|| one(e))).collect();
        let mut slowest = 0.0_f64;
        for thread in threads {
            let seconds = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            slowest = slowest.max(seconds);
        }
        Ok(slowest)
    })
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// ONNX Runtime in a process of its own.
struct Peer {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Peer {
    fn start(
        python: &OsStr,
        file: &NetworkFile,
        batch: &EncodedBatch,
        ours: &NetworkOutputs,
        threads: usize,
        scratch: &Path,
    ) -> Result<Self, BenchError> {
        const SCRIPT: &str = include_str!("../../../benchmarks/onnx_peer.py");
        let paths = ["peer.py", "network.dzn", "planes.f32", "outputs.f32"];
        let [script, network, planes, outputs] = paths.map(|name| scratch.join(name));
        fs::write(&script, SCRIPT)?;
        fs::write(&network, file.to_bytes()?)?;
        let mut numbers = vec![0.0; batch.len * batch.shape.bits()];
        for (i, numbers) in numbers.chunks_exact_mut(batch.shape.bits()).enumerate() {
            unpack_planes(batch.shape, batch.position(i), numbers);
        }
        fs::write(&planes, numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
        let mut command = Command::new(python);
        command.args([&script, &network, &planes, &outputs]).arg(threads.to_string());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::other("no pipe to the peer");
        let to = process.stdin.take().ok_or_else(missing)?;
        let from = BufReader::new(process.stdout.take().ok_or_else(missing)?);
        let mut peer = Self { process, to, from };
        peer.line()?;
        let theirs = fs::read(&outputs)?;
        let theirs = theirs.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b));
        let ours = ours.policy_logits.iter().chain(&ours.wdl_logits);
        let difference = ours.zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        if difference < TOLERANCE { Ok(peer) } else { Err(BenchError::Disagreement(difference)) }
    }

    fn fastest(&mut self, len: usize, effort: InferEffort) -> Result<f64, BenchError> {
        writeln!(self.to, "{len} {}", effort.seconds)?;
        self.to.flush()?;
        let line = self.line()?;
        let number = line.trim().parse();
        Ok(number.map_err(|_| io::Error::other(format!("it answered '{}'", line.trim())))?)
    }

    fn line(&mut self) -> Result<String, io::Error> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            return Err(io::Error::other("it ended; its message is above"));
        }
        Ok(line)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
