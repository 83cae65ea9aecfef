//! The search itself: walking down, asking for evaluations, backing up.

use dz_game::{Game, Key, Move, Player, Status, Wdl, mix64};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    Budget, CatchUp, RootNoise, SearchCounts, SearchParams, TieBreak,
    arena::{Absolute, Arena, NodeId, Prior},
    backup, noise,
    root::{Root, RootEdge},
    select,
    table::Table,
};

/// A search over one game's positions, reused from move to move.
#[derive(Clone, Debug)]
pub struct Search<G: Game> {
    game: G,
    params: SearchParams,
    pub(crate) root: Root<G>,
    pub(crate) arena: Arena,
    pub(crate) table: Table,
    counts: SearchCounts,
    budget: Budget,
    noise: Option<RootNoise>,
    /// Seed of this move's search: noise, ties, private keys and leaves' random words.
    seed: u64,
    path: Vec<PathStep>,
    leaf: Option<OpenLeaf<G>>,
    legal: Vec<Move>,
    sorted: Vec<Prior>,
}

/// One step of a playout below the root.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    node: NodeId,
    /// Place of the edge taken from `node`.
    place: usize,
}

#[derive(Clone, Debug)]
struct OpenLeaf<G: Game> {
    state: G::State,
    history: G::History,
    legal: Vec<Move>,
    /// `None` for the root, which is in no table.
    key: Option<Key>,
    root_edge: usize,
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
            legal: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Starts the search of a move: sets its budget, seed and noise, and counts from zero. Visits that
    /// are kept from an earlier search stay.
    pub fn start(&mut self, budget: Budget, seed: u64, noise: Option<RootNoise>) {
        (self.budget, self.seed, self.noise) = (budget, seed, noise);
        self.counts = SearchCounts::default();
        self.leaf = None;
        if self.root.is_evaluated() {
            self.mix_noise();
        }
    }

