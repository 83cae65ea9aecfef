//! How a small matrix product is split into thread blocks (cubes in `CubeCL`'s words).

use crate::cuda::tiles::GROUPS;

/// Rows, columns and depth of the tiles that a thread block multiplies at a time.
pub(super) const SIDE: usize = 64;

/// Threads of a block: four warps, each with a quarter of the sums.
pub(super) const THREADS: usize = 128;

/// The most parts of the depth. With more, adding them up would cost more than the product.
const PARTS_MAX: usize = 64;

/// How `rows x columns` sums of `depth` products each are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProductPlan {
    pub(super) groups_rows: usize,
    pub(super) groups_columns: usize,
    /// Parts of the depth. Each has thread blocks of its own.
    pub(super) parts: usize,
    /// Steps of [`SIDE`] that a part takes.
    pub(super) steps: usize,
}

impl ProductPlan {
    /// Splits the depth into as many parts as keep the GPU busy.
    pub(super) fn in_parts(rows: usize, columns: usize, depth: usize) -> Self {
        let whole = Self::whole(rows, columns, depth);
        let groups = whole.groups_rows * whole.groups_columns;
        let wanted = (GROUPS / groups).clamp(1, PARTS_MAX.min(whole.steps));
        let steps = whole.steps.div_ceil(wanted);
        Self { parts: whole.steps.div_ceil(steps), steps, ..whole }
    }

    /// Leaves the depth in one part.
    pub(super) fn whole(rows: usize, columns: usize, depth: usize) -> Self {
        assert!(rows > 0 && columns > 0 && depth > 0, "{rows} x {columns} x {depth}");
        Self {
            groups_rows: rows.div_ceil(SIDE),
            groups_columns: columns.div_ceil(SIDE),
            parts: 1,
            steps: depth.div_ceil(SIDE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_products_are_in_one_part() {
        for [rows, columns, depth] in
            [[1024, 82, 1296], [82, 1297, 1024], [3, 65, 256], [1, 1, 1], [2, 33, 1024 * 81]]
        {
            let plan = ProductPlan::in_parts(rows, columns, depth);
            assert!(plan.parts * plan.steps * SIDE >= depth, "{plan:?}");
            assert!((plan.parts - 1) * plan.steps * SIDE < depth, "a part has nothing, {plan:?}");
            assert!(plan.groups_rows * SIDE >= rows && plan.groups_columns * SIDE >= columns);
            assert!(plan.parts <= PARTS_MAX);
        }
        let policy = ProductPlan::in_parts(1024, 82, 1296);
        assert_eq!((policy.parts, policy.steps), (7, 3));
    }
}
