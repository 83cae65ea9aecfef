//! The softmax of logits, eight numbers at a time.
//!
//! A softmax over the legal moves is part of every evaluation. The C library's `exp` takes one
//! number a call, so the loops here let the compiler use vector instructions. The bits are the same
//! on every machine.

/// Numbers that are added up side by side.
const LANES: usize = 8;

/// Softmax in place. Returns false if a logit is NaN or infinity, or if all are -infinity.
pub(crate) fn softmax(values: &mut [f32]) -> bool {
    let top = fold(values, f32::NEG_INFINITY, |top, value| if value > top { value } else { top });
    for value in values.iter_mut() {
        *value = exp(*value - top);
    }
    let sum = fold(values, 0.0, |sum, value| sum + value);
    for value in values.iter_mut() {
        *value /= sum;
    }
    // A single NaN makes the sum one.
    sum.is_finite()
}

/// Folds every eighth number into one of eight lanes, and then the lanes in their order.
fn fold(values: &[f32], first: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [first; LANES];
    let chunks = values.chunks_exact(LANES);
    for (lane, &value) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = f(*lane, value);
    }
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = f(*lane, value);
        }
    }
    lanes.into_iter().fold(first, f)
}

/// Returns e to the power of `x` for `x` of 0 or less, to two units in the last place. NaN stays
/// NaN. Below -87 the result is that of -87, near the smallest normal number.
///
/// `x` is n ln 2 + r with |r| <= ln 2 / 2; a polynomial gives the power of r (S. Moshier, Cephes,
/// `expf`), and n goes into the exponent. Every step is one that processors do for several numbers
/// at once.
#[inline]
fn exp(x: f32) -> f32 {
    /// Adding it rounds to a whole number, which stands in the lowest bits then.
    const ROUND: f32 = 12_582_912.0;
    const LEAST: f32 = -87.0;
    // The two parts of ln 2: multiples of the first one are exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    const LEADING: f32 = 1.987_569_1e-4;
    const POLYNOMIAL: [f32; 5] = [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 5e-1];
    let x = if x < LEAST { LEAST } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * LN_2_HIGH - n * LN_2_LOW;
    let power = POLYNOMIAL.iter().fold(LEADING, |sum, factor| sum * r + factor);
    let power = power * r * r + r + 1.0;
    let exponent = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127);
    power * f32::from_bits(exponent << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_near_the_true_ones() {
        let mut worst: f64 = 0.0;
        for step in 0..870_000 {
            let x = -1e-4 * step as f32;
            let wanted = f64::from(x).exp();
            worst = worst.max((f64::from(exp(x)) - wanted).abs() / wanted);
        }
        assert!(worst < 2.0 * f64::from(f32::EPSILON), "{worst}");
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e30) > 0.0 && exp(f32::NEG_INFINITY) < 1e-37);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn shares_are_those_of_64_bits_whatever_the_length() {
        for len in 1..40 {
            let logit = |at: usize| (at * 37 % 23) as f32 / 2.0 - 3.0;
            let mut shares: Vec<f32> = (0..len).map(logit).collect();
            assert!(softmax(&mut shares));
            let powers: Vec<f64> = (0..len).map(|at| f64::from(logit(at)).exp()).collect();
            let sum: f64 = powers.iter().sum();
            for (share, power) in shares.iter().zip(powers) {
                let wanted = power / sum;
                assert!((f64::from(*share) - wanted).abs() < 4e-7 * wanted, "{share} {wanted}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_found() {
        for (place, bad) in [(0, f32::NAN), (8, f32::NAN), (3, f32::INFINITY), (10, f32::INFINITY)]
        {
            let mut logits = [0.5; 11];
            logits[place] = bad;
            assert!(!softmax(&mut logits), "{place} {bad}");
        }
        assert!(!softmax(&mut [f32::NEG_INFINITY; 3]));
        let mut one = [1.0, f32::NEG_INFINITY];
        assert!(softmax(&mut one) && one[0] == 1.0 && one[1] < 1e-37);
    }
}
