//! Score utility, from KataGo's `ScoreValue` and `Search::getScoreUtility` as `ScoreUtility` quotes
//! them: nothing here calls the crate's formulas.

use std::f64::consts::FRAC_2_PI;

use dz_search::{Domain, Real, Revisit, ScoreUtility};

use super::{
    Reference,
    node::{Kind, Name, Rounds},
};

/// Points and what they are worth, the first player's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score<R> {
    pub points: R,
    pub worth: R,
}

impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    /// The settings, where the domain counts points, and the side of its board.
    fn counting(&self) -> Option<(ScoreUtility, f64)> {
        self.params.score_utility.zip(self.domain.board_side())
    }

    /// A node's points that a search knows: its own and their worth, and the averages.
    pub fn lead_of(&self, name: Name) -> Option<(f64, f64, f64, f64)> {
        self.counting()?;
        let [own, average] = [self.nodes[&name].own_score, self.nodes[&name].score];
        let [own, average] = [own, average].map(|s| (s.points.to_f64(), s.worth.to_f64()));
        Some((own.0, own.1, average.0, average.1))
    }

    fn worth(&self, points: N::Real) -> N::Real {
        let Some((rule, side)) = self.counting() else { return N::Real::ZERO };
        let share = |x: f64, width: f64| FRAC_2_PI * (x / (width * side)).atan();
        let x = points.to_f64();
        let fixed = rule.static_weight * share(x, 2.0);
        N::Real::from_f64(fixed + rule.dynamic_weight * share(x - self.center, rule.center_scale))
    }

    fn scored(&self, points: f64) -> Score<N::Real> {
        let points = N::Real::from_f64(points);
        Score { points, worth: self.worth(points) }
    }

    /// A node that was evaluated, or is over.
    pub(super) fn score_new(
        &mut self,
        name: Name,
        state: &D::State,
        history: &D::History,
        margin: Option<f64>,
    ) {
        if self.counting().is_none() {
            return;
        }
        let sign = self.sign(state, history).to_f64();
        let margin = margin.map(|margin| N::Real::from_f64(margin).to_f64());
        let points = match self.nodes[&name].kind {
            Kind::Terminal => self.domain.final_lead(state, history).unwrap_or(0.0),
            _ => margin.map_or(0.0, |margin| sign * margin - self.domain.komi_at(state)),
        };
        if name.is_none() {
            self.center = self.moved_to_zero(points);
        }
        let score = self.scored(points);
        let node = self.node_mut(name);
        (node.own_score, node.score) = (score, score);
    }

    /// The root's lead less a share, but not by more than the width.
    fn moved_to_zero(&self, expected: f64) -> f64 {
        let Some((rule, side)) = self.counting() else { return 0.0 };
        if rule.dynamic_weight == 0.0 {
            return 0.0;
        }
        let most = rule.center_scale * side;
        (expected * (1.0 - rule.center_zero_weight)).max(expected - most).min(expected + most)
    }

    /// A search that goes on from another root expects that one's lead: all worths are new.
    pub(super) fn expect_again(&mut self) {
        if self.counting().is_none() {
            return;
        }
        let center = self.moved_to_zero(self.nodes[&None].score.points.to_f64());
        if center == self.center {
            return;
        }
        self.center = center;
        for name in self.made.clone() {
            let points = self.nodes[&name].own_score.points.to_f64();
            let score = self.scored(points);
            let node = self.node_mut(name);
            (node.own_score, node.score) = (score, score);
        }
        for _ in 0..64 {
            let before: Vec<_> = self.made.iter().map(|name| self.nodes[name].score).collect();
            for name in self.made.clone().into_iter().rev() {
                if self.nodes[&name].kind == Kind::Expanded {
                    self.recompute_score(name);
                }
            }
            if before.iter().zip(&self.made).all(|(score, name)| *score == self.nodes[name].score) {
                return;
            }
        }
    }

    /// X = (`N_own` x + sum N(a) X(a)) / N, and the same of what points are worth. A visit that
    /// closed a cycle was a draw.
    pub(super) fn recompute_score(&mut self, name: Name) {
        if self.counting().is_none() {
            return;
        }
        let node = &self.nodes[&name];
        let even = self.scored(0.0);
        let mut weight = self.own_weight(node);
        let [mut points, mut worth] =
            [weight * node.own_score.points, weight * node.own_score.worth];
        for &i in &node.row[..node.visited] {
            let edge = &node.edges[i];
            let edge_weight = self.edge_weight(edge);
            weight += edge_weight;
            let is_drawn = self.params.revisit == Revisit::Draw;
            let drawn = if is_drawn { self.drawn_weight(edge) } else { N::Real::ZERO };
            let child = self.child(edge).score;
            points += drawn * even.points;
            worth += drawn * even.worth;
            let as_child = edge_weight - drawn;
            points += as_child * child.points;
            worth += as_child * child.worth;
        }
        self.node_mut(name).score = Score { points: points / weight, worth: worth / weight };
    }
}
