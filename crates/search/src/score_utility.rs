//! Score utility: what points are worth beside winning (see [`ScoreUtility`]).
//!
//! ```text
//! X(n) = (x(n) + sum_a N(n,a) X(child)) / N(n)      S(n) = (u(n) + sum_a N(n,a) S(child)) / N(n)
//! ```
//!
//! x is the lead that the network expects of a position, or the final one, u its utility, and
//! selection adds S to Q. Win, draw and loss stay apart from it, so that training targets,
//! resignation and reports have chances of winning. A start at another root changes x0, and with it
//! u and S at every node, as KataGo recomputes its tree.

use crate::{
    Numbers, ScoreUtility, Search,
    arena::Arena,
    domain::Domain,
    leads::Lead,
    node::{Kind, NodeId, ROOT},
    numbers::Real,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// What points are worth, where this game has some.
    pub(crate) fn score_utility(&self) -> Option<ScoreUtility> {
        self.params.score_utility.filter(|_| self.arena.side.uses_leads)
    }

    /// Notes what the evaluator expects of a node that was just added: `margin` in points without
    /// komi, for the player with this sign. An evaluator that does not know expects 0 points.
    #[inline(never)]
    pub(crate) fn note_margin(
        &mut self,
        id: NodeId,
        state: &D::State,
        margin: Option<N::Real>,
        sign: i8,
    ) {
        let Some(utility) = self.score_utility() else { return };
        let lead = margin
            .map_or(0.0, |margin| f64::from(sign) * margin.to_f64() - self.domain.komi_at(state));
        if id == ROOT {
            self.arena.side.leads.expect(&utility, lead);
        }
        self.arena.side.leads.set_own(id, &utility, lead);
    }

    /// Notes the lead at the end of a game.
    #[inline(never)]
    pub(crate) fn note_final_lead(&mut self, id: NodeId, state: &D::State, history: &D::History) {
        let Some(utility) = self.score_utility() else { return };
        let lead = self.domain.final_lead(state, history).unwrap_or(0.0);
        self.arena.side.leads.set_own(id, &utility, lead);
    }

    /// Expects at the root what the search so far has found there.
    pub(crate) fn expect_root_lead(&mut self) {
        let Some(utility) = self.score_utility() else { return };
        let expected = self.arena.side.leads.average(ROOT).points.to_f64();
        if self.arena.side.leads.expect(&utility, expected) {
            self.recompute_leads();
        }
    }

    /// Recomputes the leads of all nodes, the latest first, until nothing changes.
    fn recompute_leads(&mut self) {
        /// Where positions can come again, averages may approach their limit for ever.
        const ROUNDS_MAX: usize = 64;
        let draws = self.counts_cycles_as_draws();
        for _ in 0..ROUNDS_MAX {
            let mut changed = false;
            for index in (0..self.arena.nodes.len()).rev() {
                let id = NodeId(index as u32);
                if self.arena.node(id).kind == Kind::Expanded {
                    let before = self.arena.side.leads.average(id);
                    self.average_leads(id, draws);
                    changed |= self.arena.side.leads.average(id) != before;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Recomputes a node's average lead and its worth. With `draws`, visits that closed a cycle
    /// count as draws, with a lead of 0.
    pub(crate) fn average_leads(&mut self, id: NodeId, draws: bool) {
        let Some(utility) = self.score_utility() else { return };
        let even = self.arena.side.leads.valued(&utility, 0.0);
        self.arena.average_leads(id, draws.then_some(even));
    }

    /// The mover's share of S at a node: what its points are worth beside winning.
    pub(crate) fn lead_of(&self, id: NodeId, sign: N::Real) -> Option<Lead<f64>> {
        let lead = self.arena.side.leads.nodes.get(id.index())?.average;
        let [points, utility] = [lead.points, lead.utility].map(|x| (sign * x).to_f64());
        Some(Lead { points, utility })
    }
}

impl<N: Numbers> Arena<N> {
    /// The average over a node's own lead and its children's, in the order of the edges; visits
    /// that closed a cycle count `even`, if that is given.
    fn average_leads(&mut self, id: NodeId, even: Option<Lead<N::Real>>) {
        let node = self.node(id);
        let leads = &self.side.leads.nodes;
        let own = leads[id.index()].own;
        let mut weight = self.own_weight(id);
        let mut points = weight * own.points;
        let mut utility = weight * own.utility;
        for (place, edge) in self.edges(node).iter().enumerate() {
            let child = leads[edge.child.index()].average;
            let mut counted = self.weight_of(edge);
            weight += counted;
            if let Some(even) = even {
                let drawn = self.closed_weight(edge, self.edge_side(node, place).cycle_draws);
                counted = counted - drawn;
                points += drawn * even.points;
                utility += drawn * even.utility;
            }
            points += counted * child.points;
            utility += counted * child.utility;
        }
        let average = Lead { points: points / weight, utility: utility / weight };
        self.side.leads.nodes[id.index()].average = average;
    }
}
