//! The result of a search at its root.

use dz_game::{Move, Wdl};

use crate::{
    Numbers, Search, Selection,
    counts::SearchCounts,
    domain::Domain,
    formula::{self, Child, Moments},
    node::ROOT,
    numbers::{Prior, Real},
    select::Choice,
};

/// A search's root, every legal move included.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Chances of the player to move at the root: its Q.
    pub wdl: Wdl,
    /// The same as one number in [-1, 1], unrounded.
    pub value: f64,
    /// The evaluator's value of the root: U, the mover's.
    pub own_value: f64,
    /// By how many points the mover is expected to win, komi counted, where points are kept.
    pub lead: Option<f64>,
    /// N of the root.
    pub visits: u32,
    /// The value is certain: it was proven.
    pub proven: bool,
    /// c(s) f sqrt(s + offset): the factor of priors in the root's PUCT scores. With other formulas
    /// it is the factor of PUCT with c = 1 and offset 0.01.
    pub exploration_scale: f64,
    /// Legal moves, ascending.
    pub moves: Vec<RootMove>,
    /// Counts since the search was started.
    pub counts: SearchCounts,
}

/// A legal move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Edge visits.
    pub visits: u32,
    /// Those of this search alone in Gumbel search; all in others.
    pub visits_here: u32,
    /// What these weigh: their number, unless visits are weighted by uncertainty.
    pub weight: f64,
    /// The evaluator's prior, without noise.
    pub prior: f64,
    /// The prior that was searched with, noise included.
    pub noisy_prior: f64,
    /// Chances of the player to move at the root after this move; `None` without visits.
    pub wdl: Option<Wdl>,
    /// The same as one number, unrounded.
    pub q: Option<f64>,
    /// By how many points the mover is expected to win after this move, komi counted; `None`
    /// without visits, and where points are not kept.
    pub lead: Option<f64>,
    /// The utility of that lead, which selection adds to `q`; 0 where points have no value.
    pub score_utility: f64,
    /// Average of squared values after this move, where they are kept.
    pub q_square: Option<f64>,
    /// The move's proven value for the player to move at the root, if it is proven.
    pub proven: Option<f64>,
    /// All-moves-as-first value, the mover's, where it is kept and known.
    pub amaf: Option<f64>,
    /// The move's Gumbel noise, 0 in other searches.
    pub gumbel: f64,
}

impl RootMove {
    /// As formulas see it, with the prior that was searched with.
    pub fn child(&self) -> Child {
        let q = self.q.map(|q| q + self.score_utility);
        Child { prior: self.noisy_prior, visits: self.weight, q }
    }

    /// As the evaluator saw it, without noise.
    pub fn quiet_child(&self) -> Child {
        Child { prior: self.prior, ..self.child() }
    }

    /// Moments of the values after this move; without second moments every visit found the same.
    /// What points are worth moves the mean alone.
    pub fn moments(&self) -> Moments {
        let q = self.q.unwrap_or(0.0);
        let square = self.q_square.unwrap_or(q * q);
        let added = self.score_utility;
        // The mean of (x + a)^2 is that of x^2, and a (2 q + a).
        Moments::of_visits(f64::from(self.visits), q + added, square + added * (2.0 * q + added))
    }
}

/// What the player to move can expect from a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// Its chances.
    pub wdl: Wdl,
    /// By how many points it is expected to win, komi counted, where points are kept.
    pub lead: Option<f64>,
}

impl Summary {
    /// What the player to move can expect if it plays `best`, the search's own move.
    ///
    /// Under most selections visits follow values, and the mean over all playouts
    /// ([`wdl`](Self::wdl)) is the best estimate. Sequential halving gives bad moves many visits,
    /// too, so its mean is far too low: of seven moves the best one has a third of the visits.
    /// There the estimate is the value after `best`.
    pub fn outlook(&self, selection: &Selection, best: Move) -> Outlook {
        let halves = selection.halves() && !self.proven;
        let found = self.moves.iter().find(|found| halves && found.mv == best);
        Outlook {
            wdl: found.and_then(|found| found.wdl).unwrap_or(self.wdl),
            lead: found.and_then(|found| found.lead).or(self.lead),
        }
    }

