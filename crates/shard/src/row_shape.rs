//! What a row's length depends on.

use dz_game::PlaneShape;
use serde::{Deserialize, Serialize};

use crate::RowTargets;

/// What a row's length depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowShape {
    /// Planes `[C, H, W]` and globals.
    pub planes: PlaneShape,
    /// Policy length, `A`.
    pub policy_len: usize,
    /// Auxiliary targets. An empty set is left out of headers, so that they keep the bytes that
    /// they had before there were any.
    #[serde(default, skip_serializing_if = "RowTargets::is_empty")]
    pub targets: RowTargets,
}

impl RowShape {
    /// The same shape with these auxiliary targets.
    #[must_use]
    pub fn carrying(self, targets: RowTargets) -> Self {
        Self { targets, ..self }
    }
}
