//! The likelihood of results given ratings, with its gradient and information matrix.
//!
//! Parameters are natural-log units: one rating a player, then the first-mover advantage h, then
//! the logarithm eta of Davidson's draw parameter, the last two where the model has them. With
//! d = rating of the first mover - rating of the second + h:
//!
//! - half points: P(first) = 1 / (1 + e^-d), a draw is half a win and half a loss
//!   (R. Bradley, M. Terry, Biometrika 39, 1952);
//! - Davidson: P(first) : P(draw) : P(second) = e^(d/2) : e^eta : e^(-d/2) (R. Davidson, J. Am.
//!   Stat. Assoc. 65, 1970; with the first-mover term R. Davidson, R. Beaver, Biometrics 33, 1977).
//!
//! Both are exponential families, so the log-likelihood is concave and Newton's method finds its
//! one maximum.

use crate::cholesky::Matrix;
use crate::elo::logistic;
use crate::games::PairResult;

/// Results and the model that explains them.
pub(crate) struct Model {
    pub(crate) players: usize,
    pub(crate) games: Vec<PairResult>,
    /// Whether there is a first-mover parameter.
    pub(crate) first_mover: bool,
    /// Whether there is a draw parameter.
    pub(crate) davidson: bool,
    /// Virtual draws a parameter, 0 or more. A player with a predecessor has virtual draws with
    /// that one alone.
    pub(crate) prior: f64,
    /// Players with their predecessors, by index.
    pub(crate) lineage: Vec<(usize, usize)>,
    /// Virtual draws of each two of those, 0 or more.
    pub(crate) lineage_draws: f64,
}

/// Log-likelihood, prior included, with its derivatives at one point.
pub(crate) struct Derivatives<M> {
    pub(crate) gradient: Vec<f64>,
    /// Minus the matrix of second derivatives.
    pub(crate) information: M,
}

/// A symmetric matrix that is summed up cell by cell.
pub(crate) trait Sums {
    /// All zeros, with so many rows.
    fn zeros(size: usize) -> Self;
    /// Adds to a cell and, off the diagonal, to its mirror image.
    fn add_symmetric(&mut self, row: usize, column: usize, amount: f64);
    /// Adds one to every cell of the first rows and columns.
    fn add_ones(&mut self, rows: usize);
}

impl Sums for Matrix {
    fn zeros(size: usize) -> Self {
        Self::zeros(size)
    }

    fn add_symmetric(&mut self, row: usize, column: usize, amount: f64) {
        self.add_symmetric(row, column, amount);
    }

    fn add_ones(&mut self, rows: usize) {
        for row in 0..rows {
            (0..=row).for_each(|column| self.add_symmetric(row, column, 1.0));
        }
    }
}

/// One pairing's part of the log-likelihood and its derivatives by d and eta.
struct Term {
    log_likelihood: f64,
    by_d: f64,
    by_eta: f64,
    info_d: f64,
    info_eta: f64,
    info_d_eta: f64,
}

impl Model {
    /// Length of a parameter vector.
    pub(crate) fn parameters(&self) -> usize {
        self.players + usize::from(self.first_mover) + usize::from(self.davidson)
    }
    /// Place of the first-mover parameter.
    pub(crate) fn first_mover_index(&self) -> Option<usize> {
        self.first_mover.then_some(self.players)
    }
    /// Place of the draw parameter.
    pub(crate) fn eta_index(&self) -> Option<usize> {
        self.davidson.then(|| self.players + usize::from(self.first_mover))
    }

    /// Log-likelihood, prior included, up to a constant.
    pub(crate) fn log_likelihood(&self, at: &[f64]) -> f64 {
        let games: f64 = self.games.iter().map(|game| self.term(game, at).log_likelihood).sum();
        let free = self.without_predecessor();
        let prior: f64 = free.iter().map(|&k| self.prior_term(k, at).log_likelihood).sum();
        let lineage = self.lineage.iter().map(|&(a, b)| self.bond_term(a, b, at).log_likelihood);
        games + prior + lineage.sum::<f64>() - 0.5 * self.gauge(at).powi(2)
    }

