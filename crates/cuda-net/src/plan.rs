//! How a network is laid out on a multiprocessor.

use dz_infer::ValueColumns;
use dz_network_file::{Head, NetworkSpec};

/// Shared memory that a block of threads can have on compute capability 9.0 (CUDA C++ Programming
/// Guide, table of technical specifications): 227 KiB.
const SHARED_BYTES_MAX: usize = 227 << 10;

/// Points of a block of threads: four warpgroups take 64 rows each (`wgmma`'s M).
const POINTS_MAX: usize = 256;

/// Inputs of one product (`wgmma`'s K for halves).
pub(crate) const STEP: usize = 16;

/// Registers of a thread for sums and for activations under way, of the 112 that it has.
const REGISTERS_MAX: usize = 80;

/// Stages of the ring of weights: more than these hide nothing more.
const STAGES: std::ops::RangeInclusive<usize> = 3..=8;

/// Sizes of a network of residual blocks, and how a block of threads works on it.
///
/// ```
/// use dz_cuda_net::TowerPlan;
/// use dz_network_file::NetworkSpec;
///
/// let go = NetworkSpec::plain([18, 9, 9], 82, 6, 96);
/// assert_eq!(TowerPlan::of(&go).map(|plan| plan.positions_per_block), Some(3));
/// let large = NetworkSpec::plain([18, 19, 19], 362, 6, 96);
/// assert_eq!(TowerPlan::of(&large), None, "361 points are more than 256");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TowerPlan {
    /// Rows of the board.
    pub height: usize,
    /// Columns of the board.
    pub width: usize,
    /// Input planes.
    pub planes: usize,
    /// Numbers beside the planes.
    pub globals: usize,
    /// Channels of the tower.
    pub channels: usize,
    /// Residual blocks.
    pub blocks: usize,
    /// Channels of the policy head's 1x1 convolution.
    pub policy_channels: usize,
    /// Channels of the value head's 1x1 convolution.
    pub value_channels: usize,
    /// Width of the value head's hidden layer.
    pub value_hidden: usize,
    /// Length of the policy.
    pub policy_len: usize,
    /// Channels that every second block pools; 0 without global pooling.
    pub pooled: usize,
    /// Actions beside points, of a network for boards of any size.
    pub any_size_rest: Option<usize>,
    /// Positions that a block of threads works on at a time.
    pub positions_per_block: usize,
    /// What is computed beside win, draw and loss.
    pub columns: ValueColumns,
    /// Units of weights in shared memory.
    pub stages: usize,
    /// Products of 16 inputs whose weights are a unit.
    pub unit: usize,
    /// Products that are under way at a time.
    pub group: usize,
}

impl TowerPlan {
    /// The plan for a network, if it is of residual blocks, with or without global pooling, and
    /// fits a multiprocessor.
    pub fn of(spec: &NetworkSpec) -> Option<Self> {
        let area = spec.area();
        let steps = spec.channels / STEP;
        let heads = spec.policy_channels + spec.value_channels;
        let is_plain =
            spec.squeeze_ratio == 0 && spec.bottleneck_blocks == 0 && spec.policy_planes == 0;
        let fits = spec.channels.is_multiple_of(STEP)
            && spec.blocks > 0
            && (1..=POINTS_MAX).contains(&area)
            && spec.channels_in <= spec.channels
            && [spec.policy_channels, spec.value_channels, spec.value_hidden]
                .iter()
                .all(|width| width.is_multiple_of(8))
            && heads <= 64
            && spec.value_hidden <= 512;
        if !(is_plain && fits) {
            return None;
        }
        // A thread's sums are half as many as channels; a product's activations are four registers,
        // and two groups are under way.
        let fits_registers = |group: usize| spec.channels / 2 + 8 * group <= REGISTERS_MAX;
        let group = divisors(steps).filter(|&group| fits_registers(group)).max()?;
        let base = Self {
            height: spec.height,
            width: spec.width,
            planes: spec.channels_in,
            globals: spec.globals,
            channels: spec.channels,
            blocks: spec.blocks,
            policy_channels: spec.policy_channels,
            value_channels: spec.value_channels,
            value_hidden: spec.value_hidden,
            policy_len: spec.policy_len,
            pooled: if spec.global_pooling { spec.pooled_channels() } else { 0 },
            any_size_rest: spec.actions_beside_points().filter(|_| spec.any_size),
            columns: ValueColumns {
                margin: spec.heads.contains(&Head::Margin),
                error: spec.heads.contains(&Head::ShortTermError),
            },
            positions_per_block: POINTS_MAX / area,
            stages: 0,
            unit: 0,
            group,
        };
        // The largest unit with enough stages: a barrier costs the same whatever it guards.
        let units = divisors(steps).filter(|unit| unit.is_multiple_of(group));
        let units = units.filter(|unit| unit * STEP >= heads);
        units.map(|unit| base.with_unit(unit)).filter(|plan| plan.stages >= *STAGES.start()).last()
    }

    fn with_unit(self, unit: usize) -> Self {
        let others = 2 * self.activation_bytes() + self.extra_bytes();
        let each = unit * self.step_bytes() + 16;
        let stages = SHARED_BYTES_MAX.saturating_sub(others) / each;
        Self { unit, stages: stages.min(*STAGES.end()), ..self }
    }

