//! What networks see of Gomoku.

use crate::{
    Encoding, Game, Move, PlaneShape, PlaneWriter, Symmetry,
    games::gomoku::{Gomoku, GomokuState},
};

/// Version 1: own stones, opponent's stones, all points.
#[derive(Clone, Debug)]
pub struct GomokuEncoding {
    pub(super) game: Gomoku,
}

impl Encoding for GomokuEncoding {
    type Game = Gomoku;

    fn id(&self) -> String {
        format!("gomoku-v1:{0}x{0}", self.game.size())
    }

    fn planes(&self) -> PlaneShape {
        let side = self.game.size().into();
        PlaneShape { channels: 3, height: side, width: side, globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        ["own stones", "opponent's stones", "board"].map(str::to_owned).to_vec()
    }

    fn policy_len(&self) -> usize {
        self.game.grid.area().into()
    }

    fn policy_layout(&self) -> String {
        "index = row * size + column".to_owned()
    }

    fn policy_index(&self, _state: &GomokuState, mv: Move, symmetry: Symmetry) -> usize {
        self.game.map_move(symmetry, mv).0.into()
    }

    fn encode(&self, state: &GomokuState, (): &(), symmetry: Symmetry, out: &mut PlaneWriter<'_>) {
        let mover = state.mover();
        for (plane, player) in [mover, mover.opponent()].into_iter().enumerate() {
            for at in self.game.places(&state.stones[player.index()]) {
                let (row, column) = self.game.grid.map(symmetry, at);
                out.set(plane, row.into(), column.into());
            }
        }
        out.fill(2);
    }
}
