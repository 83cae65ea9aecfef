//! The nodes of a search and their edges, as they are printed.

use dz_game::{Move, Player};
use dz_search::{Domain, Exact, NodeView, Search, SplitView};
use serde::Serialize;

use super::{subject::Subject, tidy::tidy};

/// Every node by its number; 0 is the root.
pub(super) struct Graph(Vec<NodeView>);

/// Where a node was first met.
pub(super) struct Place<D: Domain> {
    /// Its position.
    pub(super) state: D::State,
    /// A shortest line from the root to it.
    line: Vec<Move>,
}

/// A node as it is printed; values are the first player's.
#[derive(Serialize)]
pub(super) struct Node {
    /// Its number, by the order in which nodes were made; 0 is the root.
    #[serde(rename = "node")]
    number: u32,
    /// Its name in the file, of a graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    /// A shortest line to it.
    line: Vec<String>,
    /// Null where the game is over.
    to_move: Option<Player>,
    visits: u32,
    /// Q.
    value: f64,
    /// U: the evaluation or the outcome.
    own_value: f64,
    /// What the first player has for certain and can hope for, where that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<(f64, f64)>,
    /// Average of squared values, where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    square: Option<f64>,
    /// Counts and sums of network values and rollout outcomes, where they are kept apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<Split>,
    /// Moves that were visited, ascending.
    edges: Vec<Edge>,
}

#[derive(Serialize)]
struct Edge {
    #[serde(rename = "move")]
    mv: String,
    visits: u32,
    prior: f64,
    /// The number of the node it leads to.
    child: u32,
    /// Value kept on the edge, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// As [`Node::split`].
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<Split>,
}

/// AlphaGo's four numbers; sums are the first player's.
#[derive(Serialize)]
struct Split {
    n_v: f64,
    w_v: f64,
    n_r: f64,
    w_r: f64,
}

impl From<SplitView> for Split {
    fn from(view: SplitView) -> Self {
        Self {
            n_v: tidy(view.values),
            w_v: tidy(view.value_sum),
            n_r: tidy(view.outcomes),
            w_r: tidy(view.outcome_sum),
        }
    }
}

impl Graph {
    pub(super) fn of<D: Domain>(search: &Search<D, Exact>) -> Self {
        let mut nodes: Vec<NodeView> = search.root_node().into_iter().collect();
        if !nodes.is_empty() {
            nodes.extend(search.nodes());
        }
        for node in &mut nodes {
            node.edges.retain(|edge| edge.visits > 0);
            node.edges.sort_by_key(|edge| edge.mv);
        }
        Self(nodes)
    }

    /// The line of most visits; ties go to the better value, then to the lower move. It ends where
    /// it would come back to itself.
    pub(super) fn line(&self) -> Vec<Move> {
        let mut seen = vec![false; self.0.len()];
        let mut line = Vec::new();
        let mut at = 0;
        while let Some(node) = self.0.get(at).filter(|_| !seen[at]) {
            seen[at] = true;
            let sign = if node.mover == Some(Player::Second) { -1.0 } else { 1.0 };
            let value = |child: u32| self.0.get(child as usize).map_or(0.0, |n| sign * n.value);
            let best = node.edges.iter().reduce(|best, edge| {
                let known = value(best.child);
                let new = value(edge.child);
                if (edge.visits, new) > (best.visits, known) { edge } else { best }
            });
            let Some(edge) = best else { break };
            line.push(edge.mv);
            at = edge.child as usize;
        }
        line
    }

    /// Every node's position and a shortest line to it; none for a node that no path leads to.
    pub(super) fn places<D: Domain>(&self, search: &Search<D, Exact>) -> Vec<Option<Place<D>>> {
        let (root, history) = search.position();
        let mut places: Vec<Option<Place<D>>> = self.0.iter().map(|_| None).collect();
        let Some(first) = places.first_mut() else { return places };
        *first = Some(Place { state: root.clone(), line: Vec::new() });
        let mut queue = vec![(0_usize, history.clone())];
        let mut next = 0;
        while let Some((at, history)) = queue.get(next).cloned() {
            next += 1;
            for edge in &self.0[at].edges {
                let (child, Some(place)) = (edge.child as usize, &places[at]) else { continue };
                if places[child].is_some() {
                    continue;
                }
                let mut state = place.state.clone();
                let mut past = history.clone();
                let line = [&place.line[..], &[edge.mv]].concat();
                search.domain().advance(&mut state, &mut past, edge.mv);
                places[child] = Some(Place { state, line });
                queue.push((child, past));
            }
        }
        places
    }

    /// Every node for the page, `places` being where they were met.
    pub(super) fn nodes<S: Subject>(
        &self,
        places: &[Option<Place<S::Domain>>],
        domain: &S::Domain,
        subject: &S,
    ) -> Vec<Node> {
        let format = |mv: &Move| subject.format_move(domain, *mv);
        let nodes = self.0.iter().zip(places).map(|(node, place)| Node {
            number: node.id,
            id: place.as_ref().and_then(|place| subject.id(domain, &place.state)),
            line: place.iter().flat_map(|place| place.line.iter().map(format)).collect(),
            to_move: node.mover,
            visits: node.visits,
            value: tidy(node.value),
            own_value: tidy(node.own_value),
            bounds: node.bounds.map(|(low, high)| (tidy(low), tidy(high))),
            square: node.square,
            split: node.split.map(Split::from),
            edges: node
                .edges
                .iter()
                .map(|edge| Edge {
                    mv: format(&edge.mv),
                    visits: edge.visits,
                    prior: edge.prior,
                    child: edge.child,
                    value: edge.average.map(tidy),
                    split: edge.split.map(Split::from),
                })
                .collect(),
        });
        nodes.collect()
    }
}
