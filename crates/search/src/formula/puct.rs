//! PUCT: value plus prior times exploration, and first-play values of unvisited moves.

use dz_search_settings::{DynamicVariance, Exploration, ExplorationTerm, FirstPlay, Puct};

use super::Child;
use crate::numbers::Real;

/// KataGo's 0.01 under the root of visits, the default: the first choice at a node follows the
/// priors instead of tying at 0 (KataGo, `TOTALCHILDWEIGHT_PUCT_OFFSET`).
pub const VISITS_OFFSET: f64 = Puct::OFFSET;

/// c(N) for N at least 0; the constants of [`Exploration`] say which count N is.
pub fn exploration_factor(exploration: &Exploration, visits: f64) -> f64 {
    let Exploration { c, c_log, c_base } = *exploration;
    c + c_log * ((visits + c_base) / c_base).ln()
}

/// What multiplies p / (1 + n): `factor * sqrt(under_root) * stdev_factor`.
///
/// `under_root` is s + [`VISITS_OFFSET`] in KataGo, s in AlphaGo Zero, s + 1 in AlphaZero's
/// pseudo-code, max(s, 1) in lc0. `stdev_factor` is 1 or [`stdev_factor`].
pub fn exploration_scale(factor: f64, under_root: f64, stdev_factor: f64) -> f64 {
    factor * under_root.sqrt() * stdev_factor
}

/// The numerator of U, over 1 + n: the square root of the visits, or the visits themselves, as some
/// summaries of AlphaGo Zero print the formula.
#[inline]
pub fn visits_term<R: Real>(term: ExplorationTerm, visits: R) -> R {
    match term {
        ExplorationTerm::Log => visits.sqrt(),
        ExplorationTerm::Printed => visits,
    }
}

/// U = c p `sqrt_visits` / (1 + n) (Silver et al. 2016, Methods, "Selection"; Rosin 2011 for the
/// predictor). The order of the factors is fixed: the bits of a search depend on it.
#[inline]
pub fn u_term<R: Real>(c: R, sqrt_visits: R, prior: R, visits: R) -> R {
    c * prior * sqrt_visits / (R::ONE + visits)
}

/// Q + U, `scale` being c and the root together; a move without a value counts as `unvisited`, its
/// first-play urgency.
pub fn puct(child: &Child, unvisited: f64, scale: f64) -> f64 {
    child.q.unwrap_or(unvisited) + u_term(scale, 1.0, child.prior, child.visits)
}

/// The visits at which [`puct`] would give `score` to a move of value `q`: scale p / (score - q) -
/// 1, at least 0; infinite where `q` alone reaches the score (KataGo,
/// `getExploreSelectionValueInverse`).
pub fn visits_for_score(score: f64, scale: f64, prior: f64, q: f64) -> f64 {
    let missing = score - q;
    if missing > 0.0 { (scale * prior / missing - 1.0).max(0.0) } else { f64::INFINITY }
}

/// The standard deviation of the values below a node: `mean` and `mean_sq` are the averages of u
/// and of u^2 over `weight` visits, the node's own included.
///
/// ```text
/// var = max(0, ((u^2 + prior^2) w_p + E[u^2] W) / (w_p + W - 1) - u^2)
/// ```
/// Up to one visit it is the prior. A `mean_sq` below `mean`^2, which only rounding gives, counts
/// as `mean`^2.
pub fn stdev(rule: &DynamicVariance, mean: f64, mean_sq: f64, weight: f64) -> f64 {
    if weight <= 1.0 {
        return rule.prior;
    }
    let square = mean * mean;
    let assumed = (square + rule.prior * rule.prior) * rule.prior_weight;
    let observed = mean_sq.max(square) * weight;
    let variance = (assumed + observed) / (rule.prior_weight + weight - 1.0) - square;
    variance.max(0.0).sqrt()
}

/// 1 + scale (stdev / prior - 1): what multiplies the exploration.
pub fn stdev_factor(rule: &DynamicVariance, mean: f64, mean_sq: f64, weight: f64) -> f64 {
    1.0 + rule.scale * (stdev(rule, mean, mean_sq, weight) / rule.prior - 1.0)
}

/// What is known of a node when an unvisited move's value is guessed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParentValues {
    /// The node's averaged value Q, the mover's.
    pub average: f64,
    /// The evaluator's value of the node alone, U, the mover's.
    pub own: f64,
    /// Sum of the priors of visited moves, in [0, 1] ([`super::visited_mass`]).
    pub visited_mass: f64,
}

/// The value of a node's unvisited moves, the mover's; the reduction may take it below -1, as in
/// the sources.
pub fn first_play_value(rule: &FirstPlay, parent: &ParentValues) -> f64 {
    match *rule {
        FirstPlay::Absolute(value) => value,
        FirstPlay::Parent => parent.average,
        FirstPlay::Reduction(reduction) => reduced(parent.average, reduction, parent.visited_mass),
        FirstPlay::KataGo(rule) => {
            let value = rule.mix_power.map_or(parent.average, |power| {
                let share = parent.visited_mass.max(0.0).powf(power).min(1.0);
                share * parent.average + (1.0 - share) * parent.own
            });
            let value = reduced(value, rule.reduction, parent.visited_mass);
            value + (-1.0 - value) * rule.loss_share
        }
    }
}

