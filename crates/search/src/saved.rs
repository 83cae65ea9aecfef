//! Searches as values that can be stored, and searches that go on from them.
//!
//! "MCTS can be saved in any intermediate state and used later" (Wu, Monte-Carlo Graph Search from
//! First Principles). A resumed search equals one that was never interrupted, bit for bit: counts,
//! random words and noise are saved, too.

use dz_game::Move;
use serde::{Deserialize, Serialize};

use crate::{
    Numbers, RootSetup, Search, SearchCounts,
    arena::Arena,
    domain::Domain,
    halving::Halving,
    node::{Edge, Node, NodeId, ROOT},
    rate::ExpansionRate,
};

/// A search without its position, its settings and its budget.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct SavedSearch<N: Numbers> {
    arena: Arena<N>,
    root_legal: Vec<Move>,
    root_priors: Vec<N::Real>,
    root_last: Option<Move>,
    allowed: Vec<Move>,
    setup: RootSetup,
    seed: u64,
    walks: u64,
    private_keys: u64,
    sweep: usize,
    rate: ExpansionRate,
    halving: Halving,
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

impl<N: Numbers> SavedSearch<N> {
    /// The seed that the search was started with.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Saves the search as it stands. Leaves that wait are dropped first.
    ///
    /// # Errors
    /// [`SavedError::States`].
    pub fn save(&mut self) -> Result<SavedSearch<N>, SavedError> {
        if self.params.check_states {
            return Err(SavedError::States);
        }
        if self.open_count > 0 || !self.blocked.is_empty() {
            self.drop_leaves();
        }
        Ok(SavedSearch {
            arena: self.arena.clone(),
            root_legal: self.root_legal.clone(),
            root_priors: self.root_priors.clone(),
            root_last: self.root_last,
            allowed: self.allowed.clone(),
            setup: self.setup,
            seed: self.seed,
            walks: self.walks,
            private_keys: self.private_keys,
            sweep: self.sweep,
            rate: self.rate,
            halving: self.halving.clone(),
            counts: self.counts,
        })
    }

    /// Makes this search the saved one, without a budget: [`Search::extend`] gives it one, counted
    /// from where the saved search was started. The search must stand at the saved one's position.
    /// That its settings are the same is the caller's to check.
    ///
    /// # Errors
    /// [`SavedError`]; the search is empty then.
    pub fn restore(&mut self, saved: SavedSearch<N>) -> Result<(), SavedError> {
        self.drop_leaves();
        self.clear_root();
        if self.params.check_states {
            return Err(SavedError::States);
        }
        self.check(&saved)?;
        self.arena = saved.arena;
        self.arena.side.buckets.fill_table();
        self.root_legal = saved.root_legal;
        self.root_priors = saved.root_priors;
        self.root_last = saved.root_last;
        self.allowed = saved.allowed;
        self.setup = saved.setup;
        self.seed = saved.seed;
        self.walks = saved.walks;
        self.private_keys = saved.private_keys;
        self.sweep = saved.sweep;
        self.rate = saved.rate;
        self.halving = saved.halving;
        self.counts = saved.counts;
        let reached = self.reach_saved().inspect_err(|_| self.clear_root())?;
        self.restore_table(&reached);
        if let Some(tracer) = &mut self.tracer {
            tracer.counts = self.counts;
        }
        Ok(())
    }

    /// Fills the table with the nodes that were reached. Others were not checked, so no key may
    /// lead to them.
    fn restore_table(&mut self, reached: &[bool]) {
        if !self.params.graph {
            return;
        }
        for index in (1..self.arena.nodes.len()).filter(|&index| reached[index]) {
            let key = self.arena.keys[index];
            self.table.insert(key, NodeId(index as u32), &self.arena.keys);
        }
    }

