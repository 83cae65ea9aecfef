//! Subtree value bias correction, from the text of KataGoMethods.md.

use std::collections::BTreeSet;

use dz_game::Move;
use dz_search::{Domain, Real};

use super::{
    Reference,
    node::{Name, Node, Pair, Rounds},
};

/// Whether the second player moved, the move, the move before it, and what surrounds it.
pub type BucketName = (bool, u16, Option<u16>, u64);

/// Sums over nodes, and what nodes left that are gone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bucket {
    pub errors: f64,
    pub weights: f64,
    left: (f64, f64),
}

impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    /// The bucket of a position that move `i` leads to from `state`, the position of node `name`.
    pub(super) fn bucket_after(
        &self,
        name: Name,
        i: usize,
        state: &D::State,
    ) -> Option<BucketName> {
        self.params.value_bias?;
        let node = &self.nodes[&name];
        let mv = node.edges[i].mv;
        let before = match self.line.last() {
            Some((parent, taken)) => Some(self.nodes[parent].edges[*taken].mv),
            None => self.root_last.map(|mv| mv.0),
        };
        let around = self.domain.surroundings(state, Move(mv))?;
        Some((node.sign < N::Real::ZERO, mv, before, around))
    }

    /// A new leaf: it takes over what its bucket knows.
    pub(super) fn join(&mut self, name: Name, bucket: Option<BucketName>) {
        let Some(bucket) = bucket else { return };
        self.buckets.entry(bucket).or_default();
        self.node_mut(name).bucket = Some(bucket);
        self.correct(name);
        let node = self.node_mut(name);
        node.average = own_value(node);
        node.square = node.average.value * node.average.value;
    }

    /// The node's error goes to its bucket, and the bucket's mean comes back.
    pub(super) fn observe(&mut self, name: Name) {
        let node = &self.nodes[&name];
        let Some(bucket) = node.bucket else { return };
        let (mut below, mut visits) = (N::Real::ZERO, N::Real::ZERO);
        for &i in &node.row[..node.visited] {
            let edge = &node.edges[i];
            let as_child = self.edge_weight(edge) - self.drawn_weight(edge);
            below += as_child * self.child(edge).average.value;
            visits += self.edge_weight(edge);
        }
        if visits > N::Real::ZERO {
            let alpha = self.params.value_bias.unwrap().alpha;
            let weight = N::Real::from_f64(visits.to_f64().powf(alpha));
            let error = weight * (node.own.value - below / visits);
            let (old_weight, old_error) = (node.weight, node.error);
            let sums = self.buckets.get_mut(&bucket).unwrap();
            sums.errors += error.to_f64() - old_error.to_f64();
            sums.weights += weight.to_f64() - old_weight.to_f64();
            let node = self.node_mut(name);
            (node.weight, node.error) = (weight, error);
        }
        self.correct(name);
    }

    fn correct(&mut self, name: Name) {
        let Bucket { errors, weights, .. } = self.buckets[&self.nodes[&name].bucket.unwrap()];
        let mean = if weights > 0.001 { errors / weights } else { 0.0 };
        let lambda = self.params.value_bias.unwrap().lambda;
        self.node_mut(name).correction = N::Real::from_f64(lambda * mean);
    }

    /// A proven node has no error.
    pub(super) fn leave(&mut self, name: Name) {
        let node = self.node_mut(name);
        let (weight, error) = (node.weight.to_f64(), node.error.to_f64());
        (node.weight, node.error, node.correction) = Default::default();
        if let Some(bucket) = node.bucket.take() {
            let sums = self.buckets.get_mut(&bucket).unwrap();
            sums.errors -= error;
            sums.weights -= weight;
        }
    }

    /// Nodes that are not kept leave a share of their errors; buckets without nodes go.
    pub(super) fn leave_behind(&mut self, kept: &BTreeSet<Name>) {
        let Some(bias) = self.params.value_bias else { return };
        for name in &self.made {
            let node = &self.nodes[name];
            if let (Some(bucket), false) = (node.bucket, name.is_some() && kept.contains(name)) {
                let left = &mut self.buckets.get_mut(&bucket).unwrap().left;
                left.0 += (1.0 - bias.freed) * node.error.to_f64();
                left.1 += (1.0 - bias.freed) * node.weight.to_f64();
            }
        }
    }

    pub(super) fn sum_up(&mut self) {
        let nodes = self.nodes.values();
        let used: BTreeSet<BucketName> = nodes.filter_map(|node| node.bucket).collect();
        self.buckets.retain(|name, _| used.contains(name));
        for bucket in self.buckets.values_mut() {
            (bucket.errors, bucket.weights) = bucket.left;
        }
        for name in &self.made {
            let node = &self.nodes[name];
            if let Some(bucket) = node.bucket {
                let bucket = self.buckets.get_mut(&bucket).unwrap();
                bucket.errors += node.error.to_f64();
                bucket.weights += node.weight.to_f64();
            }
        }
    }
}

/// `NodeUtility`: the network's value less lambda times the bucket's mean error, but never such
/// that win, draw and loss would not be chances.
pub(super) fn own_value<R: Real>(node: &Node<R>) -> Pair<R> {
    let own = node.own;
    let most =
        if own.value.abs() > R::ONE - own.draw { own.value.abs() } else { R::ONE - own.draw };
    let mut value = own.value - node.correction;
    if value > most {
        value = most;
    }
    if value < -most {
        value = -most;
    }
    Pair { value, draw: own.draw }
}
