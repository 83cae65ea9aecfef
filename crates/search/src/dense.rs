//! Selections that score every legal move of a node, visited or not.

use dz_game::mix64;

use crate::{
    EpsilonSchedule, Gumbel, GumbelInner, InFlight, Numbers, Rave, RaveSchedule, Regularized,
    Search, Selection, TieBreak,
    domain::Domain,
    formula::{self, Amaf, Child, GumbelParams, MixedWeight, RaveSums},
    node::{NodeId, ROOT},
    numbers::{Prior, Real},
    path::Walk,
    rule::Rule,
    scores::MoveScores,
    select::Choice,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// The place of the move that the formula picks at a node.
    pub(crate) fn select(&mut self, id: NodeId, walk: &Walk<D, N>) -> usize {
        if self.is_dense_at(id) {
            return self.select_dense(id, walk);
        }
        let tie = (self.params.tie_break == TieBreak::Random).then(|| {
            let visited = u64::from(self.arena.node(id).visited);
            mix64(self.seed ^ mix64(self.key(id.index()).low ^ visited << 48))
        });
        self.arena.prepare_head(id, tie);
        let choice = Choice::new(&self.arena, id, &self.params, &self.setup);
        choice.scorer().map_or(0, |scorer| choice.best(scorer))
    }

    /// The place of the held choice, if one still holds; uses up one of its visits.
    pub(crate) fn take_held_place(&mut self, id: NodeId) -> Option<usize> {
        if self.params.epsilon == EpsilonSchedule::Off {
            return None;
        }
        let side = &mut self.arena.side.nodes[id.index()];
        side.held_visits = side.held_visits.checked_sub(1)?;
        Some(usize::from(side.held_place))
    }

    /// Holds a choice for as many visits as the epsilon trick gives, the current one included.
    pub(crate) fn hold_choice(&mut self, id: NodeId, place: usize, walk: &Walk<D, N>) {
        if self.params.epsilon == EpsilonSchedule::Off {
            return;
        }
        let node = self.arena.node(id);
        let visits = formula::visits_held(self.params.epsilon, node.visits, walk.share(0x4e1d));
        // A move that is tried for the first time gets the first free place.
        let place = place.min(usize::from(node.visited));
        let side = &mut self.arena.side.nodes[id.index()];
        side.held_visits = visits.max(1) - 1;
        side.held_place = place as u16;
    }

    /// True if a selection at this node scores all moves at once.
    pub(crate) fn is_dense_at(&self, id: NodeId) -> bool {
        self.params.equivalent_visits > 0 || Rule::of(&self.params, id).is_none()
    }

    /// As `select`, over all moves.
    fn select_dense(&mut self, id: NodeId, walk: &Walk<D, N>) -> usize {
        if let Selection::Gumbel(gumbel) = self.params.selection
            && id == ROOT
        {
            self.renew_halving(gumbel.considered);
        }
        let mut dense = std::mem::take(&mut self.scores);
        let choice = Choice::new(&self.arena, id, &self.params, &self.setup);
        self.score_all(&choice, &mut dense);
        let random = walk.share(0x9e9);
        let lost = |place: usize| choice.is_lost(place);
        let samples = matches!(&self.params.selection, Selection::Regularized(r) if r.sample);
        let place = if samples {
            sample_share(&dense.scores, random, lost)
        } else {
            let by_move = self.params.tie_break == TieBreak::LowestMove;
            best(&dense.scores, lost, |a, b| {
                by_move && choice.priors[a].mv() < choice.priors[b].mv()
            })
        };
        self.scores = dense;
        place
    }

    /// Fills `children` and `scores` of every legal move of a node, by place.
    pub(crate) fn score_all(&self, choice: &Choice<'_, N>, dense: &mut MoveScores) {
        fill_children(choice, dense);
        let own = (choice.sign * choice.node.own.value).to_f64();
        match &self.params.selection {
            Selection::Rave(rave) => score_rave(choice, rave, dense),
            Selection::Gumbel(gumbel) if choice.id == ROOT => {
                self.score_halving(choice, gumbel, own, dense);
            }
            Selection::Gumbel(Gumbel { inner: GumbelInner::Improved, sigma, .. }) => {
                let params = GumbelParams { sigma: *sigma, mixed_weight: MixedWeight::Visits };
                formula::improved_policy(&dense.children, own, &params, &mut dense.scores);
                formula::subtract_visit_shares(&dense.children, &mut dense.scores);
            }
            Selection::Regularized(Regularized { c, sample }) => {
                let unvisited = choice.unvisited.to_f64();
                formula::regularized_policy(&dense.children, unvisited, *c, &mut dense.scores);
                if !sample {
                    formula::subtract_visit_shares(&dense.children, &mut dense.scores);
                }
            }
            _ => score_each(choice, dense),
        }
    }
}

