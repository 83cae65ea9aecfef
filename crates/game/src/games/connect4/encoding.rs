//! What networks see of Connect Four.

use crate::{
    Encoding, Game, Move, PlaneShape, PlaneWriter, Symmetry,
    games::connect4::{Connect4, Connect4State},
};

/// Version 1: own stones, opponent's stones, points where a stone can land, all points.
#[derive(Clone, Debug)]
pub struct Connect4Encoding {
    pub(super) game: Connect4,
}

impl Encoding for Connect4Encoding {
    type Game = Connect4;

    fn id(&self) -> String {
        format!("connect4-v1:{}x{}", self.game.board.height, self.game.board.width)
    }

    fn planes(&self) -> PlaneShape {
        let height = self.game.board.height.into();
        let width = self.game.board.width.into();
        PlaneShape { channels: 4, height, width, globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        ["own stones", "opponent's stones", "landing points", "board"].map(str::to_owned).to_vec()
    }

    fn policy_len(&self) -> usize {
        self.game.board.width.into()
    }

    fn policy_layout(&self) -> String {
        "index = column - 1".to_owned()
    }

    fn policy_index(&self, _state: &Connect4State, mv: Move, symmetry: Symmetry) -> usize {
        self.game.map_move(symmetry, mv).0.into()
    }

    fn encode(
        &self,
        state: &Connect4State,
        (): &(),
        symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let board = &self.game.board;
        let seen = self.game.map_state(symmetry, state);
        for x in 0..board.width {
            let landing = board.landing(seen.stones, x);
            for y in 0..board.height {
                let point = board.point(x, y);
                let at = (usize::from(y), usize::from(x));
                if seen.mover & point != 0 {
                    out.set(0, at.0, at.1);
                } else if seen.stones & point != 0 {
                    out.set(1, at.0, at.1);
                } else if landing == point {
                    out.set(2, at.0, at.1);
                }
                out.set(3, at.0, at.1);
            }
        }
    }
}
