//! The graph laid open, for listings and for tests.

use dz_game::{Game, Key, Move, Player, Wdl};

use crate::{
    Search,
    arena::{Node, NodeId},
};

/// A node of the graph as it stands; the root is in the [`crate::Summary`].
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    /// Its number, by the order in which nodes were made.
    pub id: u32,
    /// Its position's key; in a tree a name without meaning.
    pub key: Key,
    /// Who moves; `None` where the game is over.
    pub mover: Option<Player>,
    /// Q, the first player's.
    pub average: Wdl,
    /// U: the evaluation or the outcome, the first player's.
    pub own: Wdl,
    /// N.
    pub visits: u32,
    /// The legal moves that were visited, in the order of their first visits.
    pub edges: Vec<EdgeView>,
}

/// A move that was visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeView {
    /// The move.
    pub mv: Move,
    /// Its prior, as rounded for storage.
    pub prior: f32,
    /// N(n,a).
    pub visits: u32,
    /// Number of the node it leads to.
    pub child: u32,
}

impl<G: Game> Search<G> {
    /// Every node held, by number.
    pub fn nodes(&self) -> impl Iterator<Item = NodeView> + '_ {
        (0..self.arena.nodes.len() as u32).map(|id| self.view(NodeId(id)))
    }

    /// The number of the node that a move at the root leads to, once it was visited.
    pub fn root_child(&self, mv: Move) -> Option<u32> {
        self.root.edges.iter().find(|edge| edge.mv == mv)?.child.map(|child| child.0)
    }

    fn view(&self, id: NodeId) -> NodeView {
        let node = self.arena.node(id);
        let edges = self.arena.edges(node).iter().zip(self.arena.priors(node));
        NodeView {
            id: id.0,
            key: self.arena.keys[id.index()],
            mover: mover(node),
            average: node.average.wdl_for(1.0),
            own: node.own.wdl_for(1.0),
            visits: node.visits,
            edges: edges
                .map(|(edge, prior)| EdgeView {
                    mv: Move(prior.mv),
                    prior: prior.probability(),
                    visits: edge.visits,
                    child: edge.child.0,
                })
                .collect(),
        }
    }
}

fn mover(node: &Node) -> Option<Player> {
    let player = if node.sign > 0 { Player::First } else { Player::Second };
    (!node.is_terminal()).then_some(player)
}
