//! Views of the graph's nodes, for listings and tests.

use dz_game::{Key, Move, Player, Wdl};

use crate::{
    BiasView, Numbers, Search,
    domain::Domain,
    leads::NodeLead,
    node::{Kind, Node, NodeId, ROOT},
    node_weight::NodeWeight,
    numbers::{Prior, Real},
    sums::Sums,
};

/// A node of the graph as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    /// Its number, by the order in which nodes were made; 0 is the root.
    pub id: u32,
    /// Its position's key; in a tree a name without meaning.
    pub key: Key,
    /// Who moves; `None` where the game is over.
    pub mover: Option<Player>,
    /// Q, the first player's.
    pub average: Wdl,
    /// The same as one number in [-1, 1], unrounded.
    pub value: f64,
    /// Its draw share, unrounded.
    pub draw: f64,
    /// U: the evaluation or the outcome, the first player's.
    pub own: Wdl,
    /// The same as one number, unrounded.
    pub own_value: f64,
    /// N.
    pub visits: u32,
    /// What the first player has for certain and can hope for, where that is kept.
    pub bounds: Option<(f64, f64)>,
    /// Average of squared values, where it is kept.
    pub square: Option<f64>,
    /// Both halves over all edges and the node itself, where values are split.
    pub split: Option<SplitView>,
    /// What is expected in points, where they are kept.
    pub lead: Option<LeadView>,
    /// What its visits weigh, where that differs from visit to visit.
    pub weight: Option<WeightView>,
    /// Its part in a bucket of observed errors, where it has one.
    pub bias: Option<BiasView>,
    /// The legal moves that were visited, in the order of their first visits.
    pub edges: Vec<EdgeView>,
}

/// A move that was visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeView {
    /// The move.
    pub mv: Move,
    /// Its prior, as rounded for storage.
    pub prior: f64,
    /// N(n,a).
    pub visits: u32,
    /// Number of the node it leads to.
    pub child: u32,
    /// Playouts that went down and are not back.
    pub in_flight: u32,
    /// `Q_e`, the first player's, where it is kept.
    pub average: Option<f64>,
    /// The edge's statistics without leaves in flight, where values are split.
    pub split: Option<SplitView>,
}

/// Points that the first player is expected to win by, komi counted, and what they are worth to
/// that player beside winning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeadView {
    /// By the evaluation, or by the rules where the game is over.
    pub own_points: f64,
    /// What these are worth.
    pub own_utility: f64,
    /// The average over the node and its children.
    pub points: f64,
    /// The average of what points are worth.
    pub utility: f64,
}

impl LeadView {
    fn of<R: Real>(lead: &NodeLead<R>) -> Self {
        let NodeLead { own, average } = lead;
        Self {
            own_points: own.points.to_f64(),
            own_utility: own.utility.to_f64(),
            points: average.points.to_f64(),
            utility: average.utility.to_f64(),
        }
    }
}

/// What visits weigh by how sure the network is of its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightView {
    /// w: a visit that ended at the node.
    pub own: f64,
    /// W / N: a visit of the node on average.
    pub mean: f64,
}

impl WeightView {
    fn of<R: Real>(weight: &NodeWeight<R>) -> Self {
        Self { own: weight.own.to_f64(), mean: weight.mean.to_f64() }
    }
}

/// Network values and rollout outcomes apart, as in AlphaGo; sums are the first player's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitView {
    /// `N_v`: network values. In a graph an edge counts a share of its child's, so this need not be
    /// whole.
    pub values: f64,
    /// `W_v`: their sum.
    pub value_sum: f64,
    /// `N_r`: rollouts.
    pub outcomes: f64,
    /// `W_r`: the sum of their outcomes.
    pub outcome_sum: f64,
}

impl SplitView {
    fn of<R: Real>(sums: &Sums<R>) -> Self {
        Self {
            values: sums.values.to_f64(),
            value_sum: sums.value.value.to_f64(),
            outcomes: sums.outcomes.to_f64(),
            outcome_sum: sums.outcome.value.to_f64(),
        }
    }
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Every node held but the root, by number.
    pub fn nodes(&self) -> impl Iterator<Item = NodeView> + '_ {
        (1..self.arena.nodes.len() as u32).map(|id| self.view(NodeId(id)))
    }

    /// The root, once it is evaluated; its priors are those searched with.
    pub fn root_node(&self) -> Option<NodeView> {
        self.is_evaluated().then(|| self.view(ROOT))
    }

    /// The number of the node that a move at the root leads to, once it was visited.
    pub fn root_child(&self, mv: Move) -> Option<u32> {
        self.child_of(mv).map(|id| id.0)
    }

    /// The line of most visits that begins with a move at the root, of `plies_max` moves at most;
    /// ties go to the move that was visited first.
    pub fn line_from(&self, mv: Move, plies_max: usize) -> Vec<Move> {
        let mut line = vec![mv];
        let mut at = self.child_of(mv);
        while let Some(id) = at.filter(|_| line.len() < plies_max) {
            let node = self.arena.node(id);
            let edges = self.arena.edges(node).iter().zip(self.arena.priors(node));
            let best = edges
                .filter(|(edge, _)| edge.visits > 0 && edge.child != ROOT)
                .reduce(|best, next| if next.0.visits > best.0.visits { next } else { best });
            line.extend(best.map(|(_, prior)| Move(prior.mv())));
            at = best.map(|(edge, _)| edge.child);
        }
        line
    }

    fn view(&self, id: NodeId) -> NodeView {
        let node = self.arena.node(id);
        let side = self.arena.side.nodes.get(id.index());
        let edges = self.arena.edges(node).iter().zip(self.arena.priors(node)).enumerate();
        let counted = edges.filter(|(_, (edge, _))| edge.child != ROOT);
        NodeView {
            id: id.0,
            key: self.arena.keys[id.index()],
            mover: mover(node),
            average: node.average.wdl_for(N::Real::ONE),
            value: node.average.value.to_f64(),
            draw: node.average.draw.to_f64(),
            own: node.own.wdl_for(N::Real::ONE),
            own_value: node.own.value.to_f64(),
            visits: node.visits,
            bounds: side
                .filter(|_| self.params.prove)
                .map(|side| (side.lower.to_f64(), side.upper.to_f64())),
            square: side.filter(|_| self.arena.side.uses_squares).map(|side| side.square.to_f64()),
            split: self.arena.side.halves.get(id.index()).map(|halves| SplitView::of(&halves.sums)),
            lead: self.arena.side.leads.nodes.get(id.index()).map(LeadView::of),
            weight: self.arena.side.weights.get(id.index()).map(WeightView::of),
            bias: self.arena.side.buckets.view(id),
            edges: counted
                .map(|(place, (edge, prior))| {
                    let side = self.arena.side.edges.get(node.edges as usize + place);
                    EdgeView {
                        mv: Move(prior.mv()),
                        prior: prior.probability().to_f64(),
                        visits: edge.visits,
                        child: edge.child.0,
                        in_flight: side.map_or(0, |side| side.in_flight),
                        average: side.map(|side| side.average.value.to_f64()),
                        split: self
                            .arena
                            .side
                            .uses_halves
                            .then(|| SplitView::of(&self.arena.edge_sums(edge))),
                    }
                })
                .collect(),
        }
    }
}

fn mover<R: Real>(node: &Node<R>) -> Option<Player> {
    let player = if node.sign > 0 { Player::First } else { Player::Second };
    (node.kind != Kind::Terminal).then_some(player)
}
