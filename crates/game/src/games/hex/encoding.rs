//! What networks see of Hex.

use crate::{
    Encoding, Move, PlaneShape, PlaneWriter, Player, Symmetry,
    games::hex::{Hex, HexState},
};

/// Version 1, from the mover's side, who connects top to bottom: the second player sees the board
/// with rows and columns exchanged. Own stones, opponent's stones, all points; with the swap rule a
/// full plane where the swap is legal.
#[derive(Clone, Debug)]
pub struct HexEncoding {
    pub(super) game: Hex,
}

impl HexEncoding {
    /// Where the mover sees `point` through `symmetry`.
    fn seen(&self, state: &HexState, symmetry: Symmetry, point: u16) -> u16 {
        let point = self.game.map_point(symmetry, point);
        match state.mover() {
            Player::First => point,
            Player::Second => self.game.board.transpose(point),
        }
    }
}

impl Encoding for HexEncoding {
    type Game = Hex;

    fn id(&self) -> String {
        let size = self.game.board.size;
        let swap = if self.game.swap { "-swap" } else { "" };
        format!("hex-v1:{size}x{size}{swap}")
    }

    fn planes(&self) -> PlaneShape {
        let side = self.game.board.size.into();
        let channels = 3 + usize::from(self.game.swap);
        PlaneShape { channels, height: side, width: side, globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        let names = ["own stones", "opponent's stones", "board", "swap is legal"];
        names[..self.planes().channels].iter().map(|&name| name.to_owned()).collect()
    }

    fn policy_len(&self) -> usize {
        usize::from(self.game.board.area()) + usize::from(self.game.swap)
    }

    fn policy_layout(&self) -> String {
        let points = "index = row * size + column, row and column exchanged for the second player";
        if self.game.swap { format!("{points}; last = swap") } else { points.to_owned() }
    }

    fn policy_index(&self, state: &HexState, mv: Move, symmetry: Symmetry) -> usize {
        let point =
            if mv == self.game.swap_move() { mv.0 } else { self.seen(state, symmetry, mv.0) };
        point.into()
    }

    fn encode(&self, state: &HexState, (): &(), symmetry: Symmetry, out: &mut PlaneWriter<'_>) {
        let board = &self.game.board;
        let mover = state.mover();
        for (plane, player) in [mover, mover.opponent()].into_iter().enumerate() {
            for point in board.iter(state.stones[player.index()]) {
                let (row, column) = board.split(self.seen(state, symmetry, point));
                out.set(plane, row.into(), column.into());
            }
        }
        out.fill(2);
        if self.game.swap_is_legal(state) {
            out.fill(3);
        }
    }
}
