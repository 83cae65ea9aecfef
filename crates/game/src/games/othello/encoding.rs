//! What networks see of Othello.

use crate::{
    Encoding, Game, Move, PlaneShape, PlaneWriter, Player, Symmetry, Targets,
    games::othello::{Othello, OthelloState},
};

/// Version 1: own discs, opponent's discs, all points.
#[derive(Clone, Debug)]
pub struct OthelloEncoding {
    pub(super) game: Othello,
}

impl Encoding for OthelloEncoding {
    type Game = Othello;

    fn id(&self) -> String {
        format!("othello-v1:{0}x{0}", self.game.size())
    }

    fn planes(&self) -> PlaneShape {
        let side = self.game.size().into();
        PlaneShape { channels: 3, height: side, width: side, globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        ["own discs", "opponent's discs", "board"].map(str::to_owned).to_vec()
    }

    fn policy_len(&self) -> usize {
        usize::from(self.game.grid.area()) + 1
    }

    fn policy_layout(&self) -> String {
        "index = row * size + column; last = pass".to_owned()
    }

    fn policy_index(&self, _state: &OthelloState, mv: Move, symmetry: Symmetry) -> usize {
        self.game.map_move(symmetry, mv).0.into()
    }

    fn encode(&self, state: &OthelloState, (): &(), symmetry: Symmetry, out: &mut PlaneWriter<'_>) {
        for (plane, player) in [state.mover, state.mover.opponent()].into_iter().enumerate() {
            for at in self.game.places(state.discs[player.index()]) {
                let (row, column) = self.game.grid.map(symmetry, at);
                out.set(plane, row.into(), column.into());
            }
        }
        out.fill(2);
    }

    fn targets(&self) -> Targets {
        Targets { margin: true, ownership: true }
    }

    fn ownership(&self, end: &OthelloState, symmetry: Symmetry, out: &mut Vec<Option<Player>>) {
        let grid = self.game.grid;
        out.clear();
        out.resize(grid.area().into(), None);
        for player in Player::BOTH {
            for at in self.game.places(end.discs[player.index()]) {
                let (row, column) = grid.map(symmetry, at);
                out[usize::from(row * grid.size + column)] = Some(player);
            }
        }
    }
}
