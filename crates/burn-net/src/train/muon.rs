//! SGD with momentum, and Muon: steps of equal size in every direction of a weight matrix.

use burn::tensor::Tensor;

use crate::train::layout::Layout;
use crate::train::optimizer::{Moments, Update, blend};

/// Coefficients of the Newton-Schulz iteration, Jordan 2024 ("Muon: an optimizer for hidden layers
/// in neural networks"): they raise small singular values fast and leave all between 0.7 and 1.2.
const COEFFICIENTS: [f64; 3] = [3.4445, -4.7750, 2.0315];
/// Iterations, same source.
const ITERATIONS: usize = 5;
/// Root mean square of a step's elements over the learning rate: about that of `AdamW`, so that one
/// learning rate and one weight decay serve both (Liu et al. 2025, arXiv:2502.16982, section 2.2).
const STEP_RMS: f64 = 0.2;

impl Moments {
    /// Gradient descent with momentum: v = momentum v + g, and the parameters fall by v and their
    /// decay. The second moments stay as they are.
    pub(crate) fn update_sgd(
        &mut self,
        parameters: Tensor<1>,
        gradient: Tensor<1>,
        update: &Update,
        momentum: f64,
    ) -> Tensor<1> {
        let gradient = gradient.mul_scalar(update.gradient_scale);
        self.first = self.first.clone().mul_scalar(momentum) + gradient;
        let decay = parameters.clone() * update.weight_decay.clone();
        parameters - (self.first.clone() + decay).mul_scalar(update.learning_rate)
    }

    /// Muon for the convolutions behind the first, `AdamW` for everything else: the first and last
    /// layers, and everything that is not a matrix, as in its source.
    pub(crate) fn update_muon(
        &mut self,
        parameters: &Tensor<1>,
        gradient: &Tensor<1>,
        update: &Update,
        momentum: f64,
        layout: &Layout,
    ) -> Tensor<1> {
        let pieces = |flat: &Tensor<1>| layout.split(flat).into_values();
        let mut moved = [const { Vec::new() }; 3];
        let states = pieces(&self.first).zip(pieces(&self.second));
        let all = pieces(parameters).zip(pieces(gradient)).zip(pieces(&update.weight_decay));
        for (((name, shape), ((weights, gradient), weight_decay)), (first, second)) in
            layout.shapes().iter().zip(all).zip(states)
        {
            let update = Update { weight_decay, ..*update };
            let mut moments = Self { first, second };
            let weights = if is_hidden_matrix(name, shape) {
                moments.update_matrix(weights, gradient, &update, momentum, shape)
            } else {
                moments.update(weights, gradient, &update)
            };
            for (all, one) in moved.iter_mut().zip([weights, moments.first, moments.second]) {
                all.push(one);
            }
        }
        let [weights, first, second] = moved.map(|pieces| Tensor::cat(pieces, 0));
        (self.first, self.second) = (first, second);
        weights
    }

    /// A step of equal size in every direction of a matrix `[out, rest]`, with Nesterov's momentum.
    fn update_matrix(
        &mut self,
        weights: Tensor<1>,
        gradient: Tensor<1>,
        update: &Update,
        momentum: f64,
        shape: &[usize],
    ) -> Tensor<1> {
        let gradient = gradient.mul_scalar(update.gradient_scale);
        self.first = blend(self.first.clone(), gradient.clone(), momentum);
        let ahead = blend(self.first.clone(), gradient, momentum);
        let out = shape[0];
        let rest = shape[1..].iter().product::<usize>();
        let direction = orthogonal(ahead.reshape([out, rest])).flatten(0, 1);
        let size = STEP_RMS * (out.max(rest) as f64).sqrt();
        let decay = weights.clone() * update.weight_decay.clone();
        weights - (direction.mul_scalar(size) + decay).mul_scalar(update.learning_rate)
    }
}

/// Whether Muon moves a tensor: weights of convolutions, but for those that see the input planes.
fn is_hidden_matrix(name: &str, shape: &[usize]) -> bool {
    shape.len() == 4 && !name.starts_with("stem.")
}

