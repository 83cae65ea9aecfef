//! Selection: which move a playout takes.

use crate::{
    Backup, FirstPlay, InFlight, Puct, RootSetup, SearchParams, Selection, TieBreak,
    arena::Arena,
    formula::{self, ParentValues},
    node::{Edge, Node, NodeId, ROOT},
    numbers::{Numbers, Prior, Real},
    rule::{Rule, Scorer},
    side::NodeSide,
    sums::{is_split, rollout_share, visits_in_flight},
};

/// One node seen as a choice between moves.
pub(crate) struct Choice<'a, N: Numbers> {
    pub arena: &'a Arena<N>,
    pub id: NodeId,
    pub params: &'a SearchParams,
    pub node: &'a Node<N::Real>,
    pub edges: &'a [Edge],
    pub priors: &'a [N::Prior],
    /// 1 if the first player chooses, else -1.
    pub sign: N::Real,
    /// Edge visits, those in flight included.
    pub sum: N::Real,
    /// First-play value of unvisited moves, the mover's.
    pub unvisited: N::Real,
    /// k of forced playouts, 0 off the root.
    forced: N::Real,
    /// Some setting changes the numbers of edges.
    adjusted: bool,
}

/// The numbers of a visited move in a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EdgeStats<R> {
    /// The mover's value.
    pub value: R,
    /// Visits, those in flight included.
    pub visits: R,
}

impl<'a, N: Numbers> Choice<'a, N> {
    pub(crate) fn new(
        arena: &'a Arena<N>,
        id: NodeId,
        params: &'a SearchParams,
        setup: &RootSetup,
    ) -> Self {
        let node = arena.node(id);
        let edges = arena.edges(node);
        let priors = arena.priors(node);
        let mut edge_visits =
            if arena.side.uses_weights { 0 } else { node.visits - node.own_visits };
        if params.leaves_max > 1 {
            let sides = (0..edges.len()).map(|place| arena.edge_side(node, place).in_flight);
            let in_flight = sides.sum::<u32>();
            edge_visits += in_flight * visits_in_flight(params);
        }
        let mut sum = N::Real::from_u32(edge_visits);
        if arena.side.uses_weights {
            sum += arena.edge_weights(node);
        }
        let sign = node.sign();
        let is_root = id == ROOT;
        let fpu = setup.fpu.filter(|_| is_root).unwrap_or(params.fpu);
        let forced = if is_root { setup.forced_playouts } else { 0.0 };
        let mut this = Self {
            arena,
            id,
            params,
            node,
            edges,
            priors,
            sign,
            sum,
            unvisited: N::Real::ZERO,
            forced: N::Real::from_f64(forced),
            adjusted: params.leaves_max > 1
                || params.prove
                || forced > 0.0
                || arena.side.uses_leads
                || arena.side.uses_weights
                || matches!(params.backup, Backup::Delta { .. }),
        };
        this.unvisited = this.first_play(fpu);
        this
    }

    /// The node's formula with its shared terms; none where the selection looks at all moves.
    pub(crate) fn scorer(&self) -> Option<Scorer<N::Real>> {
        let rule = Rule::of(self.params, self.id)?;
        Some(rule.scorer(self.sum, |puct| self.exploration(puct)))
    }

    /// The same for `sum` visits in 64 bits, as moves with equivalent visits are scored.
    pub(crate) fn wide_scorer(&self, sum: f64) -> Option<Scorer<f64>> {
        let rule = Rule::of(self.params, self.id)?;
        Some(rule.wide_scorer(sum, |puct| self.exploration(puct).to_f64()))
    }

    /// What is added to s under the root of `Summary::exploration_scale`.
    pub(crate) fn scale_offset(&self) -> f64 {
        match self.params.selection {
            Selection::Puct(puct) => puct.offset,
            _ => formula::VISITS_OFFSET,
        }
    }

    /// c(s), with the factor of dynamic variance.
    pub(crate) fn exploration(&self, puct: &Puct) -> N::Real {
        let mut c = puct.exploration.c;
        if puct.exploration.c_log != 0.0 {
            c = formula::exploration_factor(&puct.exploration, self.sum.to_f64());
        }
        if let Some(variance) = puct.variance {
            let square = self.arena.side.nodes[self.id.index()].square.to_f64();
            let mean = self.node.average.value.to_f64();
            let own = self.arena.own_weight(self.id).to_f64();
            let visits = if self.arena.side.uses_weights {
                own + self.arena.edge_weights(self.node).to_f64()
            } else {
                f64::from(self.node.visits)
            };
            c *= formula::stdev_factor(&variance, mean, square, visits);
        }
        N::Real::from_f64(c)
    }

    fn first_play(&self, first_play: FirstPlay) -> N::Real {
        let rule = Rule::of(self.params, self.id);
        if rule.is_some_and(Rule::visits_all_first) {
            return N::Real::INFINITY;
        }
        if let FirstPlay::Absolute(value) = first_play {
            return N::Real::from_f64(value);
        }
        let visited = &self.priors[..self.edges.len()];
        let mass = visited.iter().fold(N::Real::ZERO, |sum, p| sum + p.probability());
        let mut average = self.node.average.value;
        let mut own = self.node.own.value;
        if self.arena.side.uses_leads {
            let lead = self.arena.side.leads.nodes[self.id.index()];
            average += lead.average.utility;
            own += lead.own.utility;
        }
        let parent = ParentValues {
            average: (self.sign * average).to_f64(),
            own: (self.sign * own).to_f64(),
            visited_mass: mass.to_f64(),
        };
        N::Real::from_f64(formula::first_play_value(&first_play, &parent))
    }

