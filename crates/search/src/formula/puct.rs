//! PUCT: value plus prior times exploration, and what stands in for the value of an unvisited move.

use serde::{Deserialize, Serialize};

use super::Child;

/// KataGo's 0.01 under the root of visits: the first choice at a node follows the priors instead of
/// tying at 0 (KataGo, `TOTALCHILDWEIGHT_PUCT_OFFSET`).
pub const VISITS_OFFSET: f64 = 0.01;

/// Growth of the exploration factor with visits: `c(N) = c + c_log ln((N + c_base) / c_base)`,
/// KataGo's form (`cpuctExploration`, `cpuctExplorationLog`, `cpuctExplorationBase`).
///
/// There N is s, the sum of edge visits, and self-play uses c = 1.05, `c_log` = 0.28, `c_base`
/// = 500. AlphaGo Zero's constant (Silver et al. 2017, Methods) is `c_log` = 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// The factor at N = 0, above 0.
    pub c: f64,
    /// Weight of the logarithm, at least 0.
    pub c_log: f64,
    /// Visits after which the logarithm is ln 2, above 0.
    pub c_base: f64,
}

impl Exploration {
    /// AlphaZero (Silver et al. 2018, supplementary pseudo-code): ln((N' + 1 + 19652) / 19652) +
    /// 1.25 with N' = s + 1 visits of the node. With N = N' + 1 = s + 2 this form is the same
    /// number.
    pub const ALPHA_ZERO: Self = Self { c: 1.25, c_log: 1.0, c_base: 19_652.0 };
    /// lc0's defaults of 2026 (`CPuct`, `CPuctFactor`, `CPuctBase`), N the node's visits, s + 1; it
    /// takes the root of max(s, 1) below.
    pub const LC0: Self = Self { c: 1.745, c_log: 3.894, c_base: 38_739.0 };

    /// No growth: the same `c` at any number of visits.
    pub const fn constant(c: f64) -> Self {
        Self { c, c_log: 0.0, c_base: 1.0 }
    }

    /// c(N) for N at least 0; which count N is, the source says (see the constants).
    pub fn factor(&self, visits: f64) -> f64 {
        self.c + self.c_log * ((visits + self.c_base) / self.c_base).ln()
    }
}

/// What multiplies p / (1 + n): `factor * sqrt(under_root) * stdev_factor`.
///
/// `under_root` is s + [`VISITS_OFFSET`] in KataGo, s in AlphaGo Zero, s + 1 in AlphaZero's
/// pseudo-code, max(s, 1) in lc0. `stdev_factor` is 1 or [`DynamicVariance::factor`].
pub fn exploration_scale(factor: f64, under_root: f64, stdev_factor: f64) -> f64 {
    factor * under_root.sqrt() * stdev_factor
}

/// U = scale p / (1 + n) (Silver et al. 2016, Methods, "Selection"; Rosin 2011 for the predictor).
pub fn u_term(scale: f64, prior: f64, visits: f64) -> f64 {
    scale * prior / (1.0 + visits)
}

/// Q + U; a move without a value counts as `unvisited`, its first-play urgency.
pub fn puct(child: &Child, unvisited: f64, scale: f64) -> f64 {
    child.q.unwrap_or(unvisited) + u_term(scale, child.prior, child.visits)
}

/// The visits at which [`puct`] would give `score` to a move of value `q`: scale p / (score - q) -
/// 1, at least 0; infinite where `q` alone reaches the score (KataGo,
/// `getExploreSelectionValueInverse`).
pub fn visits_for_score(score: f64, scale: f64, prior: f64, q: f64) -> f64 {
    let missing = score - q;
    if missing > 0.0 { (scale * prior / missing - 1.0).max(0.0) } else { f64::INFINITY }
}

/// Exploration in proportion to how much the values below a node vary (KataGo, "dynamic
/// variance-scaled cPUCT", KataGoMethods.md): about +75 Elo together with uncertainty weights, by
/// its author.
///
/// KataGo's engines use prior 0.40, `prior_weight` 2, scale 0.85; its raw defaults are 0.25, 1, 0
/// (off).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DynamicVariance {
    /// Standard deviation assumed before evidence, above 0 (`cpuctUtilityStdevPrior`).
    pub prior: f64,
    /// What that assumption weighs in visits, at least 0 (`cpuctUtilityStdevPriorWeight`).
    pub prior_weight: f64,
    /// Share of the effect in [0, 1]: 0 is none (`cpuctUtilityStdevScale`).
    pub scale: f64,
}

impl DynamicVariance {
    /// The standard deviation of the values below a node: `mean` and `mean_sq` are the averages of
    /// u and of u^2 over `weight` visits, the node's own included.
    ///
    /// ```text
    /// var = max(0, ((u^2 + prior^2) w_p + E[u^2] W) / (w_p + W - 1) - u^2)
    /// ```
    /// Up to one visit it is `prior`. A `mean_sq` below `mean`^2, which only rounding gives, counts
    /// as `mean`^2.
    pub fn stdev(&self, mean: f64, mean_sq: f64, weight: f64) -> f64 {
        if weight <= 1.0 {
            return self.prior;
        }
        let square = mean * mean;
        let assumed = (square + self.prior * self.prior) * self.prior_weight;
        let observed = mean_sq.max(square) * weight;
        let variance = (assumed + observed) / (self.prior_weight + weight - 1.0) - square;
        variance.max(0.0).sqrt()
    }

