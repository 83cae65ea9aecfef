//! Arrays beside those of the arena that only some algorithms need; they are empty otherwise.

use dz_search_settings::{
    Backup, EpsilonSchedule, Gumbel, GumbelInner, Revisit, SearchParams, Selection, Staleness,
};

use crate::{
    memory::bytes_of,
    node::{Kind, NodeId},
    numbers::Real,
    sums::{Halves, is_split},
    value::ValueAbs,
};

/// Beside an edge.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EdgeSide<R> {
    /// `Q_e`: the average of the samples that went up through it (delta backup).
    pub average: ValueAbs<R>,
    /// Playouts that went down and are not back yet.
    pub in_flight: u32,
    /// Playouts that came back to a position on their own path and counted as draws.
    pub cycle_draws: u32,
}

/// Beside a legal move.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MoveSide<R> {
    /// All-moves-as-first average, the first player's.
    pub amaf: R,
    /// All-moves-as-first count.
    pub amaf_visits: u32,
    /// The heuristic value, the mover's, that equivalent visits start from; NaN where there is
    /// none.
    pub heuristic: R,
}

/// Beside a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeSide<R> {
    /// The least value that the first player is certain of.
    pub lower: R,
    /// The most that the first player can reach.
    pub upper: R,
    /// Average of squared values, evaluation and children.
    pub square: R,
    /// The last of the links to its parents.
    pub parents: u32,
    /// Visits for which the last selection still holds.
    pub held_visits: u32,
    /// The place that was selected.
    pub held_place: u16,
}

impl<R: Real> NodeSide<R> {
    pub(crate) fn new(own: ValueAbs<R>, kind: Kind) -> Self {
        let certain = kind == Kind::Terminal;
        Self {
            lower: if certain { own.value } else { -R::ONE },
            upper: if certain { own.value } else { R::ONE },
            square: own.value * own.value,
            parents: NO_LINK,
            held_visits: 0,
            held_place: 0,
        }
    }

    /// True if the value is certain.
    pub(crate) fn is_proven(&self) -> bool {
        self.lower >= self.upper
    }
}

/// One parent of a node, and where the next one stands.
#[derive(Clone, Copy, Debug)]
struct ParentLink {
    parent: NodeId,
    next: u32,
}

/// No further link.
const NO_LINK: u32 = u32::MAX;

/// The arrays, each as long as its counterpart in the arena if it is used.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "one an array")]
pub(crate) struct Side<R> {
    pub uses_edges: bool,
    pub uses_moves: bool,
    pub uses_nodes: bool,
    /// Nodes keep averages of squared values.
    pub uses_squares: bool,
    pub uses_parents: bool,
    /// Nodes keep network values and rollout outcomes apart.
    pub uses_halves: bool,
    pub edges: Vec<EdgeSide<R>>,
    pub moves: Vec<MoveSide<R>>,
    pub nodes: Vec<NodeSide<R>>,
    pub halves: Vec<Halves<R>>,
    links: Vec<ParentLink>,
}

impl<R: Real> Side<R> {
    pub(crate) fn new(params: &SearchParams, acyclic: bool) -> Self {
        let draws_cycles = !acyclic && params.revisit == Revisit::Draw;
        let has_delta = matches!(params.backup, Backup::Delta { .. });
        let uses_squares = params.moments || varies_exploration(&params.selection);
        let uses_parents = matches!(params.staleness, Staleness::Parents | Staleness::Ancestors);
        let holds_choices = params.epsilon != EpsilonSchedule::Off;
        Self {
            uses_edges: params.leaves_max > 1 || has_delta || draws_cycles,
            uses_moves: params.equivalent_visits > 0
                || matches!(params.selection, Selection::Rave(_)),
            uses_nodes: params.prove || uses_squares || holds_choices || uses_parents,
            uses_squares,
            uses_parents,
            uses_halves: is_split(params),
            edges: Vec::new(),
            moves: Vec::new(),
            nodes: Vec::new(),
            halves: Vec::new(),
            links: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.edges.clear();
        self.moves.clear();
        self.nodes.clear();
        self.halves.clear();
        self.links.clear();
    }

    /// Notes a parent of a node, if parents are kept. Two moves that lead to the same child note it
    /// twice.
    pub(crate) fn add_parent(&mut self, child: NodeId, parent: NodeId) {
        if self.uses_parents {
            let next =
                std::mem::replace(&mut self.nodes[child.index()].parents, self.links.len() as u32);
            self.links.push(ParentLink { parent, next });
        }
    }

    /// The links to parents, as pairs of a parent and the next link.
    pub(crate) fn parent_links(&self) -> Vec<[u32; 2]> {
        self.links.iter().map(|link| [link.parent.0, link.next]).collect()
    }

    /// Sets what [`Self::parent_links`] gave.
    pub(crate) fn set_parent_links(&mut self, links: &[[u32; 2]]) {
        let link = |&[parent, next]: &[u32; 2]| ParentLink { parent: NodeId(parent), next };
        self.links = links.iter().map(link).collect();
    }

    /// Forgets all parents, before they are noted anew.
    pub(crate) fn forget_parents(&mut self) {
        self.links.clear();
        for node in &mut self.nodes {
            node.parents = NO_LINK;
        }
    }

    /// The parents of a node, the latest first.
    pub(crate) fn parents(&self, child: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut at = self.nodes[child.index()].parents;
        std::iter::from_fn(move || {
            let link = self.links.get(at as usize)?;
            at = link.next;
            Some(link.parent)
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.edges)
            + bytes_of(&self.moves)
            + bytes_of(&self.nodes)
            + bytes_of(&self.halves)
            + bytes_of(&self.links)
    }
}

/// True if exploration follows how much values vary.
fn varies_exploration(selection: &Selection) -> bool {
    match selection {
        Selection::Puct(puct)
        | Selection::Gumbel(Gumbel { inner: GumbelInner::Puct(puct), .. }) => {
            puct.variance.is_some()
        }
        _ => false,
    }
}
