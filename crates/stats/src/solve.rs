//! Newton's method for a concave log-likelihood.

use crate::cholesky::Matrix;
use crate::covariance::Covariance;
use crate::error::StatsError;
use crate::model::Model;
use crate::sparse::Collected;
use crate::tiles::Lower;

/// Where the likelihood is greatest.
#[derive(Debug)]
pub(crate) struct Solution {
    /// Parameters, natural-log units.
    pub(crate) at: Vec<f64>,
    /// Inverse information there: the joint covariance of the parameters (Laplace's approximation).
    pub(crate) covariance: Covariance,
    pub(crate) iterations: usize,
}

/// Newton steps are quadratic near the maximum; ten are usual.
const ITERATIONS_MAX: usize = 100;
/// Steps this small, in natural-log units, are below 1e-7 Elo.
const STEP_DONE: f64 = 1e-10;
/// A rating this far out, 5,200 Elo, is on its way to infinity where no prior holds it.
const NATS_MAX: f64 = 30.0;

/// The maximum, from a start with all parameters 0. `is_large` chooses the method, not the result.
pub(crate) fn maximise(model: &Model, is_large: bool) -> Result<Solution, StatsError> {
    let mut at = vec![0.0; model.parameters()];
    for iterations in 1..=ITERATIONS_MAX {
        let step = if is_large { large_step(model, &at)? } else { step(model, &at)? };
        at = advance(model, &at, &step);
        if model.prior == 0.0 && at.iter().any(|x| x.abs() > NATS_MAX) {
            return Err(StatsError::NotFinite);
        }
        // A separable likelihood keeps taking steps of about 1; its gradient alone would look
        // settled.
        if step.iter().all(|x| x.abs() < STEP_DONE) {
            let covariance = if is_large {
                Covariance::of_large(&model.derivatives::<Collected>(&at).information.matrix())
            } else {
                let last = model.derivatives::<Matrix>(&at).information.cholesky();
                last.map(|factor| Covariance::Full(factor.inverse()))
            };
            let covariance = covariance.ok_or(StatsError::NotFinite)?;
            return Ok(Solution { at, covariance, iterations });
        }
    }
    Err(StatsError::NoConvergence { iterations: ITERATIONS_MAX })
}

/// A step of Newton's method.
fn step(model: &Model, at: &[f64]) -> Result<Vec<f64>, StatsError> {
    let derivatives = model.derivatives::<Matrix>(at);
    let factor = derivatives.information.cholesky().ok_or(StatsError::NotFinite)?;
    Ok(factor.solve(&derivatives.gradient))
}

