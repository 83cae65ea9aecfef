//! Which parameters a network in training has, by name, and how they begin.

use std::collections::BTreeMap;
use std::ops::Range;

use burn::tensor::Tensor;
use dz_game::mix64;
use dz_network_file::{NetworkSpec, TensorData};

/// Names and shapes in the order in which a flat tensor holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout(BTreeMap<String, Vec<usize>>);

impl Layout {
    /// Trained parameters: those of the network file, with `gamma` and `beta` of batch norm in
    /// place of each convolution's bias.
    pub(crate) fn of_parameters(spec: &NetworkSpec) -> Self {
        let mut names = BTreeMap::new();
        for (name, shape) in spec.tensor_shapes() {
            match convolution_of_bias(&name) {
                Some(conv) => {
                    names.insert(format!("{conv}.gamma"), shape.clone());
                    names.insert(format!("{conv}.beta"), shape);
                }
                None => drop(names.insert(name, shape)),
            }
        }
        Self(names)
    }

    /// Running statistics of batch norm: `mean` and `variance` of each convolution's outputs.
    pub(crate) fn of_statistics(spec: &NetworkSpec) -> Self {
        let mut names = BTreeMap::new();
        for (name, shape) in spec.tensor_shapes() {
            if let Some(conv) = convolution_of_bias(&name) {
                names.insert(format!("{conv}.mean"), shape.clone());
                names.insert(format!("{conv}.variance"), shape);
            }
        }
        Self(names)
    }

    /// N, the numbers in all of it.
    pub(crate) fn len(&self) -> usize {
        self.0.values().map(|shape| shape.iter().product::<usize>()).sum()
    }

    /// Cuts a flat tensor `[N]` into one flat tensor a name.
    pub(crate) fn split(&self, flat: &Tensor<1>) -> BTreeMap<String, Tensor<1>> {
        self.split_by(|_, range| flat.clone().slice(range))
    }

    /// The same; `cut` gives the piece of a name, from where it lies.
    pub(crate) fn split_by(
        &self,
        cut: impl Fn(&str, Range<usize>) -> Tensor<1>,
    ) -> BTreeMap<String, Tensor<1>> {
        let mut start = 0;
        let mut parts = BTreeMap::new();
        for (name, shape) in &self.0 {
            let end = start + shape.iter().product::<usize>();
            parts.insert(name.clone(), cut(name, start..end));
            start = end;
        }
        parts
    }

    /// The weight's shape, `[out, in, side, side]`, of the convolution that a name belongs to, or
    /// whose batch norm it is of.
    pub(crate) fn convolution_of(&self, name: &str) -> Option<[usize; 4]> {
        let layer = name.rsplit_once('.').map_or(name, |(layer, _)| layer);
        self.0.get(&format!("{layer}.weight"))?.as_slice().try_into().ok()
    }

    /// Whether a name belongs to a linear layer with a bias.
    pub(crate) fn is_of_linear(&self, name: &str) -> bool {
        let layer = name.rsplit_once('.').map_or(name, |(layer, _)| layer);
        let weight = self.0.get(&format!("{layer}.weight"));
        weight.is_some_and(|shape| shape.len() == 2)
            && self.0.contains_key(&format!("{layer}.bias"))
    }

    /// Names the pieces of `flat`, as files hold them.
    pub(crate) fn name_pieces(&self, flat: &[f32]) -> BTreeMap<String, TensorData> {
        let mut rest = flat;
        let mut pieces = BTreeMap::new();
        for (name, shape) in &self.0 {
            let (piece, after) = rest.split_at(shape.iter().product());
            rest = after;
            let tensor = TensorData { shape: shape.clone(), data: piece.to_vec() };
            pieces.insert(name.clone(), tensor);
        }
        pieces
    }

    /// Names and shapes.
    pub(crate) fn shapes(&self) -> &BTreeMap<String, Vec<usize>> {
        &self.0
    }

