//! Searches as values that can be stored, and searches that go on from them.
//!
//! "MCTS can be saved in any intermediate state and used later" (Wu, Monte-Carlo Graph Search from
//! First Principles). A search that goes on from what was saved is the one that was never
//! interrupted, bit for bit: counts, random words and noise are saved, too.

use dz_game::{Key, Move};
use serde::{Deserialize, Serialize};

use crate::{
    Numbers, RootSetup, Search, SearchCounts,
    domain::Domain,
    node::{Edge, NodeId, ROOT},
    numbers::{Prior, Real},
    rate::ExpansionRate,
    saved_parts::{SavedEdgeSide, SavedHalves, SavedMoveSide, SavedNode, SavedNodeSide},
};

/// A search without its position, its settings and its budget. Numbers are in 64 bits; those of
/// [`crate::Compact`] searches come back as they were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSearch {
    nodes: Vec<SavedNode>,
    keys: Vec<[u64; 2]>,
    /// Children and visits.
    edges: Vec<[u32; 2]>,
    priors: Vec<(u16, f64)>,
    edge_sides: Vec<SavedEdgeSide>,
    move_sides: Vec<SavedMoveSide>,
    node_sides: Vec<SavedNodeSide>,
    halves: Vec<SavedHalves>,
    parents: Vec<[u32; 2]>,
    root_legal: Vec<u16>,
    root_priors: Vec<f64>,
    root_last: Option<u16>,
    allowed: Vec<u16>,
    setup: RootSetup,
    seed: u64,
    walks: u64,
    private_keys: u64,
    sweep: u64,
    rate: ExpansionRate,
    gumbel: Vec<f64>,
    considered: Vec<u32>,
    counts: SearchCounts,
}

