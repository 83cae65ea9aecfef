//! Kernels of training against plain loops: the tower's outputs and statistics against batch norm
//! written out in 64 bits, gradients against differences of that.

#![allow(clippy::unwrap_used)]

use crate::common;
use std::collections::BTreeMap;

use dz_cpu_net::{Parameters, Trunk};
use dz_game::{mix64, unpack_planes};
use dz_infer::EncodedBatch;
use dz_network_file::NetworkSpec;

type Values = BTreeMap<String, Vec<f64>>;

/// A number in [-1, 1) for each of `len`.
fn numbers(seed: u64, len: usize) -> Vec<f64> {
    let number = |i| (mix64(seed * 1_000_003 + i as u64) >> 40) as f64 / f64::from(1 << 23) - 1.0;
    (0..len).map(number).collect()
}

/// Values of all parameters of stem and blocks, far from those of a fresh network. They are what 32
/// bits can hold.
fn parameters(spec: &NetworkSpec) -> Values {
    let mut values = Values::new();
    for (k, (name, shape)) in spec.tensor_shapes().into_iter().enumerate() {
        if !Trunk::owns(&name) {
            continue;
        }
        let inputs: usize = shape[1..].iter().product();
        let size = if shape.len() == 1 { 0.3 } else { (3.0 / inputs as f64).sqrt() };
        let len = shape.iter().product();
        let some = |seed: u64, centre: f64| -> Vec<f64> {
            let each = numbers(seed, len).into_iter();
            each.map(|x| f64::from((centre + size * x) as f32)).collect()
        };
        let seed = 7 * k as u64;
        match name.strip_suffix(".bias").filter(|layer| layer.contains(".conv")) {
            Some(conv) => {
                values.insert(format!("{conv}.gamma"), some(seed, 1.0));
                values.insert(format!("{conv}.beta"), some(seed + 1, 0.0));
            }
            None => drop(values.insert(name, some(seed, 0.0))),
        }
    }
    values
}

/// The tower in plain loops: activations are `[B, C, H, W]`.
struct Plain<'a> {
    spec: &'a NetworkSpec,
    values: &'a Values,
    /// Positions.
    boards: usize,
    /// `[C]` each, by name.
    statistics: Values,
}

