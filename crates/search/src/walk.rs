//! The search itself: walking down, asking for evaluations, backing up.

use dz_game::{Game, Key, Move, Player, mix64};

use crate::{
    Budget, CatchUp, RootNoise, SearchCounts, SearchParams,
    arena::{Absolute, Arena, NodeId, Prior},
    root::Root,
    select,
    table::Table,
};

/// A search over one game's positions, reused from move to move.
#[derive(Clone, Debug)]
pub struct Search<G: Game> {
    pub(crate) game: G,
    pub(crate) params: SearchParams,
    pub(crate) root: Root<G>,
    pub(crate) arena: Arena,
    pub(crate) table: Table,
    pub(crate) counts: SearchCounts,
    budget: Budget,
    pub(crate) noise: Option<RootNoise>,
    /// Seed of this move's search: noise, ties and leaves' random words.
    pub(crate) seed: u64,
    /// The playout in progress, below the root.
    pub(crate) path: Vec<PathStep>,
    pub(crate) leaf: Option<OpenLeaf<G>>,
    /// Nodes named so far in a tree, where each has a name of its own; never starts again.
    pub(crate) private_keys: u64,
    /// Room for the legal moves of a leaf and for their priors, used again and again.
    pub(crate) legal: Vec<Move>,
    pub(crate) sorted: Vec<Prior>,
    /// The same, each with its rank: 16 bits of prior, then the order among equals.
    pub(crate) in_order: Vec<(u64, Prior)>,
}

/// One step of a playout below the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathStep {
    pub node: NodeId,
    /// Place of the edge taken from `node`.
    pub place: usize,
}

/// A position that waits for its evaluation.
#[derive(Clone, Debug)]
pub(crate) struct OpenLeaf<G: Game> {
    pub state: G::State,
    pub history: G::History,
    pub legal: Vec<Move>,
    /// `None` for the root, which is in no table.
    pub key: Option<Key>,
    pub root_edge: usize,
}

/// What [`Search::gather`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// The budget is used up; read the summary.
    Decided,
    /// A position must be evaluated; see [`Search::leaf`], then call [`Search::apply`].
    Need,
}

/// The position that a search waits for.
#[derive(Debug)]
pub struct SearchLeaf<'a, G: Game> {
    /// The position.
    pub state: &'a G::State,
    /// Its past.
    pub history: &'a G::History,
    /// Its legal moves, ascending.
    pub legal: &'a [Move],
    /// A random word of this leaf alone.
    pub random: u64,
}

/// How a walk from the root ended.
enum End {
    Leaf,
    Counted,
}

impl<G: Game> Search<G> {
    /// A search that stands at `state`; nothing is evaluated yet.
    pub fn new(game: G, params: SearchParams, state: G::State, history: G::History) -> Self {
        let root = Root {
            sign: sign_of(&game, &state, &history),
            state,
            history,
            edges: Vec::new(),
            average: Absolute::default(),
            own: Absolute::default(),
            visits: 0,
        };
        Self {
            game,
            params,
            root,
            arena: Arena::default(),
            table: Table::default(),
            counts: SearchCounts::default(),
            budget: Budget::Playouts(0),
            noise: None,
            seed: 0,
            path: Vec::new(),
            leaf: None,
            private_keys: 0,
            legal: Vec::new(),
            sorted: Vec::new(),
            in_order: Vec::new(),
        }
    }

    /// Starts the search of a move: sets its budget, seed and noise, and counts from zero. Visits that
    /// are kept from an earlier search stay; a leaf that still waits is given up.
    pub fn start(&mut self, budget: Budget, seed: u64, noise: Option<RootNoise>) {
        self.give_up_leaf();
        (self.budget, self.seed, self.noise) = (budget, seed, noise);
        self.counts = SearchCounts::default();
        if self.root.is_evaluated() {
            self.mix_noise();
        }
    }

    /// Walks until an evaluation is missing or the search is decided. Where the game is over at the
    /// root, it is decided at once, without visits.
    pub fn gather(&mut self) -> Gathered {
        loop {
            if self.leaf.is_some() {
                return Gathered::Need;
            }
            if self.is_decided() {
                return Gathered::Decided;
            }
            match self.playout() {
                End::Leaf => return Gathered::Need,
                End::Counted => self.counts.playouts += 1,
            }
        }
    }

