//! Random games on which every law is checked.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{LawBroken, Position, encoding, keys, keys_of, position, rollout, symmetry, text};
use crate::Game;

/// Plies after which a random game without a bound of its own is left unfinished.
const PLIES_UNBOUNDED: usize = 1_000;

/// Plays `games` random games from `seed` and checks every law on every position.
///
/// # Errors
/// The first law that is broken.
pub fn check<G: Game>(game: &G, seed: u64, games: u32) -> Result<(), LawBroken> {
    text::check_spec(game)?;
    encoding::check_shape(game)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut book = keys::KeyBook::default();
    let mut seen_moves = text::SeenMoves::default();
    let mut group = symmetry::Group::new(game)?;
    for _ in 0..games {
        check_game(game, &mut random, &mut book, &mut seen_moves, &mut group)?;
    }
    Ok(())
}

fn check_game<G: Game>(
    game: &G,
    random: &mut Xoshiro256PlusPlus,
    book: &mut keys::KeyBook,
    seen_moves: &mut text::SeenMoves,
    group: &mut symmetry::Group<G>,
) -> Result<(), LawBroken> {
    let mut state = game.start();
    let mut history = G::History::default();
    let mut legal = Vec::new();
    let mut moves = Vec::new();
    let mut mirrors = symmetry::Mirrors::new(game);
    let mut unkeyed = rollout::Unkeyed::new(game);
    let mut trail = position::Trail::<G>::default();
    loop {
        game.legal_moves(&state, &history, &mut legal);
        let here =
            Position { game, state: &state, history: &history, legal: &legal, moves: &moves };
        position::check(&here)?;
        trail.check(&here)?;
        book.check(&here)?;
        encoding::check(&here)?;
        text::check(&here, seen_moves)?;
        group.check(&here)?;
        mirrors.check(&here)?;
        unkeyed.check(&here)?;
        if legal.is_empty() || moves.len() == PLIES_UNBOUNDED {
            return trail.unwind(&here);
        }
        let mv = legal[random.random_range(0..legal.len())];
        trail.push(&state, keys_of(game, &state, &history));
        mirrors.play(game, mv);
        unkeyed.play(game, mv);
        game.advance(&mut state, &mut history, mv);
        moves.push(mv);
    }
}
