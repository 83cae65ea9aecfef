//! Gumbel search: sequential halving at the root, completed values, the improved policy (Danihelka
//! et al. 2022, "Policy improvement by planning with Gumbel"; mctx and MiniZero for the details
//! named).
//!
//! Logits are ln p, since priors are what a node keeps; a constant added to logits changes nothing.

use dz_search_settings::Sigma;
use rand::{Rng, RngExt, distr::Open01};

use super::{Child, argmax, visits_sum};

/// Priors below this count as this, so that logits are finite: the smallest normal number of an
/// f32, as in mctx; ln of it is -87.3.
pub const PRIOR_FLOOR: f64 = f32::MIN_POSITIVE as f64;

/// The smallest difference of values that a rescale divides by (mctx, `epsilon`).
const RESCALE_MIN: f64 = 1e-8;

/// What the mean of visited values weighs against the evaluator's own value in [`mixed_value`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MixedWeight {
    /// s, the node's edge visits (the paper's Appendix D, mctx).
    Visits,
    /// The budget of simulations, whatever was spent (MiniZero).
    Budget(f64),
}

/// The settings of the improved policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GumbelParams {
    /// From values to logits.
    pub sigma: Sigma,
    /// The weight inside the value of unvisited moves.
    pub mixed_weight: MixedWeight,
}

/// Fills `out` with `moves` samples of Gumbel(0): -ln(-ln u), u in (0, 1), all finite. Evaluation
/// play uses zeros instead (mctx, `gumbel_scale` = 0).
pub fn gumbel_noise(moves: usize, random: &mut impl Rng, out: &mut Vec<f64>) {
    out.clear();
    out.extend((0..moves).map(|_| {
        let uniform: f64 = random.sample(Open01);
        -(-uniform.ln()).ln()
    }));
}

/// Fills `out` with sequential halving's plan: at simulation i the root visits the best-scored of
/// the moves that have `out[i]` visits (Karnin, Koren and Somekh 2013; the table is mctx's).
///
/// Of `considered` moves (at most the legal ones; 16 in the paper) each round visits all that are
/// left max(1, floor(`simulations` / (ceil(log2 considered) * left))) times and keeps half, never
/// fewer than two. One considered move, or none, takes every simulation.
pub fn considered_visits(considered: u32, simulations: u32, out: &mut Vec<u32>) {
    out.clear();
    if considered <= 1 {
        out.extend(0..simulations);
        return;
    }
    let wanted = simulations as usize;
    let rounds = u64::from(considered.next_power_of_two().trailing_zeros());
    let mut left = considered;
    let mut visits = 0;
    while out.len() < wanted {
        let sweeps = (u64::from(simulations) / (rounds * u64::from(left))).max(1);
        for _ in 0..sweeps {
            let places = (wanted - out.len()).min(left as usize);
            out.extend(std::iter::repeat_n(visits, places));
            visits += 1;
        }
        left = (left / 2).max(2);
    }
}

/// The playouts of the shortest plan that gives all its rounds the same number of them.
pub fn halving_playouts_min(considered: u32) -> u32 {
    let rounds = considered.max(2).next_power_of_two().trailing_zeros();
    considered.max(1).saturating_mul(rounds)
}

/// The value that unvisited moves get: v = (own + w sum p q / sum p) / (1 + w), sums over visited
/// moves and w by `weight` (Appendix D). `own` is the evaluator's value of the node, the mover's;
/// without visited moves it is the answer.
pub fn mixed_value(children: &[Child], own: f64, weight: MixedWeight) -> f64 {
    let mut mass = 0.0;
    let mut sum = 0.0;
    for child in children {
        if let Some(q) = child.q {
            // A floor, so that visited moves of prior 0 still give a mean.
            let prior = child.prior.max(PRIOR_FLOOR);
            mass += prior;
            sum += prior * q;
        }
    }
    if mass <= 0.0 {
        return own;
    }
    let weight = match weight {
        MixedWeight::Visits => visits_sum(children),
        MixedWeight::Budget(simulations) => simulations,
    };
    (own + weight * (sum / mass)) / (1.0 + weight)
}