fn reduced(value: f64, reduction: f64, visited_mass: f64) -> f64 {
    // A sum of priors can round to just below 0 when visits are taken back.
    value - reduction * visited_mass.max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use dz_search_settings::KataGoFirstPlay;

    use super::*;

    const TOLERANCE: f64 = 1e-12;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < TOLERANCE, "{a} is not {b}");
    }

    #[test]
    fn exploration_grows_with_the_logarithm() {
        let katago = Exploration { c: 1.05, c_log: 0.28, c_base: 500.0 };
        close(exploration_factor(&katago, 0.0), 1.05);
        close(exploration_factor(&katago, 500.0), 1.05 + 0.28 * std::f64::consts::LN_2);
        close(exploration_factor(&Exploration::constant(1.25), 1e6), 1.25);
        // AlphaZero's line as it stands, for a node of 800 visits.
        let visits: f64 = 800.0;
        let literal = ((visits + 19_652.0 + 1.0) / 19_652.0).ln() + 1.25;
        close(exploration_factor(&Exploration::ALPHA_ZERO, visits + 1.0), literal);
        close(exploration_factor(&Exploration::LC0, 0.0), 1.745);
        // 1.745 + 3.894 ln(39539 / 38739), by numpy.
        close(exploration_factor(&Exploration::LC0, 800.0), 1.824_596_015_884_451_4);
    }

    #[test]
    fn the_first_choice_follows_the_prior() {
        let scale = exploration_scale(1.0, VISITS_OFFSET, 1.0);
        let child = |prior| Child { prior, visits: 0.0, q: None };
        close(puct(&child(0.5), 0.0, scale), 0.05);
        assert!(puct(&child(0.5), 0.0, scale) > puct(&child(0.3), 0.0, scale));
    }

    #[test]
    fn the_inverse_undoes_the_score() {
        let scale = exploration_scale(1.1, 100.0, 1.0);
        let child = Child { prior: 0.3, visits: 17.0, q: Some(0.25) };
        let score = puct(&child, 0.0, scale);
        close(visits_for_score(score, scale, 0.3, 0.25), 17.0);
        assert_eq!(visits_for_score(2.0, scale, 0.0001, 0.0), 0.0);
        assert_eq!(visits_for_score(0.2, scale, 0.3, 0.25), f64::INFINITY);
    }

    #[test]
    fn variance_starts_at_its_prior_and_ends_at_the_sample() {
        let rule = DynamicVariance { prior: 0.4, prior_weight: 2.0, scale: 0.85 };
        close(stdev(&rule, 0.3, 0.09, 1.0), 0.4);
        close(stdev_factor(&rule, 0.3, 0.09, 1.0), 1.0);
        // ((0.04 + 0.16) 2 + 0.29 * 11) / 12 - 0.04 = 0.2591666...
        close(stdev(&rule, 0.2, 0.29, 11.0), (3.59_f64 / 12.0 - 0.04).sqrt());
        close(
            stdev_factor(&rule, 0.2, 0.29, 11.0),
            1.0 + 0.85 * (0.259_166_666_666_666_7_f64.sqrt() / 0.4 - 1.0),
        );
        // Many visits: the sample's own deviation, 0.5.
        assert!((stdev(&rule, 0.2, 0.29, 1e9) - 0.5).abs() < 1e-6);
        // Constant values, many visits: nothing to explore but 1 - scale.
        assert!((stdev_factor(&rule, 0.2, 0.04, 1e9) - 0.15).abs() < 1e-3);
        assert_eq!(stdev_factor(&DynamicVariance { scale: 0.0, ..rule }, 0.2, 0.29, 11.0), 1.0);
        assert!(stdev(&rule, 0.2, 0.04 - 1e-17, 50.0).is_finite());
    }

    #[test]
    fn first_play_variants() {
        let parent = ParentValues { average: 0.4, own: 0.1, visited_mass: 0.25 };
        close(first_play_value(&FirstPlay::Absolute(-1.0), &parent), -1.0);
        close(first_play_value(&FirstPlay::Parent, &parent), 0.4);
        close(first_play_value(&FirstPlay::Reduction(0.2), &parent), 0.3);
        let whole = KataGoFirstPlay { mix_power: Some(2.0), reduction: 0.2, loss_share: 0.1 };
        // Mix 0.0625 * 0.4 + 0.9375 * 0.1 = 0.11875; less 0.1; nine tenths of it less one tenth.
        close(first_play_value(&FirstPlay::KataGo(whole), &parent), 0.018_75 * 0.9 - 0.1);
        let plain = KataGoFirstPlay { mix_power: None, reduction: 0.2, loss_share: 0.0 };
        close(
            first_play_value(&FirstPlay::KataGo(plain), &parent),
            first_play_value(&FirstPlay::Reduction(0.2), &parent),
        );
        let none = ParentValues { visited_mass: -1e-17, ..parent };
        close(first_play_value(&FirstPlay::KataGo(whole), &none), 0.1 * 0.9 - 0.1);
    }
}
