//! Split search: a rollout's backup, and when it arrives, the network value's.
//!
//! The two come in either order. A rollout's outcome ends the walk's virtual losses and counts its
//! visits. A network's value counts no visit. The leaf holds its place among those that wait until
//! both have come.

use crate::{
    Expansion, LeafId, LeafValue, NetworkAnswer, Numbers, Search,
    domain::Domain,
    leaf::{Asks, Wants},
    node::{Kind, NewNode, NodeId, ROOT},
    numbers::Real,
    path::{Awaited, PathStep, Walk},
    sums::is_split,
    value::ValueAbs,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// The answers that a leaf needs: the value at its first visit, the priors at the visit by
    /// which its rollouts exceed `expansion`, and a rollout each time.
    pub(crate) fn wants_split(&self, walk: &mut Walk<D, N>) -> Wants {
        let mixes = matches!(self.params.leaf_value, LeafValue::Mix { .. });
        let first = self.params.expansion == Expansion::FirstVisit;
        walk.asks = match walk.awaited {
            Awaited::Root => Asks { value: mixes, priors: true },
            Awaited::New(_) => Asks { value: mixes, priors: first || self.rate.threshold == 0 },
            Awaited::Known(id) => {
                let waits = |asks: fn(Asks) -> bool| {
                    let others = self.open.iter().flatten();
                    others
                        .filter(|other| other.awaited == walk.awaited)
                        .any(|other| asks(other.asks) && other.network.is_none())
                };
                let has_value = self.arena.side.halves[id.index()].own_value.is_some();
                let is_due = first || self.arena.node(id).own_visits >= self.rate.threshold;
                Asks {
                    value: mixes && !has_value && !waits(|asks| asks.value),
                    priors: is_due && !waits(|asks| asks.priors),
                }
            }
        };
        let rollouts = self.params.leaf_rollouts;
        Wants { network: walk.asks.value || walk.asks.priors, rollouts }
    }

    /// Backs up the rollouts of a leaf, N of mean outcome z: `N_r += N - n_vl`, `W_r += N z +
    /// n_vl`. AlphaGo plays one, so N is 1.
    pub(crate) fn back_up_outcome(
        &mut self,
        leaf: LeafId,
        mut walk: Box<Walk<D, N>>,
        outcome: ValueAbs<N::Real>,
    ) {
        let id = self.leaf_node(leaf, &mut walk);
        self.add_virtual_visits(&walk.path, -1);
        walk.is_counted = true;
        let weight = self.params.leaf_rollouts;
        let times = N::Real::from_u32(weight);
        self.arena.side.halves[id.index()].own_outcomes.add(outcome, times);
        self.arena.node_mut(id).own_visits += weight;
        self.recompute_node(id);
        self.back_up(&walk.path, Some(id), outcome, weight);
        self.update_amaf_by_rollouts(&walk, None);
        walk.rollout = Some(outcome);
        self.close_if_answered(leaf, walk);
    }

    /// Backs up a network's value, `N_v += 1`, `W_v += v`, and opens the node if it was due.
    pub(crate) fn back_up_value(
        &mut self,
        leaf: LeafId,
        mut walk: Box<Walk<D, N>>,
        answer: &NetworkAnswer<'_, N::Real>,
    ) {
        let value = ValueAbs::from_pov(answer.estimate, walk.sign);
        let id = self.leaf_node(leaf, &mut walk);
        if walk.asks.value {
            self.arena.side.halves[id.index()].own_value = Some(value);
        }
        if walk.asks.priors {
            self.rate.evaluate();
            self.open_node(id, &walk.legal, answer.priors, answer.heuristics);
        }
        self.recompute_node(id);
        self.recompute_path(&walk.path);
        self.recompute_stale(&walk.path, Some(id));
        walk.network = Some((value, answer.cached));
        self.close_if_answered(leaf, walk);
    }

    /// Recomputes the nodes of a path, the last one first, without counting a visit.
    pub(crate) fn recompute_path(&mut self, path: &[PathStep]) {
        for step in path.iter().rev() {
            self.recompute_node(step.node);
        }
    }

    /// The root's halves, from its first evaluation.
    pub(crate) fn split_root(&mut self, walk: &Walk<D, N>) {
        let halves = &mut self.arena.side.halves[ROOT.index()];
        halves.own_value = walk.network.filter(|_| walk.asks.value).map(|(value, _)| value);
        let times = N::Real::from_u32(self.params.leaf_rollouts);
        halves.own_outcomes = walk.rollout.unwrap_or_default().times(times);
        self.recompute_node(ROOT);
    }

    /// Walks whose visits are counted and whose value has not come.
    pub(crate) fn counted_early(&self) -> u32 {
        if self.open_count == 0 || !is_split(&self.params) {
            return 0;
        }
        self.open.iter().flatten().filter(|walk| walk.is_counted).count() as u32
    }

    /// The leaf's node. The first answer makes it, without visits, and frees the walks that met it.
    fn leaf_node(&mut self, leaf: LeafId, walk: &mut Walk<D, N>) -> NodeId {
        let key = match walk.awaited {
            Awaited::Root => return ROOT,
            Awaited::Known(id) => return id,
            Awaited::New(key) => key,
        };
        self.unblock(Some(leaf));
        let own = ValueAbs::default();
        let new = NewNode { key, own, sign: walk.sign, kind: Kind::Unexpanded };
        let id = self.add_node(new, &walk.state);
        let node = self.arena.node_mut(id);
        node.visits = 0;
        node.own_visits = 0;
        if let Some(&PathStep { node, place }) = walk.path.last() {
            self.attach(node, place, id);
        }
        walk.awaited = Awaited::Known(id);
        id
    }

    /// Counts the playout once it has all its answers; else it waits on.
    fn close_if_answered(&mut self, leaf: LeafId, mut walk: Box<Walk<D, N>>) {
        if walk.rollout.is_none() || (walk.wants.network && walk.network.is_none()) {
            self.open[leaf.0] = Some(walk);
            return;
        }
        self.count_end(&walk);
        self.finish_trace(&mut walk, self.counts.playouts);
        self.spare.push(walk);
    }
}
