//! Values: N, Q, bounds, and which nodes are brought up to date.

use std::collections::BTreeSet;

use dz_game::{Move, Player};
use dz_search::{Backup, Domain, Real, Selection, Staleness};

use super::{
    Reference,
    bias::own_value,
    node::{Edge, Kind, Name, Pair, Rounds},
};

impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    /// N = `N_own` + sum N(a), Q = (`N_own` U + sum N(a) Q(a)) / N, from the children alone.
    pub(super) fn recompute(&mut self, name: Name) {
        self.observe(name);
        if self.params.uncertainty.is_some() {
            self.recompute_by_weights(name);
            return;
        }
        let node = &self.nodes[&name];
        let own = N::Real::from_u32(node.own_visits);
        let mut visits = node.own_visits;
        let once = own_value(node);
        let mut sum = Pair { value: own * once.value, draw: own * once.draw };
        let mut averages = Vec::new();
        let row = &node.row[..node.visited];
        let edges: Vec<&Edge<N::Real>> = row.iter().map(|&i| &node.edges[i]).collect();
        for edge in &edges {
            let (child, count) = (self.child(edge), N::Real::from_u32(edge.visits));
            visits += edge.visits;
            sum = sum.plus(count, child.average);
            averages.push(child.average);
        }
        for edge in &edges {
            // A visit that closed a cycle counts as a draw, not as what the child is worth.
            let closed = N::Real::from_u32(edge.cycle_draws);
            sum = sum.plus(-closed, self.child(edge).average);
            sum.draw += closed;
        }
        let count = N::Real::from_u32(visits);
        let square = self.square(name);
        let is_delta = matches!(self.params.backup, Backup::Delta { .. });
        let node = self.node_mut(name);
        node.visits = visits;
        node.average = Pair { value: sum.value / count, draw: sum.draw / count };
        node.square = square;
        if is_delta {
            for (at, average) in averages.into_iter().enumerate() {
                let edge = &mut node.edges[node.row[at]];
                (edge.average, edge.average_draw) = (average.value, average.draw);
            }
        }
        self.recompute_score(name);
        if self.params.prove {
            self.prove(name);
        }
    }

    /// The same where visits weigh: W in place of N.
    fn recompute_by_weights(&mut self, name: Name) {
        let node = &self.nodes[&name];
        let once = own_value(node);
        let mut weight = self.own_weight(node);
        let mut visits = node.own_visits;
        let mut sum = Pair { value: weight * once.value, draw: weight * once.draw };
        for &i in &node.row[..node.visited] {
            let edge = &node.edges[i];
            let all = self.edge_weight(edge);
            let drawn = self.drawn_weight(edge);
            visits += edge.visits;
            weight += all;
            sum.draw += drawn;
            sum = sum.plus(all - drawn, self.child(edge).average);
        }
        let square = self.square(name);
        let node = self.node_mut(name);
        node.visits = visits;
        node.average = Pair { value: sum.value / weight, draw: sum.draw / weight };
        node.square = square;
        node.mean_weight = weight / N::Real::from_u32(visits);
        self.recompute_score(name);
        if self.params.prove {
            self.prove(name);
        }
    }

    /// E(n) = (`N_own` U^2 + sum N(a) E(a)) / N, the average of squared values.
    pub(super) fn square(&self, name: Name) -> N::Real {
        let node = &self.nodes[&name];
        let own = own_value(node).value;
        let mut visits = self.own_weight(node);
        let mut sum = own * own * visits;
        for &i in &node.row[..node.visited] {
            let edge = &node.edges[i];
            visits += self.edge_weight(edge);
            sum += self.edge_weight(edge) * self.child(edge).square;
        }
        sum / visits
    }

    pub(super) fn average_in(&mut self, name: Name, sample: Pair<N::Real>) {
        let weight = self.params.leaf_rollouts;
        let node = self.node_mut(name);
        node.visits += weight;
        let count = N::Real::from_u32(node.visits);
        let weight = N::Real::from_u32(weight);
        node.average = node.average.towards(sample, weight, count);
        node.square += weight * (sample.value * sample.value - node.square) / count;
    }

    /// Delta backup: the sample that brings a shared edge to its child's value, averaged into the
    /// edge, whose visit is counted already.
    pub(super) fn corrected(
        &mut self,
        name: Name,
        i: usize,
        sample: Pair<N::Real>,
        clamp: bool,
    ) -> Pair<N::Real> {
        let (zero, one) = (N::Real::ZERO, N::Real::ONE);
        let edge = &self.nodes[&name].edges[i];
        let child = self.child(edge);
        let weight = self.params.leaf_rollouts;
        let (target, before) = (child.average, N::Real::from_u32(edge.visits - weight));
        let times = N::Real::from_u32(weight);
        let is_shared = child.visits != edge.visits;
        let mut sample = sample;
        if is_shared {
            sample.value = before * (target.value - edge.average) / times + target.value;
            sample.draw = before * (target.draw - edge.average_draw) / times + target.draw;
            if clamp {
                sample.value = sample.value.max(-one).min(one);
                sample.draw = sample.draw.max(zero).min(one);
            }
        }
        let edge = &mut self.node_mut(name).edges[i];
        let known = Pair { value: edge.average, draw: edge.average_draw };
        let count = N::Real::from_u32(edge.visits);
        let is_first = edge.visits == weight;
        let known = if is_first { sample } else { known.towards(sample, times, count) };
        (edge.average, edge.average_draw) = (known.value, known.draw);
        sample
    }

    /// The mover's lower bound is that of the best child. The upper bound is the best of all
    /// children, or a win while a move was never tried.
    pub(super) fn prove(&mut self, name: Name) {
        let node = &self.nodes[&name];
        if node.edges.is_empty() {
            return;
        }
        let one = N::Real::ONE;
        let (mut certain, mut hope) = (-one, -one);
        let mut draw = None;
        for &i in &node.row[..node.visited] {
            let child = self.child(&node.edges[i]);
            let (low, high) = if node.sign > N::Real::ZERO {
                (child.lower, child.upper)
            } else {
                (-child.upper, -child.lower)
            };
            if draw.is_none() || low > certain {
                (certain, draw) = (low.max(certain), Some(child.average.draw));
            }
            hope = hope.max(high);
        }
        if node.visited < node.edges.len() {
            hope = one;
        }
        let node = self.node_mut(name);
        (node.lower, node.upper) =
            if node.sign > N::Real::ZERO { (certain, hope) } else { (-hope, -certain) };
        if certain >= hope {
            node.average = Pair { value: node.sign * certain, draw: draw.unwrap() };
            self.leave(name);
        }
    }

    /// After a playout: who else is brought up to date.
    pub(super) fn recompute_stale(&mut self) {
        let line = self.line.clone();
        match self.params.staleness {
            Staleness::Path => {}
            Staleness::Parents => {
                let path = line.iter().rev().map(|step| step.0);
                for name in self.rollout_leaf.into_iter().chain(path) {
                    self.recompute_inner(name);
                    let parents: Vec<Name> =
                        self.nodes[&name].parents.iter().rev().copied().collect();
                    for parent in parents {
                        if !line.iter().any(|(on_path, _)| *on_path == parent) {
                            self.recompute_inner(parent);
                        }
                    }
                }
            }
            Staleness::Ancestors => {
                let (mut met, mut order) = (BTreeSet::new(), Vec::new());
                let last = self.rollout_leaf.unwrap_or(line[line.len() - 1].0);
                self.rise(last, &mut met, &mut order);
                for name in order.into_iter().rev() {
                    self.recompute_inner(name);
                }
            }
            Staleness::Refresher { nodes_per_playout } => {
                for _ in 0..nodes_per_playout {
                    if self.sweep == 0 {
                        self.sweep = self.made.len();
                    }
                    self.sweep -= 1;
                    self.recompute_inner(self.made[self.sweep]);
                }
                self.recompute_inner(None);
            }
        }
    }

    /// A node after all its ancestors: reversed, children come before parents.
    fn rise(&self, name: Name, met: &mut BTreeSet<Name>, order: &mut Vec<Name>) {
        if met.insert(name) {
            for &parent in &self.nodes[&name].parents {
                self.rise(parent, met, order);
            }
            order.push(name);
        }
    }

    fn recompute_inner(&mut self, name: Name) {
        if self.nodes[&name].kind == Kind::Expanded {
            self.recompute(name);
        }
    }

    /// m(s, a) and its average, for every legal move that the same player made at s or later.
    pub(super) fn update_amaf(&mut self) {
        if !matches!(self.params.selection, Selection::Rave(_)) {
            return;
        }
        if self.rollouts.is_empty() {
            let found = self.found.value;
            self.update_amaf_by(&[], found, self.params.leaf_rollouts);
        }
        for (value, moves) in std::mem::take(&mut self.rollouts) {
            self.update_amaf_by(&moves, value.value, 1);
        }
    }

    fn update_amaf_by(&mut self, rolled: &[(Player, Move)], value: N::Real, weight: u32) {
        let line = self.line.clone();
        for (depth, (name, _)) in line.iter().enumerate() {
            let sign = self.nodes[name].sign;
            let player = if sign > N::Real::ZERO { Player::First } else { Player::Second };
            let mut made: BTreeSet<u16> = BTreeSet::new();
            for (later, i) in &line[depth..] {
                let later = &self.nodes[later];
                if later.sign == sign {
                    made.insert(later.edges[*i].mv);
                }
            }
            made.extend(rolled.iter().filter(|(by, _)| *by == player).map(|(_, mv)| mv.0));
            for edge in &mut self.node_mut(*name).edges {
                if made.contains(&edge.mv) {
                    edge.amaf_visits += weight;
                    let count = N::Real::from_u32(edge.amaf_visits);
                    edge.amaf += N::Real::from_u32(weight) * (value - edge.amaf) / count;
                }
            }
        }
    }
}
