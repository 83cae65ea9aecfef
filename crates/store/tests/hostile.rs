//! Ledgers that nobody wrote: the body of a fuzz target on good inputs and on mutations of them.

#[path = "../../../fuzz/src/ledger.rs"]
mod ledger;
#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;

#[test]
fn ledgers() {
    mutate::run("ledger", 1500, ledger::ledger);
}
