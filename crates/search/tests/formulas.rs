//! Laws of the formulas over random nodes.

use dz_search::formula::{
    Child, argmax, dirichlet, gumbel, lcb, normalise, puct, regularized, target, visits_sum,
};
use proptest::{collection::vec, prelude::*};

/// A node: priors that sum to 1 (some may be 0), values in [-1, 1], visits; a move has a value when
/// it has a visit.
fn node(moves_max: usize) -> impl Strategy<Value = Vec<Child>> {
    let prior = prop_oneof![9 => 0.0..1.0, 1 => Just(0.0), 1 => 1e-30..1e-6];
    let visits = prop_oneof![2 => Just(0u32), 8 => 0..500u32];
    vec((prior, -1.0..=1.0, visits), 1..=moves_max).prop_map(|rows| {
        let mut priors: Vec<f64> = rows.iter().map(|row| row.0).collect();
        normalise(&mut priors);
        let with_prior = rows.iter().zip(priors);
        with_prior.map(|(&(_, q, visits), prior)| child(prior, f64::from(visits), q)).collect()
    })
}

fn child(prior: f64, visits: f64, q: f64) -> Child {
    Child { prior, visits, q: (visits > 0.0).then_some(q) }
}

/// The policy by bisection of sum lambda p / (alpha - q) = 1, over alpha - max q, which stays exact
/// where alpha itself rounds to max q: slow, and independent of the crate's method.
fn by_bisection(children: &[Child], unvisited: f64, lambda: f64) -> Vec<f64> {
    let rows: Vec<_> = children.iter().map(|c| (c.prior, c.q.unwrap_or(unvisited))).collect();
    let with_prior = || rows.iter().filter(|row| row.0 > 0.0);
    let q_max = with_prior().map(|row| row.1).fold(f64::NEG_INFINITY, f64::max);
    let share = |t: f64, p: f64, q: f64| lambda * p / (t + (q_max - q));
    let (mut low, mut high) = (0.0, lambda);
    for _ in 0..300 {
        let middle = low + (high - low) / 2.0;
        let sum: f64 = with_prior().map(|&(p, q)| share(middle, p, q)).sum();
        if sum > 1.0 { low = middle } else { high = middle }
    }
    rows.iter().map(|&(p, q)| if p > 0.0 { share(high, p, q) } else { 0.0 }).collect()
}

