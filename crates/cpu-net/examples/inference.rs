//! Positions a second on one thread, best of many, for each kind of vectors; p is with pooling, s
//! with squeeze-excitation, n in nested bottlenecks of two.

#[path = "../tests/common/mod.rs"]
mod common;

use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

use dz_cpu_net::CpuEvaluator;
use dz_network_file::NetworkSpec;

fn main() -> Result<(), Box<dyn Error>> {
    let only = std::env::args().nth(1);
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    for (name, spec) in [
        ("6x7 b4c32", common::spec(6, 7, 4, 32)),
        ("6x7 b6c64", common::spec(6, 7, 6, 64)),
        ("9x9 b6c96", common::spec(9, 9, 6, 96)),
        ("19x19 b6c96", common::spec(19, 19, 6, 96)),
        ("9x9 b6c96 p", NetworkSpec { global_pooling: true, ..common::spec(9, 9, 6, 96) }),
        ("9x9 b6c96 s", NetworkSpec { squeeze_ratio: 8, ..common::spec(9, 9, 6, 96) }),
        ("9x9 b6c96 n", NetworkSpec { bottleneck_blocks: 2, ..common::spec(9, 9, 6, 96) }),
    ] {
        let file = common::network(&spec, 1);
        for (vectors, mut evaluator) in CpuEvaluator::load_each(&file)? {
            if only.as_ref().is_some_and(|only| *only != vectors) {
                continue;
            }
            let mut line = format!("{name:<12} {vectors:<9}");
            for batch in [1, 8, 32, 128] {
                let batch = common::positions(&spec, batch, 7);
                let mut best = f64::INFINITY;
                let begin = Instant::now();
                while begin.elapsed().as_secs_f64() < 0.7 {
                    let start = Instant::now();
                    common::run(&mut evaluator, &batch);
                    best = best.min(start.elapsed().as_secs_f64());
                }
                write!(line, " {:>9.0}", batch.len as f64 / best)?;
            }
            println!("{line}");
        }
    }
    Ok(())
}
