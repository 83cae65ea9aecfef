//! Ratings of all players of a run from all their games at once.

use crate::covariance::Relative;
use crate::elo::{ELO_PER_NAT, Elo};
use crate::error::StatsError;
use crate::games::{PairResult, components, pool, records, strongly_connected};
use crate::model::Model;
use crate::normal::{Z95, normal_cdf};
use crate::score::Record;
use crate::solve::{Solution, maximise};

/// Fits one Bradley-Terry model to `games` among `players` players, numbered from 0.
///
/// The estimate is the maximum of likelihood times prior. Errors come from the joint covariance
/// (the inverse information) at that point. Neither depends on the order of `games`. Half-point
/// draws count as half a win and half a loss, so errors are on the safe side if many games are
/// drawn.
///
/// ```
/// use dz_stats::{PairResult, RatingOptions, rate};
///
/// // Two matches of 20 games between players 0 and 1, each of whom moves first in one of them.
/// let games = [
///     PairResult { first: 0, second: 1, wins_first: 8, draws: 4, wins_second: 8 },
///     PairResult { first: 1, second: 0, wins_first: 13, draws: 4, wins_second: 3 },
/// ];
/// let options = RatingOptions { anchor: Some(0), ..RatingOptions::default() };
/// let ratings = rate(2, &games, &options)?;
/// assert_eq!(ratings.players[0].elo.0, 0.0);
/// let difference = ratings.difference(1, 0);
/// assert!(difference.elo.0 > 0.0 && difference.los > 0.9);
/// # Ok::<(), dz_stats::StatsError>(())
/// ```
pub fn rate(
    players: usize,
    games: &[PairResult],
    options: &RatingOptions,
) -> Result<Ratings, StatsError> {
    let prior = options.prior_draws;
    if !prior.is_finite() || prior < 0.0 {
        return Err(StatsError::BadPrior { virtual_draws: prior });
    }
    let lineage_draws = options.lineage_draws;
    if !lineage_draws.is_finite() || lineage_draws < 0.0 {
        return Err(StatsError::BadPrior { virtual_draws: lineage_draws });
    }
    let mut named = options.lineage.iter().flat_map(|&(a, b)| [a, b]).chain(options.anchor);
    if let Some(index) = named.find(|&index| index >= players) {
        return Err(StatsError::UnknownPlayer { index, players });
    }
    if let Some(&(index, _)) = options.lineage.iter().find(|(a, b)| a == b) {
        return Err(StatsError::SelfPlay { index });
    }
    if let Some(index) = before_itself(players, &options.lineage) {
        return Err(StatsError::Ring { index });
    }
    let games = pool(players, games)?;
    if prior == 0.0 && !strongly_connected(players, &games) {
        return Err(StatsError::NotFinite);
    }
    // Without a single draw Davidson's likelihood is greatest at a draw parameter of 0, where it is
    // the plain model.
    let any_draws = games.iter().any(|game| game.draws > 0);
    let davidson = options.draws == Draws::Davidson && any_draws;
    let first_mover = options.first_mover;
    let lineage = options.lineage.clone();
    let model = Model { players, games, first_mover, davidson, prior, lineage, lineage_draws };
    // The methods differ in the last bits, so fits of a run, which have a lineage, keep the method
    // for small matrices.
    let is_large = players > LARGE_MIN && options.lineage.is_empty();
    let solution = maximise(&model, is_large)?;
    Ok(present(&model, solution, options.anchor))
}

/// More players than these are fitted by methods for large matrices.
const LARGE_MIN: usize = 500;

/// A player that is its own predecessor, by way of others.
fn before_itself(players: usize, lineage: &[(usize, usize)]) -> Option<usize> {
    let mut predecessors = vec![0; players];
    let mut successors = vec![Vec::new(); players];
    for &(later, earlier) in lineage {
        predecessors[later] += 1;
        successors[earlier].push(later);
    }
    // A player is placed once all its predecessors are. In a ring nobody ever is.
    let mut placed: Vec<usize> = (0..players).filter(|&player| predecessors[player] == 0).collect();
    while let Some(player) = placed.pop() {
        for &later in &successors[player] {
            predecessors[later] -= 1;
            if predecessors[later] == 0 {
                placed.push(later);
            }
        }
    }
    predecessors.iter().position(|&left| left > 0)
}