    /// The position that is waited for, after `gather` answered `Need`.
    pub fn leaf(&self) -> Option<SearchLeaf<'_, G>> {
        let leaf = self.leaf.as_ref()?;
        let random = mix64(self.seed ^ mix64(self.counts.playouts));
        Some(SearchLeaf { state: &leaf.state, history: &leaf.history, legal: &leaf.legal, random })
    }

    /// What the network is to see of the leaf: its `eval_key`.
    pub fn leaf_eval_key(&self) -> Option<Key> {
        let leaf = self.leaf.as_ref()?;
        Some(self.game.eval_key(&leaf.state, &leaf.history))
    }

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The position that is searched, and its past.
    pub fn position(&self) -> (&G::State, &G::History) {
        (&self.root.state, &self.root.history)
    }

    /// What was done since `start`.
    pub fn counts(&self) -> SearchCounts {
        self.counts
    }

    /// Nodes held, the root not counted.
    pub fn node_count(&self) -> usize {
        self.arena.nodes.len()
    }

    /// Bytes that nodes, edges, priors, keys and table take.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.table.bytes()
    }

    pub(crate) fn root(&self) -> &Root<G> {
        &self.root
    }

    pub(crate) fn arena(&self) -> &Arena {
        &self.arena
    }

    fn is_decided(&self) -> bool {
        if !self.root.is_evaluated() {
            return self.game.to_move(&self.root.state, &self.root.history).is_none();
        }
        let used_up = match self.budget {
            Budget::Playouts(playouts) => self.counts.playouts >= u64::from(playouts),
            Budget::Visits(visits) => self.root.visits >= visits,
        };
        used_up || self.arena.nodes.len() >= self.params.nodes_max as usize || self.arena.is_full()
    }

    /// One walk from the root.
    fn playout(&mut self) -> End {
        self.path.clear();
        let (mut state, mut history) = (self.root.state.clone(), self.root.history.clone());
        if !self.root.is_evaluated() {
            return self.open_leaf(state, history, None, 0);
        }
        let (sign, value) = (self.root.sign(), self.root.sign() * self.root.average.value);
        let root_edge =
            select::select_root(&self.arena, &self.root.edges, sign, value, &self.params);
        let edge = self.root.edges[root_edge];
        self.game.advance(&mut state, &mut history, edge.mv);
        let (mut child, mut edge_visits) = (edge.child, edge.visits);
        loop {
            let id = if let Some(id) = child {
                id
            } else {
                let key = self.key_of(&state, &history);
                let Some(id) = self.find_or_finish(&state, &history, key) else {
                    return self.open_leaf(state, history, Some(key), root_edge);
                };
                self.attach(root_edge, id);
                id
            };
            if self.ends_at(id, edge_visits) {
                self.back_up(root_edge);
                return End::Counted;
            }
            let place = select::select_inner(&self.arena, id, &self.params);
            let node = self.arena.node(id);
            let mv = Move(self.arena.priors(node)[place].mv);
            let edge = self.arena.edges(node).get(place);
            (child, edge_visits) = (edge.map(|e| e.child), edge.map_or(0, |e| e.visits));
            self.path.push(PathStep { node: id, place });
            self.game.advance(&mut state, &mut history, mv);
        }
    }

    /// True if the playout ends at node `id`, reached by an edge with so many visits; counts why.
    fn ends_at(&mut self, id: NodeId, edge_visits: u32) -> bool {
        let node = self.arena.node(id);
        if node.is_terminal() {
            self.counts.terminals += 1;
        } else if !self.game.acyclic() && self.path.iter().any(|step| step.node == id) {
            self.counts.cycle_ends += 1;
        } else if self.params.catch_up == CatchUp::Stop && edge_visits < node.visits {
            self.counts.cut += 1;
        } else {
            return false;
        }
        true
    }

    /// Leaves the playout where it is until the position is evaluated.
    fn open_leaf(
        &mut self,
        state: G::State,
        history: G::History,
        key: Option<Key>,
        root_edge: usize,
    ) -> End {
        let mut legal = std::mem::take(&mut self.legal);
        self.game.legal_moves(&state, &history, &mut legal);
        self.leaf = Some(OpenLeaf { state, history, legal, key, root_edge });
        End::Leaf
    }
}

/// 1 if the first player moves, else -1; a finished game counts as the first player's.
pub(crate) fn sign_of<G: Game>(game: &G, state: &G::State, history: &G::History) -> i8 {
    if game.to_move(state, history) == Some(Player::Second) { -1 } else { 1 }
}
