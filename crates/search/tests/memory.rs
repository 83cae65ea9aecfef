//! Graphs that somebody made on purpose: read with bounded memory and time.

#[path = "../../../fuzz/src/graphs.rs"]
mod graphs;
#[path = "../../../fuzz/src/measure.rs"]
mod measure;

use measure::Worst;
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_xoshiro::Xoshiro256PlusPlus as Random;
use serde_json::{Value, json};

/// How many files.
const FILES: usize = 1000;

/// A number that a reader may trust too far.
fn extreme(random: &mut Random) -> Value {
    let all = [
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(-1),
        json!(0),
        json!(1e308),
        json!(4_294_967_295_u64),
        json!(null),
        json!("1"),
    ];
    all.choose(random).expect("numbers").clone()
}

/// Nodes with random edges among them, some of whose numbers are replaced.
fn random_graph(nodes: usize, children: usize, random: &mut Random) -> Value {
    let node = |id: usize, random: &mut Random| {
        if random.random_bool(0.2) {
            return json!({ "id": id, "terminal": random.random_range(-1.0..=1.0) });
        }
        let count = random.random_range(1..=children);
        let to: Vec<usize> = (0..count).map(|_| random.random_range(0..nodes)).collect();
        let priors = vec![1.0 / count as f64; count];
        let side = if random.random() { 1 } else { -1 };
        let value = random.random_range(-1.0..=1.0);
        json!({ "id": id, "to_move": side, "value": value, "children": to, "priors": priors })
    };
    let mut all: Vec<Value> = (0..nodes).map(|id| node(id, random)).collect();
    for _ in 0..random.random_range(0..4) {
        let at = random.random_range(0..nodes);
        let key = *["id", "to_move", "value", "terminal", "children"].choose(random).expect("keys");
        all[at][key] = extreme(random);
    }
    json!({ "root": 0, "nodes": all })
}

/// A chain of positions, each with `width` edges to the next one.
fn chain(nodes: usize, width: usize) -> Value {
    let node = |id: usize| {
        let to = vec![(id + 1) % nodes; width];
        let priors = vec![1.0 / width as f64; width];
        json!({ "id": id, "to_move": 1, "value": 0.0, "children": to, "priors": priors })
    };
    json!({ "root": 0, "nodes": (0..nodes).map(node).collect::<Vec<_>>() })
}

#[test]
fn a_thousand_hostile_graphs_take_bounded_memory_and_time() {
    let mut random = Random::seed_from_u64(1);
    let mut worst = Worst::default();
    let mut read = |name: &str, text: &str| worst.read(name, text.as_bytes(), graphs::graphs);
    for (nodes, width) in [(1, 1), (10_000, 1), (1_000, 50), (2, 40_000), (40, 2_000)] {
        read("a chain", &chain(nodes, width).to_string());
    }
    for text in ["[".repeat(1_000_000), "{\"nodes\":".repeat(100_000), "1".repeat(1_000_000)] {
        read("nested", &text);
    }
    for number in 8..FILES {
        let (nodes, children) = match number % 50 {
            0 => (3_000, 20),
            1 => (8, 3_000),
            _ => (random.random_range(1..40), 6),
        };
        read("a random graph", &random_graph(nodes, children, &mut random).to_string());
    }
    worst.finish("graphs", FILES);
}
