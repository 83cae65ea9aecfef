//! RAVE, Gumbel search and the regularised policy, implemented a second time from their sources.
//! Nothing here calls the crate's formulas, so an error in one of them makes the two differ.

use dz_search::{ExplorationTerm, Rave, RaveSchedule, Sigma, formula::Child};

/// A move's all-moves-as-first count and value for the mover, equivalent visits included.
#[derive(Clone, Copy)]
pub(super) struct MovesAsFirst {
    pub(super) visits: f64,
    pub(super) value: Option<f64>,
}

/// The scores of RAVE: Gelly and Silver 2007, section "Rapid Action Value Estimation", or Boon's
/// mail of 2 December 2008.
pub(super) fn rave(
    rave: &Rave,
    term: ExplorationTerm,
    children: &[Child],
    firsts: &[MovesAsFirst],
) -> Vec<f64> {
    let n_s: f64 = children.iter().map(|child| child.visits).sum();
    let m_s: f64 = firsts.iter().map(|first| first.visits).sum();
    let over = |sum: f64| match term {
        ExplorationTerm::Log => sum.max(1.0).ln(),
        ExplorationTerm::Printed => sum.max(1.0),
    };
    let one = |(child, first): (&Child, &MovesAsFirst)| match rave.schedule {
        RaveSchedule::Equivalence { k } => {
            let beta = (k / (k + 3.0 * n_s)).sqrt();
            let side =
                |value: f64, sum: f64, visits: f64| value + rave.c * (over(sum) / visits).sqrt();
            let uct = child.q.map(|q| side(q, n_s, child.visits));
            let rave = first.value.map(|q| side(q, m_s, first.visits));
            match (uct, rave) {
                (None, None) => f64::INFINITY,
                (Some(known), None) | (None, Some(known)) => known,
                (Some(uct), Some(_)) if beta == 0.0 => uct,
                (Some(_), Some(rave)) if beta == 1.0 => rave,
                (Some(uct), Some(rave)) => (1.0 - beta) * uct + beta * rave,
            }
        }
        RaveSchedule::Logarithm => {
            let beta = (1.0 - n_s.max(1.0).ln() / 20.0).clamp(0.0, 1.0);
            let bonus = |visits: f64| rave.c * (n_s.max(1.0).ln() / (visits + 1.0)).sqrt();
            beta * (first.value.unwrap_or(0.0) + bonus(first.visits))
                + (1.0 - beta) * (child.q.unwrap_or(0.0) + bonus(child.visits))
        }
    };
    children.iter().zip(firsts).map(one).collect()
}

/// Logits ln p + sigma(completed Q) (Danihelka et al. 2022, equations 8, 10 and 33): an unvisited
/// move has the mean of the node's own value and of visited values, weighted by priors.
pub(super) fn gumbel_logits(children: &[Child], own: f64, sigma: Sigma) -> Vec<f64> {
    let floor = f64::from(f32::MIN_POSITIVE);
    let prior = |child: &Child| child.prior.max(floor);
    let visits: f64 = children.iter().map(|child| child.visits).sum();
    let visited: Vec<(f64, f64)> =
        children.iter().filter_map(|child| child.q.map(|q| (prior(child), q))).collect();
    let mass: f64 = visited.iter().map(|(p, _)| p).sum();
    let mean = visited.iter().map(|(p, q)| p * q).sum::<f64>() / mass;
    let unseen = if visited.is_empty() { own } else { (own + visits * mean) / (1.0 + visits) };
    let mut values: Vec<f64> = children.iter().map(|child| child.q.unwrap_or(unseen)).collect();
    if sigma.rescale {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = (high - low).max(1e-8);
        values = values.iter().map(|value| (value - low) / width).collect();
    }
    let most = children.iter().map(|child| child.visits).fold(0.0, f64::max);
    let scale = (sigma.c_visit + most) * sigma.c_scale;
    let logit = |(child, value): (&Child, &f64)| scale * value + prior(child).ln();
    children.iter().zip(&values).map(logit).collect()
}

/// Shares in proportion to e^logit.
pub(super) fn softmax(logits: &[f64]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// lambda p / (alpha - q), with the alpha at which they sum to 1 (Grill et al. 2020, section 3),
/// found by halving. Without visits it is the prior.
pub(super) fn regularized(children: &[Child], unvisited: f64, c: f64) -> Vec<f64> {
    let priors: f64 = children.iter().map(|child| child.prior).sum();
    let pairs: Vec<(f64, f64)> =
        children.iter().map(|child| (child.prior / priors, child.q.unwrap_or(unvisited))).collect();
    let visits: f64 = children.iter().map(|child| child.visits).sum();
    if visits == 0.0 {
        return pairs.iter().map(|(prior, _)| *prior).collect();
    }
    let lambda = c * visits.sqrt() / (children.len() as f64 + visits);
    let has_prior = |pair: &&(f64, f64)| pair.0 > 0.0;
    let best = pairs.iter().filter(has_prior).map(|(_, q)| *q).fold(f64::NEG_INFINITY, f64::max);
    // Of alpha its distance from the best value, so that a small lambda loses no digits.
    let share = |&(prior, q): &(f64, f64), beyond: f64| {
        if prior > 0.0 { lambda * prior / (beyond + (best - q)) } else { 0.0 }
    };
    let sum = |beyond: f64| pairs.iter().map(|pair| share(pair, beyond)).sum::<f64>();
    let mut low = 0.0;
    let mut high = lambda;
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if sum(middle) > 1.0 { low = middle } else { high = middle }
    }
    let shares: Vec<f64> = pairs.iter().map(|pair| share(pair, high)).collect();
    let total: f64 = shares.iter().sum();
    shares.iter().map(|share| share / total).collect()
}
