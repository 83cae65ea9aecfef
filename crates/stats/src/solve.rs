//! Newton's method for a concave log-likelihood.

use crate::cholesky::Matrix;
use crate::error::StatsError;
use crate::model::Model;

/// Where the likelihood is greatest.
#[derive(Debug)]
pub(crate) struct Solution {
    /// Parameters, natural-log units.
    pub(crate) at: Vec<f64>,
    /// Inverse information there: the joint covariance of the parameters (Laplace's approximation).
    pub(crate) covariance: Matrix,
    pub(crate) iterations: usize,
}

/// Newton steps are quadratic near the maximum; ten are usual.
const ITERATIONS_MAX: usize = 100;
/// Steps this small, in natural-log units, are below 1e-7 Elo.
const STEP_DONE: f64 = 1e-10;
/// A rating this far out, 5,200 Elo, is on its way to infinity where no prior holds it.
const NATS_MAX: f64 = 30.0;

/// The maximum, from a start with all parameters 0.
pub(crate) fn maximise(model: &Model) -> Result<Solution, StatsError> {
    let mut at = vec![0.0; model.parameters()];
    for iterations in 1..=ITERATIONS_MAX {
        let derivatives = model.derivatives(&at);
        let factor = derivatives.information.cholesky().ok_or(StatsError::NotFinite)?;
        let step = factor.solve(&derivatives.gradient);
        at = advance(model, &at, &step);
        if model.prior == 0.0 && at.iter().any(|x| x.abs() > NATS_MAX) {
            return Err(StatsError::NotFinite);
        }
        // A separable likelihood keeps taking steps of about 1; its gradient alone would look
        // settled.
        if step.iter().all(|x| x.abs() < STEP_DONE) {
            let last = model.derivatives(&at).information.cholesky();
            let covariance = last.ok_or(StatsError::NotFinite)?.inverse();
            return Ok(Solution { at, covariance, iterations });
        }
    }
    Err(StatsError::NoConvergence { iterations: ITERATIONS_MAX })
}

/// Takes the step, halved until the likelihood does not fall: far from the maximum a full one
/// overshoots.
fn advance(model: &Model, at: &[f64], step: &[f64]) -> Vec<f64> {
    let before = model.log_likelihood(at);
    // Near the maximum the likelihood is flat to rounding, and a fall within it is no overshoot.
    let slack = 1e-12 * (1.0 + before.abs());
    let mut share = 1.0;
    loop {
        let candidate: Vec<f64> = at.iter().zip(step).map(|(x, dx)| x + share * dx).collect();
        if model.log_likelihood(&candidate) >= before - slack || share < 1e-6 {
            return candidate;
        }
        share *= 0.5;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::PairResult;

    fn game(first: usize, second: usize, wdl: [u64; 3]) -> PairResult {
        let [wins_first, draws, wins_second] = wdl;
        PairResult { first, second, wins_first, draws, wins_second }
    }

    fn models() -> Vec<Model> {
        let games = vec![
            game(0, 1, [12, 5, 3]),
            game(1, 0, [6, 7, 9]),
            game(1, 2, [20, 1, 4]),
            game(2, 1, [5, 2, 11]),
            game(0, 3, [30, 4, 1]),
            game(3, 2, [2, 3, 9]),
        ];
        let mut models = Vec::new();
        for (first_mover, davidson) in [(false, false), (true, false), (false, true), (true, true)]
        {
            for prior in [0.0, 1.5] {
                let games = games.clone();
                let lineage = vec![(1, 0), (3, 2)];
                models.push(Model {
                    players: 4,
                    games,
                    first_mover,
                    davidson,
                    prior,
                    lineage,
                    lineage_draws: 1.5,
                });
            }
        }
        models
    }

    /// Central differences of the log-likelihood, which the derivatives' code does not use.
    fn numeric_gradient(model: &Model, at: &[f64], eps: f64) -> Vec<f64> {
        let moved = |k: usize, by: f64| {
            let mut there = at.to_vec();
            there[k] += by;
            model.log_likelihood(&there)
        };
        (0..at.len()).map(|k| (moved(k, eps) - moved(k, -eps)) / (2.0 * eps)).collect()
    }

    #[test]
    fn derivatives_agree_with_differences_of_the_likelihood() {
        for model in models() {
            let at: Vec<f64> = (0..model.parameters()).map(|k| 0.3 * k as f64 - 0.4).collect();
            let analytic = model.derivatives(&at);
            for (got, want) in analytic.gradient.iter().zip(numeric_gradient(&model, &at, 1e-5)) {
                assert!((got - want).abs() < 1e-6, "{got} {want}");
            }
        }
    }

    #[test]
    fn the_gradient_is_zero_at_the_solution() {
        for model in models() {
            let solution = maximise(&model).unwrap();
            for slope in model.derivatives(&solution.at).gradient {
                assert!(slope.abs() < 1e-9, "{slope}");
            }
            for slope in numeric_gradient(&model, &solution.at, 1e-5) {
                assert!(slope.abs() < 1e-5, "{slope}");
            }
        }
    }

    #[test]
    fn the_covariance_inverts_the_numeric_hessian() {
        for model in models() {
            let solution = maximise(&model).unwrap();
            let n = model.parameters();
            let (eps, mut hessian) = (1e-3, Matrix::zeros(n));
            for row in 0..n {
                let moved = |by: f64| {
                    let mut there = solution.at.clone();
                    there[row] += by;
                    numeric_gradient(&model, &there, eps)
                };
                let (up, down) = (moved(eps), moved(-eps));
                for column in 0..n {
                    *hessian.at_mut(row, column) = -(up[column] - down[column]) / (2.0 * eps);
                }
            }
            for row in 0..n {
                for column in 0..n {
                    let product: f64 = (0..n)
                        .map(|k| hessian.at(row, k) * solution.covariance.at(k, column))
                        .sum();
                    let want = f64::from(u8::from(row == column));
                    assert!((product - want).abs() < 1e-4, "{row} {column}: {product}");
                }
            }
        }
    }

    /// Every game won by the first mover: h has no finite estimate, and the gradient vanishes on
    /// the way out.
    #[test]
    fn a_runaway_first_mover_term_is_an_error() {
        let games = vec![game(0, 1, [10, 0, 0]), game(1, 0, [10, 0, 0])];
        let mut model = Model {
            players: 2,
            games,
            first_mover: true,
            davidson: false,
            prior: 0.0,
            lineage: Vec::new(),
            lineage_draws: 0.0,
        };
        assert_eq!(maximise(&model).unwrap_err(), StatsError::NotFinite);
        model.prior = 1.0;
        assert!(maximise(&model).unwrap().at[2] > 1.0);
    }
}
