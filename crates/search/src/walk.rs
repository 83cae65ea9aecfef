//! Walks from the root down to a leaf or to an end that needs no evaluation.

use dz_game::{Key, Move, mix64};

use crate::{
    Backup, CatchUp, Expansion, LeafValue, Numbers, Revisit, Search, Terminals, Untried,
    domain::{Domain, Status},
    leaf::{LeafId, Wants},
    node::{Kind, NewNode, NodeId, ROOT},
    numbers::{Prior, Real},
    path::{Awaited, End, PathStep, Walk},
    sums::is_split,
    value::ValueAbs,
};

/// What a walk does at a node that it reaches.
enum Arrival<R> {
    /// It descends into the node.
    Descend,
    /// It ends with this value.
    Ends(ValueAbs<R>),
    /// The node exists, but needs another evaluation.
    NeedsEvaluation,
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Walks once from the root.
    pub(crate) fn playout(&mut self) -> End {
        let mut walk = self.take_walk();
        walk.random = mix64(self.seed ^ mix64(self.walks));
        self.walks += 1;
        if self.arena.nodes.is_empty() {
            return self.open_leaf(walk, Awaited::Root);
        }
        let mut id = ROOT;
        loop {
            let chosen = self.choose(id, &mut walk);
            if id == ROOT {
                self.grant_playout(chosen);
            }
            let mv = Move(self.arena.priors(self.arena.node(id))[chosen].mv());
            let is_new = chosen >= usize::from(self.arena.node(id).visited);
            if is_new && self.params.value_bias.is_some() {
                walk.bucket = self.bucket_after(id, mv, &walk);
            }
            if self.params.graph {
                let key = self.node_key(id);
                self.domain.advance_keyed(&mut walk.state, &mut walk.history, mv, key);
            } else {
                self.domain.advance(&mut walk.state, &mut walk.history, mv);
            }
            walk.moves += 1;
            let place = if is_new { self.arena.link(id, chosen) } else { chosen };
            walk.path.push(PathStep { node: id, place });
            let edge = self.arena.edges(self.arena.node(id))[place];
            let child = if edge.child == ROOT {
                if !is_new {
                    let waiting = self.waiting_at(PathStep { node: id, place });
                    return self.collide(walk, waiting);
                }
                let key = self.key_of(&walk.state, &walk.history);
                if let Some(waiting) = self.waiting_for(Awaited::New(key)) {
                    self.arena.unlink_last(id);
                    walk.path.pop();
                    return self.collide(walk, Some(waiting));
                }
                let Some(child) = self.find_or_finish(&walk.state, &walk.history, key) else {
                    return self.open_leaf(walk, Awaited::New(key));
                };
                self.attach(id, place, child);
                child
            } else {
                edge.child
            };
            match self.arrive(child, edge.visits, &walk) {
                Arrival::Descend => id = child,
                Arrival::Ends(sample) => {
                    let weight = self.params.leaf_rollouts;
                    self.back_up(&walk.path, None, sample, weight);
                    self.update_amaf(&walk.path, &[], sample, weight);
                    self.finish_trace(&mut walk, self.counts.playouts + 1);
                    self.spare.push(walk);
                    return End::Counted;
                }
                Arrival::NeedsEvaluation => {
                    let awaited = Awaited::Known(child);
                    // In split search several rollouts may be under way from one leaf.
                    let waiting = self.waiting_for(awaited).filter(|_| !is_split(&self.params));
                    let Some(waiting) = waiting else {
                        return self.open_leaf(walk, awaited);
                    };
                    if is_new {
                        self.arena.unlink_last(id);
                        walk.path.pop();
                    }
                    return self.collide(walk, Some(waiting));
                }
            }
        }
    }

    /// Chooses a move at a node and returns its place.
    fn choose(&mut self, id: NodeId, walk: &mut Walk<D, N>) -> usize {
        if let Some(place) = self.take_held_place(id) {
            self.trace_step(id, place, walk, true);
            return place;
        }
        let place = match self.params.untried {
            Untried::Score => self.select(id, walk),
            Untried::Rollout => self.try_by_policy(id, walk),
        };
        self.hold_choice(id, place, walk);
        self.trace_step(id, place, walk, false);
        place
    }

