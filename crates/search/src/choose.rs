//! From a search to the move played.

use rand::{Rng, RngExt};

use dz_game::{Move, Wdl};

use crate::{
    MoveChoice, RootMove, Sigma, Summary,
    formula::{self, Bound, Child, GumbelParams, MixedWeight},
};

/// Chooses the move to play. A search without visits falls back on priors.
///
/// # Panics
/// If there are no moves: the game is over at the root.
pub fn choose_move(summary: &Summary, choice: MoveChoice, random: &mut impl Rng) -> Move {
    let left;
    let moves = if summary.has_proofs() {
        let worth = summary.moves.iter().zip(worth_playing(&summary.moves));
        left = worth.filter_map(|(m, is)| is.then_some(*m)).collect::<Vec<RootMove>>();
        &left[..]
    } else {
        &summary.moves[..]
    };
    let weights = match choice {
        MoveChoice::MostVisits => return most_visited(moves),
        MoveChoice::BestValue => {
            return best_by(moves, |m| (m.q.unwrap_or(f64::NEG_INFINITY), f64::from(m.visits)));
        }
        MoveChoice::BestAmaf => {
            return best_by(moves, |m| (m.amaf.unwrap_or(f64::NEG_INFINITY), f64::from(m.visits)));
        }
        MoveChoice::LowerBound { deviations, visits_share } => {
            return lower_bound(moves, deviations, visits_share);
        }
        MoveChoice::Gumbel(sigma) => return gumbel(summary, moves, sigma),
        MoveChoice::Temperature(temperature) => {
            let mut weights = Vec::new();
            let children: Vec<Child> = moves.iter().map(RootMove::quiet_child).collect();
            let visited = children.iter().any(|child| child.visits > 0.0);
            // Without visits, moves are sampled from the priors, at temperature 1.
            let temperature = if visited { temperature } else { 1.0 };
            formula::temperature_weights(&children, temperature, &mut weights);
            weights
        }
        MoveChoice::Regularized { c } => {
            let mut weights = Vec::new();
            let children: Vec<Child> = moves.iter().map(RootMove::child).collect();
            formula::regularized_policy(&children, summary.value, c, &mut weights);
            weights
        }
    };
    // Rounding can leave a rest behind the last weight; the most visited move has the most weight.
    sample(&weights, random).map_or_else(|| most_visited(moves), |place| moves[place].mv)
}

/// Samples a place by weights, each 0 or more. Returns none where all are 0, or where rounding
/// leaves a rest behind the last.
pub fn sample(weights: &[f64], random: &mut impl Rng) -> Option<usize> {
    let mut left = random.random::<f64>() * weights.iter().sum::<f64>();
    weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    })
}

/// The moves that proofs leave: the proven wins if there are any; else all moves but proven losses,
/// if any are left.
pub(crate) fn worth_playing(moves: &[RootMove]) -> Vec<bool> {
    let most = moves.iter().filter_map(|m| m.proven).fold(f64::NEG_INFINITY, f64::max);
    let all_proven = moves.iter().all(|m| m.proven.is_some());
    let is_worth = |m: &RootMove| match m.proven {
        Some(value) if most >= 1.0 || all_proven => value == most,
        Some(value) => value > -1.0,
        None => most < 1.0,
    };
    moves.iter().map(is_worth).collect()
}

fn most_visited(moves: &[RootMove]) -> Move {
    let value = |m: &RootMove| m.wdl.map_or(f32::NEG_INFINITY, Wdl::value);
    let better = |a: &RootMove, b: &RootMove| {
        (a.weight, value(a), a.prior).partial_cmp(&(b.weight, value(b), b.prior))
            == Some(std::cmp::Ordering::Greater)
    };
    let mut best = &moves[0];
    for candidate in &moves[1..] {
        if better(candidate, best) {
            best = candidate;
        }
    }
    best.mv
}

/// The first of the moves with the largest key, or the most visited where none has one.
fn best_by(moves: &[RootMove], key: impl Fn(&RootMove) -> (f64, f64)) -> Move {
    let mut best: Option<(&RootMove, (f64, f64))> = None;
    for m in moves {
        let key = key(m);
        if key.0 > f64::NEG_INFINITY && best.is_none_or(|(_, most)| key > most) {
            best = Some((m, key));
        }
    }
    best.map_or_else(|| most_visited(moves), |(m, _)| m.mv)
}

fn lower_bound(moves: &[RootMove], deviations: f64, visits_share: f64) -> Move {
    let visits: Vec<f64> = moves.iter().map(|m| f64::from(m.visits)).collect();
    let bounds: Vec<Bound> =
        moves.iter().map(|m| formula::bound(&m.moments(), deviations)).collect();
    let chosen = formula::lcb_choice(&visits, &bounds, visits_share);
    chosen.map_or_else(|| most_visited(moves), |place| moves[place].mv)
}

fn gumbel(summary: &Summary, moves: &[RootMove], sigma: Sigma) -> Move {
    let mut children: Vec<Child> = moves.iter().map(RootMove::child).collect();
    let noise: Vec<f64> = moves.iter().map(|m| m.gumbel).collect();
    let params = GumbelParams { sigma, mixed_weight: MixedWeight::Visits };
    let mut scores = Vec::new();
    formula::root_scores(&children, &noise, summary.own_value, &params, &mut scores);
    // Sequential halving counts the visits of this search alone.
    for (child, m) in children.iter_mut().zip(moves) {
        child.visits = f64::from(m.visits_here);
    }
    let chosen = formula::root_choice(&children, &scores);
    chosen.map_or_else(|| most_visited(moves), |place| moves[place].mv)
}
