use dz_cpu_net::random_positions;
use dz_game::mix64;
use dz_network_file::{Head, HeadOutput, TargetSource};

use super::*;
use crate::device::choice::DeviceChoice;
use crate::precision::Precision;
use crate::tensors::{download, upload};
use crate::train::learner::{HeadRows, TrainBatch, ValueLoss};

/// A number in [0, 1) for each of `len`.
fn numbers(seed: u64, len: usize) -> Vec<f32> {
    let number = |i| (mix64(seed * 1_000_003 + i as u64) >> 40) as f32 / (1 << 24) as f32;
    (0..len).map(number).collect()
}

/// Random distributions, `[rows, columns]`.
fn chances(seed: u64, rows: usize, columns: usize) -> Vec<f32> {
    let raw = numbers(seed, rows * columns);
    let share = |row: &[f32]| {
        let total: f32 = row.iter().sum();
        row.iter().map(|x| x / total).collect::<Vec<_>>()
    };
    raw.chunks_exact(columns).flat_map(share).collect()
}

/// Rows without weights.
fn weightless(spec: &NetworkSpec, rows: usize) -> TrainBatch {
    TrainBatch {
        planes: random_positions(spec, rows, 5),
        policy: chances(1, rows, spec.policy_len),
        wdl: chances(2, rows, 3),
        policy_weights: vec![0.0; rows],
        value_weights: vec![0.0; rows],
        heads: PerHead::default(),
    }
}

/// Rows whose only target is that of `head`.
fn batch(spec: &NetworkSpec, head: Head, rows: usize) -> TrainBatch {
    let mut batch = weightless(spec, rows);
    if head.target() == TargetSource::OfPolicy {
        batch.policy_weights = vec![1.0; rows];
        return batch;
    }
    let len = rows * spec.target_len(head);
    let targets = match head.output() {
        HeadOutput::Policy => chances(3, rows, spec.policy_len),
        HeadOutput::Values(_) | HeadOutput::Points => chances(3, len / 3, 3),
        HeadOutput::Number(_) => numbers(3, len).iter().map(|x| 9.0 * x).collect(),
        // It learns from the short-term value, which has the targets.
        HeadOutput::SquaredError => Vec::new(),
    };
    let weights = (0..rows).map(|i| 1.0 + (i % 3) as f32).collect();
    batch.heads[head] = HeadRows { targets, weights };
    batch
}

fn passes(spec: &NetworkSpec, value_loss: ValueLoss, value_weight: f64) -> BatchPasses {
    let choice = DeviceChoice::Cpu;
    BatchPasses {
        devices: vec![(choice, choice.open())],
        precision: Precision::F32,
        convolve: choice.compute_options(true).convolve,
        value_loss,
        value_weight,
        head_weights: PerHead::from_fn(|_| 2.0),
        layout: Layout::of_parameters(spec),
        spec: spec.clone(),
        trunk: Trunk::new(spec),
        boards: Mutex::default(),
    }
}

/// Compares the gradient of a batch with differences of `loss`: in each tensor along the gradient
/// and along a random direction.
fn check_gradient(
    name: &str,
    passes: &BatchPasses,
    batch: &TrainBatch,
    loss: impl Fn(&LossReport) -> f64,
) {
    let layout = &passes.layout;
    let start: Vec<f32> = layout
        .initial(3)
        .iter()
        .zip(numbers(9, layout.len()))
        .map(|(w, n)| w + 0.2 * n - 0.1)
        .collect();
    let learn = |weights: &[f32]| {
        passes.learn(&[Part { passes, batch }], &upload(weights.to_vec(), passes.home()))
    };
    let gradient = download(learn(&start).gradient.flat);
    let mut begin = 0;
    for (tensor, shape) in layout.shapes() {
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
                loss(&learn(&weights).losses)
            };
            let found = (moved(1.0) - moved(-1.0)) / f64::from(2.0 * step);
            let slope = gradient[range.clone()].iter().zip(&direction);
            let wanted = f64::from(slope.map(|(g, d)| g * d / length).sum::<f32>());
            assert!(
                (found - wanted).abs() < 2e-3 + 0.02 * wanted.abs(),
                "{name}, {tensor}: {found} by differences, {wanted}"
            );
        }
    }
    assert!(gradient.iter().any(|&g| g.abs() > 1e-3), "{name} learns something");
}

/// What policies are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PolicyKind {
    Dense,
    AnySize,
    Planes,
}

/// A network with the heads for tests of gradients.
fn spec_with(heads: &[Head], policy: PolicyKind) -> NetworkSpec {
    let policy_len = match policy {
        PolicyKind::Dense => 5,
        PolicyKind::AnySize => 13,
        PolicyKind::Planes => 24,
    };
    NetworkSpec {
        policy_channels: 3,
        value_channels: 2,
        value_hidden: 6,
        heads: heads.iter().copied().collect(),
        any_size: policy == PolicyKind::AnySize,
        policy_planes: if policy == PolicyKind::Planes { 2 } else { 0 },
        ..NetworkSpec::plain([2, 4, 3], policy_len, 1, 6)
    }
}

#[test]
fn gradients_of_heads_are_those_of_their_losses() {
    // The target of the short-term error moves with the values and has no gradient; its loss has a
    // test of its own.
    let heads = Head::ALL.into_iter().filter(|head| *head != Head::ShortTermError);
    let kinds = [PolicyKind::Dense, PolicyKind::AnySize, PolicyKind::Planes];
    for (head, kind) in heads.flat_map(|head| kinds.map(|kind| (head, kind))) {
        let spec = spec_with(&[head], kind);
        let passes = passes(&spec, ValueLoss::CrossEntropy, 0.0);
        let batch = batch(&spec, head, 40);
        // The policy's loss counts where the soft policy's does, and has no weight of its own
        // to be set to 0.
        check_gradient(&head.to_string(), &passes, &batch, |losses| {
            f64::from(losses.policy_loss) + 2.0 * f64::from(losses.heads[head].unwrap_or(0.0))
        });
    }
}

#[test]
fn gradients_of_the_value_are_those_of_the_loss_that_is_chosen() {
    for (value_loss, trunk) in [
        (ValueLoss::CrossEntropy, true),
        (ValueLoss::Mse, true),
        (ValueLoss::CrossEntropy, false),
        (ValueLoss::Mse, false),
    ] {
        let spec = spec_with(&[], PolicyKind::Dense);
        let mut passes = passes(&spec, value_loss, 1.5);
        if !trunk {
            passes.trunk = None;
        }
        let mut batch = weightless(&spec, 40);
        batch.value_weights = (0..40).map(|i| (i % 3) as f32).collect();
        let name = format!("{value_loss:?}, our kernels: {trunk}");
        check_gradient(&name, &passes, &batch, |losses| 1.5 * f64::from(losses.value_loss));
        let weights = upload(passes.layout.initial(3), passes.home());
        let losses = passes.learn(&[Part { passes: &passes, batch: &batch }], &weights).losses;
        assert!(losses.value_mse > 0.0 && losses.value_mse < 1.0, "{losses:?}");
        if value_loss == ValueLoss::Mse {
            assert!((losses.value_loss - 4.0 * losses.value_mse).abs() < 1e-6, "{losses:?}");
        }
    }
}