impl Plain<'_> {
    /// The tower's outputs, `[B * H * W, C]`.
    fn run(&mut self, batch: &EncodedBatch) -> Vec<f64> {
        let spec = self.spec;
        let (area, channels) = (spec.area(), spec.channels);
        let mut planes = vec![0.0_f32; batch.shape.bits()];
        let mut x = Vec::new();
        for i in 0..batch.len {
            unpack_planes(batch.shape, batch.position(i), &mut planes);
            x.extend(planes.iter().map(|&bit| f64::from(bit)));
        }
        let mut h = self.convolution(&x, spec.channels_in, "stem.conv");
        if spec.globals > 0 {
            let weight = &self.values["stem.globals.weight"];
            for (i, board) in h.chunks_mut(channels * area).enumerate() {
                let globals = &batch.globals[i * spec.globals..][..spec.globals];
                for (row, channel) in weight.chunks(spec.globals).zip(board.chunks_mut(area)) {
                    let shift: f64 = row.iter().zip(globals).map(|(w, &g)| w * f64::from(g)).sum();
                    for x in channel {
                        *x += shift;
                    }
                }
            }
        }
        relu(&mut h);
        for i in 0..spec.blocks {
            let mut t = self.convolution(&h, channels, &format!("blocks.{i}.conv1"));
            if spec.residuals(i)[0].pooling {
                self.pool(&mut t, &format!("blocks.{i}.pool"));
            }
            relu(&mut t);
            let t = self.convolution(&t, channels, &format!("blocks.{i}.conv2"));
            h.iter_mut().zip(t).for_each(|(h, t)| *h += t);
            relu(&mut h);
        }
        let at = |b: usize, p: usize, c: usize| h[(b * channels + c) * area + p];
        let points = (0..self.boards).flat_map(|b| (0..area).map(move |p| (b, p)));
        points.flat_map(|(b, p)| (0..channels).map(move |c| at(b, p, c))).collect()
    }

    fn convolution(&mut self, x: &[f64], inputs: usize, name: &str) -> Vec<f64> {
        let NetworkSpec { height, width, channels, .. } = *self.spec;
        let area = height * width;
        let weight = &self.values[&format!("{name}.weight")];
        let mut y = vec![0.0; self.boards * channels * area];
        for (b, c) in (0..self.boards).flat_map(|b| (0..channels).map(move |c| (b, c))) {
            for p in 0..area {
                let mut sum = 0.0;
                for (i, tap) in (0..inputs).flat_map(|i| (0..9).map(move |tap| (i, tap))) {
                    let (row, column) = (p / width + tap / 3, p % width + tap % 3);
                    if (1..=height).contains(&row) && (1..=width).contains(&column) {
                        let point = (row - 1) * width + column - 1;
                        sum +=
                            weight[(c * inputs + i) * 9 + tap] * x[(b * inputs + i) * area + point];
                    }
                }
                y[(b * channels + c) * area + p] = sum;
            }
        }
        self.norm(y, name)
    }

    fn norm(&mut self, mut y: Vec<f64>, name: &str) -> Vec<f64> {
        let (area, channels) = (self.spec.area(), self.spec.channels);
        let count = (self.boards * area) as f64;
        let (mut means, mut variances) = (Vec::new(), Vec::new());
        for c in 0..channels {
            let of = |b: usize| (b * channels + c) * area..(b * channels + c + 1) * area;
            let all = || (0..self.boards).flat_map(of);
            let mean = all().map(|at| y[at]).sum::<f64>() / count;
            let variance = all().map(|at| (y[at] - mean).powi(2)).sum::<f64>() / count;
            let part = |part: &str| self.values[&format!("{name}.{part}")][c];
            let scale = part("gamma") / (variance + 1e-5).sqrt();
            for at in all() {
                y[at] = (y[at] - mean) * scale + part("beta");
            }
            means.push(mean);
            variances.push(variance);
        }
        self.statistics.insert(format!("{name}.mean"), means);
        self.statistics.insert(format!("{name}.variance"), variances);
        y
    }

    fn pool(&self, t: &mut [f64], name: &str) {
        let (area, channels, pooled) =
            (self.spec.area(), self.spec.channels, self.spec.pooled_channels());
        let (weight, bias) =
            (&self.values[&format!("{name}.weight")], &self.values[&format!("{name}.bias")]);
        for board in t.chunks_mut(channels * area) {
            let positive = |k: usize| board[k * area..(k + 1) * area].iter().map(|x| x.max(0.0));
            let means = (0..pooled).map(|k| positive(k).sum::<f64>() / area as f64);
            let tops = (0..pooled).map(|k| positive(k).fold(0.0, f64::max));
            let pools: Vec<f64> = means.chain(tops).collect();
            for (c, row) in weight.chunks(2 * pooled).enumerate() {
                let shift: f64 = row.iter().zip(&pools).map(|(w, p)| w * p).sum();
                let channel = &mut board[(pooled + c) * area..][..area];
                for x in channel {
                    *x += shift + bias[c];
                }
            }
        }
    }
}

fn relu(x: &mut [f64]) {
    for x in x {
        *x = x.max(0.0);
    }
}

/// Sizes that need several tiles, channels that fill no lane and more than one, with and without
/// globals and pooling, more boards than go through a convolution together.
fn cases() -> Vec<(NetworkSpec, usize)> {
    let plain = |height, width, blocks, channels| common::spec(height, width, blocks, channels);
    vec![
        (plain(6, 7, 1, 20), 19),
        (NetworkSpec { global_pooling: true, globals: 3, ..plain(3, 5, 2, 18) }, 5),
        (NetworkSpec { globals: 1, ..plain(2, 1, 1, 5) }, 6),
        (plain(9, 9, 1, 8), 20),
    ]
}

fn close(found: &[f32], wanted: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let size = wanted.iter().fold(1e-3_f64, |most, x| most.max(x.abs()));
    for (i, (&found, wanted)) in found.iter().zip(wanted).enumerate() {
        let error = (f64::from(found) - wanted).abs() / size;
        assert!(error < tolerance, "{what} {i}: {found}, wanted {wanted} (of {size})");
    }
}

