//! What networks see of Gomoku.

use crate::{
    Encoding, Game, Move, PlaneShape, PlaneWriter, Symmetry,
    games::gomoku::{Gomoku, GomokuOpening, GomokuState, Stage},
};

/// Version 1: own stones, opponent's stones, all points. With an opening, own stones are those of
/// the colour whose turn it is, and four more planes (two with swap) are full or empty: the first
/// three stones are placed; black can be taken; two more stones are placed; two more stones can be
/// placed.
#[derive(Clone, Debug)]
pub struct GomokuEncoding {
    pub(super) game: Gomoku,
}

impl Encoding for GomokuEncoding {
    type Game = Gomoku;

    fn id(&self) -> String {
        let size = self.game.size();
        match self.game.opening {
            GomokuOpening::None => format!("gomoku-v1:{size}x{size}"),
            opening => format!("gomoku-v1:{size}x{size}-{}", opening.name()),
        }
    }

    fn planes(&self) -> PlaneShape {
        let side = self.game.size().into();
        let channels = 3 + 2 * usize::from(self.game.opening.choices());
        PlaneShape { channels, height: side, width: side, globals: 0 }
    }

    fn plane_names(&self) -> Vec<String> {
        let names = [
            "own stones",
            "opponent's stones",
            "board",
            "first three stones",
            "swap is legal",
            "two more stones",
            "more is legal",
        ];
        names[..self.planes().channels].iter().map(|&name| name.to_owned()).collect()
    }

    fn policy_len(&self) -> usize {
        (self.game.grid.area() + self.game.opening.choices()).into()
    }

    fn policy_layout(&self) -> String {
        let points = "index = row * size + column";
        match self.game.opening {
            GomokuOpening::None => points.to_owned(),
            GomokuOpening::Swap => format!("{points}; last = swap"),
            GomokuOpening::Swap2 => format!("{points}; last two = swap, more"),
        }
    }

    fn policy_index(&self, _state: &GomokuState, mv: Move, symmetry: Symmetry) -> usize {
        self.game.map_move(symmetry, mv).0.into()
    }

    fn encode(&self, state: &GomokuState, (): &(), symmetry: Symmetry, out: &mut PlaneWriter<'_>) {
        let colour = usize::from(state.placed % 2);
        for (plane, colour) in [colour, 1 - colour].into_iter().enumerate() {
            for at in self.game.places(&state.stones[colour]) {
                let (row, column) = self.game.grid.map(symmetry, at);
                out.set(plane, row.into(), column.into());
            }
        }
        out.fill(2);
        let opening = [
            state.stage == Stage::Three,
            state.stage.is_choice(),
            state.stage == Stage::TwoMore,
            self.game.more_is_legal(state),
        ];
        for plane in (0..4).filter(|&plane| opening[plane]) {
            out.fill(3 + plane);
        }
    }
}
