use dz_cpu_net::random_positions;
use dz_game::mix64;
use dz_network_file::Head;

use super::*;
use crate::device::choice::DeviceChoice;
use crate::precision::Precision;
use crate::tensors::{download, upload};
use crate::train::learner::{HeadRows, TrainBatch};

/// A number in [0, 1) for each of `len`.
fn numbers(seed: u64, len: usize) -> Vec<f32> {
    let number = |i| (mix64(seed * 1_000_003 + i as u64) >> 40) as f32 / (1 << 24) as f32;
    (0..len).map(number).collect()
}

/// Rows whose only target is that of `head`.
fn batch(spec: &NetworkSpec, head: Head, rows: usize) -> TrainBatch {
    let chances = |seed, len: usize, columns: usize| -> Vec<f32> {
        let raw = numbers(seed, len * columns);
        let share = |row: &[f32]| {
            let total: f32 = row.iter().sum();
            row.iter().map(|x| x / total).collect::<Vec<_>>()
        };
        raw.chunks_exact(columns).flat_map(share).collect()
    };
    let mut batch = TrainBatch {
        planes: random_positions(spec, rows, 5),
        policy: chances(1, rows, spec.policy_len),
        wdl: chances(2, rows, 3),
        policy_weights: vec![f32::from(head == Head::SoftPolicy); rows],
        value_weights: vec![0.0; rows],
        heads: PerHead::default(),
    };
    let len = rows * spec.target_len(head);
    let targets = match head {
        Head::SoftPolicy => return batch,
        Head::PliesLeft | Head::Margin => numbers(3, len).iter().map(|x| 9.0 * x).collect(),
        Head::Reply => chances(3, rows, spec.policy_len),
        Head::ShortTerm | Head::Ownership => chances(3, len / 3, 3),
    };
    let weights = (0..rows).map(|i| 1.0 + (i % 3) as f32).collect();
    batch.heads[head] = HeadRows { targets, weights };
    batch
}

/// The gradient of each head's loss, and of nothing else, against differences of that loss: in each
/// tensor along the gradient and along a random direction.
#[test]
fn gradients_of_heads_are_those_of_their_losses() {
    for (head, any_size) in Head::ALL.into_iter().flat_map(|head| [(head, false), (head, true)]) {
        let spec = NetworkSpec {
            policy_channels: 3,
            value_channels: 2,
            value_hidden: 6,
            heads: [head].into(),
            any_size,
            ..NetworkSpec::plain([2, 4, 3], if any_size { 13 } else { 5 }, 1, 6)
        };
        let layout = Layout::of_parameters(&spec);
        let choice = DeviceChoice::Cpu;
        let passes = BatchPasses {
            devices: vec![(choice, choice.open())],
            precision: Precision::F32,
            convolve: choice.compute_options(true).convolve,
            value_weight: 0.0,
            head_weights: PerHead::from_fn(|_| 2.0),
            layout: layout.clone(),
            spec: spec.clone(),
            trunk: Trunk::new(&spec),
            boards: Mutex::default(),
        };
        let batch = batch(&spec, head, 40);
        let start: Vec<f32> = layout
            .initial(3)
            .iter()
            .zip(numbers(9, layout.len()))
            .map(|(w, n)| w + 0.2 * n - 0.1)
            .collect();
        let learn =
            |weights: &[f32]| passes.learn(&batch, &upload(weights.to_vec(), passes.home()));
        let loss = |weights: &[f32]| {
            let losses = learn(weights).losses;
            // The policy's loss counts where the soft policy's does, and has no weight of its own
            // to be set to 0.
            f64::from(losses.policy_loss) + 2.0 * f64::from(losses.heads[head].unwrap_or(0.0))
        };
        let gradient = download(learn(&start).gradient.flat);
        let mut begin = 0;
        for (name, shape) in layout.shapes() {
            let range = begin..begin + shape.iter().product::<usize>();
            begin = range.end;
            let random: Vec<f32> = numbers(11, range.len()).iter().map(|x| x - 0.5).collect();
            for direction in [gradient[range.clone()].to_vec(), random] {
                let length = direction.iter().map(|x| x * x).sum::<f32>().sqrt();
                if length == 0.0 {
                    continue;
                }
                let step = 4e-3;
                let moved = |sign: f32| {
                    let mut weights = start.clone();
                    for (w, d) in weights[range.clone()].iter_mut().zip(&direction) {
                        *w += sign * step * d / length;
                    }
                    loss(&weights)
                };
                let found = (moved(1.0) - moved(-1.0)) / f64::from(2.0 * step);
                let slope = gradient[range.clone()].iter().zip(&direction);
                let wanted = f64::from(slope.map(|(g, d)| g * d / length).sum::<f32>());
                assert!(
                    (found - wanted).abs() < 2e-3 + 0.02 * wanted.abs(),
                    "{head}, {name}: {found} by differences, {wanted}"
                );
            }
        }
        assert!(gradient.iter().any(|&g| g.abs() > 1e-3), "{head} learns something");
    }
}
