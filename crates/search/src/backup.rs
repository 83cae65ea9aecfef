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

#[cfg(test)]
mod tests {
    use dz_game::{Key, Wdl};

    use super::*;
    use crate::arena::Prior;

    /// A node of an example: U and the edges' visits with the children's values.
    struct Example {
        arena: Arena,
        id: NodeId,
        children: Vec<NodeId>,
    }

    impl Example {
        fn new(own: f32, children: &[(u32, f32)]) -> Self {
            let mut arena = Arena::default();
            let priors = vec![Prior::new(0, 0.1); 8];
            let value = |value: f32| Absolute { value, draw: 0.0 };
            let id = arena.add(Key::default(), value(own), 1, &priors);
            let mut this = Self { arena, id, children: Vec::new() };
            for &(visits, q) in children {
                this.link(visits, q);
            }
            this
        }
        fn link(&mut self, visits: u32, q: f32) {
            let own = Absolute { value: q, draw: 0.0 };
            let child = self.arena.add(Key::default(), own, -1, &[]);
            self.arena.link(self.id, child);
            self.arena.edge_mut(self.id, self.children.len()).visits = visits;
            self.children.push(child);
        }
        fn set(&mut self, child: usize, visits: u32, q: f32) {
            self.arena.edge_mut(self.id, child).visits = visits;
            self.arena.nodes[self.children[child].index()].average.value = q;
        }
        #[track_caller]
        fn assert(&mut self, visits: u32, q: f32) {
            refresh(&mut self.arena, self.id);
            let node = self.arena.node(self.id);
            assert_eq!(node.visits, visits);
            assert!((node.average.value - q).abs() < 1e-6, "{} is not {q}", node.average.value);
        }
    }

    /// Node A of D. J. Wu's document: its child C learns from another parent, and A catches up in one
    /// update, where a running average would stay near 0.38.
    #[test]
    fn a_node_uses_all_that_its_children_learnt() {
        let mut a = Example::new(0.40, &[(1, 0.38), (28, 0.39)]);
        a.assert(30, 0.39);
        a.set(1, 28, 0.51);
        a.assert(30, 0.5020);
        a.set(0, 2, 0.31);
        a.link(1, 0.25);
        a.assert(32, 0.485_937_5);
    }

    /// Node D there: 110 visits of its child F from elsewhere count as the one that D made.
    #[test]
    fn visits_of_other_parents_do_not_count() {
        let mut d = Example::new(0.52, &[(30, 0.56), (1, 0.28)]);
        d.assert(32, 0.55);
        d.arena.nodes[d.children[1].index()].visits = 110;
        d.set(1, 1, 0.26);
        d.assert(32, 0.549_375);
    }

    /// The tree of the document's first figures: wins by visits on the way up from a won leaf.
    #[test]
    fn a_playout_in_a_tree_is_a_running_average() {
        let mut low = Example::new(0.0, &[(1, 1.0)]);
        low.assert(2, 1.0 / 2.0);
        low.link(1, 1.0);
        low.assert(3, 2.0 / 3.0);
        let mut middle = Example::new(1.0, &[(2, 1.0 / 2.0)]);
        middle.assert(3, 2.0 / 3.0);
        middle.set(0, 3, 2.0 / 3.0);
        middle.assert(4, 3.0 / 4.0);
        let mut top = Example::new(0.0, &[(3, 2.0 / 3.0), (2, 1.0 / 2.0)]);
        top.assert(6, 3.0 / 6.0);
        top.set(0, 4, 3.0 / 4.0);
        top.assert(7, 4.0 / 7.0);
    }

    #[test]
    fn a_finished_game_keeps_its_outcome() {
        let mut arena = Arena::default();
        let id = arena.add(Key::default(), Absolute::of(Wdl::LOSS, 1.0), 1, &[]);
        refresh(&mut arena, id);
        assert_eq!((arena.node(id).visits, arena.node(id).average.value), (1, -1.0));
    }
}
