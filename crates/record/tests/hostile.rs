//! Records that nobody should write: the body of the fuzz target on its seeds and on mutations.

#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;
#[path = "../../../fuzz/src/records.rs"]
mod records;

#[test]
fn records_of_games() {
    mutate::run("records", 20_000, records::records);
}

#[test]
fn records_in_any_encoding() {
    mutate::run("encodings", 20_000, records::encodings);
}