    /// Refuses parts that do not fit each other or the settings, so that no index leads outside.
    fn check(&self, saved: &SavedSearch<N>) -> Result<(), SavedError> {
        let arena = &saved.arena;
        if !arena.side.is_like(&self.arena.side) {
            return Err(SavedError::Settings("they keep other numbers beside nodes and edges"));
        }
        let root_moves = arena.nodes.first().map_or(0, |root| usize::from(root.moves));
        let has_root_moves = [saved.root_legal.len(), saved.root_priors.len()] == [root_moves; 2];
        let is_sorted = saved.root_legal.is_sorted_by(|a, b| a < b);
        for (fits, what) in [
            (arena.has_whole_arrays(), "its arrays differ in length"),
            (arena.has_sound_nodes(), "a node has edges or moves that are not there"),
            (
                arena.side.has_sound_parents(arena.nodes.len()),
                "a node has parents that are not there",
            ),
            (
                arena.side.has_sound_buckets(arena.nodes.len()),
                "a node observes errors in a bucket that is not there",
            ),
            (has_root_moves && is_sorted, "the root's moves differ in number"),
            (saved.halving.fits(root_moves), "its sequential halving is of other moves"),
            (saved.sweep <= arena.nodes.len(), "the sweep is beyond the nodes"),
        ] {
            if !fits {
                return Err(SavedError::Damaged(what));
            }
        }
        Ok(())
    }
}

impl<N: Numbers> Arena<N> {
    /// True if each array is as long as its counterpart, or empty where it is not used.
    fn has_whole_arrays(&self) -> bool {
        let side = &self.side;
        let nodes = self.nodes.len();
        let fits = |length: usize, is_used: bool, of: usize| length == if is_used { of } else { 0 };
        u32::try_from(nodes).is_ok()
            && self.keys.len() == nodes
            && fits(side.edges.len(), side.uses_edges, self.edges.len())
            && fits(side.moves.len(), side.uses_moves, self.priors.len())
            && fits(side.nodes.len(), side.uses_nodes, nodes)
            && fits(side.halves.len(), side.uses_halves, nodes)
            && fits(side.leads.nodes.len(), side.uses_leads, nodes)
            && fits(side.weights.len(), side.uses_weights, nodes)
    }

    /// True if every node's edges and moves are there, no two nodes share any, and the move that a
    /// node holds is one of its own.
    fn has_sound_nodes(&self) -> bool {
        let moves = |node: &Node<N::Real>| (node.priors, usize::from(node.moves));
        let edges = |node: &Node<N::Real>| (node.edges, node.capacity());
        if !self.has_rows_apart(moves) || !self.has_rows_apart(edges) {
            return false;
        }
        let holds = self.side.nodes.iter().zip(&self.nodes);
        let mut holds =
            holds.map(|(side, node)| side.held_visits == 0 || side.held_place < node.visited);
        self.nodes.iter().all(|node| self.is_sound(node)) && holds.all(|fits| fits)
    }

    /// True if no two nodes share entries of an array. Each node's row is its first entry and a
    /// length.
    fn has_rows_apart(&self, row: impl Fn(&Node<N::Real>) -> (u32, usize)) -> bool {
        let mut rows: Vec<(u32, usize)> =
            self.nodes.iter().map(row).filter(|&(_, length)| length > 0).collect();
        rows.sort_unstable();
        rows.is_sorted_by(|&(first, length), &(next, _)| first as usize + length <= next as usize)
    }

    /// True if a node's edges and moves are there, and lead to nodes.
    fn is_sound(&self, node: &Node<N::Real>) -> bool {
        /// Room for more edges than a node can have moves.
        const CAPACITY_LOG2_MAX: u8 = 17;
        let edges = node.edges as usize;
        let moves = node.priors as usize;
        let visited = usize::from(node.visited);
        let Some(taken) = self.edges.get(edges..edges + visited) else { return false };
        let leads = |edge: &Edge| edge.child != ROOT && edge.child.index() < self.nodes.len();
        let counted: u64 = taken.iter().map(|edge| u64::from(edge.visits)).sum();
        node.capacity_log2 <= CAPACITY_LOG2_MAX
            && edges + node.capacity() <= self.edges.len()
            && moves + usize::from(node.moves) <= self.priors.len()
            && visited <= usize::from(node.moves)
            && visited <= node.capacity()
            && (node.sign == 1 || node.sign == -1)
            && u32::try_from(counted + u64::from(node.own_visits)).is_ok()
            && node.own_visits <= node.visits
            && taken.iter().all(leads)
    }
}
