//! From the run configuration to settings of searches and players.

use dz_config::{Anchor, AnchorKind, Fpu as ConfigFpu, FpuKind, SearchSection};
use dz_search::{CatchUp, Fpu, SearchParams, Selection, TieBreak};

use crate::{PlayerKind, PlayerSetup, rollout_anchor};

/// The searches of a run, with networks or without.
pub fn search_params(section: &SearchSection) -> SearchParams {
    let ConfigFpu { kind, value } = section.fpu;
    SearchParams {
        graph: section.graph,
        selection: Selection::Puct { c_puct: section.c_puct as f32 },
        fpu: match kind {
            FpuKind::Absolute => Fpu::Absolute(value as f32),
            FpuKind::Reduction => Fpu::Reduction(value as f32),
        },
        catch_up: CatchUp::Continue,
        tie_break: TieBreak::LowestMove,
        nodes_max: section.nodes_max,
    }
}

/// A fixed opponent; `rollouts` is the index of a source of rollouts.
pub fn anchor_player(anchor: &Anchor, rollouts: usize) -> PlayerSetup {
    match anchor.kind {
        AnchorKind::Random => PlayerSetup { name: anchor.name.clone(), kind: PlayerKind::Random },
        AnchorKind::Rollout { playouts } => rollout_anchor(&anchor.name, playouts, rollouts),
    }
}
