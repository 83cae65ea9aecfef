//! Replies that save a bridge, for rollouts.
//!
//! Two stones with two common empty neighbours form a bridge: if the opponent takes one of these
//! points, the other one still connects them. Rollouts of `MoHex` answer so (B. Arneson, R.
//! Hayward and P. Henderson, Monte Carlo Tree Search in Hex, IEEE T-CIAIG 2010).

use super::{Hex, HexState};
use crate::{Move, Player};

/// Steps to the six neighbours by row and column, in the order around a point: neighbours that
/// follow each other are neighbours of one another.
const AROUND: [(i16, i16); 6] = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)];

/// A neighbour, as the player to move sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// A stone or an edge of the player.
    Own,
    Empty(u16),
    /// A stone or an edge of the opponent.
    Other,
}

/// Points that save a bridge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Replies {
    points: [u16; AROUND.len()],
    len: usize,
}

impl Replies {
    pub(super) fn as_slice(&self) -> &[u16] {
        &self.points[..self.len]
    }
}

impl Hex {
    /// The points that save a bridge of the player to move after the opponent's stone `last`. An
    /// edge of the board counts as a stone of its player.
    pub(super) fn bridge_replies(&self, state: &HexState, last: Move) -> Replies {
        let mut found = Replies::default();
        if last.0 >= self.board.area() {
            return found;
        }
        let mover = state.mover();
        let (row, column) = self.board.split(last.0);
        let cells = AROUND.map(|(down, right)| {
            self.cell(state, mover, (row as i16 + down, column as i16 + right))
        });
        for (at, first) in cells.into_iter().enumerate() {
            let [between, second] = [1, 2].map(|steps| cells[(at + steps) % AROUND.len()]);
            if let (Cell::Own, Cell::Empty(point), Cell::Own) = (first, between, second) {
                found.points[found.len] = point;
                found.len += 1;
            }
        }
        found
    }

    /// A point, or what lies beyond the edge: the first player has the edges above and below.
    fn cell(&self, state: &HexState, mover: Player, (row, column): (i16, i16)) -> Cell {
        let size = self.board.size as i16;
        let owner = if !(0..size).contains(&row) {
            Some(Player::First)
        } else if !(0..size).contains(&column) {
            Some(Player::Second)
        } else {
            self.stone_at(state, (row * size + column) as u16)
        };
        match owner {
            Some(player) if player == mover => Cell::Own,
            Some(_) => Cell::Other,
            None => Cell::Empty((row * size + column) as u16),
        }
    }
}