    /// 1 where weight decay applies (weights of convolutions and linear layers), 0 where it does
    /// not (biases, gamma, beta); `[N]`.
    pub(crate) fn decayed(&self) -> Vec<f32> {
        self.fill(|_, shape, _| f32::from(shape.len() > 1))
    }

    /// Initial values, `[N]`: a function of the seed and of each parameter's name alone.
    ///
    /// Weights are uniform with the variance of He et al. 2015 (arXiv:1502.01852), 2 / inputs;
    /// those of output layers have a tenth of its standard deviation, so that training starts near
    /// equal chances. Gamma and variance are 1, everything else 0.
    pub(crate) fn initial(&self, seed: u64) -> Vec<f32> {
        let mut key = 0;
        self.fill(|name, shape, i| {
            if matches!(name.rsplit('.').next(), Some("gamma" | "variance")) {
                return 1.0;
            }
            if shape.len() == 1 {
                return 0.0;
            }
            if i == 0 {
                key = stream_key(seed, name);
            }
            let inputs = shape[1..].iter().product::<usize>() as f32;
            let bound = (6.0 / inputs).sqrt() * if is_output(name) { 0.1 } else { 1.0 };
            let word = mix64(key.wrapping_add((i as u64).wrapping_mul(GOLDEN)));
            // 24 random bits make an exact f32 in [0, 1).
            bound * (2.0 * ((word >> 40) as f32 / (1 << 24) as f32) - 1.0)
        })
    }

    fn fill(&self, mut value: impl FnMut(&str, &[usize], usize) -> f32) -> Vec<f32> {
        let mut flat = Vec::with_capacity(self.len());
        for (name, shape) in &self.0 {
            flat.extend((0..shape.iter().product()).map(|i| value(name, shape, i)));
        }
        flat
    }
}

/// 2^64 over the golden ratio, the increment of `SplitMix64`.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Whether a weight's products leave the network: of policy, value, and heads beside them.
fn is_output(name: &str) -> bool {
    let layer = name.strip_suffix(".weight").and_then(|layer| layer.rsplit('.').next());
    matches!(layer, Some("linear" | "output" | "points"))
}

/// The convolution whose bias `name` is, if it is one: those that batch norm follows.
fn convolution_of_bias(name: &str) -> Option<&str> {
    let layer = name.strip_suffix(".bias")?;
    let last = layer.rsplit('.').next()?;
    last.starts_with("conv").then_some(layer)
}

fn stream_key(seed: u64, name: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes()).update(name.as_bytes());
    let hash = hasher.finalize();
    let first = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
    u64::from_le_bytes(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convolutions_are_known_by_the_names_of_their_parts() {
        let layout = Layout::of_parameters(&NetworkSpec::plain([3, 6, 7], 7, 2, 16));
        let of_convolutions =
            layout.shapes().keys().filter(|name| layout.convolution_of(name).is_some());
        let is_linear = |name: &str| {
            ["policy.linear", "value.hidden", "value.output"].iter().any(|l| name.starts_with(l))
        };
        let wanted: Vec<_> = layout.shapes().keys().filter(|name| !is_linear(name)).collect();
        assert_eq!(of_convolutions.collect::<Vec<_>>(), wanted);
        // Weight, gamma and beta of the stem, of two in each block and of two heads.
        assert_eq!(wanted.len(), 3 * 7);
        assert_eq!(layout.convolution_of("stem.conv.beta"), Some([16, 3, 3, 3]));
        assert_eq!(layout.convolution_of("value.conv.weight"), Some([8, 16, 1, 1]));
        assert_eq!(layout.convolution_of("policy.linear.weight"), None);
        let globals = NetworkSpec { globals: 2, ..NetworkSpec::plain([3, 6, 7], 7, 2, 16) };
        let layout = Layout::of_parameters(&globals);
        assert!(!layout.is_of_linear("stem.globals.weight"), "it has no bias");
        for name in layout.shapes().keys().filter(|name| !name.starts_with("stem.globals")) {
            assert_eq!(layout.is_of_linear(name), is_linear(name), "{name}");
        }
    }
}