proptest! {
    #[test]
    fn the_exact_policy_is_a_policy(node in node(400), unvisited in -1.0..1.0, c in 0.1..5.0) {
        let mut out = Vec::new();
        let sum = visits_sum(&node);
        let lambda = regularized::multiplier(c, sum, node.len());
        let alpha = regularized::regularized_policy(&node, unvisited, c, &mut out);
        prop_assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        prop_assert!(out.iter().zip(&node).all(|(y, c)| *y >= 0.0 && (*y > 0.0) == (c.prior > 0.0)));
        let value = |c: &Child| c.q.unwrap_or(unvisited);
        let known = || node.iter().filter(|c| c.prior > 0.0);
        let q_max = known().map(value).fold(f64::NEG_INFINITY, f64::max);
        if sum > 0.0 {
            let low = known().map(|c| value(c) + lambda * c.prior).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(low - 1e-12 <= alpha && alpha <= q_max + lambda + 1e-12);
        }
        // What Lagrange's condition says: shares per prior are ordered as values are.
        for a in known().zip(out.iter().zip(&node).filter(|row| row.1.prior > 0.0)) {
            let ratio = a.1.0 / a.0.prior;
            let best = out.iter().zip(&node).filter(|row| row.1.prior > 0.0);
            for (y, other) in best {
                let better = value(other) > value(a.0) + 1e-9;
                prop_assert!(!better || y / other.prior >= ratio * (1.0 - 1e-9));
            }
        }
    }

    #[test]
    fn the_exact_policy_is_the_bisected_one(node in node(82), c in 0.1..5.0) {
        let lambda = regularized::multiplier(c, visits_sum(&node), node.len());
        prop_assume!(lambda > 1e-4);
        let mut out = Vec::new();
        regularized::exact_policy(&node, 0.1, lambda, &mut out);
        let wanted = by_bisection(&node, 0.1, lambda);
        prop_assert!(out.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-8));
    }

    #[test]
    fn a_better_value_gets_no_less(node in node(40), place: prop::sample::Index, more in 0.0..1.0) {
        let place = place.index(node.len());
        let (mut before, mut after) = (Vec::new(), Vec::new());
        regularized::exact_policy(&node, 0.0, 0.3, &mut before);
        let mut raised = node;
        raised[place].q = Some(raised[place].q.unwrap_or(0.0) + more);
        regularized::exact_policy(&raised, 0.0, 0.3, &mut after);
        prop_assert!(after[place] >= before[place] - 1e-12);
    }

    #[test]
    fn puct_tracks_the_exact_policy(node in node(32), c in 0.5..3.0, playouts in 1..2000u32) {
        // Values stay as they are; the first playout follows the prior, as at N = 0 all scores are
        // q. Every move has a prior: one without would get visits by its value, but no share of the
        // policy.
        let values: Vec<f64> = node.iter().map(|c| c.q.unwrap_or(0.0)).collect();
        let mut priors: Vec<f64> = node.iter().map(|c| c.prior.max(1e-30)).collect();
        normalise(&mut priors);
        let mut node: Vec<Child> = priors.iter().zip(&values)
            .map(|(&prior, &q)| Child { prior, visits: 0.0, q: Some(q) }).collect();
        for done in 0..playouts {
            let scale = puct::exploration_scale(c, f64::from(done), 1.0);
            let best = match done {
                0 => argmax(node.iter().map(|c| c.prior)),
                _ => argmax(node.iter().map(|c| puct(c, 0.0, scale))),
            };
            node[best.unwrap()].visits += 1.0;
        }
        let (mut exact, mut empirical) = (Vec::new(), Vec::new());
        regularized::regularized_policy(&node, 0.0, c, &mut exact);
        regularized::empirical_policy(&node, &mut empirical);
        let moves = node.len() as f64;
        // The proposition takes lambda as it is now; the first choices were made under another one,
        // which is worth up to one visit and is forgotten after a few playouts.
        let slack = if playouts < 50 { 1.0 } else { 0.0 };
        let bound = (moves - 1.0 + slack) / (moves + f64::from(playouts)) + 1e-9;
        for (a, b) in empirical.iter().zip(&exact) {
            prop_assert!((a - b).abs() <= bound, "{a} {b} {bound}");
        }
    }

    #[test]
    fn the_improved_policy_improves(node in node(82), own in -1.0..1.0) {
        let sigma = dz_search::Sigma { c_visit: 50.0, c_scale: 0.1, rescale: false };
        let mixed_weight = gumbel::MixedWeight::Visits;
        let params = gumbel::GumbelParams { sigma, mixed_weight };
        let mut out = Vec::new();
        gumbel::improved_policy(&node, own, &params, &mut out);
        prop_assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // The theorem: the expected completed value is no less than under the prior.
        let mixed = gumbel::mixed_value(&node, own, mixed_weight);
        let expected = |policy: &mut dyn Iterator<Item = f64>| -> f64 {
            policy.zip(&node).map(|(p, c)| p * c.q.unwrap_or(mixed)).sum()
        };
        let improved = expected(&mut out.iter().copied());
        let prior = expected(&mut node.iter().map(|c| c.prior));
        prop_assert!(improved >= prior - 1e-9, "{improved} {prior}");
    }

    #[test]
    fn halving_spends_what_it_plans(considered in 1..40u32, simulations in 0..400u32) {
        let mut plan = Vec::new();
        gumbel::considered_visits(considered, simulations, &mut plan);
        prop_assert_eq!(plan.len(), simulations as usize);
        // Every step finds a move with exactly the planned visits.
        let mut node = vec![child(1.0 / f64::from(considered), 0.0, 0.0); considered as usize];
        let scores: Vec<f64> = (0..considered).map(|a| f64::from(a * 7 % considered)).collect();
        for &visits in &plan {
            let place = gumbel::root_select(&node, &scores, visits);
            prop_assert!(place.is_some());
            node[place.unwrap()].visits += 1.0;
        }
    }

    #[test]
    fn pruning_only_takes(node in node(82), c in 0.5..3.0) {
        let scale = puct::exploration_scale(c, visits_sum(&node) + puct::VISITS_OFFSET, 1.0);
        let mut out = Vec::new();
        target::pruned_visits(&node, scale, &mut out);
        prop_assert!(out.iter().zip(&node).all(|(kept, c)| *kept >= 0.0 && *kept <= c.visits));
        prop_assert!(out.iter().all(|kept| kept.fract() == 0.0));
        let share = target::pruned_share(&node, &out);
        prop_assert!((0.0..=1.0).contains(&share));
        prop_assert!(visits_sum(&node) == 0.0 || out.iter().sum::<f64>() > 0.0);
    }

    #[test]
    fn reshaped_priors_keep_their_order(node in node(82), temperature in 0.2..5.0) {
        let before: Vec<f64> = node.iter().map(|c| c.prior).collect();
        let mut after = before.clone();
        target::soften_priors(&mut after, temperature);
        prop_assert!((after.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for (a, b) in before.iter().zip(&after) {
            for (c, d) in before.iter().zip(&after) {
                prop_assert!(a <= c || b >= d);
            }
        }
        // And come back.
        target::raise_priors(&mut after, temperature);
        prop_assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn bounds_narrow_with_visits(q in -0.9..0.9, spread in 0.0..0.4, visits in 1..200u32) {
        let moments = |n: u32| lcb::Moments::of_visits(f64::from(n), q, q * q + spread * spread);
        let (fewer, more) = (lcb::bound(&moments(visits), 5.0), lcb::bound(&moments(visits + 1), 5.0));
        prop_assert!(more.radius < fewer.radius && more.lower > fewer.lower);
        prop_assert!(fewer.radius <= 10.0);
        let simple = lcb::simple_bound(&moments(visits), 5.0);
        prop_assert!(simple.lower >= fewer.lower - 1e-6);
    }

    #[test]
    fn concentrations_sum_to_the_total(node in node(361), total in 0.1..20.0) {
        let priors: Vec<f64> = node.iter().map(|c| c.prior).collect();
        let (mut even, mut shaped) = (Vec::new(), Vec::new());
        dirichlet::alphas(&priors, dz_search::NoiseShape::Total { total }, &mut even);
        dirichlet::alphas(&priors, dz_search::NoiseShape::Shaped { total }, &mut shaped);
        for (even, shaped) in even.iter().zip(&shaped) {
            prop_assert!(*shaped >= even / 2.0 - 1e-12);
        }
        prop_assert!((even.iter().sum::<f64>() / total - 1.0).abs() < 1e-9);
        prop_assert!((shaped.iter().sum::<f64>() / total - 1.0).abs() < 1e-9);
    }
}
