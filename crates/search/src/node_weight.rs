//! What visits of a node weigh by how sure the network is of its values.

use serde::{Deserialize, Serialize};

use crate::numbers::Real;

/// Beside a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeWeight<R> {
    /// w: what a visit weighs that ended here.
    pub own: R,
    /// W / N: what a visit weighs on average.
    pub mean: R,
}

impl<R: Real> NodeWeight<R> {
    /// A node whose visits all weigh the same.
    pub(crate) fn of(own: R) -> Self {
        Self { own, mean: own }
    }
}
