//! Subtree value bias correction (KataGo, KataGoMethods.md, section of that name): the network's
//! error after a move is subtracted from its values after similar moves.
//!
//! ```text
//! e(n) = U(n) - sum_a N(n,a) Q(child(n,a)) / s      w(n) = s^alpha      s = sum_a N(n,a)
//! b(B) = sum_{n in B} w(n) e(n) / sum_{n in B} w(n)
//! U'(n) = U(n) - lambda b(B(n))                     Q(n) = (U'(n) + sum_a N(n,a) Q(child)) / N(n)
//! ```
//!
//! Bucket B is the player and the move that led to the node, the move before it, and the move's
//! surroundings. In a graph the path that makes a node chooses its bucket. A node takes b from its
//! bucket whenever it is recomputed, so b may be older at other nodes. Finished games, proven nodes
//! and the root have no bucket; like KataGo's, the root is a copy that is corrected through its
//! children alone.

use dz_game::{Key, Move};

use crate::{
    Numbers, Search, ValueBias, arena::Arena, buckets::BucketView, domain::Domain, node::NodeId,
    numbers::Real, path::Walk, value::ValueAbs,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Returns the bucket of a move from node `id`, where a walk stands. `None` if the move has no
    /// place on the board.
    #[inline(never)]
    pub(crate) fn bucket_after(&self, id: NodeId, mv: Move, walk: &Walk<D, N>) -> Option<Key> {
        let around = self.domain.surroundings(&walk.state, mv)?;
        let player = u64::from(self.arena.node(id).sign < 0);
        let before = self.last_move(walk).map_or(u64::MAX, |mv| u64::from(mv.0));
        Some(Key::of_words(&[player, u64::from(mv.0), before, around]))
    }

    /// With a correction, puts a new leaf into the bucket that its walk came by, and corrects its
    /// value.
    pub(crate) fn join_bucket(&mut self, id: NodeId, walk: &Walk<D, N>) {
        let (Some(bias), Some(key)) = (self.params.value_bias, walk.bucket) else { return };
        let buckets = &mut self.arena.side.buckets;
        buckets.join(id, key);
        buckets.retrieve(id, bias.lambda);
        let average = buckets.correct(id, self.arena.nodes[id.index()].own);
        self.arena.node_mut(id).average = average;
        if let Some(side) = self.arena.side.nodes.get_mut(id.index()) {
            side.square = average.value * average.value;
        }
    }

    /// The buckets of observed errors, in the order in which they were made; none where the
    /// correction is off.
    pub fn buckets(&self) -> impl Iterator<Item = BucketView> + '_ {
        self.arena.side.buckets.views()
    }
}

impl<N: Numbers> Arena<N> {
    /// Observes a node's error, takes its correction from the bucket and returns U', before the
    /// node is recomputed. With `draws`, visits that closed a cycle count as draws.
    pub(crate) fn observe_error(
        &mut self,
        id: NodeId,
        bias: &ValueBias,
        draws: bool,
    ) -> ValueAbs<N::Real> {
        let node = self.node(id);
        let own = node.own;
        if !self.side.buckets.has_bucket(id) {
            return own;
        }
        let mut visits = N::Real::ZERO;
        let mut sum = N::Real::ZERO;
        for (place, edge) in self.edges(node).iter().enumerate() {
            let weight = self.weight_of(edge);
            visits += weight;
            let closed = if draws { self.edge_side(node, place).cycle_draws } else { 0 };
            let counted = weight - self.closed_weight(edge, closed);
            sum += counted * self.node(edge.child).average.value;
        }
        let buckets = &mut self.side.buckets;
        if visits > N::Real::ZERO {
            let error = own.value - sum / visits;
            let weight = N::Real::from_f64(visits.to_f64().powf(bias.alpha));
            buckets.observe(id, error, weight);
        }
        buckets.retrieve(id, bias.lambda);
        buckets.correct(id, own)
    }
}