    /// Decides what happens at a node that was reached by an edge with so many visits, and counts
    /// the end if it is one.
    fn arrive(&mut self, id: NodeId, edge_visits: u32, walk: &Walk<D, N>) -> Arrival<N::Real> {
        let node = *self.arena.node(id);
        if node.is_terminal() {
            self.counts.terminals += 1;
            if self.params.terminals == Terminals::Counted {
                for visit in 0..self.params.leaf_rollouts {
                    let random = if visit == 0 { walk.random } else { walk.word(visit.into()) };
                    self.sample_outcome(id, &walk.state, &walk.history, random);
                }
                return Arrival::Ends(self.arena.node(id).average);
            }
        } else if self.params.prove && self.arena.side.nodes[id.index()].is_proven() {
            self.counts.terminals += 1;
        } else if self.is_on_path(id, walk) {
            self.counts.cycle_ends += 1;
            return Arrival::Ends(self.close_cycle(walk));
        } else if self.stops_at(edge_visits, node.visits, walk) || self.differs_from_child(id, walk)
        {
            self.counts.cut += 1;
        } else if node.kind == Kind::Unexpanded {
            return Arrival::NeedsEvaluation;
        } else {
            return Arrival::Descend;
        }
        Arrival::Ends(node.average)
    }

    /// Counts a visit of a finished game and averages the outcome that it finds.
    pub(crate) fn sample_outcome(
        &mut self,
        id: NodeId,
        state: &D::State,
        history: &D::History,
        random: u64,
    ) {
        let (value, draw) = self.domain.outcome(state, history, random);
        let sample = ValueAbs { value: N::Real::from_f64(value), draw: N::Real::from_f64(draw) };
        let node = self.arena.node_mut(id);
        node.visits += 1;
        node.own_visits += 1;
        let count = N::Real::from_u32(node.own_visits);
        if node.own_visits == 1 {
            node.own = sample;
        } else {
            node.own.average_in(sample, N::Real::ONE, count);
        }
        node.average = node.own;
        if self.arena.side.uses_nodes {
            let side = &mut self.arena.side.nodes[id.index()];
            let square = sample.value * sample.value;
            side.square += (square - side.square) / count;
        }
    }

    /// True if the node is on the walk's path. In an acyclic game that happens only if two
    /// positions share a key; such a walk ends once it is longer than there are nodes.
    fn is_on_path(&self, id: NodeId, walk: &Walk<D, N>) -> bool {
        if self.domain.acyclic() {
            return walk.path.len() > self.arena.nodes.len();
        }
        walk.path.iter().any(|step| step.node == id)
    }

    /// The value of a playout whose last step came back to its own path.
    fn close_cycle(&mut self, walk: &Walk<D, N>) -> ValueAbs<N::Real> {
        let Some(&PathStep { node, place }) = walk.path.last() else { return ValueAbs::default() };
        if self.params.revisit == Revisit::Draw && self.arena.side.uses_edges {
            let weight = self.params.leaf_rollouts;
            self.arena.edge_side_mut(node, place).cycle_draws += weight;
            return ValueAbs { value: N::Real::ZERO, draw: N::Real::ONE };
        }
        let child = self.arena.edges(self.arena.node(node))[place].child;
        self.arena.node(child).average
    }

    /// True if the child's own visits already support one more visit of the edge.
    fn stops_at(&self, edge_visits: u32, child_visits: u32, walk: &Walk<D, N>) -> bool {
        let ahead = child_visits > edge_visits;
        match self.params.catch_up {
            CatchUp::Continue => false,
            CatchUp::Stop => ahead,
            CatchUp::Leak(p) => ahead && walk.share(0x1ea4) >= p,
            CatchUp::Margin(margin) => child_visits > edge_visits.saturating_add(margin),
        }
    }

    /// In delta backup: true if the child of the last edge has other parents and its value differs
    /// from the edge's by more than the tolerance.
    fn differs_from_child(&self, child: NodeId, walk: &Walk<D, N>) -> bool {
        let (Backup::Delta { tolerance, .. }, Some(step)) = (self.params.backup, walk.path.last())
        else {
            return false;
        };
        let node = self.arena.node(step.node);
        let child = self.arena.node(child);
        let edge = self.arena.edges(node)[step.place];
        let known = self.arena.edge_side(node, step.place).average.value;
        edge.visits > 0
            && child.visits > edge.visits
            && (known - child.average.value).abs() > N::Real::from_f64(tolerance)
    }

