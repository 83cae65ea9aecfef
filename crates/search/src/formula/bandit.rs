//! The older family: UCB1, UCT, RAVE, equivalent visits, AlphaGo's mix, the epsilon trick.

use dz_search_settings::{EpsilonSchedule, ExplorationTerm, RaveSchedule, VisitRange};

use super::Child;
use crate::numbers::Real;

/// UCB1: Q + sqrt(2 ln s / n), on the values as they are (Auer, Cesa-Bianchi and Fischer 2002,
/// Figure 1); infinite for a move without visits.
///
/// Their bound is proven for values in [0, 1]. For values in [-1, 1] the bonus that keeps it is
/// twice as large: [`uct`] with c = 2 sqrt 2.
pub fn ucb1(child: &Child, visits_sum: f64) -> f64 {
    uct(child, visits_sum, std::f64::consts::SQRT_2)
}

/// UCT: Q + c sqrt(ln s / n) (Kocsis and Szepesvari 2006; Gelly and Silver 2007); infinite for a
/// move without visits. `c` is above 0; `visits_sum` below 1 counts as 1.
pub fn uct(child: &Child, visits_sum: f64, c: f64) -> f64 {
    let numerator = exploration_numerator(ExplorationTerm::Log, visits_sum);
    child.q.map_or(f64::INFINITY, |q| q + bonus(c, numerator, child.visits))
}

/// What stands over n under the root: ln s, or s. A sum below 1 counts as 1.
#[inline]
pub fn exploration_numerator<R: Real>(term: ExplorationTerm, visits_sum: R) -> R {
    let sum = visits_sum.max(R::ONE);
    match term {
        ExplorationTerm::Log => sum.ln(),
        ExplorationTerm::Printed => sum,
    }
}

/// c sqrt(numerator / n), for n above 0.
#[inline]
pub fn exploration_bonus<R: Real>(c: R, numerator: R, visits: R) -> R {
    c * (numerator / visits).sqrt()
}

/// The same; infinite at n = 0.
fn bonus(c: f64, numerator: f64, visits: f64) -> f64 {
    if visits > 0.0 { exploration_bonus(c, numerator, visits) } else { f64::INFINITY }
}

/// All-moves-as-first statistics of a move: playouts through the node in which the same player made
/// the move then or later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amaf {
    /// m, the number of such playouts, at least 0.
    pub visits: f64,
    /// Their mean value for the mover, in [-1, 1]; none while there is none.
    pub q: Option<f64>,
}

impl Amaf {
    /// Returns the statistics after `equivalent_visits` more playouts of value `heuristic_q`.
    /// Gelly and Silver 2007 start both n and m at 50. They do not say where `Q_RAVE` starts. Here
    /// it starts at the heuristic value, as Q does.
    #[must_use]
    pub fn with_equivalent_visits(self, heuristic_q: f64, equivalent_visits: f64) -> Self {
        let child = Child { prior: 0.0, visits: self.visits, q: self.q };
        let Child { visits, q, .. } =
            with_equivalent_visits(&child, heuristic_q, equivalent_visits);
        Self { visits, q }
    }
}

/// The weight of the AMAF estimate in [0, 1] at `visits` of the node (or of the move; see
/// [`RaveSchedule`]).
pub fn rave_weight(schedule: RaveSchedule, visits: f64) -> f64 {
    match schedule {
        RaveSchedule::Equivalence { k } => (k / (3.0 * visits + k)).sqrt(),
        RaveSchedule::Logarithm => (1.0 - visits.max(1.0).ln() / 20.0).clamp(0.0, 1.0),
    }
}

/// What the exploration terms of both sides of RAVE share at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaveSums {
    /// s, the sum of edge visits.
    pub visits: f64,
    /// The sum of AMAF visits over the node's moves.
    pub amaf_visits: f64,
    /// What stands under the roots.
    pub term: ExplorationTerm,
}