/// How to rate.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingOptions {
    /// How draws count.
    pub draws: Draws,
    /// Whether the first move is worth something, the same in every game.
    pub first_mover: bool,
    /// The player at 0 Elo; without one the mean of all players is 0.
    pub anchor: Option<usize>,
    /// The weight of the prior, as a number of virtual draws of every player without a predecessor
    /// with one and the same virtual player (0 or more). It keeps ratings finite where the games
    /// alone do not; differences between players do not depend on the anchor.
    pub prior_draws: f64,
    /// Players with a predecessor that is expected to be about as strong, such as the network that
    /// one was trained on from: (player, predecessor). Nobody may come before himself.
    pub lineage: Vec<(usize, usize)>,
    /// The weight of that expectation, as a number of virtual draws of each such two (0 or more).
    pub lineage_draws: f64,
}

impl RatingOptions {
    /// The model for the players of a run: Davidson's draws, a first-mover term, one virtual draw
    /// for each anchor and for the first player of each line (networks, raw policies), and two
    /// virtual draws between each later player and the rated one before it. (KataGo's server gives
    /// each network virtual draws with its parent.) Two draws leave a standard deviation of 250
    /// Elo: noise of few games is damped, a real jump is not.
    pub fn of_run(anchor: Option<usize>, lineage: Vec<(usize, usize)>) -> Self {
        Self { draws: Draws::Davidson, anchor, lineage, lineage_draws: 2.0, ..Self::default() }
    }
}

impl Default for RatingOptions {
    /// Half-point draws, a first-mover term, mean 0, and one virtual draw.
    fn default() -> Self {
        Self {
            draws: Draws::HalfPoints,
            first_mover: true,
            anchor: None,
            prior_draws: 1.0,
            lineage: Vec::new(),
            lineage_draws: 0.0,
        }
    }
}

/// How draws enter the fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// A draw is half a win and half a loss.
    HalfPoints,
    /// A draw is a third result with a probability of its own (Davidson 1970).
    Davidson,
}

/// One player's place on the scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Index of the player.
    pub player: usize,
    /// Elo above the anchor, or above the mean of all players.
    pub elo: Elo,
    /// Half the width of the 95 % interval of `elo`; 0 for the anchor.
    pub error95: Elo,
    /// Its rated games.
    pub record: Record,
}

/// The difference between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Elo of the one minus Elo of the other.
    pub elo: Elo,
    /// Half the width of its 95 % interval.
    pub error95: Elo,
    /// Probability that the one is the stronger, in [0, 1].
    pub los: f64,
}

/// The fitted model.
#[derive(Clone, Debug)]
pub struct Ratings {
    /// Every player, by index.
    pub players: Vec<Rating>,
    /// Value of moving first, as a rating difference; 0 if there is no such term.
    pub first_mover: Elo,
    /// Half the width of its 95 % interval.
    pub first_mover_error95: Elo,
    /// Davidson: the share of draws between equals with no first-mover advantage. Half points: the
    /// observed share. In [0, 1], 0 without games.
    pub draw_rate: f64,
    /// For each player the smallest index among those it is connected with by games. Ratings of
    /// different components are compared by the prior alone.
    pub components: Vec<usize>,
    /// Newton steps taken.
    pub iterations: usize,
    /// Davidson's e^eta; 0 where the model has none.
    draw_weight: f64,
    /// Joint covariance of the ratings, Elo squared.
    covariance: Relative,
    /// Whether there are so many players that errors are estimates. These may be too small, because
    /// they leave out the opponents of opponents.
    pub errors_are_estimates: bool,
}

impl Ratings {
    /// `one` minus `other`, with the error of the difference. It is smaller than the two errors
    /// suggest if both were measured against the same opponents.
    ///
    /// # Panics
    /// If either is not a player.
    pub fn difference(&self, one: usize, other: usize) -> Difference {
        let elo = self.players[one].elo.0 - self.players[other].elo.0;
        let c = &self.covariance;
        let variance = c.at(one, one) - 2.0 * c.at(one, other) + c.at(other, other);
        let sd = variance.max(0.0).sqrt();
        let los = if sd > 0.0 { normal_cdf(elo / sd) } else { 0.5 };
        Difference { elo: Elo(elo), error95: Elo(Z95 * sd), los }
    }

