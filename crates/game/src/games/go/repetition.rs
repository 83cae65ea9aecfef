//! What superko compares, and which past positions can still come back.

use super::GoState;
use super::rules::{Rules, Superko};
use super::set::{Grid, Set};
use super::zobrist::xor;
use crate::{Key, Player};

/// What superko compares: the board, and under situational superko the next mover.
#[inline]
pub(super) fn repetition_key(rules: &Rules, hash: Key, to_move: Player) -> Key {
    if rules.superko == Superko::Situational && to_move == Player::Second {
        return xor(hash, Key { high: 0x5851_f42d_4c95_7f2d, low: 0x1405_7b7e_f767_814f });
    }
    hash
}

/// True if the position before the last move, a stone on `point`, cannot come back within `bound`
/// plies: the stone's chain would have to be captured first. Its S stones are bordered by empty
/// regions of E points in all, and a capture needs all but one of these filled. That takes S + E -
/// 1 plies or more.
#[inline]
pub(super) fn forgets<const N: usize, const ROW: u32>(
    grid: &Grid<N, ROW>,
    state: &GoState,
    point: u16,
    bound: u32,
) -> bool {
    let own = Set::<N>::load(&state.stones[state.mover.opponent().index()]);
    let other = Set::load(&state.stones[state.mover.index()]);
    let stone = Set::of(point);
    if stone.and(own).is_empty() {
        // It was suicide.
        return false;
    }
    let chain = grid.flood(stone, own);
    let empty = grid.all.without(own.or(other));
    let stones = chain.len();
    let mut region = grid.near(chain).and(empty);
    loop {
        if stones + region.len() > bound + 1 {
            return true;
        }
        let next = region.or(grid.near(region).and(empty));
        if next == region {
            return false;
        }
        region = next;
    }
}
