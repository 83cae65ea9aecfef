//! The encoding of any game: each method is that of the game's own encoding.

use super::{AnyEncoding, AnyGame, AnyHistory, AnyState, of_another_game, on};
use crate::{Encoding, Move, PlaneShape, PlaneWriter, Player, Symmetry, Targets};

impl Encoding for AnyEncoding {
    type Game = AnyGame;

    fn id(&self) -> String {
        on!([self] => |encoding| encoding.id())
    }

    fn planes(&self) -> PlaneShape {
        on!([self] => |encoding| encoding.planes())
    }

    fn plane_names(&self) -> Vec<String> {
        on!([self] => |encoding| encoding.plane_names())
    }

    fn global_names(&self) -> Vec<String> {
        on!([self] => |encoding| encoding.global_names())
    }

    fn policy_len(&self) -> usize {
        on!([self] => |encoding| encoding.policy_len())
    }

    fn policy_planes(&self) -> Option<usize> {
        on!([self] => |encoding| encoding.policy_planes())
    }

    fn policy_layout(&self) -> String {
        on!([self] => |encoding| encoding.policy_layout())
    }

    fn policy_index(&self, state: &AnyState, mv: Move, symmetry: Symmetry) -> usize {
        on!([self, state] => |encoding, state| encoding.policy_index(state, mv, symmetry))
    }

    fn policy_indices(
        &self,
        state: &AnyState,
        moves: &[Move],
        symmetry: Symmetry,
        out: &mut Vec<u32>,
    ) {
        on!([self, state] => |encoding, state| {
            encoding.policy_indices(state, moves, symmetry, out);
        });
    }

    fn encode(
        &self,
        state: &AnyState,
        history: &AnyHistory,
        symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let history = self.whole(history);
        on!([self, state, &*history] => |encoding, state, history| {
            encoding.encode(state, history, symmetry, out);
        });
    }

    fn targets(&self) -> Targets {
        on!([self] => |encoding| encoding.targets())
    }

    fn ownership(&self, end: &AnyState, symmetry: Symmetry, out: &mut Vec<Option<Player>>) {
        on!([self, end] => |encoding, end| encoding.ownership(end, symmetry, out));
    }
}