/// Fills `children` by place.
fn fill_children<N: Numbers>(choice: &Choice<'_, N>, dense: &mut MoveScores) {
    let extra = f64::from(choice.params.equivalent_visits);
    let takes_logarithms = matches!(choice.params.selection, Selection::Gumbel(_));
    let prior_min = if takes_logarithms { N::PRIOR_MIN } else { 0.0 };
    let halves = takes_logarithms && choice.id == ROOT;
    let completes = takes_logarithms && choice.params.in_flight == InFlight::Visits;
    dense.children.clear();
    for (place, prior) in choice.priors.iter().enumerate() {
        let prior = prior.probability().to_f64().max(prior_min);
        let mut child = Child { prior, visits: 0.0, q: None };
        if halves && place < choice.edges.len() {
            // The plan counts what is in flight. Scores need not know of it.
            let visits = choice.edges[place].visits;
            child.visits = f64::from(visits);
            child.q = (visits > 0).then(|| choice.value_at(place).to_f64());
        } else if place < choice.edges.len() {
            let standing = choice.edge_stats(place);
            child.visits = standing.visits.to_f64();
            // A move whose first leaf is in flight is completed as unvisited moves are.
            let is_open = completes && choice.edges[place].visits == 0;
            child.q = (!is_open).then(|| standing.value.to_f64());
        }
        if extra > 0.0 {
            child = formula::with_equivalent_visits(&child, heuristic_value(choice, place), extra);
        }
        dense.children.push(child);
    }
}

/// Returns the value of a move's equivalent visits. It is the heuristic's value, or else the
/// first-play value, or 0 for bandits, which have no first-play value.
fn heuristic_value<N: Numbers>(choice: &Choice<'_, N>, place: usize) -> f64 {
    let known = choice.arena.move_sides(choice.node)[place].heuristic.to_f64();
    if !known.is_nan() {
        return known;
    }
    let fallback = choice.unvisited.to_f64();
    if fallback.is_finite() { fallback } else { 0.0 }
}

/// Scores each move by itself: for moves that start with equivalent visits.
fn score_each<N: Numbers>(choice: &Choice<'_, N>, dense: &mut MoveScores) {
    let MoveScores { children, scores, .. } = dense;
    let unvisited = choice.unvisited.to_f64();
    scores.clear();
    if let Some(scorer) = choice.wide_scorer(formula::visits_sum(children)) {
        scores.extend(
            children
                .iter()
                .map(|child| scorer.score(child.q.unwrap_or(unvisited), child.prior, child.visits)),
        );
    }
}

fn score_rave<N: Numbers>(choice: &Choice<'_, N>, rave: &Rave, dense: &mut MoveScores) {
    let sides = choice.arena.move_sides(choice.node);
    let extra = f64::from(choice.params.equivalent_visits);
    let amaf = |place: usize| {
        let side = &sides[place];
        let q = (side.amaf_visits > 0).then(|| (choice.sign * side.amaf).to_f64());
        let amaf = Amaf { visits: f64::from(side.amaf_visits), q };
        if extra > 0.0 {
            amaf.with_equivalent_visits(heuristic_value(choice, place), extra)
        } else {
            amaf
        }
    };
    let sums = RaveSums {
        visits: formula::visits_sum(&dense.children),
        amaf_visits: sides.iter().map(|side| f64::from(side.amaf_visits) + extra).sum(),
        term: choice.params.exploration,
    };
    let beta = formula::rave_weight(rave.schedule, sums.visits);
    dense.scores.clear();
    dense.scores.extend(dense.children.iter().enumerate().map(
        |(place, child)| match rave.schedule {
            RaveSchedule::Equivalence { .. } => {
                formula::uct_rave(child, &amaf(place), &sums, beta, rave.c)
            }
            RaveSchedule::Logarithm => {
                formula::boon_rave(child, &amaf(place), sums.visits, beta, rave.c)
            }
        },
    ));
}

/// The place of the best score; lost moves only if there are no others.
fn best(
    scores: &[f64],
    lost: impl Fn(usize) -> bool,
    wins_tie: impl Fn(usize, usize) -> bool,
) -> usize {
    let mut best: Option<usize> = None;
    for (place, &score) in scores.iter().enumerate().filter(|(place, _)| !lost(*place)) {
        let is_better =
            |best: usize| score > scores[best] || (score == scores[best] && wins_tie(place, best));
        if best.is_none_or(is_better) {
            best = Some(place);
        }
    }
    best.unwrap_or(0)
}

/// The place that a number in [0, 1) falls on among shares.
fn sample_share(shares: &[f64], random: f64, lost: impl Fn(usize) -> bool) -> usize {
    let share = |place: usize| if lost(place) { 0.0 } else { shares[place] };
    let mut left = random * (0..shares.len()).map(share).sum::<f64>();
    let mut last = 0;
    for place in 0..shares.len() {
        if share(place) > 0.0 {
            last = place;
            left -= share(place);
            if left < 0.0 {
                break;
            }
        }
    }
    last
}