    /// Walks until an evaluation is missing or the search is decided.
    pub fn gather(&mut self) -> Gathered {
        loop {
            if self.leaf.is_some() {
                return Gathered::Need;
            }
            if self.root.is_evaluated() && self.is_decided() {
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

    /// Takes the evaluation of the leaf: the chances of its mover and one prior a legal move. Does
    /// nothing if no leaf is open.
    pub fn apply(&mut self, wdl: Wdl, priors: &[f32]) {
        let Some(leaf) = self.leaf.take() else { return };
        debug_assert_eq!(leaf.legal.len(), priors.len(), "one prior a legal move");
        self.counts.playouts += 1;
        self.counts.evaluations += 1;
        let sign = sign_of(&self.game, &leaf.state, &leaf.history);
        let own = Absolute::of(wdl, f32::from(sign));
        match leaf.key {
            None => self.evaluate_root(own, &leaf.legal, priors),
            Some(key) => {
                self.sort_priors(&leaf.legal, priors, key);
                let id = self.arena.add(key, own, sign, &self.sorted);
                self.table.insert(key, id, &self.arena.keys);
                self.attach(leaf.root_edge, id);
                self.back_up(leaf.root_edge);
            }
        }
        self.legal = leaf.legal;
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
        let used_up = match self.budget {
            Budget::Playouts(playouts) => self.counts.playouts >= u64::from(playouts),
            Budget::Visits(visits) => self.root.visits >= visits,
        };
        used_up || self.arena.nodes.len() >= self.params.nodes_max as usize
    }

    fn evaluate_root(&mut self, own: Absolute, legal: &[Move], priors: &[f32]) {
        let edge = |(&mv, &prior): (&Move, &f32)| RootEdge {
            mv,
            prior,
            noisy_prior: prior,
            child: None,
            visits: 0,
        };
        self.root.edges = legal.iter().zip(priors).map(edge).collect();
        (self.root.own, self.root.average, self.root.visits) = (own, own, 1);
        self.mix_noise();
    }

    fn mix_noise(&mut self) {
        let seed = self.seed;
        for (i, edge) in self.root.edges.iter_mut().enumerate() {
            edge.noisy_prior = match self.params.tie_break {
                TieBreak::LowestMove => edge.prior,
                // A crumb that orders equal priors at random and changes no others.
                TieBreak::Random => edge.prior + 1e-6 * random_share(seed, i as u64),
            };
        }
        if let Some(noise) = self.noise {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(mix64(self.seed ^ 0xd1a1));
            noise::mix(&mut self.root.edges, noise, &mut random);
        }
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
            let id = match child {
                Some(id) => id,
                None => match self.find_or_open(&state, &history, root_edge) {
                    Some(id) => id,
                    None => return End::Leaf,
                },
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

    /// The node of a position whose edge has none yet: found by key, made if the game is over there,
    /// or else `None` and a leaf is open.
    fn find_or_open(
        &mut self,
        state: &G::State,
        history: &G::History,
        root_edge: usize,
    ) -> Option<NodeId> {
        let key = self.key_of(state, history);
        if let Some(id) = self.table.get(key, &self.arena.keys) {
            self.counts.transpositions += 1;
            self.attach(root_edge, id);
            return Some(id);
        }
        if let Status::Over(outcome) = self.game.status(state, history) {
            let own = Absolute::of(outcome.wdl_for(Player::First), 1.0);
            let id = self.arena.add(key, own, 1, &[]);
            self.table.insert(key, id, &self.arena.keys);
            self.attach(root_edge, id);
            return Some(id);
        }
        self.open_leaf(state.clone(), history.clone(), Some(key), root_edge);
        None
    }

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

    /// The key of a node: the position's, or in a tree one of this path alone.
    fn key_of(&self, state: &G::State, history: &G::History) -> Key {
        if self.params.graph {
            return self.game.node_key(state, history);
        }
        let unique = self.arena.nodes.len() as u64;
        Key { high: mix64(self.seed ^ unique), low: mix64(!unique) }
    }

    /// Gives the last edge of the path its child.
    fn attach(&mut self, root_edge: usize, id: NodeId) {
        match self.path.last() {
            None => self.root.edges[root_edge].child = Some(id),
            Some(step) => self.arena.link(step.node, id),
        }
    }

    /// Counts the path's edges and recomputes its nodes from the last one up.
    fn back_up(&mut self, root_edge: usize) {
        for &PathStep { node, place } in self.path.iter().rev() {
            self.arena.edge_mut(node, place).visits += 1;
            backup::refresh(&mut self.arena, node);
        }
        self.root.edges[root_edge].visits += 1;
        let root = &mut self.root;
        (root.visits, root.average) = backup::refresh_root(&self.arena, root.own, &root.edges);
    }

    /// Sorts a new node's moves by falling prior, ties as the parameters say.
    fn sort_priors(&mut self, legal: &[Move], priors: &[f32], key: Key) {
        let sorted = &mut self.sorted;
        sorted.clear();
        sorted.extend(legal.iter().zip(priors).map(|(mv, &prior)| Prior::new(mv.0, prior)));
        let salt = self.seed ^ key.low;
        let tie = |mv: u16| match self.params.tie_break {
            TieBreak::LowestMove => u64::from(mv),
            TieBreak::Random => mix64(salt ^ mix64(u64::from(mv))),
        };
        sorted.sort_unstable_by(|a, b| {
            let by_prior = b.probability().total_cmp(&a.probability());
            by_prior.then_with(|| tie(a.mv).cmp(&tie(b.mv)))
        });
    }
}

/// 1 if the first player moves, else -1; a finished game counts as the first player's.
pub(crate) fn sign_of<G: Game>(game: &G, state: &G::State, history: &G::History) -> i8 {
    if game.to_move(state, history) == Some(Player::Second) { -1 } else { 1 }
}

fn random_share(seed: u64, index: u64) -> f32 {
    (mix64(seed ^ mix64(index)) >> 40) as f32 / (1u64 << 24) as f32
}
