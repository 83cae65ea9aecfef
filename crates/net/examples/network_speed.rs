//! Positions a second of evaluation and rows a second of training on the processor, for Connect Four
//! networks: `cargo run --release -p dz-net --example network_speed -- [evaluate|train] BLOCKSxCHANNELS THREADS`.

use std::time::{Duration, Instant};

use dz_game::PlaneShape;
use dz_infer::{EncodedBatch, NetworkEvaluator};
use dz_net::{
    BurnEvaluator, BurnLearner, DeviceChoice, EvaluatorOptions, ExportInfo, Learner,
    LearnerOptions, NetError, TrainBatch,
};
use dz_network::{NetworkFile, NetworkSpec};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |i: usize, default: &str| words.get(i).cloned().unwrap_or(default.to_owned());
    let size = word(1, "3x32");
    let (blocks, channels) = size.split_once('x').ok_or("BLOCKSxCHANNELS")?;
    let spec = connect4(blocks.parse()?, channels.parse()?);
    let threads: usize = word(2, "1").parse()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| match word(0, "evaluate").as_str() {
        "train" => train(&spec, threads),
        _ => evaluate(&spec, threads),
    })?;
    Ok(())
}

fn connect4(blocks: usize, channels: usize) -> NetworkSpec {
    NetworkSpec {
        game: "connect4:width=7,height=6,connect=4".to_owned(),
        encoding: "connect4-v1:6x7".to_owned(),
        channels_in: 3,
        height: 6,
        width: 7,
        globals: 0,
        policy_len: 7,
        blocks,
        channels,
        policy_channels: 16,
        value_channels: 16,
        value_hidden: 32,
        global_pooling: false,
        squeeze_ratio: 0,
        bottleneck_blocks: 0,
    }
}

fn learner(spec: &NetworkSpec) -> Result<BurnLearner, NetError> {
    let options = LearnerOptions {
        weight_decay: 1e-4,
        clip_norm: 5.0,
        ema_decay: 0.99,
        value_weight: 1.0,
        seed: 1,
        config_hash: String::new(),
    };
    BurnLearner::new(spec.clone(), DeviceChoice::Cpu, options)
}

fn positions(spec: &NetworkSpec, len: usize) -> EncodedBatch {
    let shape = PlaneShape {
        channels: spec.channels_in,
        height: spec.height,
        width: spec.width,
        globals: spec.globals,
    };
    let mut batch = EncodedBatch::zeroed(shape, len);
    for (i, byte) in batch.bits.iter_mut().enumerate() {
        *byte = dz_game::mix64(i as u64) as u8;
    }
    batch
}

fn evaluate(spec: &NetworkSpec, threads: usize) -> Result<(), NetError> {
    let info = ExportInfo { config_hash: String::new(), cycle: 1, created_by: String::new() };
    let file: NetworkFile = learner(spec)?.export(&info)?;
    for chunk in [8, 16, 32, 64, 128] {
        let options = EvaluatorOptions::fixed(chunk);
        let mut evaluator = BurnEvaluator::load(&file, DeviceChoice::Cpu, options)?;
        for len in [32, 128, 256, 512] {
            let batch = positions(spec, len);
            let rate = rate(len, || {
                let ticket = evaluator.submit(batch.clone());
                let _ = ticket.and_then(|ticket| evaluator.wait(ticket));
            });
            println!("evaluate threads {threads} chunk {chunk} batch {len}: {rate:.0} positions/s");
        }
    }
    Ok(())
}

fn train(spec: &NetworkSpec, threads: usize) -> Result<(), NetError> {
    for len in [128, 256] {
        let mut learner = learner(spec)?;
        let batch = TrainBatch {
            planes: positions(spec, len),
            policy: vec![1.0 / 7.0; len * 7],
            wdl: [1.0, 0.0, 0.0].repeat(len),
            policy_weights: vec![1.0; len],
            value_weights: vec![1.0; len],
        };
        let rate = rate(len, || {
            let _ = learner.step(&batch, 1e-3);
        });
        println!("train threads {threads} batch {len}: {rate:.0} rows/s");
    }
    Ok(())
}

/// Best rate of several repeats of at least 0.2 s: the machine may be busy with other things.
fn rate(len: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut best = 0.0_f64;
    for _ in 0..5 {
        let (start, mut count) = (Instant::now(), 0);
        while start.elapsed() < Duration::from_millis(200) {
            work();
            count += len;
        }
        best = best.max(count as f64 / start.elapsed().as_secs_f64());
    }
    best
}
