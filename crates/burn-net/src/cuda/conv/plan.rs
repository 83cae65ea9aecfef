//! How a convolution is shared out among a card's groups of threads.

use crate::cuda::conv::window::Window;
use crate::cuda::tiles::{FACTORS, RUN, TILE};

/// What a group of threads (a cube in `CubeCL`'s words, a block in CUDA's) does of a 3x3 or 1x1
/// convolution. Known when a kernel is compiled.
///
/// A group takes points that follow each other, wherever boards begin and end, and some of the
/// outputs. Its planes (of 32 threads, warps in CUDA's words) stand in a grid: `planes_points`
/// share the points, `planes_outputs` the outputs. Each keeps the sums of
/// `tiles_points * tiles_outputs` tiles, 16x16 each, in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Plan {
    /// H
    pub(in crate::cuda) height: usize,
    /// W
    pub(in crate::cuda) width: usize,
    /// Rows of the kernel, and columns: 3 or 1.
    pub(in crate::cuda) side: usize,
    /// Channels that are there.
    pub(in crate::cuda) inputs: usize,
    /// All of the convolution.
    pub(in crate::cuda) outputs: usize,
    pub(in crate::cuda) planes_points: usize,
    pub(in crate::cuda) planes_outputs: usize,
    /// Of a plane.
    pub(in crate::cuda) tiles_points: usize,
    /// Of a plane.
    pub(in crate::cuda) tiles_outputs: usize,
}

/// Tiles of points in a plane: each factor that it loads is used for so many products.
const TILES_POINTS: usize = 4;

/// Tiles of outputs in a plane: with four of points, 128 sums for each thread, half of its
/// registers.
const TILES_OUTPUTS_MAX: usize = 4;

/// With two for outputs, 128 threads and 128 points. Two or three such groups have room on a
/// multiprocessor, so that one reads while another multiplies.
const PLANES_POINTS: usize = 2;

const PLANES_OUTPUTS_MAX: usize = 2;

/// Shared memory that one group gets on every card from compute capability 8.0 on (CUDA C++
/// Programming Guide 13.0, section "Compute Capabilities": 99 KiB and more).
const SHARED_BYTES_MAX: usize = 99 << 10;

impl Plan {
    /// None where outputs do not fill tiles, or half a tile if the kernel is 1x1, and where so many
    /// channels do not fit.
    pub(crate) fn new(
        [height, width]: [usize; 2],
        side: usize,
        inputs: usize,
        outputs: usize,
    ) -> Option<Self> {
        let tiles = outputs.div_ceil(TILE);
        let tiles_outputs = largest_part(TILES_OUTPUTS_MAX, tiles)?;
        let planes_outputs = largest_part(PLANES_OUTPUTS_MAX, tiles / tiles_outputs)?;
        let plan = Self {
            height,
            width,
            side,
            inputs,
            outputs,
            planes_points: PLANES_POINTS,
            planes_outputs,
            tiles_points: TILES_POINTS,
            tiles_outputs,
        };
        let is_some = height > 0 && width > 0 && inputs > 0 && fills_tiles(side, outputs);
        (is_some && plan.window().shared_bytes() <= SHARED_BYTES_MAX).then_some(plan)
    }

    /// Points of a group.
    pub(in crate::cuda) const fn points(&self) -> usize {
        self.planes_points * self.plane_points()
    }

    /// Points of a plane.
    pub(in crate::cuda) const fn plane_points(&self) -> usize {
        self.tiles_points * TILE
    }

    /// How many points before a point its first neighbour is, and how many behind it its last one.
    pub(in crate::cuda) const fn reach(&self) -> usize {
        self.side / 2 * (self.width + 1)
    }

    /// Points of the kernel.
    pub(in crate::cuda) const fn taps(&self) -> usize {
        self.side * self.side
    }

    /// Inputs of a group's points and of all their neighbours, and a blank point behind.
    pub(in crate::cuda) const fn window(&self) -> Window {
        Window {
            channels: self.inputs,
            tiles: self.tiles_inputs(),
            before: self.reach(),
            rows: self.points() + 2 * self.reach(),
            blank: 1,
        }
    }

    /// Channels in tiles; those that are not there are zero.
    pub(in crate::cuda) const fn tiles_inputs(&self) -> usize {
        self.inputs.div_ceil(TILE)
    }

    /// Outputs in tiles, of all planes and groups; those that are not there are zero.
    pub(in crate::cuda) const fn all_tiles_outputs(&self) -> usize {
        self.outputs.div_ceil(TILE)
    }

    /// Of a packed kernel.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    pub(in crate::cuda) const fn factors(&self) -> usize {
        self.taps() * self.tiles_inputs() * self.all_tiles_outputs() * FACTORS
    }

    /// Planes of a group.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    pub(in crate::cuda) const fn planes(&self) -> usize {
        self.planes_points * self.planes_outputs
    }

    /// Groups for the rows of a batch, and for the outputs.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    pub(in crate::cuda) const fn groups(&self, rows: usize) -> [usize; 2] {
        let outputs = TILE * self.tiles_outputs * self.planes_outputs;
        [rows.div_ceil(self.points()), self.outputs.div_ceil(outputs)]
    }
}

/// Whether outputs fill tiles of [`TILE`] channels. Those of a 1x1 kernel, as heads have them, may
/// be half of one.
pub(in crate::cuda) const fn fills_tiles(side: usize, outputs: usize) -> bool {
    match side {
        1 => outputs == RUN || outputs.is_multiple_of(TILE),
        3 => outputs.is_multiple_of(TILE),
        _ => false,
    }
}

/// The largest part of some that they can be cut into evenly, of those up to `max`.
pub(in crate::cuda) fn largest_part(max: usize, of: usize) -> Option<usize> {
    (1..=max).rev().find(|part| of.is_multiple_of(*part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_has_a_tile_and_every_row_a_group() {
        for [height, width] in [[3, 3], [6, 7], [9, 9], [19, 19]] {
            for (batch, outputs) in [(64, 32), (4096, 96), (4096, 128), (1000, 160), (4096, 224)] {
                let plan = Plan::new([height, width], 3, outputs, outputs).unwrap();
                let [groups, parts] = plan.groups(batch * height * width);
                assert_eq!(parts * plan.planes_outputs * plan.tiles_outputs * TILE, outputs);
                let rows = groups * plan.points();
                assert!((0..plan.points()).contains(&(rows - batch * height * width)));
                assert!(plan.planes() <= 4 && plan.window().stride() % 2 == 1, "{plan:?}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_has_no_plan() {
        let plan = |side, inputs, outputs| Plan::new([9, 9], side, inputs, outputs);
        assert_eq!(plan(3, 96, 40), None);
        assert_eq!(plan(3, 512, 512), None);
        assert_eq!(plan(3, 17, 96).unwrap().tiles_inputs(), 2);
        assert_eq!((plan(3, 96, 8), plan(1, 96, 24), plan(2, 96, 96)), (None, None, None));
    }

    #[test]
    fn half_a_tile_of_a_head_is_a_tile_of_factors() {
        let plan = Plan::new([9, 9], 1, 96, 8).unwrap();
        assert_eq!((plan.reach(), plan.factors(), plan.groups(1024 * 81)), (0, 96 * 16, [648, 1]));
    }
}