    /// Whether anything is proven of any move.
    pub fn has_proofs(&self) -> bool {
        self.moves.iter().any(|m| m.proven.is_some())
    }
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// The root as it stands.
    pub fn summary(&self) -> Summary {
        debug_assert_eq!(self.counts.playouts, self.counts.ends(), "every playout ends once");
        if !self.is_evaluated() {
            return Summary {
                wdl: Wdl::UNKNOWN,
                value: 0.0,
                own_value: 0.0,
                lead: None,
                visits: 0,
                proven: false,
                exploration_scale: 0.0,
                moves: Vec::new(),
                counts: self.counts,
            };
        }
        let root = self.arena.node(ROOT);
        let sign = root.sign();
        let choice = Choice::new(&self.arena, ROOT, &self.params, &self.setup);
        let visits = choice.sum.to_f64() + choice.scale_offset();
        let exploration_scale = match &self.params.selection {
            Selection::Puct(puct) => {
                let c = choice.exploration(puct).to_f64();
                c * formula::visits_term(self.params.exploration, visits)
            }
            _ => visits.sqrt(),
        };
        // The root's legal moves ascend, and each has one place.
        let mut places = vec![0; choice.priors.len()];
        for (place, prior) in choice.priors.iter().enumerate() {
            let index = self.root_legal.binary_search(&Move(prior.mv()));
            places[index.unwrap_or_default()] = place;
        }
        let moves = places.iter().enumerate();
        let moves = moves.map(|(index, &place)| self.root_move(&choice, index, place)).collect();
        Summary {
            wdl: root.average.wdl_for(sign),
            value: (sign * root.average.value).to_f64(),
            own_value: (sign * root.own.value).to_f64(),
            lead: self.lead_of(ROOT, sign).map(|lead| lead.points),
            visits: root.visits,
            proven: self.params.prove && self.arena.side.nodes[ROOT.index()].is_proven(),
            exploration_scale,
            moves,
            counts: self.counts,
        }
    }

    /// Legal move `index`, which stands at `place` of the root's node.
    fn root_move(&self, choice: &Choice<'_, N>, index: usize, place: usize) -> RootMove {
        let prior = choice.priors[place];
        let mv = Move(prior.mv());
        let edge = choice.edges.get(place).filter(|edge| edge.visits > 0);
        let child = edge.map(|edge| (self.arena.node(edge.child), edge.child.index()));
        let side = child.and_then(|(_, at)| self.arena.side.nodes.get(at));
        let proven = side.filter(|side| self.params.prove && side.is_proven());
        let lead = edge.and_then(|edge| self.lead_of(edge.child, choice.sign));
        let amaf = self.arena.side.moves.get(choice.node.priors as usize + place);
        let visits = edge.map_or(0, |edge| edge.visits);
        RootMove {
            mv,
            visits,
            visits_here: visits.saturating_sub(self.halving.kept_of(index)),
            weight: edge.map_or(0.0, |edge| self.arena.weight_of(edge).to_f64()),
            prior: self.root_priors[index].to_f64(),
            noisy_prior: prior.probability().to_f64(),
            wdl: child.map(|(node, _)| node.average.wdl_for(choice.sign)),
            q: edge.map(|_| (choice.value_at(place)).to_f64()),
            lead: lead.map(|lead| lead.points),
            score_utility: lead.map_or(0.0, |lead| lead.utility),
            q_square: side
                .filter(|_| self.arena.side.uses_squares)
                .map(|side| side.square.to_f64()),
            proven: proven.map(|side| (choice.sign * side.lower).to_f64()),
            amaf: amaf
                .filter(|side| side.amaf_visits > 0)
                .map(|side| (choice.sign * side.amaf).to_f64()),
            gumbel: self.halving.noise_of(index),
        }
    }
}
