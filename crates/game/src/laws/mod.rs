//! The laws that every game obeys, checked on random play.
//!
//! Laws find what contradicts itself: keys that forget, symmetries that do not commute, two moves
//! in one policy slot. They cannot find rules or planes that are consistently wrong. Published
//! perft counts find wrong rules, the golden transcript wrong planes, so a game needs all three.

mod encoding;
mod keys;
mod position;
mod rollout;
mod symmetry;
mod text;

use std::fmt::Display;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use thiserror::Error;

use crate::{Game, Key, Move};

/// Plies after which a random game without a bound of its own is left unfinished.
const PLIES_UNBOUNDED: usize = 1_000;

/// A law that does not hold, where and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{law} is broken after moves [{moves}]: {detail}")]
pub struct LawBroken {
    /// The law's name.
    pub law: &'static str,
    /// The moves that lead there.
    pub moves: String,
    /// What was found.
    pub detail: String,
}

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

/// A position of a game under way, and how it came about.
struct Position<'a, G: Game> {
    game: &'a G,
    state: &'a G::State,
    history: &'a G::History,
    /// Legal moves as the game gave them.
    legal: &'a [Move],
    /// Moves since the start.
    moves: &'a [Move],
}

impl<G: Game> Position<'_, G> {
    fn broken(&self, law: &'static str, detail: impl Display) -> LawBroken {
        let moves: Vec<String> = self.moves.iter().map(|&mv| self.game.format_move(mv)).collect();
        LawBroken { law, moves: moves.join(" "), detail: detail.to_string() }
    }

    /// `Ok` if `holds`, else the law is broken.
    fn law<D: Display>(
        &self,
        law: &'static str,
        holds: bool,
        detail: impl FnOnce() -> D,
    ) -> Result<(), LawBroken> {
        if holds { Ok(()) } else { Err(self.broken(law, detail())) }
    }

    /// The position after `mv`.
    fn after(&self, mv: Move) -> (G::State, G::History) {
        let (mut state, mut history) = (self.state.clone(), self.history.clone());
        self.game.advance(&mut state, &mut history, mv);
        (state, history)
    }
}

/// A law that needs no position.
fn broken_at_start(law: &'static str, detail: impl Display) -> LawBroken {
    LawBroken { law, moves: String::new(), detail: detail.to_string() }
}

/// `eval_key` and `node_key` of a position.
fn keys_of<G: Game>(game: &G, state: &G::State, history: &G::History) -> (Key, Key) {
    (game.eval_key(state, history), game.node_key(state, history))
}

fn check_game<G: Game>(
    game: &G,
    random: &mut Xoshiro256PlusPlus,
    book: &mut keys::KeyBook,
    seen_moves: &mut text::SeenMoves,
    group: &mut symmetry::Group<G>,
) -> Result<(), LawBroken> {
    let (mut state, mut history) = (game.start(), G::History::default());
    let (mut legal, mut moves) = (Vec::new(), Vec::new());
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
