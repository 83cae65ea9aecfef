//! Selection: every legal move is scored.

use dz_game::mix64;
use dz_search::{
    Backup, Domain, EpsilonSchedule, ExplorationTerm, FirstPlay, Gumbel, GumbelInner, Puct, Real,
    Selection, TieBreak, Untried,
    formula::{self, Child, ParentValues},
};

use super::{
    Reference,
    formulas::{self, MovesAsFirst},
    node::{Edge, Name, Node, Rounds},
};

impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    pub(super) fn choose(&mut self, name: Name) -> usize {
        if self.params.epsilon == EpsilonSchedule::Off {
            return self.select(name);
        }
        if let (left @ 1.., i) = self.nodes[&name].held {
            self.node_mut(name).held.0 = left - 1;
            return i;
        }
        let i = self.select(name);
        let visits = f64::from(self.nodes[&name].visits);
        let holds = match self.params.epsilon {
            EpsilonSchedule::Off => 1.0,
            EpsilonSchedule::Linear { epsilon } => (epsilon * visits).ceil(),
            EpsilonSchedule::Root { epsilon } => (epsilon * visits.sqrt()).ceil(),
            EpsilonSchedule::Fixed { visits } => f64::from(visits),
            EpsilonSchedule::Random { visits } => {
                let numbers: Vec<u32> = (visits.least..=visits.most).collect();
                f64::from(numbers[(self.share(0x4e1d) * numbers.len() as f64) as usize])
            }
        };
        self.node_mut(name).held = ((holds as u32).max(1) - 1, i);
        i
    }

    fn select(&mut self, name: Name) -> usize {
        let node = &self.nodes[&name];
        if self.params.untried == Untried::Rollout && node.visited < node.row.len() {
            // Without knowledge the policy of rollouts has the same chance for each move.
            let word = mix64(self.random ^ mix64(0x0417 ^ ((self.line.len() as u64) << 20)));
            return node.row[(word % node.row.len() as u64) as usize];
        }
        let is_plain = self.params.equivalent_visits == 0
            && match self.params.selection {
                Selection::Puct(_) | Selection::Ucb1 | Selection::Uct { .. } => true,
                Selection::Rave(_) | Selection::Regularized(_) => false,
                Selection::Gumbel(gumbel) => {
                    name.is_some() && gumbel.inner != GumbelInner::Improved
                }
            };
        if is_plain {
            let head = self.head(name);
            return self.select_plain(name, head);
        }
        self.select_wide(name)
    }

    /// The unvisited move that comes first: the largest prior; of equal ones the lowest move, or a
    /// random one, which is sampled once until a move is added.
    fn head(&mut self, name: Name) -> Option<usize> {
        let (seed, ties) = (self.seed, self.params.tie_break);
        let node = self.node_mut(name);
        if node.visited == node.row.len() {
            return None;
        }
        if !node.head_ready {
            let rest = &node.row[node.visited..];
            let priors = rest.iter().map(|&i| node.edges[i].prior);
            let most = priors.fold(-N::Real::ONE, Real::max);
            let is_most = |i: &usize| node.edges[*i].prior == most;
            let equal: Vec<usize> = rest.iter().copied().filter(is_most).collect();
            let head = match ties {
                TieBreak::LowestMove => *equal.iter().min().unwrap(),
                TieBreak::Random => {
                    let word = mix64(seed ^ mix64(node.key.low ^ ((node.visited as u64) << 48)));
                    equal[(word % equal.len() as u64) as usize]
                }
            };
            let at = node.row.iter().position(|&i| i == head).unwrap();
            node.row.swap(at, node.visited);
            node.head_ready = true;
        }
        Some(node.row[node.visited])
    }

    /// PUCT, UCB1 or UCT over all moves. Of the unvisited moves the best score counts, of equal
    /// ones the head; between it and the visited ones ties go to the lowest move.
    fn select_plain(&self, name: Name, head: Option<usize>) -> usize {
        let node = &self.nodes[&name];
        let score = |i: usize| self.plain_score(name, &node.edges[i]);
        let mut fresh: Option<usize> = head;
        for &i in &node.row[node.visited..] {
            if fresh.is_some_and(|best| score(i) > score(best)) {
                fresh = Some(i);
            }
        }
        let mut best: Option<usize> = None;
        for i in node.row[..node.visited].iter().copied().chain(fresh) {
            let by_move = self.params.tie_break == TieBreak::LowestMove;
            let wins = best.is_none_or(|most| {
                score(i) > score(most) || (score(i) == score(most) && by_move && i < most)
            });
            if wins {
                best = Some(i);
            }
        }
        best.unwrap()
    }

    /// Whether PUCT has the visits themselves in place of their root.
    fn is_printed(&self) -> bool {
        self.params.exploration == ExplorationTerm::Printed
    }

    fn plain_score(&self, name: Name, edge: &Edge<N::Real>) -> N::Real {
        let node = &self.nodes[&name];
        let (sum, visits) = (self.edge_weights(node), self.edge_weight(edge));
        if self.is_lost(name, edge) {
            return -N::Real::INFINITY;
        }
        let forced = if name.is_none() { self.setup.forced_playouts } else { 0.0 };
        if edge.visits > 0 && visits < (N::Real::from_f64(forced) * edge.prior * sum).sqrt() {
            return N::Real::INFINITY;
        }
        let logarithm = over_visits(self.params.exploration, sum);
        let bandit =
            |q: N::Real, c: N::Real, logarithm: N::Real| q + c * (logarithm / visits).sqrt();
        match self.params.selection {
            Selection::Ucb1 | Selection::Uct { .. } if edge.visits == 0 => N::Real::INFINITY,
            Selection::Ucb1 => {
                bandit(self.q(node, edge), N::Real::ONE, N::Real::from_f64(2.0) * logarithm)
            }
            Selection::Uct { c } => bandit(self.q(node, edge), N::Real::from_f64(c), logarithm),
            Selection::Puct(puct)
            | Selection::Gumbel(Gumbel { inner: GumbelInner::Puct(puct), .. }) => {
                let c = N::Real::from_f64(exploration(node, &puct, sum, self.weight_at(node)));
                let root = sum + N::Real::from_f64(puct.offset);
                let root = if self.is_printed() { root } else { root.sqrt() };
                let is_known = edge.visits > 0;
                let value = if is_known { self.q(node, edge) } else { self.first_play(name) };
                value + c * edge.prior * root / (N::Real::ONE + visits)
            }
            _ => unreachable!("scored over all moves"),
        }
    }

    /// The mover's value of a visited move.
    fn q(&self, node: &Node<N::Real>, edge: &Edge<N::Real>) -> N::Real {
        if matches!(self.params.backup, Backup::Delta { .. }) {
            return node.sign * edge.average;
        }
        let child = self.child(edge);
        // Points count nothing, and are 0, but with score utility.
        let worth = node.sign * child.score.worth;
        node.sign * child.average.value + worth
    }

    /// N of a node, or W.
    fn weight_at(&self, node: &Node<N::Real>) -> f64 {
        if self.params.uncertainty.is_none() {
            return f64::from(node.visits);
        }
        self.own_weight(node).to_f64() + self.edge_weights(node).to_f64()
    }

    fn first_play(&self, name: Name) -> N::Real {
        let node = &self.nodes[&name];
        let rule = self.setup.fpu.filter(|_| name.is_none()).unwrap_or(self.params.fpu);
        let mut mass = N::Real::ZERO;
        for &i in &node.row[..node.visited] {
            mass += node.edges[i].prior;
        }
        let average = (node.sign * (node.average.value + node.score.worth)).to_f64();
        let own = (node.sign * (node.own.value + node.own_score.worth)).to_f64();
        N::Real::from_f64(match rule {
            FirstPlay::Absolute(value) => value,
            FirstPlay::Parent => average,
            FirstPlay::Reduction(less) => average - less * mass.to_f64().sqrt(),
            FirstPlay::KataGo(_) => {
                let parent = ParentValues { average, own, visited_mass: mass.to_f64() };
                formula::first_play_value(&rule, &parent)
            }
        })
    }

    /// A visited move that loses for certain, or is worse than what the mover has for certain.
    fn is_lost(&self, name: Name, edge: &Edge<N::Real>) -> bool {
        if !self.params.prove || edge.visits == 0 {
            return false;
        }
        let (node, child) = (&self.nodes[&name], self.child(edge));
        let (hope, certain) = if node.sign > N::Real::ZERO {
            (child.upper, node.lower)
        } else {
            (-child.lower, -node.upper)
        };
        hope <= -N::Real::ONE || hope < certain
    }

    /// The selections whose scores need all moves at once, in the order of the row.
    fn select_wide(&self, name: Name) -> usize {
        let node = &self.nodes[&name];
        let children = self.children(name);
        let scores = self.wide_scores(name, &children);
        let lost: Vec<bool> =
            node.row.iter().map(|&i| self.is_lost(name, &node.edges[i])).collect();
        if let Selection::Regularized(rule) = self.params.selection
            && rule.sample
        {
            let allowed = scores.iter().zip(&lost).map(|(&s, &lost)| if lost { 0.0 } else { s });
            return node.row[sampled_share(&allowed.collect::<Vec<_>>(), self.share(0x9e9))];
        }
        let mut best: Option<usize> = None;
        for at in (0..scores.len()).filter(|&at| !lost[at]) {
            let by_move = self.params.tie_break == TieBreak::LowestMove;
            let wins = best.is_none_or(|most| {
                let wins_tie = by_move && node.row[at] < node.row[most];
                scores[at] > scores[most] || (scores[at] == scores[most] && wins_tie)
            });
            if wins {
                best = Some(at);
            }
        }
        node.row[best.unwrap_or(0)]
    }

    pub(super) fn children(&self, name: Name) -> Vec<Child> {
        let node = &self.nodes[&name];
        let extra = f64::from(self.params.equivalent_visits);
        let is_bandit = matches!(self.params.selection, Selection::Ucb1 | Selection::Uct { .. });
        // Gumbel scores take logarithms, of what is stored as 0, too.
        let is_gumbel = matches!(self.params.selection, Selection::Gumbel(_));
        let prior_min = if is_gumbel { N::PRIOR_MIN } else { 0.0 };
        let child = |&i: &usize| {
            let edge = &node.edges[i];
            let visits = self.edge_weight(edge).to_f64();
            let q = (edge.visits > 0).then(|| self.q(node, edge).to_f64());
            let prior = edge.prior.to_f64().max(prior_min);
            if extra == 0.0 {
                return Child { prior, visits, q };
            }
            let mut heuristic = edge.heuristic.to_f64();
            if heuristic.is_nan() {
                heuristic = if is_bandit { 0.0 } else { self.first_play(name).to_f64() };
            }
            let all = visits + extra;
            let sum = q.unwrap_or(0.0) * visits + heuristic * extra;
            Child { prior, visits: all, q: Some(sum / all) }
        };
        node.row.iter().map(child).collect()
    }

    /// All-moves-as-first counts of a row, with equivalent visits.
    fn moves_as_first(&self, name: Name) -> Vec<MovesAsFirst> {
        let node = &self.nodes[&name];
        let extra = f64::from(self.params.equivalent_visits);
        let one = |&i: &usize| {
            let edge = &node.edges[i];
            let visits = f64::from(edge.amaf_visits);
            let known = (edge.amaf_visits > 0).then(|| (node.sign * edge.amaf).to_f64());
            if extra == 0.0 {
                return MovesAsFirst { visits, value: known };
            }
            let mut heuristic = edge.heuristic.to_f64();
            if heuristic.is_nan() {
                heuristic = self.first_play(name).to_f64();
            }
            let all = visits + extra;
            let sum = known.unwrap_or(0.0) * visits + heuristic * extra;
            MovesAsFirst { visits: all, value: Some(sum / all) }
        };
        node.row.iter().map(one).collect()
    }

    fn wide_scores(&self, name: Name, children: &[Child]) -> Vec<f64> {
        let node = &self.nodes[&name];
        let own = (node.sign * node.own.value).to_f64();
        let sum: f64 = children.iter().map(|child| child.visits).sum();
        let mut scores = Vec::new();
        let behind = |scores: &mut Vec<f64>| {
            for (score, child) in scores.iter_mut().zip(children) {
                *score -= child.visits / (1.0 + sum);
            }
        };
        // Where these are plain formulas, every move has visits: equivalent ones.
        let logarithm = over_visits(self.params.exploration, sum);
        let bandit = |c: f64| {
            let score =
                move |child: &Child| child.q.unwrap() + c * (logarithm / child.visits).sqrt();
            children.iter().map(score)
        };
        match self.params.selection {
            Selection::Rave(rave) => {
                let firsts = self.moves_as_first(name);
                scores = formulas::rave(&rave, self.params.exploration, children, &firsts);
            }
            Selection::Gumbel(gumbel) if name.is_none() => {
                self.halving_scores(name, &gumbel, children, own, &mut scores);
            }
            Selection::Gumbel(Gumbel { sigma, inner: GumbelInner::Improved, .. }) => {
                scores = formulas::softmax(&formulas::gumbel_logits(children, own, sigma));
                behind(&mut scores);
            }
            Selection::Regularized(rule) => {
                let unvisited = self.first_play(name).to_f64();
                scores = formulas::regularized(children, unvisited, rule.c);
                if !rule.sample {
                    behind(&mut scores);
                }
            }
            Selection::Ucb1 => scores.extend(bandit(std::f64::consts::SQRT_2)),
            Selection::Uct { c } => scores.extend(bandit(c)),
            Selection::Puct(puct)
            | Selection::Gumbel(Gumbel { inner: GumbelInner::Puct(puct), .. }) => {
                let all = self.edge_weights(node);
                let c = N::Real::from_f64(exploration(node, &puct, all, self.weight_at(node)));
                let root = sum + puct.offset;
                let scale = c.to_f64() * if self.is_printed() { root } else { root.sqrt() };
                let score =
                    |child: &Child| child.q.unwrap() + scale * child.prior / (1.0 + child.visits);
                scores.extend(children.iter().map(score));
            }
        }
        scores
    }

    /// Sequential halving: only moves with as many visits as the plan says are in.
    fn halving_scores(
        &self,
        name: Name,
        gumbel: &Gumbel,
        children: &[Child],
        own: f64,
        scores: &mut Vec<f64>,
    ) {
        let node = &self.nodes[&name];
        let logits = formulas::gumbel_logits(children, own, gumbel.sigma);
        let noise = node.row.iter().map(|&i| self.drawn.gumbel[i]);
        scores.extend(logits.iter().zip(noise).map(|(logit, noise)| logit + noise));
        // What this search did: the plan knows nothing of visits that were kept.
        let since =
            |i: usize| (node.edges[i].visits - self.visits_before[i]) / self.params.leaf_rollouts;
        let done: u32 = (0..node.edges.len()).map(since).sum();
        let planned = self.considered[done as usize];
        let left: Vec<u32> = node
            .row
            .iter()
            .filter(|&&i| !self.is_lost(name, &node.edges[i]))
            .map(|&i| since(i))
            .collect();
        // Where no move has so many visits, one that was to have them is lost, or a choice held.
        let at_least = left.iter().copied().filter(|&visits| visits >= planned).min();
        let wanted = at_least.or(left.iter().copied().max());
        for (score, &i) in scores.iter_mut().zip(&node.row) {
            if Some(since(i)) != wanted {
                *score = f64::NEG_INFINITY;
            }
        }
    }
}

