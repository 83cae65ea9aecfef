//! From visits to the policy target and to sampling weights, and the reshaping of priors at the
//! root.

use super::{Child, argmax, normalise, puct, visits_sum};
use crate::numbers::Real;

/// Fills `out` with n / s: the policy target of AlphaGo Zero and AlphaZero. A node without visits
/// gives its priors, as shares.
pub fn visit_shares(children: &[Child], out: &mut Vec<f64>) {
    temperature_weights(children, 1.0, out);
    normalise(out);
}

/// Fills `out` with weights n^(1 / tau) for sampling the move to play (Silver et al. 2017, Methods,
/// "Play": tau = 1 for the first 30 moves, then towards 0), as ratios to the largest, so the most
/// visited has 1 for every tau above 0. A node without visits gives p^(1 / tau) instead.
///
/// KataGo lets tau fall from 0.75 to 0.15 with a half-life of 19 turns on 19x19.
pub fn temperature_weights(children: &[Child], tau: f64, out: &mut Vec<f64>) {
    let visited = children.iter().any(|child| child.visits > 0.0);
    out.clear();
    out.extend(children.iter().map(|child| if visited { child.visits } else { child.prior }));
    raise(out, 1.0 / tau);
}

/// Softens or sharpens priors in place: p^(1 / temperature), normalised; above 1 is flatter.
/// KataGo's root policy temperature falls from 1.5 in the opening to 1.1.
pub fn soften_priors(priors: &mut [f64], temperature: f64) {
    raise_priors(priors, 1.0 / temperature);
}

/// Raises priors in place: p^beta, normalised (Silver et al. 2016, Methods, "Expansion": AlphaGo's
/// supervised policy with beta = 0.67). `beta` is above 0; a prior of 0 stays 0.
pub fn raise_priors(priors: &mut [f64], beta: f64) {
    raise(priors, beta);
    normalise(priors);
}

/// Powers of ratios to the largest, which keeps them in range for any exponent.
fn raise(weights: &mut [f64], exponent: f64) {
    let most = weights.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        // Most moves have no visits, and 0 stays 0.
        for weight in weights.iter_mut().filter(|weight| **weight != 0.0) {
            *weight = (weight.max(0.0) / most).powf(exponent);
        }
    }
}

/// The visits that forced playouts grant a root move, sqrt(k p s) (Wu 2019, "Accelerating self-play
/// learning in Go", section 3.2; k = 2 there, KataGo's `rootDesiredPerChildVisitsCoeff`).
#[inline]
pub fn forced_visits<R: Real>(prior: R, visits_sum: R, k: R) -> R {
    (k * prior * visits_sum).sqrt()
}

/// Whether the root must take this move before all others: it has had a visit and has fewer than
/// [`forced_visits`]. Never-visited moves still have to earn their first by PUCT.
pub fn is_forced(child: &Child, visits_sum: f64, k: f64) -> bool {
    child.visits > 0.0 && child.visits < forced_visits(child.prior, visits_sum, k)
}

/// Fills `out` with visits less those that PUCT, in hindsight, would not have spent: policy target
/// pruning, which takes forced playouts and noise out of the target ([`normalise`] gives the
/// shares).
///
/// `scale` is [`puct::exploration_scale`] at the root's final s; priors are those that selection
/// used, noise included. The best move b = argmax n (n - 1) / n + 2 p keeps its visits. With score*
/// its PUCT score, every other move keeps ceil(min(n, max(0, scale p / (score* - q) - 1))); where q
/// alone reaches score*, all n. Moves left with less than one visit are dropped.
///
/// This is KataGo's code of 2026 (`getReducedPlaySelectionWeight`). The paper (Wu 2019, section
/// 3.2) takes at most the forced visits off each move, which the code no longer does, so pruning
/// works, and changes the target, without forced playouts too.
pub fn pruned_visits(children: &[Child], scale: f64, out: &mut Vec<f64>) {
    out.clear();
    let weight = |child: &Child| (child.visits - 1.0).max(0.0) + 2.0 * child.prior;
    let visited = |child: &Child| if child.visits > 0.0 { weight(child) } else { f64::NAN };
    let best = argmax(children.iter().map(visited));
    let score = best.map_or(0.0, |place| puct(&children[place], 0.0, scale));
    out.extend(children.iter().enumerate().map(|(place, child)| match child.q {
        None => 0.0,
        Some(_) if Some(place) == best => child.visits,
        Some(q) => {
            let wanted = puct::visits_for_score(score, scale, child.prior, q);
            wanted.min(child.visits).ceil()
        }
    }));
}

