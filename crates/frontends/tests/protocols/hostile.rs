//! Mutations of conversations, by the body of the fuzz target.

#[path = "../../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../../fuzz/src/protocols.rs"]
mod protocols;

#[test]
fn whatever_is_said_is_answered() {
    mutate::run("protocols", 3_000, protocols::protocols);
}
