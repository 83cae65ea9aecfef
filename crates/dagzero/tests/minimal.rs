//! The example of `examples/minimal.rs` learns what it says.

#[allow(dead_code, reason = "its main is not called")]
#[path = "../../../examples/minimal.rs"]
mod example;

#[test]
fn the_smallest_example_learns_to_beat_random_moves() {
    let scores = example::learn(4, 1).expect("it learns");
    assert_eq!(scores.len(), 4);
    assert!(scores[3] >= 0.85, "{scores:?}");
}