/// As [`step`], without a factor of the whole matrix where the method of conjugate gradients does.
fn large_step(model: &Model, at: &[f64]) -> Result<Vec<f64>, StatsError> {
    let derivatives = model.derivatives::<Collected>(at);
    let information = derivatives.information.matrix();
    if let Some(step) = information.solve(&derivatives.gradient) {
        return Ok(step);
    }
    if information.size() > Covariance::EXACT_MAX {
        return Err(StatsError::NoConvergence { iterations: ITERATIONS_MAX });
    }
    // Held at one player instead of at the mean: a step to another place with the same differences.
    let factor = Lower::of(information.size(), information.pinned()).cholesky();
    let factor = factor.ok_or(StatsError::NotFinite)?;
    Ok(factor.solve(&derivatives.gradient))
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
    use crate::covariance::Relative;
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
            let analytic = model.derivatives::<Matrix>(&at);
            for (got, want) in analytic.gradient.iter().zip(numeric_gradient(&model, &at, 1e-5)) {
                assert!((got - want).abs() < 1e-6, "{got} {want}");
            }
        }
    }

    #[test]
    fn the_gradient_is_zero_at_the_solution() {
        for model in models() {
            let solution = maximise(&model, false).unwrap();
            for slope in model.derivatives::<Matrix>(&solution.at).gradient {
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
            let solution = maximise(&model, false).unwrap();
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
        assert_eq!(maximise(&model, false).unwrap_err(), StatsError::NotFinite);
        model.prior = 1.0;
        assert!(maximise(&model, false).unwrap().at[2] > 1.0);
    }

    /// Random games of random players, none of them unbeaten.
    fn crowd(players: usize, games: usize) -> Vec<PairResult> {
        let mut state = 3_u64;
        let mut next = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as usize) % below
        };
        let mut all: Vec<PairResult> =
            (0..players).map(|k| game(k, (k + 1) % players, [2, 1, 1])).collect();
        for _ in 0..games {
            let (one, other) = (next(players), next(players));
            if one != other {
                let wins = if (one * 31 % players) > (other * 31 % players) {
                    [3, 1, 0]
                } else {
                    [1, 1, 2]
                };
                all.push(game(one, other, wins));
            }
        }
        all
    }

    #[test]
    fn large_leagues_have_the_same_ratings_and_errors() {
        let players = 300;
        for (first_mover, davidson, prior) in
            [(true, false, 1.0), (false, false, 0.0), (true, true, 0.0), (true, true, 0.3)]
        {
            let games = crowd(players, 1_500);
            let (lineage, lineage_draws) = (Vec::new(), 0.0);
            let model =
                Model { players, games, first_mover, davidson, prior, lineage, lineage_draws };
            let (small, large) =
                (maximise(&model, false).unwrap(), maximise(&model, true).unwrap());
            for (one, other) in small.at.iter().zip(&large.at) {
                assert!((one - other).abs() < 1e-9, "{one} {other}");
            }
            if let Some(h) = model.first_mover_index() {
                let [one, other] = [&small, &large].map(|found| found.covariance.at(h, h));
                assert!((one / other - 1.0).abs() < 1e-9, "{one} {other}");
            }
            for anchor in [None, Some(17)] {
                let relative =
                    |found: &Solution| Relative::new(found.covariance.clone(), players, anchor);
                let (small, large) = (relative(&small), relative(&large));
                for row in 0..players {
                    for column in [row, (row * 7 + 5) % players] {
                        let (one, other) = (small.at(row, column), large.at(row, column));
                        let scale = small.at(row, row).max(1.0);
                        assert!((one - other).abs() < 1e-8 * scale, "{one} {other}");
                    }
                }
            }
        }
    }

    /// Ratings are shown relative to their mean, which takes out the shift that all of them share.
    #[test]
    fn estimates_of_errors_are_near_where_players_met_many_others() {
        let players = 200;
        let games = crowd(players, 4_000);
        let (lineage, lineage_draws) = (Vec::new(), 0.0);
        let model = Model {
            players,
            games,
            first_mover: true,
            davidson: false,
            prior: 1.0,
            lineage,
            lineage_draws,
        };
        let at = maximise(&model, true).unwrap().at;
        let information = model.derivatives::<Collected>(&at).information.matrix();
        let of = |covariance: Option<Covariance>| {
            Relative::new(covariance.expect("positive definite"), players, None)
        };
        let exact = of(Covariance::of_large(&information));
        let estimated = of(Covariance::estimated(&information));
        let share = |row| estimated.at(row, row) / exact.at(row, row);
        let shares: Vec<f64> = (0..players).map(share).collect();
        assert!(shares.iter().all(|share| (0.9..1.05).contains(share)), "{shares:?}");
    }

    /// A chain needs as many steps of conjugate gradients as it has players, and is solved all the
    /// same.
    #[test]
    fn a_long_chain_is_solved() {
        let games = (1..700).map(|k| game(k, k - 1, [2, 1, 1])).collect();
        let (lineage, lineage_draws) = (Vec::new(), 0.0);
        let (first_mover, davidson, prior) = (false, false, 0.0);
        let model =
            Model { players: 700, games, first_mover, davidson, prior, lineage, lineage_draws };
        // P(win) = 5/8 of each over the one before.
        let at = maximise(&model, true).unwrap_err();
        assert_eq!(
            at,
            StatsError::NotFinite,
            "150 nats from one end to the other are out of bounds"
        );
        let model = Model { prior: 1e-3, ..model };
        let (small, large) = (maximise(&model, false).unwrap(), maximise(&model, true).unwrap());
        for (one, other) in small.at.iter().zip(&large.at) {
            assert!((one - other).abs() < 1e-7, "{one} {other}");
        }
    }
}