/// UCT-RAVE, `(1 - b)(Q + c sqrt(ln s / n)) + b (Q_rave + c sqrt(ln sum m / m))` (Gelly and Silver
/// 2007, "Rapid action value estimation", with UCB1's logarithm on both sides, or without it as
/// [`ExplorationTerm::Printed`]).
///
/// A side without samples leaves its weight to the other; with neither the score is infinite. In
/// the source no side is empty: both start with 50 equivalent visits.
pub fn uct_rave(child: &Child, amaf: &Amaf, sums: &RaveSums, beta: f64, c: f64) -> f64 {
    let numerator = |sum| exploration_numerator(sums.term, sum);
    let direct = child.q.map(|q| q + bonus(c, numerator(sums.visits), child.visits));
    let rave = amaf.q.map(|q| q + bonus(c, numerator(sums.amaf_visits), amaf.visits));
    match (direct, rave) {
        // A weight of 0 takes its side out, though the side be infinite.
        (Some(direct), Some(rave)) if beta > 0.0 && beta < 1.0 => {
            (1.0 - beta) * direct + beta * rave
        }
        (Some(direct), Some(rave)) => {
            if beta > 0.0 {
                rave
            } else {
                direct
            }
        }
        (Some(side), None) | (None, Some(side)) => side,
        (None, None) => f64::INFINITY,
    }
}

/// Boon's RAVE, `b (Q_rave + c sqrt(ln s / (m + 1))) + (1 - b)(Q + c sqrt(ln s / (n + 1)))`
/// (computer-go list, 2 December 2008): finite from the start, and one logarithm for both sides.
/// `visits_sum` is s; a side without samples has the value 0, the middle of the scale.
pub fn boon_rave(child: &Child, amaf: &Amaf, visits_sum: f64, beta: f64, c: f64) -> f64 {
    let logarithm = exploration_numerator(ExplorationTerm::Log, visits_sum);
    let rave = amaf.q.unwrap_or(0.0) + bonus(c, logarithm, amaf.visits + 1.0);
    let direct = child.q.unwrap_or(0.0) + bonus(c, logarithm, child.visits + 1.0);
    beta * rave + (1.0 - beta) * direct
}

/// A heuristic's opinion of a move as if it were `equivalent_visits` earlier playouts of value
/// `heuristic_q` (Gelly and Silver 2007, "Heuristic prior knowledge": n = m = 50): the blended
/// value and the larger count.
pub fn with_equivalent_visits(child: &Child, heuristic_q: f64, equivalent_visits: f64) -> Child {
    let visits = child.visits + equivalent_visits;
    if visits <= 0.0 {
        return *child;
    }
    let sum = child.q.unwrap_or(0.0) * child.visits + heuristic_q * equivalent_visits;
    Child { prior: child.prior, visits, q: Some(sum / visits) }
}

/// AlphaGo's leaf value (1 - lambda) v + lambda z: `network` is the network's value and `rollout`
/// the rollout's outcome, both for the same player (Silver et al. 2016, Methods, "Evaluation";
/// lambda = 0.5).
pub fn leaf_mix(network: f64, rollout: f64, lambda: f64) -> f64 {
    (1.0 - lambda) * network + lambda * rollout
}

/// A running sum of values and how many there are, for one player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueSum {
    /// W, the sum.
    pub sum: f64,
    /// N, at least 0.
    pub count: f64,
}