    /// Half the width of the 95 % interval of each player's distance from the mean of `group`, and
    /// that of the mean itself. Players that were measured against each other, far from the anchor,
    /// share most of their errors, so their distances from each other are known much better.
    ///
    /// # Panics
    /// If one is not a player.
    pub fn within(&self, group: &[usize]) -> (Vec<Elo>, Elo) {
        let n = group.len().max(1) as f64;
        let with_mean =
            |one: usize| group.iter().map(|&other| self.covariance.at(one, other)).sum::<f64>() / n;
        let of_mean = group.iter().map(|&one| with_mean(one)).sum::<f64>() / n;
        let error95 = |variance: f64| Elo(Z95 * variance.max(0.0).sqrt());
        let own = |&one: &usize| self.covariance.at(one, one) - 2.0 * with_mean(one) + of_mean;
        (group.iter().map(|one| error95(own(one))).collect(), error95(of_mean))
    }

    /// Covariance of two players' ratings, Elo squared.
    ///
    /// # Panics
    /// If either is not a player.
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        self.covariance.at(one, other)
    }

    /// The score that the model expects of `one` against `other`, 0 to 1: of games in which `one`
    /// moves first, and of games in which it moves second.
    ///
    /// # Panics
    /// If either is not a player.
    pub fn expected(&self, one: usize, other: usize) -> [f64; 2] {
        let d = self.players[one].elo.0 - self.players[other].elo.0;
        [d + self.first_mover.0, d - self.first_mover.0].map(|elo| {
            let half = 0.5 * elo / ELO_PER_NAT;
            // Scaled so that neither term overflows.
            let win = (half - half.abs()).exp();
            let loss = (-half - half.abs()).exp();
            let draw = self.draw_weight * (-half.abs()).exp();
            (win + 0.5 * draw) / (win + draw + loss)
        })
    }

    /// Whether games connect all players. If not, ratings of different components mean little.
    pub fn is_connected(&self) -> bool {
        self.components.iter().all(|&component| component == 0)
    }
}

/// From parameters to Elo above the anchor.
fn present(model: &Model, solution: Solution, anchor: Option<usize>) -> Ratings {
    let n = model.players;
    let nats = &solution.at;
    let zero = match anchor {
        Some(anchor) => nats[anchor],
        None => nats[..n].iter().sum::<f64>() / n.max(1) as f64,
    };
    let first_mover = match model.first_mover_index() {
        Some(h) => {
            let sd = solution.covariance.at(h, h).sqrt();
            (Elo::from_nats(nats[h]), Elo::from_nats(Z95 * sd))
        }
        None => (Elo(0.0), Elo(0.0)),
    };
    let errors_are_estimates = solution.covariance.is_approximate();
    let covariance = Relative::new(solution.covariance, n, anchor);
    let records = records(n, &model.games);
    let players = (0..n)
        .map(|player| Rating {
            player,
            elo: Elo::from_nats(nats[player] - zero),
            error95: Elo(Z95 * covariance.at(player, player).max(0.0).sqrt()),
            record: records[player],
        })
        .collect();
    Ratings {
        players,
        first_mover: first_mover.0,
        first_mover_error95: first_mover.1,
        draw_rate: draw_rate(model, nats),
        components: components(n, &model.games),
        iterations: solution.iterations,
        draw_weight: model.eta_index().map_or(0.0, |eta| nats[eta].exp()),
        covariance,
        errors_are_estimates,
    }
}

fn draw_rate(model: &Model, nats: &[f64]) -> f64 {
    if let Some(eta) = model.eta_index() {
        let weight = nats[eta].exp();
        return weight / (2.0 + weight);
    }
    let draws: u64 = model.games.iter().map(|game| game.draws).sum();
    let games: u64 = model.games.iter().map(PairResult::games).sum();
    draws as f64 / games.max(1) as f64
}