/// Why a saved search cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// Its nodes keep no positions, and the settings check them.
    #[error("a search with search.check_states cannot be saved or go on from a saved one")]
    States,
    /// Nodes that are not those of this position.
    #[error("the saved search is of another position")]
    Position,
    /// Parts that do not fit each other.
    #[error("the saved search is damaged: {0}")]
    Damaged(&'static str),
    /// Parts that the settings need are not there.
    #[error("the saved search was made with other settings: {0}")]
    Settings(&'static str),
}

impl SavedSearch {
    /// The seed that the search was started with.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Playouts since the search was started.
    pub fn playouts(&self) -> u64 {
        self.counts.playouts
    }
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Saves the search as it stands. Leaves that wait are dropped first.
    ///
    /// # Errors
    /// [`SavedError::States`].
    pub fn save(&mut self) -> Result<SavedSearch, SavedError> {
        if self.params.check_states {
            return Err(SavedError::States);
        }
        if self.open_count > 0 || !self.blocked.is_empty() {
            self.drop_leaves();
        }
        let arena = &self.arena;
        let side = &arena.side;
        Ok(SavedSearch {
            nodes: arena.nodes.iter().map(SavedNode::of).collect(),
            keys: arena.keys.iter().map(|key| [key.high, key.low]).collect(),
            edges: arena.edges.iter().map(|edge| [edge.child.0, edge.visits]).collect(),
            priors: arena.priors.iter().map(|p| (p.mv(), p.probability().to_f64())).collect(),
            edge_sides: side.edges.iter().map(SavedEdgeSide::of).collect(),
            move_sides: side.moves.iter().map(SavedMoveSide::of).collect(),
            node_sides: side.nodes.iter().map(SavedNodeSide::of).collect(),
            halves: side.halves.iter().map(SavedHalves::of).collect(),
            parents: side.parent_links(),
            root_legal: self.root_legal.iter().map(|mv| mv.0).collect(),
            root_priors: self.root_priors.iter().map(|prior| prior.to_f64()).collect(),
            root_last: self.root_last.map(|mv| mv.0),
            allowed: self.allowed.iter().map(|mv| mv.0).collect(),
            setup: self.setup,
            seed: self.seed,
            walks: self.walks,
            private_keys: self.private_keys,
            sweep: self.sweep as u64,
            rate: self.rate,
            gumbel: self.scores.gumbel.clone(),
            considered: self.scores.considered.clone(),
            counts: self.counts,
        })
    }

    /// Makes this search the saved one, without a budget: [`Search::extend`] gives it one, counted
    /// from where the saved search was started. The search must stand at the saved one's position.
    /// That its settings are the same is the caller's to check.
    ///
    /// # Errors
    /// [`SavedError`]; the search is empty then.
    pub fn restore(&mut self, saved: &SavedSearch) -> Result<(), SavedError> {
        self.drop_leaves();
        self.clear_root();
        if self.params.check_states {
            return Err(SavedError::States);
        }
        self.check(saved)?;
        let arena = &mut self.arena;
        arena.nodes.extend(saved.nodes.iter().map(SavedNode::node));
        arena.keys.extend(saved.keys.iter().map(|&[high, low]| Key { high, low }));
        let edge = |&[child, visits]: &[u32; 2]| Edge { child: NodeId(child), visits };
        arena.edges.extend(saved.edges.iter().map(edge));
        let prior = |&(mv, prior): &(u16, f64)| N::Prior::new(mv, N::Real::from_f64(prior));
        arena.priors.extend(saved.priors.iter().map(prior));
        arena.side.edges.extend(saved.edge_sides.iter().map(SavedEdgeSide::side));
        arena.side.moves.extend(saved.move_sides.iter().map(SavedMoveSide::side));
        arena.side.nodes.extend(saved.node_sides.iter().map(SavedNodeSide::side));
        arena.side.halves.extend(saved.halves.iter().map(SavedHalves::halves));
        arena.side.set_parent_links(&saved.parents);
        self.root_legal.extend(saved.root_legal.iter().map(|&mv| Move(mv)));
        self.root_priors.extend(saved.root_priors.iter().map(|&prior| N::Real::from_f64(prior)));
        self.root_last = saved.root_last.map(Move);
        self.allowed = saved.allowed.iter().map(|&mv| Move(mv)).collect();
        self.setup = saved.setup;
        self.seed = saved.seed;
        self.walks = saved.walks;
        self.private_keys = saved.private_keys;
        self.sweep = saved.sweep as usize;
        self.rate = saved.rate;
        self.scores.gumbel.clone_from(&saved.gumbel);
        self.scores.considered.clone_from(&saved.considered);
        self.counts = saved.counts;
        let reached = self.reach_saved();
        match reached {
            Ok(reached) => {
                self.restore_derived(&reached);
                Ok(())
            }
            Err(error) => {
                self.clear_root();
                Err(error)
            }
        }
    }

    /// What follows from the rest.
    fn restore_derived(&mut self, reached: &[bool]) {
        if self.params.graph {
            // Nodes that nothing leads to were not checked, so no key may lead to them.
            for index in (1..self.arena.nodes.len()).filter(|&index| reached[index]) {
                let key = self.arena.keys[index];
                self.table.insert(key, NodeId(index as u32), &self.arena.keys);
            }
        }
        if let Some(tracer) = &mut self.tracer {
            tracer.counts = self.counts;
        }
    }

    /// Refuses parts that do not fit each other or the settings, so that no index leads outside.
    fn check(&self, saved: &SavedSearch) -> Result<(), SavedError> {
        let nodes = saved.nodes.len();
        let side = &self.arena.side;
        let fits = |length: usize, is_used: bool, of: usize| length == if is_used { of } else { 0 };
        if saved.keys.len() != nodes || nodes > u32::MAX as usize {
            return Err(SavedError::Damaged("nodes and keys differ in number"));
        }
        let beside = [
            fits(saved.edge_sides.len(), side.uses_edges, saved.edges.len()),
            fits(saved.move_sides.len(), side.uses_moves, saved.priors.len()),
            fits(saved.node_sides.len(), side.uses_nodes, nodes),
            fits(saved.halves.len(), side.uses_halves, nodes),
        ];
        if beside.contains(&false) {
            return Err(SavedError::Settings("they keep other numbers beside nodes and edges"));
        }
        if saved.nodes.iter().any(|node| !node_fits(node, saved)) {
            return Err(SavedError::Damaged("a node has edges or moves that are not there"));
        }
        let links = saved.parents.len() as u32;
        let is_link = |at: u32, below: u32| at == u32::MAX || at < below;
        let has_links = saved.node_sides.iter().all(|node| is_link(node.parents, links));
        let go_back = (0..links)
            .zip(&saved.parents)
            .all(|(at, &[parent, next])| (parent as usize) < nodes && is_link(next, at));
        if !has_links || !go_back {
            return Err(SavedError::Damaged("a node has parents that are not there"));
        }
        let root_moves = saved.nodes.first().map_or(0, |root| usize::from(root.moves));
        let is_sorted = saved.root_legal.is_sorted_by(|a, b| a < b);
        if saved.root_legal.len() != root_moves
            || saved.root_priors.len() != root_moves
            || !is_sorted
        {
            return Err(SavedError::Damaged("the root's moves differ in number"));
        }
        let holds = |(node, side): (&SavedNode, &SavedNodeSide)| {
            side.held_visits == 0 || side.held_place < node.visited
        };
        if !saved.nodes.iter().zip(&saved.node_sides).all(holds) {
            return Err(SavedError::Damaged("a node holds a move that is not there"));
        }
        let sweeps = saved.sweep <= nodes as u64;
        if sweeps { Ok(()) } else { Err(SavedError::Damaged("the sweep is beyond the nodes")) }
    }
}

/// True if a node's edges and moves are there, and lead to nodes.
fn node_fits(node: &SavedNode, saved: &SavedSearch) -> bool {
    let room = if node.capacity_log2 == 0 { 0 } else { 1_usize << node.capacity_log2.min(17) };
    let edges = node.edges as usize;
    let moves = node.priors as usize;
    let visited = usize::from(node.visited);
    let Some(taken) = saved.edges.get(edges..edges + visited) else { return false };
    let leads = |&[child, _]: &[u32; 2]| child != ROOT.0 && (child as usize) < saved.nodes.len();
    let counted: u64 = taken.iter().map(|&[_, visits]| u64::from(visits)).sum();
    node.capacity_log2 <= 17
        && edges + room <= saved.edges.len()
        && moves + usize::from(node.moves) <= saved.priors.len()
        && visited <= usize::from(node.moves)
        && visited <= room
        && (node.sign == 1 || node.sign == -1)
        && u32::try_from(counted + u64::from(node.own_visits)).is_ok()
        && node.own_visits <= node.visits
        && taken.iter().all(leads)
}
