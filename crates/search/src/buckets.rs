//! Buckets of observed errors, for subtree value bias correction.
//!
//! A bucket's sums are those of its nodes, changed as the nodes change, and what freed nodes have
//! left. They are in 64 bits whatever the search counts in.

use dz_game::Key;
use serde::{Deserialize, Serialize};

use crate::{
    memory::bytes_of,
    node::{NodeId, ROOT},
    numbers::Real,
    table::Table,
    value::ValueAbs,
};

/// The bucket of nodes that have none.
const NONE: u32 = u32::MAX;

/// A bucket whose nodes weigh less has observed nothing (KataGo, `addLeafValue`: 0.001). One child
/// visit weighs 1, so only rounding leaves less.
const WEIGHT_MIN: f64 = 0.001;

/// Beside a node.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct NodeBias<R> {
    bucket: u32,
    /// w: what its error weighs.
    weight: R,
    /// w e: what it adds to the bucket's errors.
    error: R,
    /// lambda b, as it was when the node was last recomputed.
    correction: R,
}

impl<R: Real> NodeBias<R> {
    /// A node without a bucket: the root, a finished game, a proven node.
    fn none() -> Self {
        Self { bucket: NONE, weight: R::ZERO, error: R::ZERO, correction: R::ZERO }
    }
}

/// Sums over the nodes of a bucket.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Bucket {
    /// Sum of w e, what freed nodes left included.
    error: f64,
    /// Sum of w, likewise.
    weight: f64,
    /// What freed nodes left of w e.
    freed_error: f64,
    /// What freed nodes left of w.
    freed_weight: f64,
}

/// All buckets, and every node's part in them. It is empty where the correction is off.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound = "R: Real")]
pub(crate) struct Buckets<R> {
    /// One a node.
    nodes: Vec<NodeBias<R>>,
    sums: Vec<Bucket>,
    /// One a bucket.
    keys: Vec<Key>,
    /// Buckets by key; the table's ids are their places.
    #[serde(skip)]
    table: Table,
}

impl<R: Real> Buckets<R> {
    /// Adds a node without a bucket.
    pub(crate) fn add_node(&mut self) {
        self.nodes.push(NodeBias::none());
    }

    /// Puts a node into the bucket of this key, which is made if it is not there.
    pub(crate) fn join(&mut self, id: NodeId, key: Key) {
        let bucket = self.table.get(key, &self.keys).unwrap_or_else(|| {
            let bucket = NodeId(self.sums.len() as u32);
            self.sums.push(Bucket::default());
            self.keys.push(key);
            self.table.insert(key, bucket, &self.keys);
            bucket
        });
        self.nodes[id.index()].bucket = bucket.0;
    }

    /// True if a node has a bucket.
    pub(crate) fn has_bucket(&self, id: NodeId) -> bool {
        self.nodes[id.index()].bucket != NONE
    }

    /// U' = U - lambda b. Win, draw and loss stay chances: U' is held within 1 less the chance of
    /// a draw. KataGo corrects utilities, which have no such bounds.
    pub(crate) fn correct(&self, id: NodeId, own: ValueAbs<R>) -> ValueAbs<R> {
        // An evaluator's chances may be off by rounding. Without a correction they stay unchanged.
        let limit = (R::ONE - own.draw).max(own.value.abs());
        let corrected = own.value - self.nodes[id.index()].correction;
        ValueAbs { value: corrected.max(-limit).min(limit), ..own }
    }

    /// Replaces a node's error and its weight.
    pub(crate) fn observe(&mut self, id: NodeId, error: R, weight: R) {
        let node = &mut self.nodes[id.index()];
        let error = weight * error;
        let bucket = &mut self.sums[node.bucket as usize];
        bucket.error += error.to_f64() - node.error.to_f64();
        bucket.weight += weight.to_f64() - node.weight.to_f64();
        (node.error, node.weight) = (error, weight);
    }

    /// Takes the node's correction from its bucket.
    pub(crate) fn retrieve(&mut self, id: NodeId, lambda: f64) {
        let node = &mut self.nodes[id.index()];
        let bucket = &self.sums[node.bucket as usize];
        let is_known = bucket.weight > WEIGHT_MIN;
        let bias = if is_known { bucket.error / bucket.weight } else { 0.0 };
        node.correction = R::from_f64(lambda * bias);
    }

    /// Takes a node out of its bucket, if it has one: its value has become certain.
    pub(crate) fn leave(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get(id.index()).filter(|node| node.bucket != NONE) else {
            return;
        };
        let bucket = &mut self.sums[node.bucket as usize];
        bucket.error -= node.error.to_f64();
        bucket.weight -= node.weight.to_f64();
        self.nodes[id.index()] = NodeBias::none();
    }

