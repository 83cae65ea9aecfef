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
    /// What is carried beside policy and value; left out of headers where it is nothing, so that
    /// they keep the bytes that they had before there was more.
    #[serde(default, skip_serializing_if = "RowTargets::is_empty")]
    pub targets: RowTargets,
}

impl RowShape {
    /// The same with these auxiliary targets.
    #[must_use]
    pub fn carrying(self, targets: RowTargets) -> Self {
        Self { targets, ..self }
    }
}
