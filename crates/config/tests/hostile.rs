//! Configurations that nobody meant: the body of a fuzz target on the presets and on mutations of
//! them.

#[path = "../../../fuzz/src/config.rs"]
mod config;
#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;

#[test]
fn configurations() {
    mutate::run("config", 1000, config::config);
}
