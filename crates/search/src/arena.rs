//! Nodes, edges and priors in flat arrays.
//!
//! A node holds its moves sorted by falling prior. The first ones, those that were ever visited, have
//! an edge in the hot array; all have an entry in the cold array of priors. A selection therefore
//! looks at the visited moves and one more: with one first-play value a node, the best unvisited move
//! is the next in order.

use dz_game::{Key, Wdl};

/// Index of a node in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(pub u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Value and draw share of a position, both the first player's: averages stay averages when mover
/// and opponent alternate in any way.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Absolute {
    /// Win minus loss of the first player.
    pub value: f32,
    /// Probability of a draw.
    pub draw: f32,
}

impl Absolute {
    /// From the chances of somebody who is the first player if `sign` is 1, else the second.
    pub(crate) fn of(wdl: Wdl, sign: f32) -> Self {
        Self { value: sign * wdl.value(), draw: wdl.draw }
    }
    /// The chances of the player whose sign is given.
    pub(crate) fn wdl_for(self, sign: f32) -> Wdl {
        let decided = 1.0 - self.draw;
        let value = sign * self.value;
        // Averages of exact outcomes can round to a hair below 0.
        let (win, loss) = (0.5 * (decided + value), 0.5 * (decided - value));
        Wdl { win: win.max(0.0), draw: self.draw, loss: loss.max(0.0) }
    }
}

/// A position that was evaluated or is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Q: the average over evaluation and children.
    pub average: Absolute,
    /// U: the evaluation itself, or the outcome.
    pub own: Absolute,
    /// N: 1 + edge visits; 1 for ever where the game is over.
    pub visits: u32,
    /// First of the visited edges in the arena.
    pub edges: u32,
    /// First of the priors in the arena.
    pub priors: u32,
    /// Legal moves; 0 where the game is over.
    pub moves: u16,
    /// Visited moves: edges in use.
    pub visited: u16,
    /// 1 if the first player moves, -1 if the second does.
    pub sign: i8,
    /// Edges that fit before they must move, as a power of two.
    pub capacity_log2: u8,
}

impl Node {
    pub(crate) fn sign(&self) -> f32 {
        f32::from(self.sign)
    }
    /// Edges that fit before they must move.
    fn capacity(&self) -> usize {
        if self.capacity_log2 == 0 { 0 } else { 1 << self.capacity_log2 }
    }
    /// True if the game is over here.
    pub(crate) fn is_terminal(&self) -> bool {
        self.moves == 0
    }
}

/// A visited move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Where it leads.
    pub child: NodeId,
    /// N(n,a).
    pub visits: u32,
}

/// A legal move and its prior as a 16-bit share of 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    share: u16,
    /// The move's number.
    pub mv: u16,
}

impl Prior {
    pub(crate) fn new(mv: u16, probability: f32) -> Self {
        Self { share: (probability.clamp(0.0, 1.0) * 65535.0).round() as u16, mv }
    }
    /// Ascending from the largest prior, in 16 bits.
    pub(crate) fn rank(self) -> u64 {
        u64::from(u16::MAX - self.share)
    }
    pub(crate) fn probability(self) -> f32 {
        f32::from(self.share) * (1.0 / 65535.0)
    }
}

/// Room for edges when a node gets its first one; it doubles when full.
const FIRST_CAPACITY_LOG2: u8 = 2;

/// All nodes of a search but the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    pub nodes: Vec<Node>,
    /// The key of each node, for the table.
    pub keys: Vec<Key>,
    edges: Vec<Edge>,
    priors: Vec<Prior>,
}

const NO_EDGE: Edge = Edge { child: NodeId(u32::MAX), visits: 0 };

impl Arena {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.keys.clear();
        self.edges.clear();
        self.priors.clear();
    }

    /// Adds a node whose priors are sorted already; none means that the game is over.
    pub(crate) fn add(&mut self, key: Key, own: Absolute, sign: i8, priors: &[Prior]) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            average: own,
            own,
            visits: 1,
            edges: self.edges.len() as u32,
            priors: self.priors.len() as u32,
            moves: priors.len() as u16,
            visited: 0,
            sign,
            capacity_log2: 0,
        });
        self.keys.push(key);
        self.priors.extend_from_slice(priors);
        id
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The visited edges, in order of falling prior.
    pub(crate) fn edges(&self, node: &Node) -> &[Edge] {
        &self.edges[node.edges as usize..node.edges as usize + usize::from(node.visited)]
    }

    /// All legal moves, in order of falling prior.
    pub(crate) fn priors(&self, node: &Node) -> &[Prior] {
        &self.priors[node.priors as usize..node.priors as usize + usize::from(node.moves)]
    }

    pub(crate) fn edge_mut(&mut self, id: NodeId, place: usize) -> &mut Edge {
        let first = self.nodes[id.index()].edges as usize;
        &mut self.edges[first + place]
    }

    /// Gives the next unvisited move of `id` an edge to `child`, without visits.
    pub(crate) fn link(&mut self, id: NodeId, child: NodeId) {
        let node = &mut self.nodes[id.index()];
        let visited = usize::from(node.visited);
        if visited == node.capacity() {
            let log2 = (node.capacity_log2 + 1).max(FIRST_CAPACITY_LOG2);
            let (old, new) = (node.edges as usize, self.edges.len());
            node.edges = new as u32;
            node.capacity_log2 = log2;
            self.edges.extend_from_within(old..old + visited);
            self.edges.resize(new + (1 << log2), NO_EDGE);
        }
        let first = node.edges as usize;
        node.visited += 1;
        self.edges[first + visited] = Edge { child, visits: 0 };
    }

    /// Takes back the last edge of `id` if no playout was counted on it.
    pub(crate) fn unlink_uncounted(&mut self, id: NodeId) {
        let node = &self.nodes[id.index()];
        let uncounted = self.edges(node).last().is_some_and(|edge| edge.visits == 0);
        self.nodes[id.index()].visited -= u16::from(uncounted);
    }

    /// True if the next node might not be addressable: offsets are 32 bits wide.
    pub(crate) fn is_full(&self) -> bool {
        let most = self.nodes.len().max(self.edges.len()).max(self.priors.len());
        most > u32::MAX as usize - 4 * usize::from(u16::MAX)
    }

    /// Copies a node with its edges and priors from another arena; children still name nodes there.
    pub(crate) fn copy_from(&mut self, other: &Self, id: NodeId) -> NodeId {
        let node = other.node(id);
        let copy = self.add(other.keys[id.index()], node.own, node.sign, other.priors(node));
        if node.visited > 0 {
            self.edges.extend_from_slice(other.edges(node));
            self.edges.resize(self.nodes[copy.index()].edges as usize + node.capacity(), NO_EDGE);
        }
        let edges = self.nodes[copy.index()].edges;
        self.nodes[copy.index()] = Node { edges, priors: self.nodes[copy.index()].priors, ..*node };
        copy
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.keys[..])
            + size_of_val(&self.edges[..])
            + size_of_val(&self.priors[..])
    }
}
