//! Stones on the points of square boards, for the games that have them.

use std::any::Any;

use dz_game::{
    Game, Player,
    games::{Go, Gomoku, Hex, Othello},
};

/// Whose stone lies on each point, row by row from the top left; `None` for games without points.
pub(crate) fn stones<G: Game>(game: &G, state: &G::State) -> Option<Vec<Option<Player>>> {
    let (game, state): (&dyn Any, &dyn Any) = (game, state);
    of(game, state, Go::size, Go::stone_at)
        .or_else(|| of(game, state, Hex::size, Hex::stone_at))
        .or_else(|| of(game, state, Gomoku::size, Gomoku::stone_at))
        .or_else(|| of(game, state, Othello::size, Othello::disc_at))
}

fn of<T: Game>(
    game: &dyn Any,
    state: &dyn Any,
    size: fn(&T) -> u16,
    at: fn(&T, &T::State, u16) -> Option<Player>,
) -> Option<Vec<Option<Player>>> {
    let (game, state) = (game.downcast_ref::<T>()?, state.downcast_ref::<T::State>()?);
    let area = size(game) * size(game);
    Some((0..area).map(|point| at(game, state, point)).collect())
}
