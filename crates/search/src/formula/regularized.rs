//! The exact regularised policy that PUCT tracks (Grill et al. 2020, "Monte-Carlo tree search as
//! regularized policy optimization", arXiv 2007.12509).
//!
//! ```text
//! pibar = argmax_y sum_a q_a y_a - lambda_N KL(p || y),  lambda_N = c sqrt(s) / (|A| + s)
//! pibar_a = lambda_N p_a / (alpha - q_a), alpha such that they sum to 1
//! ```
//! (section 3). To act is to sample the root's move from it, to search is to descend by it, to
//! learn is to take it as policy target (section 4). Gains are largest at few visits; at many it
//! may still give weight to a move of high value and low prior that was hardly looked at.

use super::{Child, normalise, visits_sum};

/// Steps of Newton's method before the solution is taken as it is; about six are used.
const STEPS_MAX: u32 = 100;
/// The sum of shares is 1 to within this before the last normalisation.
const TOLERANCE: f64 = 4.0 * f64::EPSILON;

/// `lambda_N = c sqrt(s) / (|A| + s)`, the weight of the prior (section 3). Their c is 1.25 and
/// grows as AlphaZero's ([`super::puct::Exploration`]).
pub fn multiplier(c: f64, visits_sum: f64, moves: usize) -> f64 {
    c * visits_sum.sqrt() / (moves as f64 + visits_sum)
}

/// Fills `out` with pibar for the visits that the node has, and returns alpha. A move without a
/// value counts as `unvisited`.
///
/// Without any visit pibar is the prior: all values are then equal, and that is the answer for
/// every lambda. Otherwise as [`exact_policy`].
pub fn regularized_policy(children: &[Child], unvisited: f64, c: f64, out: &mut Vec<f64>) -> f64 {
    let sum = visits_sum(children);
    if sum > 0.0 {
        return exact_policy(children, unvisited, multiplier(c, sum, children.len()), out);
    }
    fill_priors(children, out);
    unvisited
}

/// Fills `out` with pibar for a given `lambda`, at least 0, and returns alpha, which lies in
/// [max(q + lambda p), max q + lambda] over the moves with a prior.
///
/// Priors are normalised; a move of prior 0 gets 0; if all are 0 they count as equal. At lambda 0
/// the moves of the largest value share everything in proportion to their priors, which is the
/// limit.
///
/// With `t = (alpha - max q) / lambda` and `e_a = (max q - q_a) / lambda` the condition is
/// `F(t) = sum p_a / (t + e_a) = 1`, t in `[max(p_a - e_a), 1]`: no cancellation however small
/// lambda is. 1/F is concave and rises, so Newton's method on 1/F - 1 from the left end climbs to
/// the root without passing it, and is exact in one step where one move carries all; a step that
/// rounding throws out of the bracket is replaced by a bisection.
pub fn exact_policy(children: &[Child], unvisited: f64, lambda: f64, out: &mut Vec<f64>) -> f64 {
    fill_priors(children, out);
    let values = || children.iter().map(|child| child.q.unwrap_or(unvisited));
    let with_prior = values().zip(out.iter()).filter(|(_, prior)| **prior > 0.0);
    let q_max = with_prior.map(|(q, _)| q).fold(f64::NEG_INFINITY, f64::max);
    // At lambda 0 this is 0/0 for the best moves, which have no distance whatever lambda is.
    let distance = |q: f64| if q >= q_max { 0.0 } else { (q_max - q) / lambda };
    if lambda <= 0.0 {
        for (share, q) in out.iter_mut().zip(values()) {
            *share = if q >= q_max { *share } else { 0.0 };
        }
        normalise(out);
        return q_max;
    }
    let pairs = || out.iter().zip(values()).filter(|(prior, _)| **prior > 0.0);
    let left = pairs().map(|(prior, q)| prior - distance(q)).fold(0.0, f64::max);
    let t = solve(left, |t| {
        let mut sum = 0.0;
        let mut slope = 0.0;
        for (prior, q) in pairs() {
            let gap = t + distance(q);
            let share = prior / gap;
            sum += share;
            slope += share / gap;
        }
        (sum, slope)
    });
    for (share, q) in out.iter_mut().zip(values()) {
        *share = if *share > 0.0 { *share / (t + distance(q)) } else { 0.0 };
    }
    normalise(out);
    q_max + lambda * t
}