/// About the nearest matrix with orthogonal rows, or columns where there are fewer of them.
fn orthogonal(matrix: Tensor<2>) -> Tensor<2> {
    let [rows, columns] = matrix.dims();
    let is_tall = rows > columns;
    let x = if is_tall { matrix.transpose() } else { matrix };
    // The Frobenius norm is at least the largest singular value, which must not be above 1.
    let norm = (x.clone() * x.clone()).sum_dim(1).sum_dim(0).sqrt().add_scalar(1e-7);
    let mut x = x / norm;
    let [a, b, c] = COEFFICIENTS;
    for _ in 0..ITERATIONS {
        let square = x.clone().matmul(x.clone().transpose());
        let polynomial = square.clone().mul_scalar(b) + square.clone().matmul(square).mul_scalar(c);
        x = x.clone().mul_scalar(a) + polynomial.matmul(x);
    }
    if is_tall { x.transpose() } else { x }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use dz_game::mix64;
    use dz_network_file::NetworkSpec;

    use super::*;
    use crate::tensors::{download, upload};

    fn tensor(values: &[f32]) -> Tensor<1> {
        upload(values.to_vec(), &Device::flex())
    }

    /// Numbers in [-1, 1) without a pattern: matrices of them have full rank.
    fn numbers(seed: u64, len: usize) -> Vec<f32> {
        let word = |i: usize| mix64(seed * 1_000_003 + i as u64) >> 40;
        (0..len).map(|i| word(i) as f32 / (1 << 23) as f32 - 1.0).collect()
    }

    fn update(length: usize) -> Update {
        let weight_decay = upload(vec![0.01; length], &Device::flex());
        Update { step: 1, learning_rate: 0.1, gradient_scale: 0.5, weight_decay }
    }

    fn zeros(length: usize) -> Moments {
        Moments { first: tensor(&vec![0.0; length]), second: tensor(&vec![0.0; length]) }
    }

    fn near(found: Tensor<1>, wanted: &[f64]) {
        let found = download(found);
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((f64::from(*found) - wanted).abs() < 1e-6, "{found} {wanted}");
        }
    }

    #[test]
    fn momentum_adds_up_and_weights_decay() {
        let mut moments = zeros(2);
        let step = |moments: &mut Moments, w: Tensor<1>, g: &[f32]| {
            moments.update_sgd(w, tensor(g), &update(2), 0.9)
        };
        // v = 0.5 g; w - 0.1 (v + 0.01 w).
        let w = step(&mut moments, tensor(&[1.0, -2.0]), &[2.0, 0.0]);
        near(w.clone(), &[1.0 - 0.1 * (1.0 + 0.01), -2.0 + 0.1 * 0.02]);
        // v = 0.9 * 1 + 0.5 * -1 = 0.4.
        let w = step(&mut moments, w, &[-1.0, 0.0]);
        near(w, &[0.899 - 0.1 * (0.4 + 0.008_99), -1.998 + 0.1 * 0.019_98]);
        near(moments.first, &[0.4, 0.0]);
        near(moments.second, &[0.0, 0.0]);
    }

    /// Singular values of the iteration's outcome: those of A A^T, by its trace and by its products
    /// with vectors.
    #[test]
    fn directions_have_equal_sizes() {
        let device = Device::flex();
        let entries = numbers(1, 60);
        for shape in [[5, 12], [12, 5]] {
            let matrix: Tensor<2> = upload(entries.clone(), &device).reshape(shape);
            let near_orthogonal = orthogonal(matrix.clone());
            assert_eq!(near_orthogonal.dims(), shape);
            let is_tall = shape[0] > shape[1];
            let x = if is_tall { near_orthogonal.transpose() } else { near_orthogonal };
            let square = download(x.clone().matmul(x.transpose()));
            for (i, entry) in square.iter().enumerate() {
                // Singular values between 0.7 and 1.2 have squares between 0.49 and 1.44.
                let bounds = if i % 6 == 0 { 0.45..1.5 } else { -0.5..0.5 };
                assert!(bounds.contains(entry), "{square:?}");
            }
            // The direction is the matrix's own: it grows along it.
            let along = download((orthogonal(matrix.clone()) * matrix).sum_dim(1).sum_dim(0));
            assert!(along[0] > 0.0);
        }
        let nothing: Tensor<2> = Tensor::zeros([3, 4], &device);
        assert!(download(orthogonal(nothing)).iter().all(|&x| x == 0.0));
    }

    /// Convolutions behind the first move by Muon, everything else as `AdamW` moves it, to the bit.
    #[test]
    fn muon_moves_hidden_convolutions_and_adamw_the_rest() {
        let spec = NetworkSpec::plain([2, 3, 3], 4, 1, 6);
        let layout = Layout::of_parameters(&spec);
        let length = layout.len();
        let weights = tensor(&numbers(2, length));
        let gradient = tensor(&numbers(3, length));
        let mut muon = zeros(length);
        let mut adam = zeros(length);
        let moved = muon.update_muon(&weights, &gradient, &update(length), 0.95, &layout);
        let plain = adam.update(weights.clone(), gradient, &update(length));
        let before = layout.split(&weights);
        let moved = layout.split(&moved);
        let plain = layout.split(&plain);
        let second = layout.split(&muon.second);
        let mut hidden = 0;
        for (name, shape) in layout.shapes() {
            let [before, moved, plain, second] =
                [&before, &moved, &plain, &second].map(|of| download(of[name].clone()));
            if !is_hidden_matrix(name, shape) {
                assert_eq!(moved, plain, "{name}");
                continue;
            }
            hidden += 1;
            assert!(second.iter().all(|&x| x == 0.0));
            let step = before.iter().zip(&moved).map(|(b, m)| (m - b * (1.0 - 0.1 * 0.01)).powi(2));
            let rms = (step.sum::<f32>() / moved.len() as f32).sqrt();
            // 0.2 learning rates, as far as singular values are 1.
            assert!((0.012..0.024).contains(&rms), "{name}: {rms}");
        }
        // Two of the block, one each of policy and value.
        assert_eq!(hidden, 4);
    }
}
