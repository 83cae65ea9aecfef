//! From visits to the move played and to the policy target.

use rand::{Rng, RngExt};

use dz_game::{Move, Wdl};

use crate::{RootMove, Summary};

/// How the move to play is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoveChoice {
    /// The most visits; ties by value, then by prior, then the lowest move.
    MostVisits,
    /// In proportion to visits^(1/temperature), temperature above 0 (AlphaGo Zero, Methods).
    Temperature(f64),
}

/// Chooses the move to play. A search without visits falls back on priors.
///
/// # Panics
/// If there are no moves: the game is over at the root.
pub fn choose_move(summary: &Summary, choice: MoveChoice, random: &mut impl Rng) -> Move {
    let weights: Vec<f64> = match choice {
        MoveChoice::MostVisits => return most_visited(&summary.moves),
        MoveChoice::Temperature(temperature) => weights(&summary.moves, temperature),
    };
    let mut left = random.random::<f64>() * weights.iter().sum::<f64>();
    for (root_move, weight) in summary.moves.iter().zip(&weights) {
        left -= weight;
        if left < 0.0 {
            return root_move.mv;
        }
    }
    // Rounding can leave a crumb; the most visited move has the most weight.
    most_visited(&summary.moves)
}

/// Edge visits as shares of their sum, in the order of the moves: the policy target.
pub fn visit_shares(moves: &[RootMove]) -> Vec<f64> {
    let sum: f64 = moves.iter().map(|m| f64::from(m.visits)).sum();
    moves.iter().map(|m| f64::from(m.visits) / sum.max(1.0)).collect()
}

fn most_visited(moves: &[RootMove]) -> Move {
    let value = |m: &RootMove| m.wdl.map_or(f32::NEG_INFINITY, Wdl::value);
    let better = |a: &RootMove, b: &RootMove| {
        (a.visits, value(a), a.prior).partial_cmp(&(b.visits, value(b), b.prior))
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

fn weights(moves: &[RootMove], temperature: f64) -> Vec<f64> {
    let most = moves.iter().map(|m| m.visits).max().unwrap_or(0);
    if most == 0 {
        return moves.iter().map(|m| f64::from(m.prior)).collect();
    }
    // Shares of the largest keep powers in range for any temperature.
    moves.iter().map(|m| (f64::from(m.visits) / f64::from(most)).powf(1.0 / temperature)).collect()
}
