//! The maths of `dz_network`'s page, written out plainly in 64 bits, against Burn: the folded network
//! file and the network as it was trained, before folding.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;

use common::{full, info, learner, nested, positions, rows, small};
use dz_game::unpack_planes;
use dz_infer::{EncodedBatch, NetworkEvaluator};
use dz_net::{BurnEvaluator, DeviceChoice, EvaluatorOptions, Learner};
use dz_network::{NetworkSpec, TensorData, container};

type Named = BTreeMap<String, TensorData>;

/// A network as plain numbers. `statistics` are there if batch norm is not folded.
struct Plain<'a> {
    spec: &'a NetworkSpec,
    tensors: &'a Named,
    statistics: Option<&'a Named>,
}

impl Plain<'_> {
    fn get(&self, name: &str) -> Vec<f64> {
        self.tensors[name].data.iter().map(|&x| f64::from(x)).collect()
    }

    /// `x` is `[in, H, W]`; batch norm with running statistics follows where it is not folded.
    fn convolution(&self, x: &[f64], layer: &str) -> Vec<f64> {
        let (h, w) = (self.spec.height as isize, self.spec.width as isize);
        let shape = &self.tensors[&format!("{layer}.weight")].shape;
        let (outs, ins, k) = (shape[0], shape[1], shape[2] as isize);
        let weight = self.get(&format!("{layer}.weight"));
        let mut out = Vec::new();
        for o in 0..outs {
            for y in 0..h {
                for x_ in 0..w {
                    let mut sum = 0.0;
                    for i in 0..ins {
                        for (dy, dx) in (0..k).flat_map(|a| (0..k).map(move |b| (a, b))) {
                            let (py, px) = (y + dy - k / 2, x_ + dx - k / 2);
                            if (0..h).contains(&py) && (0..w).contains(&px) {
                                let at = (i as isize * h + py) * w + px;
                                let tap = ((o * ins + i) as isize * k + dy) * k + dx;
                                sum += x[at as usize] * weight[tap as usize];
                            }
                        }
                    }
                    out.push(self.after_convolution(sum, layer, o));
                }
            }
        }
        out
    }

    fn after_convolution(&self, x: f64, layer: &str, channel: usize) -> f64 {
        let Some(statistics) = self.statistics else {
            return x + self.get(&format!("{layer}.bias"))[channel];
        };
        let running = |part: &str| f64::from(statistics[&format!("{layer}.{part}")].data[channel]);
        let normal = (x - running("mean")) / (running("variance") + 1e-5).sqrt();
        normal * self.get(&format!("{layer}.gamma"))[channel]
            + self.get(&format!("{layer}.beta"))[channel]
    }

    fn linear(&self, x: &[f64], layer: &str) -> Vec<f64> {
        let weight = self.get(&format!("{layer}.weight"));
        let rows = weight.chunks_exact(x.len());
        let sums = rows.map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>());
        sums.zip(self.get(&format!("{layer}.bias"))).map(|(sum, bias)| sum + bias).collect()
    }

    fn pool(&self, t: &mut [f64], layer: &str) {
        let area = self.spec.area();
        let pooled = (t.len() / area / 4).max(1);
        let heads: Vec<Vec<f64>> = t[..pooled * area].chunks(area).map(relu).collect();
        let means = heads.iter().map(|c| c.iter().sum::<f64>() / area as f64);
        let tops = heads.iter().map(|c| c.iter().copied().fold(0.0, f64::max));
        let shift = self.linear(&means.chain(tops).collect::<Vec<_>>(), layer);
        for (channel, shift) in t[pooled * area..].chunks_mut(area).zip(shift) {
            for x in channel {
                *x += shift;
            }
        }
    }

    fn convolved(&self, x: &[f64], name: &str, pools: bool) -> Vec<f64> {
        let mut t = self.convolution(x, &format!("{name}.conv1"));
        if pools {
            self.pool(&mut t, &format!("{name}.pool"));
        }
        self.convolution(&relu(&t), &format!("{name}.conv2"))
    }

    fn squeeze(&self, t: &[f64], block: &str) -> Vec<f64> {
        let area = self.spec.area();
        let means: Vec<f64> = t.chunks(area).map(|c| c.iter().sum::<f64>() / area as f64).collect();
        let hidden = relu(&self.linear(&means, &format!("{block}.squeeze")));
        let excited = self.linear(&hidden, &format!("{block}.excite"));
        let scaled = |i: usize| {
            let (scale, shift) = (excited[i / area], excited[self.spec.channels + i / area]);
            t[i] / (1.0 + (-scale).exp()) + shift
        };
        (0..t.len()).map(scaled).collect()
    }

    /// Policy logits, then value logits, of one position.
    fn evaluate(&self, planes: &[f64], globals: &[f64]) -> Vec<f64> {
        let spec = self.spec;
        let mut h = self.convolution(planes, "stem.conv");
        if spec.globals > 0 {
            let weight = self.get("stem.globals.weight");
            for (channel, row) in h.chunks_mut(spec.area()).zip(weight.chunks(spec.globals)) {
                let shift: f64 = row.iter().zip(globals).map(|(a, b)| a * b).sum();
                for x in channel {
                    *x += shift;
                }
            }
        }
        let mut h = relu(&h);
        for i in 0..spec.blocks {
            let pools = spec.global_pooling && i % 2 == 1;
            let mut t = if spec.bottleneck_blocks == 0 {
                self.convolved(&h, &format!("blocks.{i}"), pools)
            } else {
                let mut u = relu(&self.convolution(&h, &format!("blocks.{i}.conv_down")));
                for j in 0..spec.bottleneck_blocks {
                    let t = self.convolved(&u, &format!("blocks.{i}.inner.{j}"), pools && j == 0);
                    u = relu(&sum(&t, &u));
                }
                self.convolution(&u, &format!("blocks.{i}.conv_up"))
            };
            if spec.squeeze_ratio > 0 {
                t = self.squeeze(&t, &format!("blocks.{i}"));
            }
            h = relu(&sum(&t, &h));
        }
        let mut logits = self.linear(&relu(&self.convolution(&h, "policy.conv")), "policy.linear");
        let value = self.linear(&relu(&self.convolution(&h, "value.conv")), "value.hidden");
        logits.extend(self.linear(&relu(&value), "value.output"));
        logits
    }

    fn evaluate_batch(&self, batch: &EncodedBatch) -> Vec<Vec<f64>> {
        let one = |i: usize| {
            let mut planes = vec![0.0; batch.shape.bits()];
            unpack_planes(batch.shape, batch.position(i), &mut planes);
            let planes: Vec<f64> = planes.into_iter().map(f64::from).collect();
            let g = self.spec.globals;
            let globals: Vec<f64> =
                batch.globals[i * g..(i + 1) * g].iter().map(|&x| f64::from(x)).collect();
            self.evaluate(&planes, &globals)
        };
        (0..batch.len).map(one).collect()
    }
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn relu(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.max(0.0)).collect()
}