/// Fills `out` with sigma of the completed values: a move's own value, or the mixed one without
/// visits.
pub fn completed_sigma(children: &[Child], own: f64, params: &GumbelParams, out: &mut Vec<f64>) {
    let mixed = mixed_value(children, own, params.mixed_weight);
    out.clear();
    out.extend(children.iter().map(|child| child.q.unwrap_or(mixed)));
    let mut low = 0.0;
    let mut width = 1.0;
    if params.sigma.rescale {
        low = out.iter().copied().fold(f64::INFINITY, f64::min);
        let high = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        width = (high - low).max(RESCALE_MIN);
    }
    let most = children.iter().map(|child| child.visits).fold(0.0, f64::max);
    let scale = (params.sigma.c_visit + most) * params.sigma.c_scale;
    for q in out {
        *q = scale * ((*q - low) / width);
    }
}

/// Fills `out` with the improved policy pi' = softmax(ln p + sigma(completed q)): the policy
/// target, without Gumbel noise, and what inner nodes follow.
pub fn improved_policy(children: &[Child], own: f64, params: &GumbelParams, out: &mut Vec<f64>) {
    completed_sigma(children, own, params, out);
    for (score, child) in out.iter_mut().zip(children) {
        *score += logit(child);
    }
    softmax(out);
}

/// Fills `out` with the root's scores g + ln p + sigma(completed q); `noise` has one sample for
/// each move.
pub fn root_scores(
    children: &[Child],
    noise: &[f64],
    own: f64,
    params: &GumbelParams,
    out: &mut Vec<f64>,
) {
    completed_sigma(children, own, params, out);
    for ((score, child), noise) in out.iter_mut().zip(children).zip(noise) {
        *score += logit(child) + noise;
    }
}

/// The root's next move: the best score among moves with exactly `considered_visit` visits, an
/// entry of [`considered_visits`]; none if no move has as many.
pub fn root_select(children: &[Child], scores: &[f64], considered_visit: u32) -> Option<usize> {
    best_with(children, scores, f64::from(considered_visit))
}

/// The root's move to play: the best score among moves of the largest visit count.
pub fn root_choice(children: &[Child], scores: &[f64]) -> Option<usize> {
    best_with(children, scores, children.iter().map(|child| child.visits).fold(0.0, f64::max))
}

/// Takes each move's share of visits off its share of a policy: pi(a) - n / (1 + s). Inner nodes
/// visit the move with the largest rest, so that visits come to be in proportion to the policy
/// (section 5).
pub fn subtract_visit_shares(children: &[Child], policy: &mut [f64]) {
    let total = 1.0 + visits_sum(children);
    for (share, child) in policy.iter_mut().zip(children) {
        *share -= child.visits / total;
    }
}

fn best_with(children: &[Child], scores: &[f64], visits: f64) -> Option<usize> {
    // Not a number never wins, so moves with other counts are out, not merely last.
    let eligible = |child: &Child| child.visits == visits;
    argmax(
        children
            .iter()
            .zip(scores)
            .map(|(child, &score)| if eligible(child) { score } else { f64::NAN }),
    )
}

fn logit(child: &Child) -> f64 {
    child.prior.max(PRIOR_FLOOR).ln()
}

