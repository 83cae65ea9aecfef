//! Squeeze-excitation: the means over the board scale and shift every channel.

use dz_network_file::NetworkFile;

use crate::layer::Layer;
use crate::simd::{LANE, Lane, Simd, Task, Vectors};
use crate::winograd::{Interior, Tiling};

/// A block's two layers. The second gives the scales before their sigmoid, then the shifts, each
/// filled up to whole lanes with 0.
#[derive(Clone, Debug)]
pub(crate) struct Squeeze {
    hidden: Layer,
    excite: Layer,
    /// Points of the board.
    area: f32,
}

impl Squeeze {
    /// Packs the layers of block `i`, if it has any.
    pub(crate) fn new(vectors: Vectors, file: &NetworkFile, i: usize) -> Option<Self> {
        let spec = &file.header.spec;
        let channels = spec.channels;
        let squeezed = spec.squeezed_channels()?;
        let tensor = |name: &str| file.tensors[&format!("blocks.{i}.{name}")].data.as_slice();
        let hidden = Layer::of_file(vectors, file, &format!("blocks.{i}.squeeze"));
        let whole = channels.next_multiple_of(LANE);
        // Where an output stands in the file; none where lanes are filled up.
        let in_file = |output: usize| {
            (output % whole < channels).then(|| output / whole * channels + output % whole)
        };
        let weight = tensor("excite.weight");
        let bias = tensor("excite.bias");
        let bias: Vec<f32> = (0..2 * whole).map(|o| in_file(o).map_or(0.0, |o| bias[o])).collect();
        let excite = Layer::new(vectors, squeezed, &bias, |input, output| {
            in_file(output).map_or(0.0, |output| weight[output * squeezed + input])
        });
        Some(Self { hidden, excite, area: spec.area() as f32 })
    }

    /// Lanes to work in: the means, the hidden layer, scales and shifts.
    pub(crate) fn scratch_len(&self) -> usize {
        let hidden = &self.hidden.matrix;
        let excite = &self.excite.matrix;
        hidden.lanes_in + hidden.lanes_out + excite.lanes_out
    }
}

/// Scales and shifts a padded board, adds it to another and takes relu there; borders are left
/// alone.
pub(crate) struct SqueezeBoard<'a> {
    pub(crate) squeeze: &'a Squeeze,
    pub(crate) tiling: &'a Tiling,
    pub(crate) from: &'a [Lane],
    pub(crate) to: &'a mut [Lane],
    pub(crate) scratch: &'a mut [Lane],
}

impl Task for SqueezeBoard<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { squeeze: Squeeze { hidden, excite, area }, tiling, from, to, scratch } = self;
        let lanes = hidden.matrix.lanes_in;
        let (means, rest) = scratch.split_at_mut(lanes);
        let (squeezed, rest) = rest.split_at_mut(hidden.matrix.lanes_out);
        let excited = &mut rest[..2 * lanes];
        let Interior { stride, rows, columns } = tiling.interior(lanes);
        for (lane, mean) in means.iter_mut().enumerate() {
            let mut sum = s.splat(0.0);
            for row in from[rows.clone()].chunks_exact(stride) {
                for point in row[columns.clone()].chunks_exact(lanes) {
                    sum = s.add(sum, s.load(&point[lane]));
                }
            }
            s.store(sum, mean);
            for x in &mut mean.0 {
                *x /= area;
            }
        }
        hidden.apply(s, means, squeezed, true);
        excite.apply(s, squeezed, excited, false);
        let (scales, shifts) = excited.split_at_mut(lanes);
        for scale in &mut *scales {
            scale.0 = scale.0.map(sigmoid);
        }
        let to = to[rows.clone()].chunks_exact_mut(stride);
        for (from, to) in from[rows].chunks_exact(stride).zip(to) {
            let to = to[columns.clone()].chunks_exact_mut(lanes);
            for (from, to) in from[columns.clone()].chunks_exact(lanes).zip(to) {
                for lane in 0..lanes {
                    let scale = s.load(&scales[lane]);
                    let shift = s.load(&shifts[lane]);
                    let x = s.fma(scale, s.load(&from[lane]), shift);
                    s.store(s.relu(s.add(x, s.load(&to[lane]))), &mut to[lane]);
                }
            }
        }
    }
}

/// Returns 1 / (1 + e^-x) of a finite number, to 32 bits; NaN stays NaN. It is made of additions,
/// multiplications and a division in 64 bits, so it has the same bits everywhere. A C library's
/// `exp` does not.
#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    /// Added to a number and taken away again, it rounds to the nearest whole number.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // Beyond these, 1 + e^-x rounds to 1 or e^-x is beyond 32 bits.
    let y = f64::from((-x).clamp(-87.0, 87.0));
    let shifted = y * std::f64::consts::LOG2_E + ROUND;
    // e^y = 2^k e^r, |r| <= ln 2 / 2; the sum's low bits are those of k.
    let r = y - (shifted - ROUND) * std::f64::consts::LN_2;
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    // Taylor's series; the first term left out is r^10 / 10!, below 1e-11.
    let terms = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0];
    let e_r = terms.into_iter().fold(1.0, |sum, n: f64| 1.0 + r / n * sum);
    (1.0 / (1.0 + power * e_r)) as f32
}

#[cfg(test)]
mod tests {
    use super::sigmoid;

    #[test]
    fn sigmoid_is_right_to_the_last_bit_but_one() {
        for i in -20_000..=20_000_i16 {
            let x = f32::from(i) / 200.0;
            let wanted = 1.0 / (1.0 + (-f64::from(x)).exp());
            let error = (f64::from(sigmoid(x)) - wanted).abs();
            // Below -87 the smallest answer, 1.6e-38, stands for all smaller ones.
            assert!(error <= wanted * 6e-8 + 2e-38, "{x}: {} {wanted}", sigmoid(x));
        }
        assert_eq!([sigmoid(0.0), sigmoid(100.0), sigmoid(f32::INFINITY)], [0.5, 1.0, 1.0]);
        assert!(sigmoid(f32::NAN).is_nan() && sigmoid(f32::NEG_INFINITY) < 2e-38);
    }
}
