//! The maths of `dz_network_file`'s page, written out plainly in 64 bits, against Burn: the folded
//! network file and the network as it was trained, before folding.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::common::{
    all_heads, full, info, learner, nested, positions, rows, rows_with_heads, small,
};
use dz_burn_net::{BurnEvaluator, DeviceChoice, EvaluatorOptions, Learner};
use dz_game::unpack_planes;
use dz_infer::{EncodedBatch, NetworkEvaluator};
use dz_network_file::{Head, NetworkSpec, TensorData, container};

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

    /// Of one position the tower's outputs, the policy head's convolution and the value head's
    /// hidden layer.
    fn features(&self, planes: &[f64], globals: &[f64]) -> [Vec<f64>; 3] {
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
        let policy = relu(&self.convolution(&h, "policy.conv"));
        let value = self.linear(&relu(&self.convolution(&h, "value.conv")), "value.hidden");
        [h, policy, relu(&value)]
    }

    /// Policy logits, then value logits, of one position.
    fn evaluate(&self, planes: &[f64], globals: &[f64]) -> Vec<f64> {
        let [_, policy, hidden] = self.features(planes, globals);
        let mut logits = self.linear(&policy, "policy.linear");
        logits.extend(self.linear(&hidden, "value.output"));
        logits
    }

    /// Win less loss of the shortest horizon.
    fn shortest_value(&self, features: &[Vec<f64>; 3]) -> f64 {
        let values = self.head(Head::ShortTerm, features);
        let powers: Vec<f64> = values[6..].iter().map(|x| x.exp()).collect();
        (powers[0] - powers[2]) / powers.iter().sum::<f64>()
    }

    /// What a head says of one position, point by point where it looks at points.
    fn head(&self, head: Head, [trunk, policy, hidden]: &[Vec<f64>; 3]) -> Vec<f64> {
        let area = self.spec.area();
        let point = |p: usize| trunk.iter().skip(p).step_by(area).copied().collect::<Vec<f64>>();
        match head {
            Head::Reply => self.linear(policy, "reply.linear"),
            Head::SoftPolicy => self.linear(policy, "soft_policy.linear"),
            Head::OptimisticPolicy => self.linear(policy, "optimistic_policy.linear"),
            Head::ShortTerm => self.linear(hidden, "short_term.output"),
            Head::PliesLeft => self.linear(hidden, "plies_left.output"),
            Head::Margin => self.linear(hidden, "margin.output"),
            Head::ShortTermError => self.linear(hidden, "short_term_error.output"),
            Head::Ownership => {
                (0..area).flat_map(|p| self.linear(&point(p), "ownership.points")).collect()
            }
        }
    }

    fn evaluate_batch(&self, batch: &EncodedBatch) -> Vec<Vec<f64>> {
        Self::each(batch, |planes, globals| self.evaluate(planes, globals))
    }

    /// What `of` makes of each position's planes and globals.
    fn each<T>(batch: &EncodedBatch, of: impl Fn(&[f64], &[f64]) -> T) -> Vec<T> {
        let one = |i: usize| {
            let mut planes = vec![0.0; batch.shape.bits()];
            unpack_planes(batch.shape, batch.position(i), &mut planes);
            let planes: Vec<f64> = planes.into_iter().map(f64::from).collect();
            let g = batch.shape.globals;
            let globals: Vec<f64> =
                batch.globals[i * g..(i + 1) * g].iter().map(|&x| f64::from(x)).collect();
            of(&planes, &globals)
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

/// Cross-entropies of groups of `classes` logits, the mean over the groups.
fn cross_entropy(logits: &[f64], targets: &[f64], classes: usize) -> f64 {
    let one = |(logits, targets): (&[f64], &[f64])| {
        let total = logits.iter().map(|x| x.exp()).sum::<f64>().ln();
        logits.iter().zip(targets).map(|(x, t)| t * (total - x)).sum::<f64>()
    };
    let groups = logits.chunks(classes).zip(targets.chunks(classes));
    groups.map(one).sum::<f64>() / (logits.len() / classes) as f64
}

/// How much a row counts for the optimistic policy, by the result, the expected value and the logit
/// of the squared error.
fn optimism(came: f64, expected: f64, error: f64) -> f64 {
    let variance = 4.0 / (1.0 + (-error).exp()) + 0.0001;
    let z = (came - expected) / variance.sqrt();
    1.0 / (1.0 + (-(z - 1.5) * 3.0).exp())
}

/// Each head's loss as its documentation says it, from the weights that a checkpoint holds.
#[test]
fn heads_lose_what_is_written_down() {
    for spec in [all_heads(small()), all_heads(nested())] {
        let mut learner = learner(spec.clone());
        for i in 0..12 {
            learner.step(&rows_with_heads(&spec, 16, i, 1.0), 0.01).unwrap();
        }
        let mut batch = rows_with_heads(&spec, 7, 99, 1.0);
        for (i, weight) in batch.policy_weights.iter_mut().enumerate() {
            *weight = (i % 3) as f32;
        }
        for head in Head::ALL.into_iter().filter(|head| head.is_in_rows()) {
            batch.heads[head].weights = batch.policy_weights.clone();
        }
        let found = learner.evaluate(&batch).unwrap().losses.heads;
        let (parameters, statistics) = unfolded(&learner.save().unwrap());
        let plain = Plain { spec: &spec, tensors: &parameters, statistics: Some(&statistics) };
        let features =
            Plain::each(&batch.planes, |planes, globals| plain.features(planes, globals));
        let area = spec.area() as f64;
        let total: f64 = batch.policy_weights.iter().map(|&w| f64::from(w)).sum();
        for head in Head::ALL {
            let length = spec.target_len(head);
            let mut wanted = 0.0;
            for (i, features) in features.iter().enumerate() {
                let outputs = plain.head(head, features);
                let (source, length) = match head {
                    Head::SoftPolicy | Head::OptimisticPolicy => (&batch.policy, length),
                    Head::ShortTermError => (&batch.heads[Head::ShortTerm].targets, 9),
                    _ => (&batch.heads[head].targets, length),
                };
                let targets: Vec<f64> =
                    source[i * length..(i + 1) * length].iter().map(|&x| f64::from(x)).collect();
                let huber = |distance: f64, bound: f64| {
                    let distance = distance.abs();
                    let far = bound * (distance - bound / 2.0);
                    if distance < bound { distance * distance / 2.0 } else { far }
                };
                let number = |unit: f64| huber(outputs[0] - targets[0] / unit, 0.5);
                let loss = match head {
                    Head::PliesLeft => number(area),
                    Head::Margin => number(area.sqrt()),
                    Head::ShortTerm | Head::Ownership => cross_entropy(&outputs, &targets, 3),
                    Head::Reply => cross_entropy(&outputs, &targets, length),
                    Head::ShortTermError => {
                        let off = plain.shortest_value(features) - (targets[6] - targets[8]);
                        huber(4.0 / (1.0 + (-outputs[0]).exp()) - off * off, 0.4)
                    }
                    Head::OptimisticPolicy => {
                        let came = &batch.heads[Head::ShortTerm].targets[9 * i..9 * i + 9];
                        let came = f64::from(came[6]) - f64::from(came[8]);
                        let expected = plain.shortest_value(features);
                        let error = plain.head(Head::ShortTermError, features)[0];
                        optimism(came, expected, error) * cross_entropy(&outputs, &targets, length)
                    }
                    Head::SoftPolicy => {
                        let roots: Vec<f64> = targets.iter().map(|p| p.powf(0.25)).collect();
                        let sum: f64 = roots.iter().sum();
                        let soft: Vec<f64> = roots.iter().map(|root| root / sum).collect();
                        cross_entropy(&outputs, &soft, length)
                    }
                };
                wanted += loss * f64::from(batch.policy_weights[i]) / total;
            }
            let found = f64::from(found[head].unwrap());
            assert!((found - wanted).abs() < 1e-5, "{head}: {found} {wanted}");
        }
    }
}
