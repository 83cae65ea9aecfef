//! What `dagzero search` prints. Outside programs rely on the names.

use dz_config::SearchSection;
use dz_game::Player;
use dz_play::SearchSettings;
use dz_search::{
    Domain, Exact, Search, SearchCounts, Stand, Summary, TracedPlayout, choose_move, formula,
    policy_target,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    graph::{Graph, Node},
    subject::Subject,
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
    nodes: Option<Vec<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<Playout>>,
}

#[derive(Serialize)]
struct Root {
    /// Null where the game is over; the value is then the first player's.
    to_move: Option<Player>,
    /// The mover's, in [-1, 1].
    value: f64,
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

/// Playouts = evaluations + cache hits + terminals + cut + cycle ends.
#[derive(Serialize)]
struct Counts {
    playouts: u64,
    /// Of the root.
    visits: u32,
    evaluations: u64,
    cache_hits: u64,
    /// Rollouts among the evaluations.
    rollouts: u64,
    terminals: u64,
    cut: u64,
    cycle_ends: u64,
    transpositions: u64,
    /// The root included.
    nodes: usize,
    /// Walks given up at a position that waited for its evaluation.
    collisions: u64,
    /// Nodes beside those on paths that were brought up to date.
    refreshes: u64,
}

impl Report {
    /// The search as it stands, without settings, nodes and trace.
    pub(super) fn of<S: Subject>(
        search: &Search<S::Domain, Exact>,
        subject: &S,
        settings: &SearchSettings,
        seed: u64,
    ) -> Self {
        let domain = search.domain();
        let summary = search.summary();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let best = (!summary.moves.is_empty())
            .then(|| choose_move(&summary, settings.choice, &mut random));
        let line = Graph::of(search).line();
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

    /// Adds every node.
    pub(super) fn set_nodes<S: Subject>(&mut self, search: &Search<S::Domain, Exact>, subject: &S) {
        self.nodes = Some(Graph::of(search).nodes(search, subject));
    }

    /// Adds every playout.
    pub(super) fn set_trace<S: Subject>(
        &mut self,
        trace: &[TracedPlayout],
        search: &Search<S::Domain, Exact>,
        subject: &S,
    ) {
        let places = Graph::of(search).places(search);
        let one = |playout| Playout::of(playout, &places, search.domain(), subject);
        self.trace = Some(trace.iter().map(one).collect());
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
    let (to_move, value) = match domain.stand(state, history) {
        Stand::ToMove(player) => (Some(player), summary.value),
        Stand::Over { value, .. } => (None, value),
    };
    let targets = policy_target(summary, settings.target);
    let moves = summary.moves.iter().zip(targets).map(|(m, target)| RootMove {
        mv: subject.format_move(domain, m.mv),
        visits: m.visits,
        prior: m.prior,
        q: m.q.map(tidy),
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
    let SearchCounts {
        playouts,
        evaluations,
        cache_hits,
        rollouts,
        terminals,
        cut,
        cycle_ends,
        transpositions,
        collisions,
        refreshes,
    } = summary.counts;
    Counts {
        playouts,
        visits: summary.visits,
        evaluations,
        cache_hits,
        rollouts,
        terminals,
        cut,
        cycle_ends,
        transpositions,
        nodes: search.node_count() + usize::from(summary.visits > 0),
        collisions,
        refreshes,
    }
}

/// Negative zero is zero to readers.
pub(super) fn tidy(value: f64) -> f64 {
    value + 0.0
}
