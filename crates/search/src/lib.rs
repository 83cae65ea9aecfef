//! Monte-Carlo graph search, without I/O, threads, clocks or evaluators inside.
//!
//! One node a position ([`dz_game::Game::node_key`]), visits counted on edges, values recomputed from
//! children (idempotent update):
//!
//! ```text
//! N(n) = 1 + sum_a N(n,a)
//! Q(n) = (U(n) + sum_a N(n,a) Q(child(n,a))) / N(n)
//! ```
//!
//! as in D. J. Wu's "Monte-Carlo Graph Search from First Principles" (KataGo, docs/GraphSearch.md).
//! A caller drives it: [`Search::gather`] walks until an evaluation is missing or the search is
//! decided, [`Search::apply`] takes the evaluation. Tree search is the same code with private keys.
//!
//! Only the nodes on the path of a playout are updated; a node that shares a child with another path
//! is refreshed when it is next walked through.

mod arena;
mod backup;
mod choose;
mod expand;
pub mod formula;
mod inspect;
mod noise;
mod params;
mod reuse;
mod root;
mod select;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod walk;

pub use choose::{MoveChoice, choose_move, visit_shares};
pub use inspect::{EdgeView, NodeView};
pub use params::{Budget, CatchUp, Fpu, RootNoise, SearchParams, Selection, TieBreak};
pub use summary::{RootMove, SearchCounts, Summary};
pub use walk::{Gathered, Search, SearchLeaf};