    /// Notes that a node is freed: all but a share `freed` of its part stays in its bucket.
    pub(crate) fn free(&mut self, index: usize, freed: f64) {
        let node = &self.nodes[index];
        if node.bucket != NONE {
            let bucket = &mut self.sums[node.bucket as usize];
            bucket.freed_error += (1.0 - freed) * node.error.to_f64();
            bucket.freed_weight += (1.0 - freed) * node.weight.to_f64();
        }
    }

    /// Moves a node to another place, over one that is gone.
    pub(crate) fn move_node(&mut self, old: usize, new: usize) {
        self.nodes[new] = self.nodes[old];
    }

    /// Keeps the first nodes alone.
    pub(crate) fn truncate(&mut self, nodes: usize) {
        self.nodes.truncate(nodes);
    }

    /// Drops the buckets that have no node left, and sums up the others again, node by node, so
    /// that rounding does not add up from move to move.
    pub(crate) fn settle(&mut self) {
        let mut places = vec![NONE; self.sums.len()];
        for node in self.nodes.iter().filter(|node| node.bucket != NONE) {
            places[node.bucket as usize] = 0;
        }
        let mut kept = 0;
        for (old, place) in places.iter_mut().enumerate().filter(|(_, place)| **place != NONE) {
            *place = kept as u32;
            let Bucket { freed_error, freed_weight, .. } = self.sums[old];
            let (error, weight) = (freed_error, freed_weight);
            self.sums[kept] = Bucket { error, weight, freed_error, freed_weight };
            self.keys[kept] = self.keys[old];
            kept += 1;
        }
        self.sums.truncate(kept);
        self.keys.truncate(kept);
        for node in self.nodes.iter_mut().filter(|node| node.bucket != NONE) {
            node.bucket = places[node.bucket as usize];
            let bucket = &mut self.sums[node.bucket as usize];
            bucket.error += node.error.to_f64();
            bucket.weight += node.weight.to_f64();
        }
        self.fill_table();
    }

    /// Enters every bucket into the table.
    pub(crate) fn fill_table(&mut self) {
        self.table.clear();
        for (place, &key) in (0..).zip(&self.keys) {
            self.table.insert(key, NodeId(place), &self.keys);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.sums.clear();
        self.keys.clear();
        self.table.clear();
    }

    /// Makes room for so many more nodes.
    pub(crate) fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve_exact(nodes);
    }

    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.nodes) + bytes_of(&self.sums) + bytes_of(&self.keys) + self.table.bytes()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.sums.is_empty()
    }
}

/// A node's part in its bucket, for views.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BiasView {
    /// The bucket's key.
    pub bucket: Key,
    /// w: what the node's error weighs; 0 without children.
    pub weight: f64,
    /// w e, the first player's.
    pub error: f64,
    /// lambda b: what is taken off the node's own value, the first player's.
    pub correction: f64,
}

/// A bucket, for views. Sums are the first player's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucketView {
    /// Its key: player, move, move before, surroundings.
    pub key: Key,
    /// Sum of w over its nodes, and what freed nodes left.
    pub weight: f64,
    /// Sum of w e, likewise.
    pub error: f64,
    /// What freed nodes left of w.
    pub freed_weight: f64,
    /// What freed nodes left of w e.
    pub freed_error: f64,
}

impl<R: Real> Buckets<R> {
    /// The part of a node.
    pub(crate) fn view(&self, id: NodeId) -> Option<BiasView> {
        let node = self.nodes.get(id.index()).filter(|node| node.bucket != NONE)?;
        Some(BiasView {
            bucket: self.keys[node.bucket as usize],
            weight: node.weight.to_f64(),
            error: node.error.to_f64(),
            correction: node.correction.to_f64(),
        })
    }

    /// All buckets, in the order in which they were made.
    pub(crate) fn views(&self) -> impl Iterator<Item = BucketView> + '_ {
        self.keys.iter().zip(&self.sums).map(|(&key, bucket)| {
            let Bucket { error, weight, freed_error, freed_weight } = *bucket;
            BucketView { key, weight, error, freed_weight, freed_error }
        })
    }

    /// True if the parts of a saved search fit each other: one part a node, none for the root, and
    /// buckets that are there, each with a key of its own.
    pub(crate) fn is_sound(&self, nodes: usize) -> bool {
        let mut keys = self.keys.clone();
        keys.sort_unstable();
        let is_finite = |bucket: &Bucket| {
            let Bucket { error, weight, freed_error, freed_weight } = bucket;
            [error, weight, freed_error, freed_weight].iter().all(|sum| sum.is_finite())
        };
        self.nodes.len() == nodes
            && self.keys.len() == self.sums.len()
            && keys.is_sorted_by(|a, b| a < b)
            && self.sums.iter().all(is_finite)
            && self
                .nodes
                .iter()
                .all(|node| node.bucket == NONE || (node.bucket as usize) < self.sums.len())
            && self.nodes.first().is_none_or(|_| !self.has_bucket(ROOT))
    }
}
