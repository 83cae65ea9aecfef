//! Monte-Carlo graph search, without I/O, threads, clocks or evaluators inside.
//!
//! One node a position ([`dz_game::Game::node_key`]), visits counted on edges, values recomputed
//! from children (idempotent update):
//!
//! ```text
//! N(n) = 1 + sum_a N(n,a)
//! Q(n) = (U(n) + sum_a N(n,a) Q(child(n,a))) / N(n)
//! ```
//!
//! as in D. J. Wu's "Monte-Carlo Graph Search from First Principles" (KataGo, docs/GraphSearch.md).
//! A caller drives it: [`Search::gather`] walks until an evaluation is missing or the search is
//! decided, and [`Search::apply`] takes the evaluation. Tree search is the same code with private
//! keys.
//!
//! By default a playout updates the nodes on its path only. A node that shares a child with another
//! path is recomputed when it is next walked through.

mod amaf;
mod arena;
mod ask;
mod backup;
mod buckets;
mod budget;
mod check_saved;
mod choose;
mod counts;
mod dense;
mod domain;
mod expand;
mod explicit;
pub mod formula;
mod grow;
mod halve_root;
mod halves;
mod halving;
mod inspect;
mod knowledge;
mod leads;
mod leaf;
mod memory;
mod moves_made;
mod node;
mod node_weight;
mod noise;
mod numbers;
mod path;
mod prove;
mod rate;
mod reuse;
mod root;
mod rule;
mod saved;
mod score_utility;
mod scores;
mod search;
mod select;
mod side;
mod split;
mod stale;
mod summary;
mod sums;
mod table;
mod target;
mod trace;
mod value;
mod value_bias;
mod waiting;
mod walk;
mod weights;
mod write_trace;

pub use buckets::{BiasView, BucketView};
pub use budget::Budget;
pub use choose::{choose_move, sample};
pub use counts::SearchCounts;
pub use domain::{Domain, Status};
pub use dz_search_settings::{
    Backup, CatchUp, DynamicVariance, EdgeValues, EpsilonSchedule, Expansion, Exploration,
    ExplorationTerm, FirstPlay, Grow, Gumbel, GumbelInner, InFlight, KataGoFirstPlay, LeafValue,
    MoveChoice, NoiseShape, ParamsError, PolicyTarget, Puct, Rave, RaveSchedule, Regularized,
    Revisit, RolloutPolicy, RootNoise, RootSetup, ScoreUtility, SearchParams, Selection, Sigma,
    Staleness, Terminals, TieBreak, UncertaintyWeights, Untried, ValueBias, VisitRange,
};
pub use explicit::{ExplicitGraph, GraphError, GraphFile, GraphNode};
pub use inspect::{EdgeView, LeadView, NodeView, SplitView, WeightView};
pub use knowledge::OfflineKnowledge;
pub use leaf::{LeafId, NetworkAnswer, SearchLeaf, Wants};
pub use numbers::{Compact, Exact, Numbers, Prior, Real};
pub use saved::{SavedError, SavedSearch};
pub use search::{Gathered, Search};
pub use summary::{Outlook, RootMove, Summary};
pub use target::policy_target;
pub use trace::{PlayoutEnd, TracedMove, TracedPlayout, TracedStep};
pub use value::ValuePov;
