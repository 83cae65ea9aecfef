//! Arrays beside those of the arena that only some algorithms need; they are empty otherwise.

use dz_search_settings::{
    Backup, EpsilonSchedule, Gumbel, GumbelInner, Revisit, SearchParams, Selection, Staleness,
};

use serde::{Deserialize, Serialize};

use crate::{
    buckets::Buckets,
    leads::Leads,
    memory::bytes_of,
    node::{Kind, NodeId},
    node_weight::NodeWeight,
    numbers::Real,
    sums::{Halves, is_split},
    value::ValueAbs,
};

/// Beside an edge.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct EdgeSide<R> {
    /// `Q_e`: the average of the samples that went up through it (delta backup).
    pub average: ValueAbs<R>,
    /// Playouts that went down and are not back yet; none are when a search is saved.
    #[serde(skip)]
    pub in_flight: u32,
    /// Playouts that came back to a position on their own path and counted as draws.
    pub cycle_draws: u32,
}

/// Beside a legal move.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(bound = "R: Real")]
pub(crate) struct MoveSide<R> {
    /// All-moves-as-first average, the first player's.
    pub amaf: R,
    /// All-moves-as-first count.
    pub amaf_visits: u32,
    /// The heuristic value, the mover's, that equivalent visits start from; NaN where there is
    /// none.
    #[serde(with = "known")]
    pub heuristic: R,
}

/// A number that may be unknown, which no text can write.
mod known {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::numbers::Real;

    pub fn serialize<R: Real, S: Serializer>(value: &R, to: S) -> Result<S::Ok, S::Error> {
        let value = value.to_f64();
        (!value.is_nan()).then_some(value).serialize(to)
    }

    pub fn deserialize<'de, R: Real, D: Deserializer<'de>>(from: D) -> Result<R, D::Error> {
        Ok(R::from_f64(Option::deserialize(from)?.unwrap_or(f64::NAN)))
    }
}

/// Beside a node.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct ParentLink {
    parent: NodeId,
    next: u32,
}

/// No further link.
const NO_LINK: u32 = u32::MAX;

/// The arrays, each as long as its counterpart in the arena if it is used.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "R: Real")]
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
    /// Nodes observe errors of their own values.
    #[serde(default, skip_serializing_if = "is_false")]
    pub uses_buckets: bool,
    /// Nodes keep leads in points.
    #[serde(default, skip_serializing_if = "is_false")]
    pub uses_leads: bool,
    pub edges: Vec<EdgeSide<R>>,
    pub moves: Vec<MoveSide<R>>,
    pub nodes: Vec<NodeSide<R>>,
    pub halves: Vec<Halves<R>>,
    links: Vec<ParentLink>,
    /// Left out where it is empty, as in searches that were saved before there was a correction.
    #[serde(default, skip_serializing_if = "Buckets::is_empty")]
    pub buckets: Buckets<R>,
    /// Likewise, as in searches that were saved before there was score utility.
    #[serde(default, skip_serializing_if = "Leads::is_empty")]
    pub leads: Leads<R>,
    /// Visits weigh by how sure the network is of its values.
    #[serde(default, skip_serializing_if = "is_false")]
    pub uses_weights: bool,
    /// Likewise left out where it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<NodeWeight<R>>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl<R: Real> Side<R> {
    /// The arrays that these settings need. `points_side` is the board's side where points count.
    pub(crate) fn new(params: &SearchParams, acyclic: bool, points_side: Option<f64>) -> Self {
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
            uses_buckets: params.value_bias.is_some(),
            uses_leads: points_side.is_some(),
            edges: Vec::new(),
            moves: Vec::new(),
            nodes: Vec::new(),
            halves: Vec::new(),
            links: Vec::new(),
            buckets: Buckets::default(),
            leads: points_side.map_or_else(Leads::default, Leads::new),
            uses_weights: params.uncertainty.is_some(),
            weights: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.edges.clear();
        self.moves.clear();
        self.nodes.clear();
        self.halves.clear();
        self.links.clear();
        self.buckets.clear();
        self.leads.clear();
        self.weights.clear();
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

    /// True if both have the same arrays.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let uses = |side: &Self| {
            [
                side.uses_edges,
                side.uses_moves,
                side.uses_nodes,
                side.uses_squares,
                side.uses_parents,
                side.uses_halves,
                side.uses_buckets,
                side.uses_leads,
                side.uses_weights,
            ]
        };
        uses(self) == uses(other)
    }

    /// True if every list of parents ends, and names nodes below `nodes`.
    pub(crate) fn has_sound_parents(&self, nodes: usize) -> bool {
        let is_link = |at: u32, below: usize| at == NO_LINK || (at as usize) < below;
        let mut links = self.links.iter().enumerate();
        self.nodes.iter().all(|node| is_link(node.parents, self.links.len()))
            && links.all(|(at, link)| link.parent.index() < nodes && is_link(link.next, at))
    }

    /// True if what nodes observe fits so many of them.
    pub(crate) fn has_sound_buckets(&self, nodes: usize) -> bool {
        if self.uses_buckets { self.buckets.is_sound(nodes) } else { self.buckets.is_empty() }
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
            + self.buckets.bytes()
            + self.leads.bytes()
            + bytes_of(&self.weights)
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