    /// First and second derivatives.
    pub(crate) fn derivatives<M: Sums>(&self, at: &[f64]) -> Derivatives<M> {
        let size = self.parameters();
        let mut gradient = vec![0.0; size];
        let mut information = M::zeros(size);
        for game in &self.games {
            let term = self.term(game, at);
            // d's derivative by each parameter it contains.
            let mut signs = vec![(game.first, 1.0), (game.second, -1.0)];
            signs.extend(self.first_mover_index().map(|h| (h, 1.0)));
            for (k, &(a, sign_a)) in signs.iter().enumerate() {
                gradient[a] += sign_a * term.by_d;
                for &(b, sign_b) in &signs[..=k] {
                    information.add_symmetric(a, b, sign_a * sign_b * term.info_d);
                }
                if let Some(eta) = self.eta_index() {
                    information.add_symmetric(a, eta, sign_a * term.info_d_eta);
                }
            }
            if let Some(eta) = self.eta_index() {
                gradient[eta] += term.by_eta;
                information.add_symmetric(eta, eta, term.info_eta);
            }
        }
        for k in self.without_predecessor() {
            let term = self.prior_term(k, at);
            gradient[k] += term.by_d;
            information.add_symmetric(k, k, term.info_d);
        }
        for &(a, b) in &self.lineage {
            let term = self.bond_term(a, b, at);
            gradient[a] += term.by_d;
            gradient[b] -= term.by_d;
            information.add_symmetric(a, a, term.info_d);
            information.add_symmetric(b, b, term.info_d);
            information.add_symmetric(a, b, -term.info_d);
        }
        if self.prior == 0.0 {
            let sum = self.gauge(at);
            gradient.iter_mut().take(self.players).for_each(|slope| *slope -= sum);
            information.add_ones(self.players);
        }
        Derivatives { gradient, information }
    }

    fn term(&self, game: &PairResult, at: &[f64]) -> Term {
        let h = self.first_mover_index().map_or(0.0, |h| at[h]);
        let d = at[game.first] - at[game.second] + h;
        let wins = game.wins_first as f64;
        let draws = game.draws as f64;
        let losses = game.wins_second as f64;
        match self.eta_index() {
            Some(eta) => davidson(wins, draws, losses, d, at[eta]),
            None => half_points(wins + 0.5 * draws, losses + 0.5 * draws, d),
        }
    }

    /// The parameters with virtual draws against the virtual player: all except those of players
    /// with a predecessor. Their number has no bound. If each of them drew with the virtual player,
    /// too, all of them together would pull the last networks of a long run down.
    fn without_predecessor(&self) -> Vec<usize> {
        let mut is_held = vec![false; self.parameters()];
        if self.lineage_draws > 0.0 {
            self.lineage.iter().for_each(|&(later, _)| is_held[later] = true);
        }
        (0..is_held.len()).filter(|&k| !is_held[k]).collect()
    }

    /// Virtual draws: such a player drew `prior` games with one and the same virtual player, the
    /// first move is as strong as if it had drawn `prior` games between equals, and half of `prior`
    /// games between equals were draws. All in half points, so they do not influence the draw rate.
    fn prior_term(&self, k: usize, at: &[f64]) -> Term {
        // e^eta : 2 are the odds of a draw between equals.
        let centre = if Some(k) == self.eta_index() { std::f64::consts::LN_2 } else { 0.0 };
        half_points(0.5 * self.prior, 0.5 * self.prior, at[k] - centre)
    }

    /// Virtual draws of two players that are expected to be close, in half points and without a
    /// first move, so they do not influence the terms of draws and the first move.
    fn bond_term(&self, a: usize, b: usize, at: &[f64]) -> Term {
        half_points(0.5 * self.lineage_draws, 0.5 * self.lineage_draws, at[a] - at[b])
    }

    /// Without a prior the likelihood does not determine where 0 is. This sum is then held at 0,
    /// which does not change differences.
    fn gauge(&self, at: &[f64]) -> f64 {
        if self.prior == 0.0 { at[..self.players].iter().sum() } else { 0.0 }
    }
}

fn half_points(points_first: f64, points_second: f64, d: f64) -> Term {
    let games = points_first + points_second;
    let first = logistic(d);
    let second = logistic(-d);
    Term {
        // Points times the logarithm of 1 / (1 + e^-x), which must not overflow for a large -x.
        log_likelihood: -points_first * softplus(-d) - points_second * softplus(d),
        by_d: points_first * second - points_second * first,
        by_eta: 0.0,
        info_d: games * first * second,
        info_eta: 0.0,
        info_d_eta: 0.0,
    }
}

fn davidson(wins: f64, draws: f64, losses: f64, d: f64, eta: f64) -> Term {
    let games = wins + draws + losses;
    let top = (0.5 * d).abs().max(eta);
    let weights = [(0.5 * d - top).exp(), (eta - top).exp(), (-0.5 * d - top).exp()];
    let total: f64 = weights.iter().sum();
    let [p_win, p_draw, p_loss] = weights.map(|weight| weight / total);
    let drift = p_win - p_loss;
    Term {
        log_likelihood: 0.5 * d * (wins - losses) + eta * draws - games * (top + total.ln()),
        by_d: 0.5 * (wins - losses) - 0.5 * games * drift,
        by_eta: draws - games * p_draw,
        info_d: 0.25 * games * (p_win + p_loss - drift * drift),
        info_eta: games * p_draw * (1.0 - p_draw),
        info_d_eta: -0.5 * games * drift * p_draw,
    }
}

/// ln(1 + e^x).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
