//! Backup: the idempotent update of the nodes on a playout's path.

use crate::{
    arena::{Absolute, Arena, NodeId},
    root::RootEdge,
};

/// N and Q of an inner node from its edges and children.
pub(crate) fn refresh(arena: &mut Arena, id: NodeId) {
    let node = arena.node(id);
    if node.is_terminal() {
        return;
    }
    let children = arena.edges(node).iter().map(|edge| (edge.visits, edge.child));
    let (visits, average) = recompute(arena, node.own, children);
    let node = &mut arena.nodes[id.index()];
    (node.visits, node.average) = (visits, average);
}

/// N and Q of the root.
pub(crate) fn refresh_root(arena: &Arena, own: Absolute, edges: &[RootEdge]) -> (u32, Absolute) {
    let children = edges.iter().filter_map(|edge| Some((edge.visits, edge.child?)));
    recompute(arena, own, children)
}

/// N = 1 + sum N(a), Q = (U + sum N(a) Q(a)) / N, summed in the order of the edges.
fn recompute(
    arena: &Arena,
    own: Absolute,
    children: impl Iterator<Item = (u32, NodeId)>,
) -> (u32, Absolute) {
    let (mut visits, mut value, mut draw) = (1, own.value, own.draw);
    for (edge_visits, child) in children {
        let child = arena.node(child).average;
        visits += edge_visits;
        value += edge_visits as f32 * child.value;
        draw += edge_visits as f32 * child.draw;
    }
    let share = 1.0 / visits as f32;
    (visits, Absolute { value: value * share, draw: draw * share })
}
