//! What `dagzero search` prints. Outside programs rely on the names.

use dz_config::SearchSection;
use dz_game::Player;
use dz_search::{
    Domain, Exact, Search, SearchCounts, Status, Summary, choose_move, formula, policy_target,
};
use dz_search_settings::SearchSettings;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    graph::{Graph, Node},
    subject::Subject,
    tidy::tidy,
    trace::Playout,
};

/// A search laid open.
#[derive(Serialize)]
pub(super) struct Report {
    /// The game in canonical form; left out of a graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<String>,
    evaluator: String,
    root: Root,
    counts: Counts,
    /// The line of most visits.
    pv: Vec<String>,
    /// The move that would be played; null where the game is over.
    best: Option<String>,
    /// Every setting.
    settings: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) nodes: Option<Vec<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<Vec<Playout>>,
}

#[derive(Serialize)]
struct Root {
    /// Null where the game is over; the value is then the first player's.
    to_move: Option<Player>,
    /// The mover's, in [-1, 1].
    value: f64,
    /// By how many points the mover is expected to win, komi counted, where points count.
    #[serde(skip_serializing_if = "Option::is_none")]
    lead: Option<f64>,
    visits: u32,
    /// The value is certain.
    proven: bool,
    /// Every legal move, ascending.
    moves: Vec<RootMove>,
}

#[derive(Serialize)]
struct RootMove {
    #[serde(rename = "move")]
    mv: String,
    visits: u32,
    /// The evaluator's.
    prior: f64,
    /// Null without visits.
    q: Option<f64>,
    /// The mover's expected lead in points after the move, where points count.
    #[serde(skip_serializing_if = "Option::is_none")]
    lead: Option<f64>,
    /// The utility of that lead, which selection adds to `q`.
    #[serde(skip_serializing_if = "Option::is_none")]
    score_utility: Option<f64>,
    /// The weight of the visits, where they are weighted by uncertainty.
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    /// The move's share of the policy target.
    target: f64,
    /// The prior that was searched with, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_prior: Option<f64>,
    /// What the move is proven to be worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<f64>,
    /// All-moves-as-first value.
    #[serde(skip_serializing_if = "Option::is_none")]
    amaf: Option<f64>,
    /// Lower confidence bound, where second moments are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<f64>,
    /// Gumbel noise, where there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    gumbel: Option<f64>,
}

#[derive(Serialize)]
struct Counts {
    /// Of the root.
    visits: u32,
    /// The root included.
    nodes: usize,
    /// Playouts = evaluations + cache hits + terminals + cut + cycle ends.
    #[serde(flatten)]
    search: SearchCounts,
}

impl Report {
    /// The search as it stands, without settings, nodes and trace.
    pub(super) fn of<S: Subject>(
        search: &Search<S::Domain, Exact>,
        graph: &Graph,
        subject: &S,
        settings: &SearchSettings,
        seed: u64,
    ) -> Self {
        let domain = search.domain();
        let summary = search.summary();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let best = (!summary.moves.is_empty())
            .then(|| choose_move(&summary, settings.choice, &mut random));
        let line = graph.line();
        Self {
            game: subject.game(domain),
            evaluator: subject.evaluator().to_owned(),
            root: root(search, subject, &summary, settings),
            counts: counts(search, &summary),
            pv: line.into_iter().map(|mv| subject.format_move(domain, mv)).collect(),
            best: best.map(|mv| subject.format_move(domain, mv)),
            settings: Map::new(),
            nodes: None,
            trace: None,
        }
    }

    /// Adds every setting.
    pub(super) fn set_settings(
        &mut self,
        section: &SearchSection,
        seed: u64,
    ) -> anyhow::Result<()> {
        for (key, value) in section.values() {
            self.settings.insert(key.to_owned(), serde_json::to_value(value)?);
        }
        self.settings.insert("seed".to_owned(), seed.into());
        Ok(())
    }
}

fn root<S: Subject>(
    search: &Search<S::Domain, Exact>,
    subject: &S,
    summary: &Summary,
    settings: &SearchSettings,
) -> Root {
    let domain = search.domain();
    let (state, history) = search.position();
    let (to_move, value) = match domain.status(state, history) {
        Status::ToMove(player) => (Some(player), summary.value),
        Status::Over { value, .. } => (None, value),
    };
    let targets = policy_target(summary, settings.target);
    let moves = summary.moves.iter().zip(targets).map(|(m, target)| RootMove {
        mv: subject.format_move(domain, m.mv),
        visits: m.visits,
        prior: m.prior,
        q: m.q.map(tidy),
        lead: m.lead.map(tidy),
        score_utility: m.lead.map(|_| tidy(m.score_utility)),
        weight: settings.params.uncertainty.is_some().then_some(m.weight),
        target,
        searched_prior: (m.noisy_prior != m.prior).then_some(m.noisy_prior),
        proven: m.proven.map(tidy),
        amaf: m.amaf.map(tidy),
        lower_bound: m.q_square.and(bound(m, settings)),
        gumbel: (m.gumbel != 0.0).then_some(m.gumbel),
    });
    Root {
        to_move,
        value: tidy(value),
        lead: summary.lead.map(tidy),
        visits: summary.visits,
        proven: summary.proven,
        moves: moves.collect(),
    }
}

fn bound(m: &dz_search::RootMove, settings: &SearchSettings) -> Option<f64> {
    let dz_search::MoveChoice::LowerBound { deviations, .. } = settings.choice else {
        return None;
    };
    Some(formula::bound(&m.moments(), deviations).lower)
}

fn counts<D: Domain>(search: &Search<D, Exact>, summary: &Summary) -> Counts {
    Counts {
        visits: summary.visits,
        nodes: search.node_count() + usize::from(summary.visits > 0),
        search: summary.counts,
    }
}