/// The root of F(t) = 1 in [left, 1]; `function` gives F and -F'.
fn solve(left: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut low = left;
    let mut high = 1.0;
    let mut t = left;
    for _ in 0..STEPS_MAX {
        let (sum, slope) = function(t);
        let excess = sum - 1.0;
        if excess.abs() <= TOLERANCE {
            break;
        }
        if excess > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let newton = t + sum * excess / slope;
        let inside = newton > low && newton <= high;
        let next = if inside { newton } else { low + (high - low) / 2.0 };
        if next == t {
            break;
        }
        t = next;
    }
    t
}

/// The policy that visits stand for, `pihat_a = (1 + n_a) / (|A| + s)` (section 3), into `out`.
///
/// PUCT picks `argmax q + lambda_N p / pihat`, so that `|pihat - pibar| <= (|A| - 1) / (|A| + s)`
/// for values that stay as they are (section 3) and moves that all have a prior. A search's first
/// choices were made under another lambda, which at few visits adds up to one visit to the
/// difference.
pub fn empirical_policy(children: &[Child], out: &mut Vec<f64>) {
    let sum = children.len() as f64 + visits_sum(children);
    out.clear();
    out.extend(children.iter().map(|child| (1.0 + child.visits) / sum));
}

fn fill_priors(children: &[Child], out: &mut Vec<f64>) {
    out.clear();
    out.extend(children.iter().map(|child| child.prior.max(0.0)));
    normalise(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::argmax;

    fn children(q: &[f64], priors: &[f64], visits: &[f64]) -> Vec<Child> {
        let rows = q.iter().zip(priors).zip(visits);
        rows.map(|((&q, &prior), &visits)| Child { prior, visits, q: Some(q) }).collect()
    }

    /// Visits after `playouts` of PUCT without offset at fixed values, the first by prior.
    fn puct_visits(q: &[f64], priors: &[f64], c: f64, playouts: u32) -> Vec<f64> {
        let mut visits = vec![0.0; q.len()];
        for done in 0..playouts {
            let root = f64::from(done).sqrt();
            let score = |a: usize| q[a] + c * root * priors[a] / (1.0 + visits[a]);
            let best = match done {
                0 => argmax(priors.iter().copied()),
                _ => argmax((0..q.len()).map(score)),
            };
            visits[best.unwrap()] += 1.0;
        }
        visits
    }

    struct Vector {
        q: &'static [f64],
        priors: &'static [f64],
        playouts: u32,
        lambda: f64,
        alpha: f64,
        policy: &'static [f64],
        visits: &'static [f64],
    }

    /// Solved by bisection in another program; c is 1.25.
    const VECTORS: [Vector; 4] = [
        Vector {
            q: &[0.5, 0.2, 0.0],
            priors: &[0.2, 0.5, 0.3],
            playouts: 50,
            lambda: 0.166_770,
            alpha: 0.549_739_874,
            policy: &[0.670_571, 0.238_421, 0.091_009],
            visits: &[34.0, 12.0, 4.0],
        },
        Vector {
            q: &[1.0, -1.0],
            priors: &[0.5, 0.5],
            playouts: 1,
            lambda: 0.416_667,
            alpha: 1.229_804_223,
            policy: &[0.906_569, 0.093_431],
            visits: &[1.0, 0.0],
        },
        Vector {
            q: &[0.1; 4],
            priors: &[0.4, 0.3, 0.2, 0.1],
            playouts: 200,
            lambda: 0.086_655,
            alpha: 0.186_655,
            policy: &[0.4, 0.3, 0.2, 0.1],
            visits: &[80.0, 60.0, 40.0, 20.0],
        },
        Vector {
            q: &[0.9, 0.0],
            priors: &[0.001, 0.999],
            playouts: 800,
            lambda: 0.044_084,
            alpha: 0.900_046_352,
            policy: &[0.951_069, 0.048_931],
            visits: &[761.0, 39.0],
        },
    ];

    #[test]
    fn known_policies() {
        let mut out = Vec::new();
        let mut empirical = Vec::new();
        for vector in &VECTORS {
            let moves = vector.q.len();
            let visits = puct_visits(vector.q, vector.priors, 1.25, vector.playouts);
            assert_eq!(visits, vector.visits);
            let node = children(vector.q, vector.priors, &visits);
            let lambda = multiplier(1.25, f64::from(vector.playouts), moves);
            assert!((lambda - vector.lambda).abs() < 1e-6);
            let alpha = regularized_policy(&node, 0.0, 1.25, &mut out);
            assert!((alpha - vector.alpha).abs() < 1e-6, "{alpha}");
            assert!(out.iter().zip(vector.policy).all(|(a, b)| (a - b).abs() < 1e-6), "{out:?}");
            empirical_policy(&node, &mut empirical);
            let bound = (moves as f64 - 1.0) / (moves as f64 + f64::from(vector.playouts));
            assert!(empirical.iter().zip(&out).all(|(a, b)| (a - b).abs() <= bound));
        }
    }

    #[test]
    fn two_equal_priors_have_a_closed_form() {
        for lambda in [1e-3, 0.416_666_666_666_666_7, 7.0] {
            let node = children(&[1.0, -1.0], &[0.5, 0.5], &[0.0, 0.0]);
            let mut out = Vec::new();
            let alpha = exact_policy(&node, 0.0, lambda, &mut out);
            let exact = f64::midpoint(lambda, (lambda * lambda + 4.0).sqrt());
            assert!((alpha - exact).abs() < 1e-14, "{alpha} is not {exact}");
        }
    }

    #[test]
    fn edges_of_the_domain() {
        let mut out = Vec::new();
        // One move takes all.
        let one = [Child { prior: 1.0, visits: 3.0, q: Some(-0.3) }];
        let alpha = regularized_policy(&one, 0.0, 1.25, &mut out);
        assert_eq!(out, [1.0]);
        assert!((alpha - (-0.3 + multiplier(1.25, 3.0, 1))).abs() < 1e-15);
        // No visits: the priors.
        let new = children(&[0.0; 3], &[0.5, 0.25, 0.25], &[0.0; 3]);
        regularized_policy(&new, 0.0, 1.25, &mut out);
        assert_eq!(out, [0.5, 0.25, 0.25]);
        // A prior of 0 gets nothing, though its value be the best.
        let zero = children(&[1.0, 0.2, 0.1], &[0.0, 0.5, 0.5], &[4.0, 3.0, 3.0]);
        regularized_policy(&zero, 0.0, 1.25, &mut out);
        assert_eq!(out[0], 0.0);
        assert!(out[1] > out[2] && (out.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        // No priors at all: equal ones. No weight on the prior: the best moves by their priors.
        let blank = children(&[0.3, 0.3], &[0.0, 0.0], &[1.0, 1.0]);
        regularized_policy(&blank, 0.0, 1.25, &mut out);
        assert_eq!(out, [0.5, 0.5]);
        let tied = children(&[0.3, 0.3, 0.1], &[0.2, 0.6, 0.2], &[1.0, 1.0, 1.0]);
        assert_eq!(regularized_policy(&tied, 0.0, 0.0, &mut out), 0.3);
        assert!((out[0] - 0.25).abs() < 1e-15 && (out[1] - 0.75).abs() < 1e-15 && out[2] == 0.0);
        regularized_policy(&[], 0.0, 1.25, &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn extreme_numbers_stay_finite_and_sum_to_one() {
        let mut out = Vec::new();
        for lambda in [1e-300, 1e-12, 1e-3, 1.0, 1e6] {
            for tiny in [1e-45, 1e-12, 1e-3] {
                let mut priors = vec![(1.0 - tiny) / 399.0; 400];
                priors[17] = tiny;
                let q: Vec<f64> = (0..400).map(|a| if a == 17 { 1.0 } else { -1.0 }).collect();
                let alpha =
                    exact_policy(&children(&q, &priors, &[0.0; 400]), 0.0, lambda, &mut out);
                assert!(alpha.is_finite() && out.iter().all(|share| share.is_finite()));
                assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(out[17] >= out[0] || lambda > 1.0);
            }
        }
    }
}
