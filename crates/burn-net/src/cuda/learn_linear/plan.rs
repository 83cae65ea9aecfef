//! How a small matrix product is shared out among a card's groups of threads.

use crate::cuda::tiles::GROUPS;

/// Rows, columns and depth of what a group of threads multiplies at a time.
pub(super) const SIDE: usize = 64;

/// Threads of a group: four planes, each with a quarter of the sums.
pub(super) const THREADS: usize = 128;

/// Parts of the depth. More would leave more to add up than the product costs.
const PARTS_MAX: usize = 64;

/// How `rows x columns` sums of `depth` products each are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProductPlan {
    pub(super) groups_rows: usize,
    pub(super) groups_columns: usize,
    /// Parts of the depth, each of which has a group.
    pub(super) parts: usize,
    /// Steps of [`SIDE`] that a part takes.
    pub(super) steps: usize,
}

impl ProductPlan {
    /// In as many parts as keep the card busy.
    pub(super) fn in_parts(rows: usize, columns: usize, depth: usize) -> Self {
        let whole = Self::whole(rows, columns, depth);
        let groups = whole.groups_rows * whole.groups_columns;
        let wanted = (GROUPS / groups).clamp(1, PARTS_MAX.min(whole.steps));
        let steps = whole.steps.div_ceil(wanted);
        Self { parts: whole.steps.div_ceil(steps), steps, ..whole }
    }

    /// In one part.
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