impl ValueSum {
    /// W / N, none while N is 0.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

/// AlphaGo's edge value `Q = (1 - lambda) W_v / N_v + lambda W_r / N_r` (Silver et al. 2016,
/// Methods, "Backup"). While one of the two is still missing, as happens when evaluations arrive
/// late, the other alone is the value; none without either.
pub fn edge_mix(network: &ValueSum, rollout: &ValueSum, lambda: f64) -> Option<f64> {
    match (network.mean(), rollout.mean()) {
        (Some(network), Some(rollout)) => Some(leaf_mix(network, rollout, lambda)),
        (one, other) => one.or(other),
    }
}

/// Visits that the move just chosen gets, the present one included, for a node of N visits: at
/// least 1, so epsilon N <= 1 is the plain search. `random`, in [0, 1), picks a random number.
pub fn visits_held(schedule: EpsilonSchedule, visits: u32, random: f64) -> u32 {
    let visits = f64::from(visits);
    let wanted = match schedule {
        EpsilonSchedule::Off => 1.0,
        EpsilonSchedule::Linear { epsilon } => epsilon * visits,
        EpsilonSchedule::Root { epsilon } => epsilon * visits.sqrt(),
        EpsilonSchedule::Fixed { visits } => f64::from(visits),
        EpsilonSchedule::Random { visits: VisitRange { least, most } } => {
            let choices = f64::from(most.saturating_sub(least)) + 1.0;
            f64::from(least) + (random * choices).floor()
        }
    };
    // A cast saturates, so a huge epsilon means "for ever".
    (wanted.ceil() as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    fn child(visits: f64, q: f64) -> Child {
        Child { prior: 0.0, visits, q: Some(q) }
    }

    #[test]
    fn ucb1_is_uct_with_root_two() {
        // sqrt(2 ln 100 / 10).
        close(ucb1(&child(10.0, 0.3), 100.0), 0.3 + 0.959_705_182_437_616_3);
        close(uct(&child(10.0, 0.3), 100.0, 1.0), 0.3 + 0.678_614_042_441_511_2);
        let new = Child { prior: 0.5, visits: 0.0, q: None };
        assert_eq!(ucb1(&new, 100.0), f64::INFINITY);
        close(uct(&child(1.0, -0.5), 0.0, 1.0), -0.5);
        // The same choice on both scales: x = (q + 1) / 2 with UCB1, q with twice the bonus.
        let q = 0.2;
        let n = 7.0;
        let s = 50.0;
        let unit = ucb1(&child(n, f64::midpoint(q, 1.0)), s);
        close(2.0 * unit - 1.0, uct(&child(n, q), s, 2.0 * std::f64::consts::SQRT_2));
    }

    #[test]
    fn ucb1_keeps_its_regret_bound_on_two_bernoulli_arms() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(7);
        let means = [0.6, 0.4];
        let runs = 20;
        let plays = 4000;
        let mut worse = 0.0;
        for _ in 0..runs {
            let mut arms = [ValueSum::default(); 2];
            for play in 0..plays {
                let scores = arms.map(|arm| {
                    ucb1(&Child { prior: 0.0, visits: arm.count, q: arm.mean() }, f64::from(play))
                });
                let place = usize::from(scores[1] > scores[0]);
                arms[place].count += 1.0;
                arms[place].sum += f64::from(u8::from(random.random::<f64>() < means[place]));
            }
            worse += arms[1].count / f64::from(runs);
        }
        // Theorem 1: at most 8 ln n / gap^2 + 1 + pi^2 / 3 pulls of the worse arm; at least a
        // logarithm.
        let bound = 8.0 * f64::from(plays).ln() / 0.04 + 1.0 + std::f64::consts::PI.powi(2) / 3.0;
        assert!(worse > f64::from(plays).ln() && worse < bound, "{worse} against {bound}");
    }

    #[test]
    fn rave_schedules() {
        let equivalence = RaveSchedule::Equivalence { k: 1000.0 };
        assert_eq!(rave_weight(equivalence, 0.0), 1.0);
        assert_eq!(rave_weight(equivalence, 1000.0), 0.5);
        assert_eq!(rave_weight(RaveSchedule::Logarithm, 0.0), 1.0);
        assert_eq!(rave_weight(RaveSchedule::Logarithm, 1.0), 1.0);
        close(rave_weight(RaveSchedule::Logarithm, 10.0_f64.exp()), 0.5);
        assert_eq!(rave_weight(RaveSchedule::Logarithm, 1e12), 0.0);
        for schedule in [equivalence, RaveSchedule::Logarithm] {
            let betas: Vec<f64> = (1..1000).map(|n| rave_weight(schedule, f64::from(n))).collect();
            assert!(betas.windows(2).all(|pair| pair[1] < pair[0]));
        }
    }

    #[test]
    fn rave_scores_in_both_forms() {
        let amaf = Amaf { visits: 20.0, q: Some(0.5) };
        let term = ExplorationTerm::Log;
        let sums = RaveSums { visits: 100.0, amaf_visits: 400.0, term };
        let direct = 0.1 + 0.5 * (100.0_f64.ln() / 10.0).sqrt();
        let rave = 0.5 + 0.5 * (400.0_f64.ln() / 20.0).sqrt();
        let move_ = child(10.0, 0.1);
        close(uct_rave(&move_, &amaf, &sums, 0.25, 0.5), 0.75 * direct + 0.25 * rave);
        close(uct_rave(&move_, &amaf, &sums, 0.0, 0.5), direct);
        close(uct_rave(&move_, &amaf, &sums, 1.0, 0.5), rave);
        let new = Child { prior: 0.0, visits: 0.0, q: None };
        let unseen = Amaf { visits: 0.0, q: None };
        close(uct_rave(&new, &amaf, &sums, 0.25, 0.5), rave);
        close(uct_rave(&move_, &unseen, &sums, 0.25, 0.5), direct);
        assert_eq!(uct_rave(&new, &unseen, &sums, 0.25, 0.5), f64::INFINITY);

        let direct = 0.1 + 0.5 * (100.0_f64.ln() / 11.0).sqrt();
        let rave = 0.5 + 0.5 * (100.0_f64.ln() / 21.0).sqrt();
        close(boon_rave(&move_, &amaf, 100.0, 0.25, 0.5), 0.75 * direct + 0.25 * rave);
        close(boon_rave(&new, &unseen, 1.0, 0.5, 0.5), 0.0);
    }

    /// Nine moves of tic-tac-toe, n = m = 50 of value 0 each, c = 1/2: both sides are
    /// 1/2 sqrt(450 / 50), so the score is 1.5 whatever the weight is. One sample of 1 on the side
    /// of RAVE lifts its value to 1/51 and lowers its bonus.
    #[test]
    fn rave_as_printed_starts_with_both_sides_alike() {
        let prior = |q| Amaf { visits: 0.0, q }.with_equivalent_visits(0.0, 50.0);
        let start = with_equivalent_visits(&Child { prior: 0.0, visits: 0.0, q: None }, 0.0, 50.0);
        let term = ExplorationTerm::Printed;
        let sums = RaveSums { visits: 450.0, amaf_visits: 450.0, term };
        for beta in [0.0, 0.3, 1.0] {
            close(uct_rave(&start, &prior(None), &sums, beta, 0.5), 1.5);
        }
        let one = Amaf { visits: 1.0, q: Some(1.0) }.with_equivalent_visits(0.0, 50.0);
        close(one.q.unwrap(), 1.0 / 51.0);
        let sums = RaveSums { amaf_visits: 451.0, ..sums };
        let rave = 1.0 / 51.0 + 0.5 * (451.0_f64 / 51.0).sqrt();
        close(uct_rave(&start, &one, &sums, 0.25, 0.5), 0.75 * 1.5 + 0.25 * rave);
        // The printed form has no logarithm: a hundred visits of a hundred.
        close(exploration_numerator(ExplorationTerm::Printed, 100.0), 100.0);
        close(exploration_numerator(ExplorationTerm::Log, 100.0), 100.0_f64.ln());
    }

    #[test]
    fn equivalent_visits_blend() {
        let blended = with_equivalent_visits(&child(50.0, -0.2), 0.6, 50.0);
        close(blended.visits, 100.0);
        close(blended.q.unwrap(), 0.2);
        let new = Child { prior: 0.3, visits: 0.0, q: None };
        assert_eq!(with_equivalent_visits(&new, 0.6, 50.0).q, Some(0.6));
        assert_eq!(with_equivalent_visits(&new, 0.6, 0.0), new);
    }

    #[test]
    fn alphago_mixes_two_means() {
        let network = ValueSum { sum: 4.0, count: 10.0 };
        let rollout = ValueSum { sum: -5.0, count: 25.0 };
        close(edge_mix(&network, &rollout, 0.5).unwrap(), 0.1);
        close(leaf_mix(0.4, -0.2, 0.5), 0.1);
        let none = ValueSum::default();
        assert_eq!(edge_mix(&none, &rollout, 0.5), Some(-0.2));
        assert_eq!(edge_mix(&network, &none, 0.5), Some(0.4));
        assert_eq!(edge_mix(&none, &none, 0.5), None);
    }

    #[test]
    fn epsilon_trick_counts() {
        let linear = EpsilonSchedule::Linear { epsilon: 1.0 / 64.0 };
        let held = |schedule, n| visits_held(schedule, n, 0.5);
        assert_eq!([0, 1, 64, 65, 128, 6400].map(|n| held(linear, n)), [1, 1, 1, 2, 2, 100]);
        let root = EpsilonSchedule::Root { epsilon: 0.5 };
        assert_eq!([0, 1, 4, 9, 100].map(|n| held(root, n)), [1, 1, 1, 2, 5]);
        assert_eq!(held(EpsilonSchedule::Linear { epsilon: 1e30 }, 3), u32::MAX);
        let fixed = EpsilonSchedule::Fixed { visits: 5 };
        assert_eq!([0, 1, 1000].map(|n| held(fixed, n)), [5; 3]);
        // Six numbers from 5 to 10, a sixth of [0, 1) each.
        let random = EpsilonSchedule::Random { visits: VisitRange { least: 5, most: 10 } };
        let sampled = [0.0, 0.16, 0.17, 0.5, 0.99].map(|share| visits_held(random, 3, share));
        assert_eq!(sampled, [5, 5, 6, 8, 10]);
    }
}
