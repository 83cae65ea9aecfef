//! The layer of each head in a network.

use crate::{HORIZONS, Head, NetworkSpec};

impl Head {
    /// Its one layer: the name, numbers that it gives and takes, at each point or for the whole
    /// board.
    pub fn layer(self, spec: &NetworkSpec) -> (&'static str, [usize; 2]) {
        let policy = spec.policy_layer();
        match self {
            Self::Reply => ("reply.linear", policy),
            Self::SoftPolicy => ("soft_policy.linear", policy),
            Self::ShortTerm => ("short_term.output", [HORIZONS * 3, spec.value_hidden]),
            Self::PliesLeft => ("plies_left.output", [1, spec.value_hidden]),
            Self::Margin => ("margin.output", [1, spec.value_hidden]),
            Self::Ownership => ("ownership.points", [3, spec.channels]),
        }
    }

    /// Numbers that a row's target has.
    pub fn target_len(self, spec: &NetworkSpec) -> usize {
        match self {
            Self::Reply | Self::SoftPolicy => spec.policy_len,
            Self::Ownership => 3 * spec.area(),
            Self::ShortTerm => HORIZONS * 3,
            Self::PliesLeft | Self::Margin => 1,
        }
    }
}
