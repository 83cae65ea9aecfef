//! From the run configuration to settings of searches and players.

use dz_config::{Anchor, AnchorKind, Fpu as ConfigFpu, FpuKind, SearchSection};
use dz_search::{FirstPlay, Puct, SearchParams, Selection};

use crate::{PlayerKind, PlayerSetup, rollout_anchor};

/// The searches of a run, with networks or without.
pub fn search_params(section: &SearchSection) -> SearchParams {
    let ConfigFpu { kind, value } = section.fpu;
    SearchParams {
        graph: section.graph,
        selection: Selection::Puct(Puct::constant(section.c_puct)),
        fpu: match kind {
            FpuKind::Absolute => FirstPlay::Absolute(value),
            FpuKind::Reduction => FirstPlay::Reduction(value),
        },
        nodes_max: section.nodes_max,
        ..SearchParams::default()
    }
}

/// A fixed opponent; `rollouts` is the index of a source of rollouts.
pub fn anchor_player(anchor: &Anchor, rollouts: usize) -> PlayerSetup {
    match anchor.kind {
        AnchorKind::Random => PlayerSetup { name: anchor.name.clone(), kind: PlayerKind::Random },
        AnchorKind::Rollout { playouts } => rollout_anchor(&anchor.name, playouts, rollouts),
    }
}
