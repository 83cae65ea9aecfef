//! How long a search goes on.

/// How long a search goes on. A search is also decided when its nodes are used up, or when its root
/// is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Playouts of this search; visits kept from an earlier one come on top.
    Playouts(u32),
    /// Visits of the root, those kept from an earlier search included.
    Visits(u32),
    /// Evaluations by the network (or rollouts), those from a cache not counted. Playouts that need
    /// none are free, so they have a limit of their own, else a search that is complete would never
    /// end.
    Evaluations {
        /// Evaluations of this search.
        evaluations: u32,
        /// Playouts of this search at most.
        playouts_max: u32,
    },
    /// Until the caller has had enough: searches by the clock, which this crate does not have.
    Open,
}