/// The moving average's parameters and statistics, as a checkpoint holds them.
fn unfolded(checkpoint: &[u8]) -> (Named, Named) {
    let (_, all): (serde_json::Value, Named) =
        container::unpack("checkpoint", 1, checkpoint).unwrap();
    let group = |prefix: &str| {
        let of = all
            .iter()
            .filter_map(|(name, t)| Some((name.strip_prefix(prefix)?.to_owned(), t.clone())));
        of.collect::<Named>()
    };
    (group("ema.parameters."), group("ema.statistics."))
}

fn compare(spec: &NetworkSpec) {
    let mut learner = learner(spec.clone());
    for i in 0..12 {
        learner.step(&rows(spec, 16, i), 0.01).unwrap();
    }
    let batch = positions(spec, 5, 99);
    let file = learner.export(&info()).unwrap();
    let options = EvaluatorOptions::fixed(4);
    let mut burn = BurnEvaluator::load(&file, DeviceChoice::Cpu, options).unwrap();
    let ticket = burn.submit(batch.clone()).unwrap();
    let outputs = burn.wait(ticket).unwrap();
    let folded = Plain { spec, tensors: &file.tensors, statistics: None };
    let (parameters, statistics) = unfolded(&learner.save().unwrap());
    let unfolded = Plain { spec, tensors: &parameters, statistics: Some(&statistics) };
    let answers = folded.evaluate_batch(&batch).into_iter().zip(unfolded.evaluate_batch(&batch));
    for (i, (folded, unfolded)) in answers.enumerate() {
        let a = spec.policy_len;
        let burn = outputs.policy_logits[i * a..(i + 1) * a]
            .iter()
            .chain(&outputs.wdl_logits[i * 3..(i + 1) * 3]);
        for ((burn, folded), unfolded) in burn.zip(folded).zip(unfolded) {
            assert!((f64::from(*burn) - folded).abs() < 1e-5, "{burn} {folded}");
            assert!((folded - unfolded).abs() < 1e-5, "{folded} {unfolded}");
        }
    }
    // The outputs are not all alike, or the comparison would say nothing.
    assert!((outputs.policy_logits[0] - outputs.policy_logits[1]).abs() > 1e-3);
}

#[test]
fn a_plain_network_computes_what_is_written_down() {
    compare(&small());
}

#[test]
fn pooling_and_globals_compute_what_is_written_down() {
    compare(&full());
}

#[test]
fn squeeze_excitation_and_bottlenecks_compute_what_is_written_down() {
    compare(&NetworkSpec { squeeze_ratio: 3, ..full() });
    compare(&nested());
}
