//! The budget of a search.

/// What ends a search. A search also ends when its nodes are used up, or when its root is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Playouts of this search; visits kept from an earlier one come on top.
    Playouts(u32),
    /// Visits of the root, those kept from an earlier search included.
    Visits(u32),
    /// Evaluations by the network (or rollouts), those from a cache not counted. Playouts without
    /// an evaluation are free. They have a separate limit, because otherwise the search of a
    /// completely explored graph would never end.
    Evaluations {
        /// Evaluations of this search.
        evaluations: u32,
        /// Playouts of this search at most.
        playouts_max: u32,
    },
    /// No limit: the caller stops the search, for example by a clock, which this crate does not
    /// have.
    Open,
}