/// Exponentials of the scores as shares of their sum, in place.
fn softmax(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for score in &mut *scores {
        *score = (*score - most).exp();
    }
    super::normalise(scores);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    const PAPER: GumbelParams =
        GumbelParams { sigma: Sigma::BOARD_GAMES, mixed_weight: MixedWeight::Visits };
    const MCTX: GumbelParams = GumbelParams { sigma: Sigma::MCTX, ..PAPER };

    /// Priors .5, .3, .2, visits 2, 1, 0, values .4, -.2 and none; the node's own value is .1.
    fn example() -> [Child; 3] {
        [
            Child { prior: 0.5, visits: 2.0, q: Some(0.4) },
            Child { prior: 0.3, visits: 1.0, q: Some(-0.2) },
            Child { prior: 0.2, visits: 0.0, q: None },
        ]
    }

    fn plan(considered: u32, simulations: u32) -> Vec<u32> {
        let mut out = vec![99];
        considered_visits(considered, simulations, &mut out);
        assert_eq!(out.len(), simulations as usize);
        out
    }

    fn runs(parts: &[(usize, u32)]) -> Vec<u32> {
        parts.iter().flat_map(|&(times, visits)| std::iter::repeat_n(visits, times)).collect()
    }

    #[test]
    fn halving_plans_are_mctx_s() {
        assert_eq!(plan(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(plan(16, 16), [0; 16]);
        assert_eq!(plan(16, 32), runs(&[(16, 0), (8, 1), (4, 2), (4, 3)]));
        let mut eight = vec![(8, 0), (8, 1), (4, 2), (4, 3), (4, 4), (4, 5)];
        eight.extend((6..=14).map(|visits| (2, visits)));
        assert_eq!(plan(8, 50), runs(&eight));
        assert_eq!(plan(1, 4), [0, 1, 2, 3]);
        assert_eq!(plan(0, 2), [0, 1]);
        assert_eq!(plan(16, 3), [0; 3]);
        assert_eq!(plan(5, 0), []);
        assert_eq!(plan(3, 7), [0, 0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn mixed_values() {
        let node = example();
        assert!((mixed_value(&node, 0.1, MixedWeight::Visits) - 0.156_25).abs() < 1e-15);
        let budget = mixed_value(&node, 0.1, MixedWeight::Budget(16.0));
        assert!((budget - 0.170_588_235_294_117_65).abs() < 1e-15);
        let new = [Child { prior: 1.0, visits: 0.0, q: None }];
        assert_eq!(mixed_value(&new, 0.1, MixedWeight::Visits), 0.1);
        assert_eq!(mixed_value(&new, 0.1, MixedWeight::Budget(16.0)), 0.1);
        let blank = [Child { prior: 0.0, visits: 1.0, q: Some(0.5) }];
        assert!((mixed_value(&blank, 0.1, MixedWeight::Visits) - 0.3).abs() < 1e-15);
    }

    #[test]
    fn the_improved_policy_matches_known_numbers() {
        let mut out = Vec::new();
        let near = |out: &[f64], wanted: [f64; 3]| {
            let close = |(a, b): (&f64, f64)| (a - b).abs() < 1e-6_f64.max(1e-8 * b.abs());
            assert!(out.iter().zip(wanted).all(close), "{out:?} is not {wanted:?}");
        };
        completed_sigma(&example(), 0.1, &PAPER, &mut out);
        near(&out, [20.8, -10.4, 8.125]);
        improved_policy(&example(), 0.1, &PAPER, &mut out);
        near(&out, [0.999_998_749, 1.691e-14, 1.251_344_5e-6]);
        assert!((out[1] / 1.691_075_01e-14 - 1.0).abs() < 1e-6);
        completed_sigma(&example(), 0.1, &MCTX, &mut out);
        near(&out, [5.2, 0.0, 3.0875]);
        improved_policy(&example(), 0.1, &MCTX, &mut out);
        near(&out, [0.950_855_93, 0.003_147_27, 0.045_996_8]);
    }

    #[test]
    fn without_visits_the_policy_is_the_prior() {
        let node = example().map(|child| Child { visits: 0.0, q: None, ..child });
        let mut out = Vec::new();
        for params in [PAPER, MCTX] {
            improved_policy(&node, 0.7, &params, &mut out);
            assert!(out.iter().zip(&node).all(|(share, c)| (share - c.prior).abs() < 1e-15));
        }
        let zero = node.map(|child| Child { prior: (child.prior - 0.2).max(0.0), ..child });
        improved_policy(&zero, 0.7, &PAPER, &mut out);
        assert!(out.iter().all(|share| share.is_finite()) && out[2] < 1e-30);
    }

    #[test]
    fn the_root_picks_among_equals_in_visits() {
        let node = example();
        let mut scores = Vec::new();
        root_scores(&node, &[0.0; 3], 0.1, &PAPER, &mut scores);
        assert!((scores[0] - (20.8 + 0.5_f64.ln())).abs() < 1e-12);
        assert_eq!(root_select(&node, &scores, 0), Some(2));
        assert_eq!(root_select(&node, &scores, 1), Some(1));
        assert_eq!(root_select(&node, &scores, 3), None);
        assert_eq!(root_choice(&node, &scores), Some(0));
        root_scores(&node, &[0.0, 0.0, 1.5], 0.1, &PAPER, &mut scores);
        assert!((scores[2] - (8.125 + 0.2_f64.ln() + 1.5)).abs() < 1e-12);
    }

    #[test]
    fn a_whole_root_search_halves() {
        // Fixed values: the best move of sixteen wins, and visits are the plan's.
        let values: Vec<f64> = (0..16).map(|a| f64::from(a) / 16.0 - 0.5).collect();
        let mut node = vec![Child { prior: 1.0 / 16.0, visits: 0.0, q: None }; 16];
        let mut order = Vec::new();
        let mut scores = Vec::new();
        considered_visits(16, 32, &mut order);
        for &considered in &order {
            root_scores(&node, &[0.0; 16], 0.0, &PAPER, &mut scores);
            let place = root_select(&node, &scores, considered).unwrap();
            node[place].visits += 1.0;
            node[place].q = Some(values[place]);
        }
        root_scores(&node, &[0.0; 16], 0.0, &PAPER, &mut scores);
        assert_eq!(root_choice(&node, &scores), Some(15));
        let visits: Vec<f64> = node.iter().map(|child| child.visits).collect();
        assert_eq!(visits[..8], [1.0; 8]);
        assert_eq!(visits[8..], [2.0, 2.0, 2.0, 2.0, 4.0, 4.0, 4.0, 4.0]);
    }

    #[test]
    fn interior_visits_follow_the_policy() {
        let policy = [0.6, 0.3, 0.1];
        let mut node = policy.map(|prior| Child { prior, visits: 0.0, q: None });
        for _ in 0..1000 {
            let mut missing = policy;
            subtract_visit_shares(&node, &mut missing);
            node[argmax(missing).unwrap()].visits += 1.0;
        }
        assert!(node.iter().zip(policy).all(|(child, p)| (child.visits - 1000.0 * p).abs() <= 1.0));
    }

    #[test]
    fn noise_is_gumbel_and_seeded() {
        let sample = |seed| {
            let mut out = Vec::new();
            gumbel_noise(100_000, &mut Xoshiro256PlusPlus::seed_from_u64(seed), &mut out);
            out
        };
        let noise = sample(3);
        assert_eq!(noise, sample(3));
        assert_ne!(noise, sample(4));
        let mean = noise.iter().sum::<f64>() / 1e5;
        let variance = noise.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / 1e5;
        // Euler's constant and pi^2 / 6; three standard errors are 0.012 and 0.035.
        assert!((mean - 0.577_215_664_901_532_9).abs() < 0.0125, "{mean}");
        assert!((variance - std::f64::consts::PI.powi(2) / 6.0).abs() < 0.036, "{variance}");
    }

    #[test]
    fn noise_on_logits_samples_the_prior() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
        let node = example().map(|child| Child { visits: 0.0, q: None, ..child });
        let mut noise = Vec::new();
        let mut scores = Vec::new();
        let mut counts = [0.0; 3];
        for _ in 0..20_000 {
            gumbel_noise(3, &mut random, &mut noise);
            root_scores(&node, &noise, 0.0, &PAPER, &mut scores);
            counts[root_select(&node, &scores, 0).unwrap()] += 1.0 / 20_000.0;
        }
        assert!(counts.iter().zip(&node).all(|(share, child)| (share - child.prior).abs() < 0.015));
    }
}