#[test]
fn the_way_forward_is_that_of_plain_loops() {
    for (spec, boards) in cases() {
        let values = parameters(&spec);
        let narrow: BTreeMap<String, Vec<f32>> = values
            .iter()
            .map(|(name, v)| (name.clone(), v.iter().map(|&x| x as f32).collect()))
            .collect();
        let given: Parameters = narrow.iter().map(|(n, v)| (n.clone(), &v[..])).collect();
        let batch = common::positions(&spec, boards + 2, 3);
        let rows = common::positions(&spec, boards + 2, 3);
        let (bits, globals) = (batch.shape.packed_bytes(), batch.shape.globals);
        let alone = EncodedBatch {
            len: boards,
            bits: rows.bits[bits..bits * (boards + 1)].to_vec(),
            globals: rows.globals[globals..globals * (boards + 1)].to_vec(),
            ..rows
        };
        let mut plain = Plain { spec: &spec, values: &values, boards, statistics: Values::new() };
        let wanted = plain.run(&alone);
        for (name, trunk) in Trunk::each(&spec) {
            let packed = trunk.pack(&given);
            // Twice: the second time in memory that was used before.
            for _ in 0..2 {
                let (outputs, tape) = trunk.forward(&packed, &batch, 1..boards + 1);
                close(&outputs, &wanted, 2e-5, &name);
                let statistics = tape.statistics();
                assert_eq!(statistics.len(), plain.statistics.len());
                for (conv, found) in &statistics {
                    close(found, &plain.statistics[conv], 2e-5, &format!("{name} {conv}"));
                }
                trunk.back(&packed, &batch, tape, &vec![1.0; outputs.len()]);
            }
        }
    }
}

/// The gradient of a random sum of the outputs, in each tensor along itself and along a random
/// direction.
#[test]
fn gradients_are_differences_of_plain_loops() {
    for (spec, boards) in cases() {
        let values = parameters(&spec);
        // Of seeds 1 to 14 the third gives a number so near 0 that 32 and 64 bits disagree about
        // its relu.
        let batch = common::positions(&spec, boards, 4);
        let weights = numbers(99, boards * spec.area() * spec.channels);
        let weights: Vec<f32> = weights.into_iter().map(|x| x as f32).collect();
        let loss = |values: &Values| -> f64 {
            let statistics = Values::new();
            let outputs = Plain { spec: &spec, values, boards, statistics }.run(&batch);
            outputs.iter().zip(&weights).map(|(y, &w)| y * f64::from(w)).sum()
        };
        let narrow: BTreeMap<String, Vec<f32>> = values
            .iter()
            .map(|(name, v)| (name.clone(), v.iter().map(|&x| x as f32).collect()))
            .collect();
        let given: Parameters = narrow.iter().map(|(n, v)| (n.clone(), &v[..])).collect();
        let mut all = Vec::new();
        for (vectors, trunk) in Trunk::each(&spec) {
            let packed = trunk.pack(&given);
            let (_, tape) = trunk.forward(&packed, &batch, 0..boards);
            let gradients = trunk.back(&packed, &batch, tape, &weights);
            if vectors == "avx2" && all.len() == 1 {
                assert!(all[0] == gradients, "AVX-512 and AVX2 round alike");
            }
            all.push(gradients);
        }
        for (name, value) in &values {
            let gradient = &all[0][name];
            let wide: Vec<f64> = gradient.iter().map(|&x| f64::from(x)).collect();
            for other in &all[1..] {
                close(&other[name], &wide, 2e-4, name);
            }
            for direction in [wide.clone(), numbers(5, value.len())] {
                let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!(length > 0.0, "{name} learns something");
                let moved = |sign: f64| {
                    let mut moved = values.clone();
                    let value = moved.get_mut(name).unwrap().iter_mut().zip(&direction);
                    value.for_each(|(x, d)| *x += sign * 1e-6 * d / length);
                    loss(&moved)
                };
                let found = (moved(1.0) - moved(-1.0)) / 2e-6;
                let wanted: f64 = wide.iter().zip(&direction).map(|(g, d)| g * d / length).sum();
                let size = wide.iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!(
                    (found - wanted).abs() < 2e-4 * size.max(1e-2),
                    "{spec:?} {name}: {found} by differences, {wanted} of {size}"
                );
            }
        }
        assert_eq!(all[0].len(), values.len(), "a gradient for each parameter");
    }
}

#[test]
fn blocks_without_kernels_are_left_to_others() {
    let plain = common::spec(6, 7, 2, 16);
    assert!(Trunk::new(&plain).is_some());
    assert!(Trunk::new(&NetworkSpec { squeeze_ratio: 4, ..plain.clone() }).is_none());
    assert!(Trunk::new(&NetworkSpec { bottleneck_blocks: 1, ..plain }).is_none());
}
