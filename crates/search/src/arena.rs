//! Nodes, edges and priors in flat arrays.
//!
//! A node's moves stand in one row: first those that were ever visited, in the order of their first
//! visits, then the others. The visited ones have an edge in the hot array; all have an entry in
//! the cold array of priors. A selection therefore looks at the visited moves and one more. All
//! unvisited moves of a node have the same first-play value, so the best of them is the one with
//! the largest prior. It is moved to the front of the unvisited moves on the first request. Nothing
//! is ever sorted.

use dz_game::Key;
use serde::{Deserialize, Serialize};

use crate::{
    leads::NodeLead,
    memory::bytes_of,
    node::{Edge, Kind, NewNode, Node, NodeId, ROOT},
    node_weight::NodeWeight,
    numbers::{Numbers, Prior, Real},
    side::{EdgeSide, MoveSide, NodeSide, Side},
    sums::Halves,
};

const NO_EDGE: Edge = Edge { child: ROOT, visits: 0 };

/// Room for edges when a node gets its first one; it doubles when full.
const FIRST_CAPACITY_LOG2: u8 = 1;

/// All nodes of a search, the root first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct Arena<N: Numbers> {
    pub nodes: Vec<Node<N::Real>>,
    /// The key of each node, for the table.
    pub keys: Vec<Key>,
    pub edges: Vec<Edge>,
    pub priors: Vec<N::Prior>,
    pub side: Side<N::Real>,
}

impl<N: Numbers> Arena<N> {
    pub(crate) fn new(side: Side<N::Real>) -> Self {
        let (nodes, keys, edges, priors) = Default::default();
        Self { nodes, keys, edges, priors, side }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.keys.clear();
        self.edges.clear();
        self.priors.clear();
        self.side.clear();
    }