    /// Points of the board.
    pub fn area(&self) -> usize {
        self.height * self.width
    }

    /// Numbers of a position beside its policy.
    pub(crate) fn value_outputs(&self) -> usize {
        self.columns.count()
    }

    /// Channels of both heads' 1x1 convolutions.
    pub(crate) fn heads(&self) -> usize {
        self.policy_channels + self.value_channels
    }

    /// Weights of one product.
    fn step_bytes(&self) -> usize {
        STEP * self.channels * 2
    }

    /// Activations of all points, 16 bytes between them, and a blank point.
    fn activation_bytes(&self) -> usize {
        (self.positions_per_block * self.area() + 1) * (self.channels * 2 + 16)
    }

    /// Channels that pooled ones shift.
    pub(crate) fn shifted(&self) -> usize {
        self.channels - self.pooled
    }

    /// Means and maxima of each position, and what they shift the other channels by. Before that,
    /// in the same place, what globals shift all channels by.
    fn extra_bytes(&self) -> usize {
        let pool = if self.pooled > 0 { 2 * self.pooled + self.shifted() } else { 0 };
        let globals = if self.globals > 0 { self.channels } else { 0 };
        self.positions_per_block * pool.max(globals) * 4
    }

    /// Shared memory that a block of threads needs: weights, activations twice, two barriers a
    /// stage, and what pooling and globals need.
    pub(crate) fn shared_bytes(&self) -> usize {
        let ring = self.stages * (self.unit * self.step_bytes() + 16);
        ring + 2 * self.activation_bytes() + self.extra_bytes()
    }

    /// Bytes of a position's packed planes.
    pub(crate) fn position_bytes(&self) -> usize {
        (self.planes * self.area()).div_ceil(8)
    }

    /// Numbers of a position that the policy's linear layer takes.
    pub(crate) fn policy_inputs(&self) -> usize {
        self.policy_channels * self.area()
    }

    /// Numbers of a position that the value's hidden layer takes.
    pub(crate) fn value_inputs(&self) -> usize {
        self.value_channels * self.area()
    }
}

fn divisors(number: usize) -> impl Iterator<Item = usize> {
    (1..=number).filter(move |divisor| number.is_multiple_of(*divisor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(shape: [usize; 3], channels: usize) -> Option<TowerPlan> {
        TowerPlan::of(&NetworkSpec::plain(shape, shape[1] * shape[2] + 1, 6, channels))
    }

    #[test]
    fn what_was_measured_on_a_card_is_what_is_planned() {
        let go = plan([16, 9, 9], 96).unwrap();
        assert_eq!([go.positions_per_block, go.stages, go.unit, go.group], [3, 7, 6, 3]);
        let connect4 = plan([3, 6, 7], 128).unwrap();
        assert_eq!([connect4.positions_per_block, connect4.unit, connect4.group], [6, 4, 2]);
    }

    #[test]
    fn every_plan_fits_a_multiprocessor() {
        for side in 2..=16 {
            for channels in (16..=160).step_by(16) {
                let spec = NetworkSpec {
                    global_pooling: side % 2 == 0,
                    globals: side % 3,
                    ..NetworkSpec::plain([12, side, side], side * side, 6, channels)
                };
                let Some(plan) = TowerPlan::of(&spec) else { continue };
                assert!(plan.shared_bytes() <= SHARED_BYTES_MAX, "{plan:?}");
                assert!(plan.positions_per_block * plan.area() <= POINTS_MAX, "{plan:?}");
                assert!(STAGES.contains(&plan.stages), "{plan:?}");
                assert!(plan.unit.is_multiple_of(plan.group), "{plan:?}");
                assert!((channels / STEP).is_multiple_of(plan.unit), "{plan:?}");
            }
        }
        assert!((5..=9).all(|side| plan([12, side, side], 128).is_some()));
    }

    #[test]
    fn other_networks_are_left_to_others() {
        let plain = NetworkSpec::plain([16, 9, 9], 82, 6, 96);
        assert!(TowerPlan::of(&plain).is_some());
        let pooling = NetworkSpec { global_pooling: true, any_size: true, ..plain.clone() };
        let pooling = TowerPlan::of(&pooling).unwrap();
        assert_eq!((pooling.pooled, pooling.any_size_rest), (24, Some(1)));
        assert!(TowerPlan::of(&NetworkSpec { globals: 2, ..plain.clone() }).is_some());
        for other in [
            NetworkSpec { squeeze_ratio: 4, ..plain.clone() },
            NetworkSpec { bottleneck_blocks: 2, ..plain.clone() },
            NetworkSpec { policy_len: 162, policy_planes: 2, ..plain.clone() },
            NetworkSpec { channels: 100, ..plain.clone() },
            NetworkSpec { channels: 192, ..plain.clone() },
            NetworkSpec { policy_channels: 3, ..plain.clone() },
            NetworkSpec { height: 19, width: 19, ..plain },
        ] {
            assert_eq!(TowerPlan::of(&other), None, "{other:?}");
        }
    }
}
