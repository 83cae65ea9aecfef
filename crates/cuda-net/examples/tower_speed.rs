//! How many positions a second a network answers on a card, from bits on the host to logits there:
//!
//! `cargo run --release -p dz-cuda-net --example tower_speed`

use std::collections::VecDeque;
use std::time::Instant;

use dz_cpu_net::{random_network, random_positions};
use dz_cuda_net::TowerEvaluator;
use dz_infer::NetworkEvaluator;
use dz_network_file::NetworkSpec;

const BATCHES: [usize; 7] = [64, 256, 396, 1024, 1188, 2048, 4096];
const SECONDS: f64 = 0.6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let go = NetworkSpec::plain([16, 9, 9], 82, 6, 96);
    let pooling = NetworkSpec { global_pooling: true, any_size: true, ..go.clone() };
    let connect4 = NetworkSpec::plain([3, 6, 7], 7, 6, 128);
    let folder = std::env::temp_dir().join("dagzero-speed");
    for (name, spec) in [("9x9b6c96", go), ("9x9b6c96+pooling", pooling), ("6x7b6c128", connect4)] {
        let file = random_network(&spec, 1);
        let begin = Instant::now();
        let Some(mut network) = TowerEvaluator::load(&file, 0, &folder)? else {
            println!("no GPU of compute capability 9.0");
            return Ok(());
        };
        println!("{name}: loaded after {:.2} s", begin.elapsed().as_secs_f64());
        for batch in BATCHES {
            for in_flight in [1, 2, 3] {
                let rate = rate(&mut network, &spec, batch, in_flight)?;
                println!("{name} batch {batch}, {in_flight} at a time: {rate:.0} positions/s");
            }
        }
    }
    Ok(())
}

fn rate(
    network: &mut TowerEvaluator,
    spec: &NetworkSpec,
    batch: usize,
    in_flight: usize,
) -> Result<f64, Box<dyn std::error::Error>> {
    let positions = random_positions(spec, batch, 2);
    let mut tickets = VecDeque::new();
    let mut done = 0;
    let mut begin = Instant::now();
    // The first batches are not counted.
    for number in 0.. {
        if number == 3 * in_flight {
            begin = Instant::now();
            done = 0;
        }
        while tickets.len() < in_flight {
            tickets.push_back(network.submit(positions.clone())?);
        }
        if let Some(ticket) = tickets.pop_front() {
            network.wait(ticket)?;
            done += batch;
        }
        if number > 3 * in_flight && begin.elapsed().as_secs_f64() > SECONDS {
            break;
        }
    }
    let rate = done as f64 / begin.elapsed().as_secs_f64();
    for ticket in tickets {
        network.wait(ticket)?;
    }
    Ok(rate)
}