    /// 1 + scale (stdev / prior - 1): what multiplies the exploration.
    pub fn factor(&self, mean: f64, mean_sq: f64, weight: f64) -> f64 {
        1.0 + self.scale * (self.stdev(mean, mean_sq, weight) / self.prior - 1.0)
    }
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

/// First-play urgency: the mover's value of a move without visits (Gelly and Wang 2006 for the
/// name).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstPlay {
    /// This value, in [-1, 1]: -1 is a loss until tried, as in AlphaZero's pseudo-code (0 on its
    /// scale of [0, 1]); 0 is a draw.
    Absolute(f64),
    /// The node's own average, no reduction.
    Parent,
    /// The average less `reduction` * sqrt(visited mass). KataGo 0.2 (0 at self-play's root), lc0
    /// 0.33.
    Reduction(f64),
    /// KataGo's whole rule.
    KataGo(KataGoFirstPlay),
}

/// The three steps of KataGo's first-play urgency, in this order: the parent's value is mixed,
/// reduced, and pulled towards a loss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KataGoFirstPlay {
    /// Exponent of the visited mass m in the mix m^power * average + (1 - m^power) * own, at least
    /// 0 (`fpuParentWeightByVisitedPolicyPow`, 2 there); none: the average alone.
    pub mix_power: Option<f64>,
    /// Times sqrt(m), taken off (`fpuReductionMax`, 0.2; at the root 0 in self-play, 0.1 in
    /// matches).
    pub reduction: f64,
    /// Share in [0, 1] of a loss, -1, blended in last (`fpuLossProp`, 0 there).
    pub loss_share: f64,
}

impl FirstPlay {
    /// The value of the node's unvisited moves; may go below -1 by the reduction, as in the
    /// sources.
    pub fn value(&self, parent: &ParentValues) -> f64 {
        match *self {
            Self::Absolute(value) => value,
            Self::Parent => parent.average,
            Self::Reduction(reduction) => reduced(parent.average, reduction, parent.visited_mass),
            Self::KataGo(rule) => {
                let value = rule.mix_power.map_or(parent.average, |power| {
                    let share = parent.visited_mass.max(0.0).powf(power).min(1.0);
                    share * parent.average + (1.0 - share) * parent.own
                });
                let value = reduced(value, rule.reduction, parent.visited_mass);
                value + (-1.0 - value) * rule.loss_share
            }
        }
    }
}

fn reduced(value: f64, reduction: f64, visited_mass: f64) -> f64 {
    // A sum of priors can round to just below 0 when visits are taken back.
    value - reduction * visited_mass.max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-12;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < TOLERANCE, "{a} is not {b}");
    }

    #[test]
    fn exploration_grows_with_the_logarithm() {
        let katago = Exploration { c: 1.05, c_log: 0.28, c_base: 500.0 };
        close(katago.factor(0.0), 1.05);
        close(katago.factor(500.0), 1.05 + 0.28 * std::f64::consts::LN_2);
        close(Exploration::constant(1.25).factor(1e6), 1.25);
        // AlphaZero's line as it stands, for a node of 800 visits.
        let visits: f64 = 800.0;
        let literal = ((visits + 19_652.0 + 1.0) / 19_652.0).ln() + 1.25;
        close(Exploration::ALPHA_ZERO.factor(visits + 1.0), literal);
        close(Exploration::LC0.factor(0.0), 1.745);
        // 1.745 + 3.894 ln(39539 / 38739), by numpy.
        close(Exploration::LC0.factor(800.0), 1.824_596_015_884_451_4);
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
        close(rule.stdev(0.3, 0.09, 1.0), 0.4);
        close(rule.factor(0.3, 0.09, 1.0), 1.0);
        // ((0.04 + 0.16) 2 + 0.29 * 11) / 12 - 0.04 = 0.2591666...
        close(rule.stdev(0.2, 0.29, 11.0), (3.59_f64 / 12.0 - 0.04).sqrt());
        close(
            rule.factor(0.2, 0.29, 11.0),
            1.0 + 0.85 * (0.259_166_666_666_666_7_f64.sqrt() / 0.4 - 1.0),
        );
        // Many visits: the sample's own deviation, 0.5.
        assert!((rule.stdev(0.2, 0.29, 1e9) - 0.5).abs() < 1e-6);
        // Constant values, many visits: nothing to explore but 1 - scale.
        assert!((rule.factor(0.2, 0.04, 1e9) - 0.15).abs() < 1e-3);
        assert_eq!(DynamicVariance { scale: 0.0, ..rule }.factor(0.2, 0.29, 11.0), 1.0);
        assert!(rule.stdev(0.2, 0.04 - 1e-17, 50.0).is_finite());
    }

    #[test]
    fn first_play_variants() {
        let parent = ParentValues { average: 0.4, own: 0.1, visited_mass: 0.25 };
        close(FirstPlay::Absolute(-1.0).value(&parent), -1.0);
        close(FirstPlay::Parent.value(&parent), 0.4);
        close(FirstPlay::Reduction(0.2).value(&parent), 0.3);
        let whole = KataGoFirstPlay { mix_power: Some(2.0), reduction: 0.2, loss_share: 0.1 };
        // Mix 0.0625 * 0.4 + 0.9375 * 0.1 = 0.11875; less 0.1; nine tenths of it less one tenth.
        close(FirstPlay::KataGo(whole).value(&parent), 0.018_75 * 0.9 - 0.1);
        let plain = KataGoFirstPlay { mix_power: None, reduction: 0.2, loss_share: 0.0 };
        close(FirstPlay::KataGo(plain).value(&parent), FirstPlay::Reduction(0.2).value(&parent));
        let none = ParentValues { visited_mass: -1e-17, ..parent };
        close(FirstPlay::KataGo(whole).value(&none), 0.1 * 0.9 - 0.1);
    }
}
