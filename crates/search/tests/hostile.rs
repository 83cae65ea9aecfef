//! Graphs that nobody should write: the body of the fuzz target on its seeds and on mutations.

#[path = "../../../fuzz/src/graphs.rs"]
mod graphs;
#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;

#[test]
fn graphs_to_search() {
    mutate::run("graphs", 20_000, graphs::graphs);
}
