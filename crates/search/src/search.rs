//! The state of a search, and how a caller drives it.

use std::sync::Arc;

use dz_game::{Key, Move};

use crate::{
    Budget, Compact, LeafId, Numbers, ParamsError, RootSetup, SearchCounts, SearchParams,
    arena::Arena,
    domain::{Domain, Status},
    halving::Halving,
    knowledge::OfflineKnowledge,
    memory::bytes_of,
    moves_made::MovesMade,
    node::{NodeId, ROOT},
    path::{End, Walk},
    rate::ExpansionRate,
    scores::MoveScores,
    side::Side,
    sums::is_split,
    table::Table,
    trace::Tracer,
};

/// A search over the positions of one domain, reused from move to move.
///
/// ```
/// use dz_game::{Game, Wdl, games::TicTacToe};
/// use dz_search::{Budget, Gathered, MoveChoice, Search, SearchParams, choose_move};
/// use rand::SeedableRng;
/// use rand_xoshiro::Xoshiro256PlusPlus;
///
/// let mut search: Search<TicTacToe> =
///     Search::new(TicTacToe, SearchParams::default(), TicTacToe.start(), ());
/// search.start(Budget::Playouts(100), 0, None);
/// while let Gathered::Need(id) = search.gather() {
///     // A network would evaluate the position. Here every position is even, every move as good.
///     let moves = search.leaf(id).map_or(0, |leaf| leaf.legal.len());
///     search.apply(id, Wdl::UNKNOWN, &vec![1.0 / moves as f32; moves]);
/// }
/// let summary = search.summary();
/// assert_eq!(summary.visits, 100);
///
/// let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
/// let mv = choose_move(&summary, MoveChoice::MostVisits, &mut random);
/// let visits_max = summary.moves.iter().map(|m| m.visits).max();
/// assert!(summary.moves.iter().any(|m| m.mv == mv && Some(m.visits) == visits_max));
/// ```
#[derive(Clone, Debug)]
pub struct Search<D: Domain, N: Numbers = Compact> {
    pub(crate) domain: D,
    pub(crate) params: SearchParams,
    /// Nodes have more to average than values and draws, or average by weights.
    pub(crate) has_more_to_average: bool,
    pub(crate) root_state: D::State,
    pub(crate) root_history: D::History,
    /// Positions that were the root before.
    pub(crate) roots: u64,
    /// The root's key, once it was asked for.
    pub(crate) root_key: Option<Key>,
    /// The root's legal moves, ascending.
    pub(crate) root_legal: Vec<Move>,
    /// The move that led to the root, if the search made it.
    pub(crate) root_last: Option<Move>,
    /// What was learned or made before the search, if it asks for that.
    pub(crate) knowledge: Option<Arc<dyn OfflineKnowledge<D>>>,
    /// The moves that the root is restricted to, ascending; empty for no restriction.
    pub(crate) allowed: Vec<Move>,
    /// Their priors by the evaluator; the root's node has them with noise.
    pub(crate) root_priors: Vec<N::Real>,
    pub(crate) arena: Arena<N>,
    pub(crate) table: Table,
    /// Every node's position, if they are checked.
    pub(crate) states: Vec<D::State>,
    pub(crate) counts: SearchCounts,
    budget: Budget,
    pub(crate) setup: RootSetup,
    /// Seed of this move's search: noise, ties and leaves' random words.
    pub(crate) seed: u64,
    /// Walks begun since the start.
    pub(crate) walks: u64,
    /// Leaves that wait.
    pub(crate) open: Vec<Option<Box<Walk<D, N>>>>,
    pub(crate) open_count: u32,
    /// Walks that met a leaf which waits, and that leaf; their virtual visits stay until it is
    /// answered.
    pub(crate) blocked: Vec<(LeafId, Box<Walk<D, N>>)>,
    /// Walks to use again.
    #[allow(clippy::vec_box, reason = "walks move between here and `open` by their pointer")]
    pub(crate) spare: Vec<Box<Walk<D, N>>>,
    /// Keys given out so far in a tree, where every node has a key of its own.
    pub(crate) private_keys: u64,
    /// Visits before a node is expanded, and what moves them.
    pub(crate) rate: ExpansionRate,
    /// The node that the background sweep recomputed last.
    pub(crate) sweep: usize,
    pub(crate) scores: MoveScores,
    pub(crate) halving: Halving,
    pub(crate) moves_made: MovesMade,
    pub(crate) tracer: Option<Tracer>,
    /// Room for marks, orders and queues over nodes, kept between uses.
    pub(crate) marks: Vec<u32>,
    pub(crate) queue: Vec<u32>,
    pub(crate) stack: Vec<(NodeId, bool)>,
}

