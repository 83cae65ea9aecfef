//! Selection: which move a playout takes.

use crate::{
    Fpu, SearchParams, Selection, TieBreak,
    arena::{Arena, Node, NodeId},
    root::RootEdge,
};

/// Added under PUCT's root so that the first choice follows the prior (KataGo).
const VISITS_OFFSET: f32 = 0.01;

/// What both formulas need of a node, once for all its moves.
#[derive(Clone, Copy)]
struct Scorer {
    selection: Selection,
    /// PUCT: c sqrt(s + 0.01). UCT: ln s.
    scale: f32,
    /// The mover's value of a move without visits.
    unvisited: f32,
}

impl Scorer {
    /// `edge_visits` is the node's sum, `value` its Q, the mover's; `mass` the sum of priors visited.
    fn new(params: &SearchParams, edge_visits: u32, value: f32, mass: f32) -> Self {
        let visits = edge_visits as f32;
        let scale = match params.selection {
            Selection::Puct { c_puct } => c_puct * (visits + VISITS_OFFSET).sqrt(),
            Selection::Uct { .. } => visits.max(1.0).ln(),
        };
        let unvisited = match (params.selection, params.fpu) {
            (Selection::Uct { .. }, _) => f32::INFINITY,
            (Selection::Puct { .. }, Fpu::Absolute(value)) => value,
            (Selection::Puct { .. }, Fpu::Reduction(less)) => value - less * mass.max(0.0).sqrt(),
        };
        Self { selection: params.selection, scale, unvisited }
    }

    /// The score of a visited move; `value` is the mover's.
    fn visited(&self, value: f32, prior: f32, visits: u32) -> f32 {
        match self.selection {
            Selection::Puct { .. } => value + self.scale * prior / (1.0 + visits as f32),
            Selection::Uct { c } => value + c * (self.scale / visits as f32).sqrt(),
        }
    }

    fn unvisited(&self, prior: f32) -> f32 {
        match self.selection {
            Selection::Puct { .. } => self.unvisited + self.scale * prior,
            Selection::Uct { .. } => self.unvisited,
        }
    }
}

/// The place, in order of falling prior, of the move that a playout takes at an inner node.
pub(crate) fn select_inner(arena: &Arena, id: NodeId, params: &SearchParams) -> usize {
    let node = arena.node(id);
    let (edges, priors) = (arena.edges(node), arena.priors(node));
    let sign = node.sign();
    let mass = visited_mass(params, node, arena);
    let scorer = Scorer::new(params, node.visits - 1, sign * node.average.value, mass);
    // The place of the best so far; on equal scores an earlier move or, in random order, place wins.
    let mut best = (f32::NEG_INFINITY, u16::MAX, 0);
    let by_move = params.tie_break == TieBreak::LowestMove;
    for (place, (edge, prior)) in edges.iter().zip(priors).enumerate() {
        let value = sign * arena.node(edge.child).average.value;
        let score = scorer.visited(value, prior.probability(), edge.visits);
        if score > best.0 || (score == best.0 && by_move && prior.mv < best.1) {
            best = (score, prior.mv, place);
        }
    }
    if let Some(prior) = priors.get(edges.len()) {
        let score = scorer.unvisited(prior.probability());
        if score > best.0 || (score == best.0 && by_move && prior.mv < best.1) {
            best = (score, prior.mv, edges.len());
        }
    }
    best.2
}

/// Only the reduction needs the priors' sum.
fn visited_mass(params: &SearchParams, node: &Node, arena: &Arena) -> f32 {
    match params.fpu {
        Fpu::Absolute(_) => 0.0,
        Fpu::Reduction(_) => {
            let visited = &arena.priors(node)[..usize::from(node.visited)];
            visited.iter().map(|prior| prior.probability()).sum()
        }
    }
}

/// The index of the root's edge that a playout takes; `value` is the root's Q, the mover's.
pub(crate) fn select_root(
    arena: &Arena,
    edges: &[RootEdge],
    sign: f32,
    value: f32,
    params: &SearchParams,
) -> usize {
    let (mut visits, mut mass) = (0, 0.0);
    let mut next = (None, f32::NEG_INFINITY);
    for (place, edge) in edges.iter().enumerate() {
        if edge.visits > 0 {
            visits += edge.visits;
            mass += edge.noisy_prior;
        } else if edge.noisy_prior > next.1 {
            // As at inner nodes, where moves are sorted, only the largest prior can be next.
            next = (Some(place), edge.noisy_prior);
        }
    }
    let scorer = Scorer::new(params, visits, value, mass);
    let mut best = (f32::NEG_INFINITY, f32::NEG_INFINITY, 0);
    for (place, edge) in edges.iter().enumerate() {
        let score = match edge.child {
            Some(child) if edge.visits > 0 => {
                let value = sign * arena.node(child).average.value;
                scorer.visited(value, edge.noisy_prior, edge.visits)
            }
            _ if Some(place) == next.0 => scorer.unvisited(edge.noisy_prior),
            _ => continue,
        };
        // The edges are in the order of their moves; noisy priors carry the random order of ties.
        let tied_but_first =
            score == best.0 && params.tie_break == TieBreak::Random && edge.noisy_prior > best.1;
        if score > best.0 || tied_but_first {
            best = (score, edge.noisy_prior, place);
        }
    }
    best.2
}
