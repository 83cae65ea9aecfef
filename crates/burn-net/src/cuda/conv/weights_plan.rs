//! How the gradient of a kernel is shared out among a card's groups of threads.

use crate::cuda::conv::plan::{fills_tiles, largest_part};
use crate::cuda::conv::window::Window;
use crate::cuda::tiles::{GROUPS, TILE};

/// The part of the gradient of a 3x3 or 1x1 kernel that a group of threads computes: the taps of
/// one row, for some outputs and some inputs, over consecutive points. Known when a kernel is
/// compiled.
///
/// A group's planes stand in a grid, `planes_outputs` times `planes_inputs`. Each keeps, for each
/// of the taps, the sums of `tiles_outputs` tiles of 16 outputs and 16 inputs in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WeightsPlan {
    /// H
    pub(in crate::cuda) height: usize,
    /// W
    pub(in crate::cuda) width: usize,
    /// Rows of the kernel, and taps of a row: 3 or 1.
    pub(in crate::cuda) side: usize,
    /// Channels that are there.
    pub(in crate::cuda) inputs: usize,
    /// All of the convolution.
    pub(in crate::cuda) outputs: usize,
    /// Of a plane.
    pub(in crate::cuda) tiles_outputs: usize,
    pub(in crate::cuda) planes_outputs: usize,
    pub(in crate::cuda) planes_inputs: usize,
}

/// Points that a group has in shared memory at a time.
pub(in crate::cuda) const POINTS: usize = 128;

/// Tiles of outputs in a plane: with three taps 96 sums for each thread.
const TILES_OUTPUTS_MAX: usize = 4;

const PLANES_OUTPUTS_MAX: usize = 2;

/// With two for outputs 256 threads.
const PLANES_INPUTS_MAX: usize = 4;

impl WeightsPlan {
    /// None where outputs do not fill tiles, or half a tile if the kernel is 1x1.
    pub(crate) fn new(
        [height, width]: [usize; 2],
        side: usize,
        inputs: usize,
        outputs: usize,
    ) -> Option<Self> {
        let is_any = height > 0 && width > 0 && inputs > 0 && outputs > 0;
        if !(is_any && fills_tiles(side, outputs)) {
            return None;
        }
        let tiles = outputs.div_ceil(TILE);
        let tiles_outputs = largest_part(TILES_OUTPUTS_MAX, tiles)?;
        let planes_outputs = largest_part(PLANES_OUTPUTS_MAX, tiles / tiles_outputs)?;
        let planes_inputs = largest_part(PLANES_INPUTS_MAX, inputs.div_ceil(TILE))?;
        Some(Self {
            height,
            width,
            side,
            inputs,
            outputs,
            tiles_outputs,
            planes_outputs,
            planes_inputs,
        })
    }

    /// Of the group.
    pub(in crate::cuda) const fn group_outputs(&self) -> usize {
        self.planes_outputs * self.tiles_outputs * TILE
    }

    /// Of the group, some of which may not be there.
    pub(in crate::cuda) const fn group_inputs(&self) -> usize {
        self.planes_inputs * TILE
    }

    /// Groups that share the outputs.
    pub(in crate::cuda) const fn parts_outputs(&self) -> usize {
        self.outputs.div_ceil(self.group_outputs())
    }

    /// Groups that share the inputs.
    pub(in crate::cuda) const fn parts_inputs(&self) -> usize {
        self.inputs.div_ceil(self.group_inputs())
    }

    /// Inputs of points and, of a 3x3 kernel, of one before and one behind them; and a blank point
    /// behind. Of a kernel's row above or below the points named are those above or below.
    pub(in crate::cuda) const fn window_inputs(&self) -> Window {
        Window {
            channels: self.inputs,
            tiles: self.planes_inputs,
            before: self.side / 2 * (self.width + 1),
            rows: POINTS + self.side - 1,
            blank: 1,
        }
    }

    /// Outputs of points.
    pub(in crate::cuda) const fn window_outputs(&self) -> Window {
        Window {
            channels: self.outputs,
            tiles: self.planes_outputs * self.tiles_outputs,
            before: 0,
            rows: POINTS,
            blank: 0,
        }
    }

    /// Planes of a group.
    pub(in crate::cuda) const fn planes(&self) -> usize {
        self.planes_outputs * self.planes_inputs
    }

    /// Numbers of the gradient.
    pub(in crate::cuda) const fn factors(&self) -> usize {
        self.side * self.side * self.inputs * self.outputs
    }

    /// Groups that share what there is to sum up.
    const fn parts(&self) -> usize {
        self.side * self.parts_inputs() * self.parts_outputs()
    }

    /// Groups for what there is to sum up, for the points of a batch, and how many times [`POINTS`]
    /// each of the latter takes.
    pub(in crate::cuda) const fn groups(&self, rows: usize) -> [usize; 3] {
        let parts = self.parts();
        let pieces = rows.div_ceil(POINTS);
        let wanted = GROUPS.div_ceil(parts);
        let turns = pieces.div_ceil(if wanted < pieces { wanted } else { pieces });
        [parts, pieces.div_ceil(turns), turns]
    }

    /// So many rows that groups take more than one turn.
    pub(in crate::cuda) const fn rows_of_two_turns(&self) -> usize {
        GROUPS.div_ceil(self.parts()) * POINTS + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_factor_has_a_group_and_every_row_is_added_up_once() {
        let around = [(3, 32), (17, 96), (96, 96), (128, 128), (160, 160), (256, 256)];
        let around = around.map(|(inputs, outputs)| (3, inputs, outputs));
        let points = [(96, 8), (96, 16), (128, 64), (64, 128)];
        let points = points.map(|(inputs, outputs)| (1, inputs, outputs));
        for (side, inputs, outputs) in around.into_iter().chain(points) {
            for rows in [1, 128, 129, 64 * 42, 1024 * 81, 4096 * 361] {
                let plan = WeightsPlan::new([9, 9], side, inputs, outputs).unwrap();
                let [parts, pieces, turns] = plan.groups(rows);
                assert_eq!(parts, side * plan.parts_inputs() * plan.parts_outputs());
                assert_eq!(plan.parts_outputs() * plan.group_outputs(), outputs.max(TILE));
                assert!(plan.parts_inputs() * plan.group_inputs() >= inputs);
                assert!(pieces * turns * POINTS >= rows, "{plan:?}");
                assert!((pieces - 1) * turns * POINTS < rows, "a group without rows, {plan:?}");
                let windows = [plan.window_inputs(), plan.window_outputs()];
                let shared: usize = windows.iter().map(Window::shared_bytes).sum();
                assert!(shared < 99 << 10 && plan.planes() <= 8, "{plan:?}");
                let [_, _, turns] = plan.groups(plan.rows_of_two_turns());
                assert_eq!((turns, plan.groups(plan.rows_of_two_turns() - 1)[2]), (2, 1));
            }
        }
    }

    #[test]
    fn outputs_fill_tiles() {
        for (side, outputs) in [(3, 40), (3, 8), (3, 0), (1, 24), (1, 0), (2, 96)] {
            assert_eq!(WeightsPlan::new([9, 9], side, 96, outputs), None);
        }
    }
}