    /// The numbers of the visited move at `place`.
    #[inline]
    pub(crate) fn edge_stats(&self, place: usize) -> EdgeStats<N::Real> {
        let edge = self.edges[place];
        let value = self.sign * self.arena.node(edge.child).average.value;
        let stats = EdgeStats { value, visits: N::Real::from_u32(edge.visits) };
        if self.adjusted { self.adjust(place, edge, stats) } else { stats }
    }

    /// The mover's value of the visited move at `place`, leaves in flight left out.
    pub(crate) fn value_at(&self, place: usize) -> N::Real {
        if matches!(self.params.backup, Backup::Delta { .. }) {
            return self.sign * self.arena.edge_side(self.node, place).average.value;
        }
        self.sign * self.arena.node(self.edges[place].child).average.value
    }

    /// The same with what points are worth.
    fn utility_at(&self, place: usize) -> N::Real {
        let value = self.value_at(place);
        if !self.arena.side.uses_leads {
            return value;
        }
        value + self.sign * self.arena.side.leads.average(self.edges[place].child).utility
    }

    /// Replaces the value by the edge's, and adds leaves in flight.
    fn adjust(&self, place: usize, edge: Edge, stats: EdgeStats<N::Real>) -> EdgeStats<N::Real> {
        let mut stats = EdgeStats { visits: self.arena.weight_of(&edge), ..stats };
        if !self.arena.side.uses_edges {
            return EdgeStats { value: self.utility_at(place), ..stats };
        }
        let side = self.arena.edge_side(self.node, place);
        stats.value = if edge.visits == 0 { self.unvisited } else { self.utility_at(place) };
        if side.in_flight > 0 {
            let waiting = N::Real::from_u32(side.in_flight);
            match self.params.in_flight {
                _ if is_split(self.params) => {
                    return self.adjust_split(edge, side.in_flight, stats);
                }
                InFlight::Visits => {
                    stats.visits += waiting * N::Real::from_u32(visits_in_flight(self.params));
                }
                InFlight::Losses(each) => {
                    let lost = waiting * N::Real::from_u32(each);
                    let all = stats.visits + lost;
                    let known = if edge.visits == 0 { N::Real::ZERO } else { stats.value };
                    stats.value = (known * stats.visits - lost) / all;
                    stats.visits = all;
                }
            }
        }
        stats
    }

    /// The same where values are split: virtual losses are rollouts, so they act on that half.
    fn adjust_split(
        &self,
        edge: Edge,
        in_flight: u32,
        stats: EdgeStats<N::Real>,
    ) -> EdgeStats<N::Real> {
        let sums = self.arena.edge_sums(&edge);
        let waiting = N::Real::from_u32(in_flight * visits_in_flight(self.params));
        let lost = match self.params.in_flight {
            InFlight::Losses(_) => waiting,
            InFlight::Visits => N::Real::ZERO,
        };
        let visits = stats.visits + waiting;
        if sums.values + sums.outcomes + lost == N::Real::ZERO {
            return EdgeStats { visits, ..stats };
        }
        let lambda = rollout_share(self.params);
        let value = self.sign * sums.mixed_with_losses(lambda, self.sign, lost).value;
        EdgeStats { value, visits }
    }

    /// The score of a visited move.
    #[inline]
    pub(crate) fn score_visited(&self, scorer: Scorer<N::Real>, place: usize) -> N::Real {
        let EdgeStats { value, visits } = self.edge_stats(place);
        let prior = self.priors[place].probability();
        if self.adjusted {
            if self.is_lost(place) {
                return -N::Real::INFINITY;
            }
            if visits < formula::forced_visits(prior, self.sum, self.forced) {
                return N::Real::INFINITY;
            }
        }
        scorer.score(value, prior, visits)
    }

    /// The score of an unvisited move.
    pub(crate) fn score_unvisited(&self, scorer: Scorer<N::Real>, place: usize) -> N::Real {
        scorer.score_unvisited(self.unvisited, self.priors[place].probability())
    }

    /// True if the move is known to lose, or to be worse than another one is for certain.
    pub(crate) fn is_lost(&self, place: usize) -> bool {
        if !self.params.prove || place >= self.edges.len() || self.edges[place].child == ROOT {
            return false;
        }
        let hope = |side: &NodeSide<N::Real>| {
            if self.node.sign > 0 { side.upper } else { -side.lower }
        };
        let sides = &self.arena.side.nodes;
        let child = hope(&sides[self.edges[place].child.index()]);
        let own = &sides[self.id.index()];
        let certain = if self.node.sign > 0 { own.lower } else { -own.upper };
        child <= -N::Real::ONE || child < certain
    }

    /// The place of the move with the best score. Of the unvisited moves only the first is looked
    /// at: it has the largest prior.
    pub(crate) fn best(&self, scorer: Scorer<N::Real>) -> usize {
        let by_move = self.params.tie_break == TieBreak::LowestMove;
        let mut best = (-N::Real::INFINITY, 0);
        let mut consider = |score: N::Real, place: usize| {
            let wins_tie = || by_move && self.priors[place].mv() < self.priors[best.1].mv();
            if score > best.0 || (score == best.0 && wins_tie()) {
                best = (score, place);
            }
        };
        for place in 0..self.edges.len() {
            consider(self.score_visited(scorer, place), place);
        }
        if self.edges.len() < self.priors.len() {
            consider(self.score_unvisited(scorer, self.edges.len()), self.edges.len());
        }
        best.1
    }
}