/// What [`Search::gather`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// The budget is used up, or the root is proven, and no leaf waits; read the summary.
    Decided,
    /// This position must be evaluated; see [`Search::leaf`] and [`Search::apply`].
    Need(LeafId),
    /// Nothing more can be done before a leaf that waits is answered.
    Wait,
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Creates a search with its root at `state`, without evaluating it. [`SearchParams::validate`]
    /// finds settings that contradict each other; this function does not.
    pub fn new(domain: D, params: SearchParams, state: D::State, history: D::History) -> Self {
        let points_side = params.score_utility.and_then(|_| domain.board_side());
        let side = Side::new(&params, domain.acyclic(), points_side);
        let mut params = params;
        if is_split(&params) {
            // AlphaGo's u has nothing beside the sum under its root.
            params.selection = params.selection.with_puct_offset(0.0);
        }
        Self {
            domain,
            has_more_to_average: params.value_bias.is_some()
                || side.uses_leads
                || side.uses_weights,
            params,
            root_state: state,
            root_history: history,
            roots: 0,
            root_key: None,
            root_legal: Vec::new(),
            root_last: None,
            knowledge: None,
            allowed: Vec::new(),
            root_priors: Vec::new(),
            arena: Arena::new(side),
            table: Table::default(),
            states: Vec::new(),
            counts: SearchCounts::default(),
            budget: Budget::Playouts(0),
            setup: RootSetup::default(),
            seed: 0,
            walks: 0,
            open: Vec::new(),
            open_count: 0,
            blocked: Vec::new(),
            spare: Vec::new(),
            private_keys: 0,
            rate: ExpansionRate::new(params.expansion),
            sweep: 0,
            scores: MoveScores::default(),
            halving: Halving::default(),
            moves_made: MovesMade::default(),
            tracer: None,
            marks: Vec::new(),
            queue: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Creates a search as [`Self::new`] does, after checking the settings.
    ///
    /// # Errors
    /// Settings that contradict each other.
    pub fn checked(
        domain: D,
        params: SearchParams,
        state: D::State,
        history: D::History,
    ) -> Result<Self, ParamsError> {
        params.validate()?;
        Ok(Self::new(domain, params, state, history))
    }

    /// Empties the search and moves its root to another position; memory stays allocated.
    pub fn reset(&mut self, state: D::State, history: D::History) {
        self.drop_leaves();
        self.root_state = state;
        self.root_history = history;
        self.note_new_root();
        self.root_last = None;
        self.allowed.clear();
        self.clear_root();
    }

    /// Forgets what is known of the earlier root's past and key.
    pub(crate) fn note_new_root(&mut self) {
        self.roots += 1;
        self.root_key = None;
        self.halving.clear();
    }

    /// Sets the knowledge that `untried = "rollout"` samples moves by, and from which `grow =
    /// "episode"` takes values for the positions that it adds. Without it all moves are alike.
    pub fn set_knowledge(&mut self, knowledge: Arc<dyn OfflineKnowledge<D>>) {
        self.knowledge = Some(knowledge);
    }

    /// Starts the search of a move: sets its budget, seed and root, and resets the counts. Visits
    /// kept from an earlier search stay; leaves that still wait are dropped.
    pub fn start(&mut self, budget: Budget, seed: u64, setup: impl Into<RootSetup>) {
        self.drop_leaves();
        self.budget = budget;
        self.seed = seed;
        self.setup = setup.into();
        self.counts = SearchCounts::default();
        if let Some(tracer) = &mut self.tracer {
            tracer.start();
        }
        self.walks = 0;
        if self.is_evaluated() {
            self.expect_root_lead();
            self.set_up_root();
            self.reserve_nodes();
        }
    }

    /// Replaces the budget, counted from the start: for searches by the clock, piece by piece.
    pub fn extend(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// Walks until an evaluation is missing or the search is decided. Where the game is over at the
    /// root, it is decided at once, without visits.
    pub fn gather(&mut self) -> Gathered {
        loop {
            let waiting = self.open_count;
            if self.is_decided() {
                return if waiting > 0 { Gathered::Wait } else { Gathered::Decided };
            }
            let root_waits = waiting > 0 && !self.is_evaluated();
            // Some of these walks may be taken back. Then their own moves get the playouts again.
            let is_granted =
                self.params.selection.halves() && self.playouts_left() <= self.walks_in_flight();
            if waiting >= self.params.leaves_max || root_waits || is_granted {
                return Gathered::Wait;
            }
            match self.playout() {
                End::Leaf(id) => return Gathered::Need(id),
                End::Collision => return Gathered::Wait,
                End::Blocked => {}
                End::Counted => {
                    self.counts.playouts += 1;
                }
            }
        }
    }

    /// Returns the rules.
    pub fn domain(&self) -> &D {
        &self.domain
    }

    /// Returns the settings.
    pub fn params(&self) -> &SearchParams {
        &self.params
    }

    /// The position that is searched, and its past.
    pub fn position(&self) -> (&D::State, &D::History) {
        (&self.root_state, &self.root_history)
    }

    /// Returns what the search did since `start`.
    pub fn counts(&self) -> SearchCounts {
        self.counts
    }

    /// Returns the visits after which a leaf gets children: `expansion`, or where a dynamic one
    /// stands. It stays from move to move.
    pub fn expansion_threshold(&self) -> u32 {
        self.rate.threshold
    }

    /// Nodes held, the root not counted.
    pub fn node_count(&self) -> usize {
        self.arena.nodes.len().saturating_sub(1)
    }

    /// Bytes allocated for nodes, edges, priors, keys, table and whatever the algorithm needs
    /// beside.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.table.bytes() + bytes_of(&self.marks) + bytes_of(&self.queue)
    }

    /// True if the root has a node.
    pub(crate) fn is_evaluated(&self) -> bool {
        !self.arena.nodes.is_empty()
    }

    /// Visits of the root, 0 before it is evaluated.
    pub(crate) fn root_visits(&self) -> u32 {
        self.arena.nodes.first().map_or(0, |root| root.visits)
    }

    /// Playouts that the budget still allows, leaves that wait included; `u32::MAX` if it is open.
    pub fn playouts_left(&self) -> u32 {
        let done = u32::try_from(self.counts.playouts).unwrap_or(u32::MAX);
        match self.budget {
            Budget::Playouts(playouts) => playouts.saturating_sub(done),
            Budget::Visits(visits) => {
                let left = visits.saturating_sub(self.root_visits() - self.counted_early());
                left.div_ceil(self.params.leaf_rollouts)
            }
            Budget::Evaluations { evaluations, playouts_max } => {
                let evaluated = u32::try_from(self.counts.evaluations).unwrap_or(u32::MAX);
                evaluations.saturating_sub(evaluated).min(playouts_max.saturating_sub(done))
            }
            Budget::Open => u32::MAX,
        }
    }

    /// Walks that wait for a leaf, their own or another's.
    pub(crate) fn walks_in_flight(&self) -> u32 {
        self.open_count + self.blocked.len() as u32
    }

    fn is_decided(&self) -> bool {
        if !self.is_evaluated() {
            let stand = self.domain.status(&self.root_state, &self.root_history);
            return matches!(stand, Status::Over { .. });
        }
        let proven = self.params.prove && self.arena.side.nodes[ROOT.index()].is_proven();
        let nodes = self.node_count() + self.open_count as usize;
        proven
            || self.playouts_left() <= self.open_count
            || nodes >= self.params.nodes_max as usize
            || self.arena.is_full()
    }

    /// Reserves memory for the nodes that the budget can add, up to a limit.
    pub(crate) fn reserve_nodes(&mut self) {
        /// Larger searches grow as nodes are added.
        const NODES_RESERVED_MAX: u32 = 1 << 16;
        let room = self.params.nodes_max.saturating_sub(self.node_count() as u32);
        let nodes = self.playouts_left().min(room);
        if nodes <= NODES_RESERVED_MAX {
            let moves = self.root_legal.len();
            self.arena.reserve(nodes as usize, moves);
            if self.params.graph {
                self.table.reserve(nodes as usize, &self.arena.keys);
            }
        }
    }

    /// The key of a node, for views.
    pub(crate) fn key(&self, index: usize) -> Key {
        self.arena.keys[index]
    }
}