/// The share of a node's visits that pruning takes off, in [0, 1]; `pruned` from [`pruned_visits`].
pub fn pruned_share(children: &[Child], pruned: &[f64]) -> f64 {
    let sum = visits_sum(children);
    if sum > 0.0 { 1.0 - pruned.iter().sum::<f64>() / sum } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(prior: f64, visits: f64, q: f64) -> Child {
        Child { prior, visits, q: (visits > 0.0).then_some(q) }
    }

    fn near(out: &[f64], wanted: &[f64]) {
        assert_eq!(out.len(), wanted.len());
        assert!(out.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{out:?} {wanted:?}");
    }

    #[test]
    fn shares_and_temperatures() {
        let node = [child(0.5, 6.0, 0.1), child(0.3, 3.0, 0.0), child(0.2, 0.0, 0.0)];
        let mut out = vec![9.0];
        visit_shares(&node, &mut out);
        near(&out, &[2.0 / 3.0, 1.0 / 3.0, 0.0]);
        temperature_weights(&node, 0.5, &mut out);
        near(&out, &[1.0, 0.25, 0.0]);
        temperature_weights(&node, 1e-4, &mut out);
        near(&out, &[1.0, 0.0, 0.0]);
        let new = node.map(|c| Child { visits: 0.0, q: None, ..c });
        visit_shares(&new, &mut out);
        near(&out, &[0.5, 0.3, 0.2]);
        visit_shares(&[], &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn priors_are_reshaped() {
        let mut priors = [0.64, 0.32, 0.04, 0.0];
        soften_priors(&mut priors, 2.0);
        let sum = 0.8 + 0.32_f64.sqrt() + 0.2;
        near(&priors, &[0.8 / sum, 0.32_f64.sqrt() / sum, 0.2 / sum, 0.0]);
        let mut same = [0.7, 0.3];
        soften_priors(&mut same, 1.0);
        near(&same, &[0.7, 0.3]);
        // AlphaGo: (1/8)^(2/3) = 1/4 of the larger one.
        let mut two = [0.8, 0.1];
        raise_priors(&mut two, 2.0 / 3.0);
        near(&two, &[0.8, 0.2]);
    }

    #[test]
    fn forced_playouts_need_a_first_visit() {
        assert_eq!(forced_visits(0.02, 100.0, 2.0), 2.0);
        assert!(is_forced(&child(0.02, 1.0, 0.0), 100.0, 2.0));
        assert!(!is_forced(&child(0.02, 2.0, 0.0), 100.0, 2.0));
        assert!(!is_forced(&child(0.5, 0.0, 0.0), 100.0, 2.0));
        assert!(!is_forced(&child(0.5, 1.0, 0.0), 100.0, 0.0));
    }

    #[test]
    fn pruning_keeps_what_puct_would_spend() {
        // scale 10: the best move's score is 0.5 + 10 * 0.5 / 81, that is 0.561728...
        let node = [
            child(0.5, 80.0, 0.5),
            child(0.3, 15.0, 0.2),
            child(0.15, 4.0, -0.5),
            child(0.05, 1.0, 0.7),
            child(0.0, 0.0, 0.0),
        ];
        let mut out = Vec::new();
        pruned_visits(&node, 10.0, &mut out);
        // 3 / 0.361728 - 1 = 7.29 -> 8; 1.5 / 1.061728 - 1 = 0.41 -> 1; a better value keeps all.
        assert_eq!(out, [80.0, 8.0, 1.0, 1.0, 0.0]);
        assert!((pruned_share(&node, &out) - 0.1).abs() < 1e-12);
        // scale 5: 0.75 / 1.0309 - 1 is below 0, so the forced visits of the bad move go.
        pruned_visits(&node, 5.0, &mut out);
        assert_eq!(out[2], 0.0);
    }

    #[test]
    fn pruning_takes_off_forced_playouts_and_little_else() {
        // A root searched at fixed values with k = 2, and one without: the pruned target comes
        // back.
        let priors = [0.6, 0.3, 0.1];
        let values = [0.3, 0.0, -0.6];
        let search = |k: f64| {
            let mut node = [0, 1, 2].map(|a: usize| child(priors[a], 0.0, 0.0));
            for done in 0..600 {
                let sum = f64::from(done);
                let scale = puct::exploration_scale(1.1, sum + puct::VISITS_OFFSET, 1.0);
                let place = argmax(node.iter().map(|c| {
                    if is_forced(c, sum, k) { f64::INFINITY } else { puct(c, 0.0, scale) }
                }));
                let place = place.unwrap();
                node[place].visits += 1.0;
                node[place].q = Some(values[place]);
            }
            node
        };
        let plain = search(0.0);
        let forced = search(2.0);
        assert!(forced[2].visits > plain[2].visits + 3.0);
        let scale = puct::exploration_scale(1.1, 600.0 + puct::VISITS_OFFSET, 1.0);
        let mut out = Vec::new();
        pruned_visits(&forced, scale, &mut out);
        for place in [1, 2] {
            assert!((out[place] - plain[place].visits).abs() <= 2.0, "{out:?} {plain:?}");
        }
        let mut target = out.clone();
        let mut wanted = Vec::new();
        normalise(&mut target);
        visit_shares(&plain, &mut wanted);
        assert!(target.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 0.005), "{target:?}");
    }

    #[test]
    fn a_node_without_visits_has_nothing_to_prune() {
        let mut out = Vec::new();
        let new = [child(0.5, 0.0, 0.0), child(0.5, 0.0, 0.0)];
        pruned_visits(&new, 1.0, &mut out);
        assert_eq!(out, [0.0, 0.0]);
        assert_eq!(pruned_share(&new, &out), 0.0);
    }
}
