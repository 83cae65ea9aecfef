//! What networks see of Breakthrough.

use super::{Breakthrough, BreakthroughState, squares, squares_of};
use crate::{Encoding, Game, Move, PlaneShape, PlaneWriter, Player, Symmetry};

/// Version 1: own pawns, opponent's pawns, all squares. The mover always moves from row 0 upwards.
#[derive(Clone, Debug)]
pub struct BreakthroughEncoding {
    pub(super) game: Breakthrough,
}

impl BreakthroughEncoding {
    /// Row and column of a square as the mover sees it: the second player's board is flipped.
    fn seen(&self, mover: Player, square: u16) -> [usize; 2] {
        let [row, column] = [square / self.game.width(), square % self.game.width()];
        let row = match mover {
            Player::First => row,
            Player::Second => self.game.height() - 1 - row,
        };
        [row.into(), column.into()]
    }
}

impl Encoding for BreakthroughEncoding {
    type Game = Breakthrough;

    fn id(&self) -> String {
        format!("breakthrough-v1:{}x{}", self.game.height(), self.game.width())
    }

    fn planes(&self) -> PlaneShape {
        let [height, width] = [self.game.height(), self.game.width()].map(usize::from);
        PlaneShape { channels: 3, height, width, globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        ["own pawns", "opponent's pawns", "board"].map(str::to_owned).to_vec()
    }

    /// No pawn moves from the last row, and those on the edges have two steps each.
    fn policy_len(&self) -> usize {
        let PlaneShape { height, width, .. } = self.planes();
        (height - 1) * (3 * width - 2)
    }

    fn policy_layout(&self) -> String {
        "index = row * (3 * width - 2) + 3 * column + step, as the mover sees the board; step = -1 \
         to the left, 0 straight, 1 to the right"
            .to_owned()
    }

    fn policy_index(&self, state: &BreakthroughState, mv: Move, symmetry: Symmetry) -> usize {
        let [from, to] = squares_of(self.game.map_move(symmetry, mv));
        let [row, column] = self.seen(state.mover, from);
        let [_, column_after] = self.seen(state.mover, to);
        row * (3 * self.planes().width - 2) + 2 * column + column_after
    }

    fn encode(
        &self,
        state: &BreakthroughState,
        (): &(),
        symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let shown = self.game.map_state(symmetry, state);
        let mover = state.mover;
        for (plane, player) in [mover, mover.opponent()].into_iter().enumerate() {
            for square in squares(shown.pawns[player.index()]) {
                let [row, column] = self.seen(mover, square);
                out.set(plane, row, column);
            }
        }
        out.fill(2);
    }
}