/// ln s, or s itself.
fn over_visits<R: Real>(term: ExplorationTerm, sum: R) -> R {
    let sum = sum.max(R::ONE);
    if term == ExplorationTerm::Log { sum.ln() } else { sum }
}

/// c + `c_log` ln((s + `c_base`) / `c_base`), times the factor of dynamic variance.
fn exploration<R: Real>(node: &Node<R>, puct: &Puct, sum: R, weight: f64) -> f64 {
    let growth = puct.exploration;
    let mut c = growth.c;
    if growth.c_log != 0.0 {
        c = growth.c + growth.c_log * ((sum.to_f64() + growth.c_base) / growth.c_base).ln();
    }
    if let Some(rule) = puct.variance {
        let (mean, square) = (node.average.value.to_f64(), node.square.to_f64());
        let mut deviation = rule.prior;
        if weight > 1.0 {
            let mean_sq = square.max(mean * mean);
            let assumed = (mean * mean + rule.prior * rule.prior) * rule.prior_weight;
            let all = assumed + mean_sq * weight;
            let variance = all / (rule.prior_weight + weight - 1.0) - mean * mean;
            deviation = variance.max(0.0).sqrt();
        }
        c *= 1.0 + rule.scale * (deviation / rule.prior - 1.0);
    }
    c
}

/// The place that a number in [0, 1) falls on among shares.
fn sampled_share(shares: &[f64], random: f64) -> usize {
    let mut left = random * shares.iter().sum::<f64>();
    let mut last = 0;
    for (at, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        last = at;
        left -= share;
        if left < 0.0 {
            break;
        }
    }
    last
}