    /// The node of a position: found by its key, or made if the game is over there.
    pub(crate) fn find_or_finish(
        &mut self,
        state: &D::State,
        history: &D::History,
        key: Key,
    ) -> Option<NodeId> {
        if self.params.graph
            && let Some(id) = self.table.get(key, &self.arena.keys)
        {
            self.counts.transpositions += 1;
            self.check_state(id, state);
            return Some(id);
        }
        let Status::Over { value, draw } = self.domain.status(state, history) else {
            return None;
        };
        let own = ValueAbs { value: N::Real::from_f64(value), draw: N::Real::from_f64(draw) };
        let id = self.add_node(NewNode { key, own, sign: 1, kind: Kind::Terminal }, state);
        if self.has_more_to_average {
            self.note_final_lead(id, state, history);
            self.note_weight(id, None, true);
        }
        if self.params.terminals == Terminals::Counted {
            // The arrival that follows counts its first visit.
            let node = self.arena.node_mut(id);
            node.visits = 0;
            node.own_visits = 0;
        }
        Some(id)
    }

    /// Adds a node under its key.
    pub(crate) fn add_node(&mut self, new: NewNode<N::Real>, state: &D::State) -> NodeId {
        let id = self.arena.add(new);
        if self.params.check_states {
            self.states.push(state.clone());
        }
        // In a tree no key is ever looked up, and the root is a private copy.
        if self.params.graph && id != ROOT {
            self.table.insert(new.key, id, &self.arena.keys);
        }
        id
    }

    /// Panics if the node found by a position's key stands for another position.
    fn check_state(&self, id: NodeId, state: &D::State) {
        if self.params.check_states {
            let known = &self.states[id.index()];
            assert!(
                known == state,
                "two positions share the key {}: {known:?} and {state:?}",
                self.arena.keys[id.index()]
            );
        }
    }

    /// The key of a node's position, in a graph.
    fn node_key(&mut self, id: NodeId) -> Key {
        if id != ROOT {
            return self.arena.keys[id.index()];
        }
        // The root is in no table, and may have another key there.
        let Self { domain, root_key, root_state, root_history, .. } = self;
        *root_key.get_or_insert_with(|| domain.node_key(root_state, root_history))
    }

    /// The key of a node: the position's, or in a tree one of this path alone.
    pub(crate) fn key_of(&mut self, state: &D::State, history: &D::History) -> Key {
        if self.params.graph {
            return self.domain.node_key(state, history);
        }
        self.private_keys += 1;
        Key { high: 0, low: self.private_keys }
    }

    /// Gives an edge its child.
    #[inline]
    pub(crate) fn attach(&mut self, id: NodeId, place: usize, child: NodeId) {
        let average = self.arena.node(child).average;
        self.arena.edge_mut(id, place).child = child;
        if self.arena.side.uses_edges {
            self.arena.edge_side_mut(id, place).average = average;
        }
        self.arena.side.add_parent(child, id);
    }

    /// Ends a walk that met a position which waits for its evaluation already. As long as fewer
    /// than `collisions_max` have done so, its virtual visits stay until that leaf is answered, so
    /// that the next walk takes another way.
    fn collide(&mut self, walk: Box<Walk<D, N>>, waiting: Option<LeafId>) -> End {
        self.counts.collisions += 1;
        match waiting {
            Some(leaf)
                if self.blocked.len() < self.params.collisions_max as usize
                    && !walk.path.is_empty() =>
            {
                self.add_virtual_visits(&walk.path, 1);
                self.blocked.push((leaf, walk));
                End::Blocked
            }
            _ => {
                self.spare.push(walk);
                End::Collision
            }
        }
    }

    /// The answers that a leaf needs.
    pub(crate) fn wants(&self, awaited: Awaited) -> Wants {
        let has_rollouts = self.params.leaf_value != LeafValue::Network;
        let rollouts = if has_rollouts { self.params.leaf_rollouts } else { 0 };
        let network = match (awaited, self.params.expansion) {
            (Awaited::Root, _) | (_, Expansion::FirstVisit) => true,
            (Awaited::New(_), _) => self.rate.threshold == 0,
            (Awaited::Known(id), _) => self.arena.node(id).own_visits >= self.rate.threshold,
        };
        Wants { network, rollouts }
    }
}
