//! Openings: positions a few random plies into the game, no two the same.

use std::collections::BTreeSet;

use dz_game::{Game, Key, Move, Symmetry, mix64};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Moves from the start position that every game of a pair begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The moves.
    pub moves: Vec<Move>,
}

/// Up to `count` openings of `plies` random plies that lead to distinct positions, symmetric ones
/// counted as the same, none of them over. Where so many do not exist, as many as were found; they
/// are then repeated by the caller and show as duplicates.
pub fn distinct_openings<G: Game>(game: &G, plies: u32, count: usize, seed: u64) -> Vec<Opening> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(mix64(seed ^ 0x0be2));
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let mut openings = Vec::with_capacity(count);
    // Random play rarely misses a position for long; where it does, there are few left to find.
    let mut misses = 0;
    while openings.len() < count && misses < 200 + 20 * count {
        match random_line(game, plies, &mut random) {
            Some((moves, key)) if seen.insert(key) => openings.push(Opening { moves }),
            _ => misses += 1,
        }
    }
    openings
}

/// A random line and the smallest key of its end among the symmetries; `None` if the game ended.
fn random_line<G: Game>(
    game: &G,
    plies: u32,
    random: &mut Xoshiro256PlusPlus,
) -> Option<(Vec<Move>, Key)> {
    let mut state = game.start();
    let mut history = G::History::default();
    let mut moves = Vec::new();
    let mut legal = Vec::new();
    for _ in 0..plies {
        game.legal_moves(&state, &history, &mut legal);
        if legal.is_empty() {
            return None;
        }
        let mv = legal[random.random_range(0..legal.len())];
        game.advance(&mut state, &mut history, mv);
        moves.push(mv);
    }
    game.to_move(&state, &history)?;
    let images = (0..game.symmetry_count()).map(|s| game.map_state(Symmetry(s), &state));
    let key = images.map(|image| game.eval_key(&image, &history)).min()?;
    Some((moves, key))
}
