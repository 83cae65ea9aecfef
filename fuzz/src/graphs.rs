//! Graphs to search: refused in one line, or searched to the end of a budget.

use dz_search::{
    Budget, Exact, ExplicitGraph, Gathered, GraphFile, NetworkAnswer, RootSetup, Search,
    SearchParams,
};

/// Enough to come to every kind of end.
const PLAYOUTS: u32 = 64;

/// A text that may be a graph. What is accepted is searched, and every playout is accounted for.
pub fn graphs(data: &[u8]) {
    let Ok(file) = serde_json::from_slice::<GraphFile>(data) else { return };
    let graph = match ExplicitGraph::new(&file) {
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
            return;
        }
        Ok(graph) => graph,
    };
    let mut search: Search<ExplicitGraph, Exact> =
        Search::new(graph.clone(), SearchParams::default(), graph.root(), ());
    search.start(Budget::Playouts(PLAYOUTS), 1, RootSetup::default());
    let mut priors = Vec::new();
    while let Gathered::Need(id) = search.gather() {
        let leaf = search.leaf(id).expect("it was just asked for");
        let estimate = graph.evaluate(*leaf.state, &mut priors);
        let answer = NetworkAnswer::new(estimate, &priors);
        search.apply_network(id, &answer);
    }
    let counts = search.counts();
    let summary = search.summary();
    let ends = counts.evaluations + counts.terminals + counts.cut + counts.cycle_ends;
    assert_eq!(ends + counts.cache_hits, counts.playouts, "{counts:?}");
    let value = summary.value;
    assert!((-1.0..=1.0).contains(&value), "the root is worth {value}");
    let visits: u64 = summary.moves.iter().map(|known| u64::from(known.visits)).sum();
    assert!(visits <= counts.playouts, "{visits} visits in {} playouts", counts.playouts);
}