    /// Adds a node without moves.
    pub(crate) fn add(&mut self, new: NewNode<N::Real>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            average: new.own,
            own: new.own,
            visits: 1,
            own_visits: 1,
            edges: self.edges.len() as u32,
            priors: self.priors.len() as u32,
            moves: 0,
            visited: 0,
            sign: new.sign,
            capacity_log2: 0,
            kind: new.kind,
            head_ready: false,
        });
        self.keys.push(new.key);
        if self.side.uses_nodes {
            self.side.nodes.push(NodeSide::new(new.own, new.kind));
        }
        if self.side.uses_halves {
            self.side.halves.push(Halves::default());
        }
        if self.side.uses_buckets {
            self.side.buckets.add_node();
        }
        if self.side.uses_leads {
            self.side.leads.nodes.push(NodeLead::default());
        }
        if self.side.uses_weights {
            self.side.weights.push(NodeWeight::of(N::Real::ONE));
        }
        id
    }

    /// Sets the visits of a node that was just added: those that ended there.
    pub(crate) fn set_visits(&mut self, id: NodeId, visits: u32) {
        let node = self.node_mut(id);
        node.visits = visits;
        node.own_visits = visits;
    }

    /// Gives a node without moves its legal moves.
    pub(crate) fn expand(&mut self, id: NodeId, priors: impl Iterator<Item = N::Prior>) {
        let first = self.priors.len();
        self.priors.extend(priors);
        let moves = self.priors.len() - first;
        let node = &mut self.nodes[id.index()];
        node.priors = first as u32;
        node.moves = moves as u16;
        node.kind = Kind::Expanded;
        if self.side.uses_moves {
            self.side.moves.resize(first + moves, MoveSide::default());
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node<N::Real> {
        &self.nodes[id.index()]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node<N::Real> {
        &mut self.nodes[id.index()]
    }

    /// The visited edges, in the order of their first visits.
    pub(crate) fn edges(&self, node: &Node<N::Real>) -> &[Edge] {
        &self.edges[node.edges as usize..node.edges as usize + usize::from(node.visited)]
    }

    /// All legal moves, the visited ones first.
    pub(crate) fn priors(&self, node: &Node<N::Real>) -> &[N::Prior] {
        &self.priors[node.priors as usize..node.priors as usize + usize::from(node.moves)]
    }

    pub(crate) fn edge_mut(&mut self, id: NodeId, place: usize) -> &mut Edge {
        let first = self.nodes[id.index()].edges as usize;
        &mut self.edges[first + place]
    }

    /// What an edge has beside child and count, where it has.
    pub(crate) fn edge_side(&self, node: &Node<N::Real>, place: usize) -> &EdgeSide<N::Real> {
        &self.side.edges[node.edges as usize + place]
    }

    pub(crate) fn edge_side_mut(&mut self, id: NodeId, place: usize) -> &mut EdgeSide<N::Real> {
        let first = self.nodes[id.index()].edges as usize;
        &mut self.side.edges[first + place]
    }

    /// What legal moves have beside their priors, where they have.
    pub(crate) fn move_sides(&self, node: &Node<N::Real>) -> &[MoveSide<N::Real>] {
        let first = node.priors as usize;
        &self.side.moves[first..first + usize::from(node.moves)]
    }

    /// Brings the unvisited move with the largest prior to the front of the unvisited ones. `tie`
    /// picks one of several at random; without it the lowest move comes first.
    pub(crate) fn prepare_head(&mut self, id: NodeId, tie: Option<u64>) {
        let node = &mut self.nodes[id.index()];
        if node.head_ready || node.visited == node.moves {
            return;
        }
        node.head_ready = true;
        let first = node.priors as usize;
        let head = first + usize::from(node.visited);
        let rest = &self.priors[head..first + usize::from(node.moves)];
        let best = match tie {
            None => N::Prior::largest(rest),
            Some(word) => N::Prior::largest_at_random(rest, word),
        };
        self.swap_moves(head, head + best);
    }

    /// Exchanges two legal moves of one node, by their places in the arena.
    pub(crate) fn swap_moves(&mut self, a: usize, b: usize) {
        self.priors.swap(a, b);
        if self.side.uses_moves {
            self.side.moves.swap(a, b);
        }
    }

    /// Gives the unvisited move at `place` an edge without visits or child; answers its new place.
    pub(crate) fn link(&mut self, id: NodeId, place: usize) -> usize {
        let node = self.nodes[id.index()];
        let visited = usize::from(node.visited);
        if place != visited {
            self.swap_moves(node.priors as usize + place, node.priors as usize + visited);
        }
        if visited == node.capacity() {
            self.grow_edges(id);
        }
        let node = &mut self.nodes[id.index()];
        node.visited += 1;
        node.head_ready = false;
        let at = node.edges as usize + visited;
        self.edges[at] = NO_EDGE;
        if self.side.uses_edges {
            self.side.edges[at] = EdgeSide::default();
        }
        visited
    }

    fn grow_edges(&mut self, id: NodeId) {
        let node = &mut self.nodes[id.index()];
        let log2 = (node.capacity_log2 + 1).max(FIRST_CAPACITY_LOG2);
        let old = node.edges as usize;
        let new = self.edges.len();
        let visited = usize::from(node.visited);
        node.edges = new as u32;
        node.capacity_log2 = log2;
        self.edges.extend_from_within(old..old + visited);
        self.edges.resize(new + (1 << log2), NO_EDGE);
        if self.side.uses_edges {
            self.side.edges.extend_from_within(old..old + visited);
            self.side.edges.resize(new + (1 << log2), EdgeSide::default());
        }
    }

    /// Takes back the edges of `id` on which no playout was counted.
    pub(crate) fn unlink_uncounted(&mut self, id: NodeId) {
        let mut place = 0;
        while place < usize::from(self.nodes[id.index()].visited) {
            let node = self.nodes[id.index()];
            let first = node.edges as usize;
            if self.edges[first + place].visits > 0 {
                place += 1;
                continue;
            }
            let last = usize::from(node.visited) - 1;
            self.edges.swap(first + place, first + last);
            if self.side.uses_edges {
                self.side.edges.swap(first + place, first + last);
            }
            self.swap_moves(node.priors as usize + place, node.priors as usize + last);
            let node = &mut self.nodes[id.index()];
            node.visited = last as u16;
            node.head_ready = false;
            if self.side.uses_nodes {
                // The choice that still held is named by a place.
                self.side.nodes[id.index()].held_visits = 0;
            }
        }
    }

    /// Takes back the edge that was linked last at `id`.
    pub(crate) fn unlink_last(&mut self, id: NodeId) {
        let node = &mut self.nodes[id.index()];
        node.visited -= 1;
        node.head_ready = false;
    }

    /// True if the next node might not be addressable: offsets are 32 bits wide.
    pub(crate) fn is_full(&self) -> bool {
        let most = self.nodes.len().max(self.edges.len()).max(self.priors.len());
        most > u32::MAX as usize - 4 * usize::from(u16::MAX)
    }

    /// Makes room for so many more nodes like the root at once, so that growing does not leave half
    /// of the room unused.
    pub(crate) fn reserve(&mut self, nodes: usize, moves: usize) {
        self.nodes.reserve_exact(nodes);
        self.keys.reserve_exact(nodes);
        self.priors.reserve_exact(nodes * moves);
        if self.side.uses_nodes {
            self.side.nodes.reserve_exact(nodes);
        }
        if self.side.uses_halves {
            self.side.halves.reserve_exact(nodes);
        }
        if self.side.uses_buckets {
            self.side.buckets.reserve(nodes);
        }
        if self.side.uses_leads {
            self.side.leads.nodes.reserve_exact(nodes);
        }
        if self.side.uses_weights {
            self.side.weights.reserve_exact(nodes);
        }
    }

    /// Bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.nodes)
            + bytes_of(&self.keys)
            + bytes_of(&self.edges)
            + bytes_of(&self.priors)
            + self.side.bytes()
    }
}
