//! The network of [`dz_network_file`]'s page in plain loops: what the fast kernels are checked
//! against.

use dz_game::unpack_planes;
use dz_infer::{EncodedBatch, NetworkOutputs};
use dz_network_file::{Head, NetworkFile, NetworkSpec, ResidualSpec};

/// A network evaluated one number at a time: 32-bit weights, sums in 64 bits. For tests; it is
/// slow.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a>(pub &'a NetworkFile);

impl Reference<'_> {
    /// Evaluates a batch of the network's shape.
    ///
    /// # Panics
    /// If the batch has another shape than the network, or the file lacks a tensor.
    pub fn evaluate(&self, batch: &EncodedBatch) -> NetworkOutputs {
        let mut outputs = NetworkOutputs::default();
        self.each(batch, |h| {
            let PolicyAndValue { policy, wdl, margin, error } = self.policy_and_value(h);
            outputs.policy_logits.extend(policy.iter().map(|&x| x as f32));
            outputs.wdl_logits.extend(wdl.iter().map(|&x| x as f32));
            outputs.margins.extend(margin.iter().map(|&x| x as f32));
            outputs.error_logits.extend(error.iter().map(|&x| x as f32));
        });
        outputs
    }

    /// Whose each point will be in the end, as the player to move sees it: logits of mine, nobody's
    /// and theirs, `[B, H, W, 3]`; `None` if the network did not learn it.
    ///
    /// # Panics
    /// As [`Reference::evaluate`].
    pub fn ownership(&self, batch: &EncodedBatch) -> Option<Vec<f32>> {
        let mut logits = Vec::new();
        self.spec().heads.contains(&Head::Ownership).then(|| {
            self.each(batch, |h| {
                let owners = self.at_points(h, "ownership.points");
                logits.extend(owners.flatten().map(|x| x as f32));
            });
            logits
        })
    }

    /// Shows `see` the tower's outputs of each position, `[C, H, W]`.
    fn each(&self, batch: &EncodedBatch, mut see: impl FnMut(&[f64])) {
        let mut planes = vec![0.0; batch.shape.bits()];
        for i in 0..batch.len {
            unpack_planes(batch.shape, batch.position(i), &mut planes);
            let globals = batch.shape.globals;
            let globals = &batch.globals[i * globals..(i + 1) * globals];
            see(&self.trunk(&widen(&planes), &widen(globals)));
        }
    }

    fn spec(&self) -> &NetworkSpec {
        &self.0.header.spec
    }

    fn tensor(&self, name: &str) -> &[f32] {
        &self.0.tensors.get(name).expect("the file was checked").data
    }

    /// The tower's outputs, `[C, H, W]`; `planes` is `[C_in, H, W]`.
    fn trunk(&self, planes: &[f64], globals: &[f64]) -> Vec<f64> {
        let spec = self.spec();
        let mut h = self.convolution(planes, "stem.conv", 3);
        if spec.globals > 0 {
            let weight = self.tensor("stem.globals.weight");
            for (channel, row) in h.chunks_mut(spec.area()).zip(weight.chunks(spec.globals)) {
                add(channel, dot(row, globals));
            }
        }
        relu(&mut h);
        for i in 0..spec.blocks {
            let residuals = spec.residuals(i);
            let mut t = if spec.bottleneck_blocks == 0 {
                self.convolved(&h, &residuals[0])
            } else {
                let mut u = self.convolution(&h, &format!("blocks.{i}.conv_down"), 1);
                relu(&mut u);
                for residual in &residuals {
                    let t = self.convolved(&u, residual);
                    add_and_relu(&mut u, &t);
                }
                self.convolution(&u, &format!("blocks.{i}.conv_up"), 1)
            };
            if spec.squeeze_ratio > 0 {
                self.squeeze(&mut t, &format!("blocks.{i}"));
            }
            add_and_relu(&mut h, &t);
        }
        h
    }

    /// What is said of the tower's outputs.
    fn policy_and_value(&self, h: &[f64]) -> PolicyAndValue {
        let mut policy = self.convolution(h, "policy.conv", 1);
        relu(&mut policy);
        let mut value = self.convolution(h, "value.conv", 1);
        relu(&mut value);
        let any_size = self.spec().any_size;
        let value = if any_size { self.means(&value) } else { value };
        let mut value = self.linear(&value, "value.hidden");
        relu(&mut value);
        let policy = if any_size {
            self.policy_by_points(&policy)
        } else if self.spec().policy_planes > 0 {
            self.policy_planes(&policy)
        } else {
            self.linear(&policy, "policy.linear")
        };
        let of_head = |head: Head, layer: &str| {
            let has = self.spec().heads.contains(&head);
            if has { self.linear(&value, layer) } else { Vec::new() }
        };
        PolicyAndValue {
            policy,
            wdl: self.linear(&value, "value.output"),
            margin: of_head(Head::Margin, "margin.output"),
            error: of_head(Head::ShortTermError, "short_term_error.output"),
        }
    }

    /// The policy of a network for boards of any size; `x` is `[policy_channels, H, W]`.
    fn policy_by_points(&self, x: &[f64]) -> Vec<f64> {
        let rows: Vec<_> = self.at_points(x, "policy.linear").collect();
        let mean = |e: usize| rows.iter().map(|row| row[e]).sum::<f64>() / rows.len() as f64;
        rows.iter().map(|row| row[0]).chain((1..rows[0].len()).map(mean)).collect()
    }

    /// The policy of a network with policy planes, plane by plane; `x` is
    /// `[policy_channels, H, W]`.
    fn policy_planes(&self, x: &[f64]) -> Vec<f64> {
        let points: Vec<_> = self.at_points(x, "policy.linear").collect();
        let plane = |k: usize| points.iter().map(move |point| point[k]);
        (0..self.spec().policy_planes).flat_map(plane).collect()
    }

    /// What a linear layer says of each point; `x` is `[in, H, W]`.
    fn at_points<'a>(
        &'a self,
        x: &'a [f64],
        layer: &'a str,
    ) -> impl Iterator<Item = Vec<f64>> + 'a {
        let area = self.spec().area();
        let point = move |p| x.iter().skip(p).step_by(area).copied().collect::<Vec<f64>>();
        (0..area).map(move |p| self.linear(&point(p), layer))
    }

    /// Each channel's mean over the board.
    fn means(&self, x: &[f64]) -> Vec<f64> {
        let area = self.spec().area();
        x.chunks(area).map(|channel| channel.iter().sum::<f64>() / area as f64).collect()
    }

    /// `x` is `[in, H, W]`; the kernel is `side` x `side`.
    fn convolution(&self, x: &[f64], layer: &str, side: usize) -> Vec<f64> {
        let height = self.spec().height;
        let width = self.spec().width;
        let weight = self.tensor(&format!("{layer}.weight"));
        let bias = self.tensor(&format!("{layer}.bias"));
        let filter_len = x.len() / (height * width) * side * side;
        let mut out = Vec::with_capacity(bias.len() * height * width);
        for (filter, &bias) in weight.chunks_exact(filter_len).zip(bias) {
            for point in 0..height * width {
                let mut sum = f64::from(bias);
                for (board, taps) in x.chunks(height * width).zip(filter.chunks(side * side)) {
                    for (tap, &weight) in taps.iter().enumerate() {
                        // Shifted by half the kernel, so that nothing is negative.
                        let y = point / width + tap / side;
                        let x = point % width + tap % side;
                        let y = y.checked_sub(side / 2);
                        let x = x.checked_sub(side / 2);
                        if let (Some(y), Some(x)) = (y, x)
                            && y < height
                            && x < width
                        {
                            sum += f64::from(weight) * board[y * width + x];
                        }
                    }
                }
                out.push(sum);
            }
        }
        out
    }

    fn linear(&self, x: &[f64], layer: &str) -> Vec<f64> {
        let weight = self.tensor(&format!("{layer}.weight"));
        let bias = self.tensor(&format!("{layer}.bias"));
        let rows = weight.chunks_exact(x.len()).zip(bias);
        rows.map(|(row, &bias)| dot(row, x) + f64::from(bias)).collect()
    }

    /// Both 3x3 convolutions of a residual block, before its input is added.
    fn convolved(&self, x: &[f64], residual: &ResidualSpec) -> Vec<f64> {
        let name = &residual.name;
        let mut t = self.convolution(x, &format!("{name}.conv1"), 3);
        if residual.pooling {
            self.pool(&mut t, &format!("{name}.pool"));
        }
        relu(&mut t);
        self.convolution(&t, &format!("{name}.conv2"), 3)
    }

    fn squeeze(&self, t: &mut [f64], block: &str) {
        let area = self.spec().area();
        let means = self.means(t);
        let mut hidden = self.linear(&means, &format!("{block}.squeeze"));
        relu(&mut hidden);
        let excited = self.linear(&hidden, &format!("{block}.excite"));
        let (scales, shifts) = excited.split_at(means.len());
        for ((channel, scale), shift) in t.chunks_mut(area).zip(scales).zip(shifts) {
            let scale = 1.0 / (1.0 + (-scale).exp());
            for x in channel {
                *x = scale * *x + shift;
            }
        }
    }

    fn pool(&self, t: &mut [f64], layer: &str) {
        let area = self.spec().area();
        let (pooled, shifted) = t.split_at_mut(self.spec().pooled_channels() * area);
        let positive = |channel: &[f64]| channel.iter().map(|x| x.max(0.0)).collect::<Vec<_>>();
        let means = pooled.chunks(area).map(|c| positive(c).iter().sum::<f64>() / area as f64);
        let tops = pooled.chunks(area).map(|c| positive(c).into_iter().fold(0.0, f64::max));
        let pooled: Vec<f64> = means.chain(tops).collect();
        for (channel, shift) in shifted.chunks_mut(area).zip(self.linear(&pooled, layer)) {
            add(channel, shift);
        }
    }
}

/// Logits, and the margin and the error's logit if the network has them.
struct PolicyAndValue {
    policy: Vec<f64>,
    wdl: Vec<f64>,
    margin: Vec<f64>,
    error: Vec<f64>,
}

fn widen(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|&x| f64::from(x)).collect()
}

fn dot(row: &[f32], x: &[f64]) -> f64 {
    row.iter().zip(x).map(|(&a, b)| f64::from(a) * b).sum()
}

fn add(channel: &mut [f64], shift: f64) {
    for x in channel {
        *x += shift;
    }
}

fn add_and_relu(h: &mut [f64], t: &[f64]) {
    for (h, t) in h.iter_mut().zip(t) {
        *h += t;
    }
    relu(h);
}

fn relu(x: &mut [f64]) {
    for x in x {
        *x = x.max(0.0);
    }
}
