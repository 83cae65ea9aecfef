//! Ledgers whose records somebody wrote on purpose, with the right seals: read with bounded memory
//! and time.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

#[path = "../../../fuzz/src/measure.rs"]
mod measure;

use std::fs;

use dz_store::{Audit, Ledger, Run, SEAL_DIGITS, Stage, layout, seal};
use measure::Worst;
use serde_json::{Value, json};

const FILES: usize = 1000;
const EXTREMES: [u64; 8] = [0, 1, 1_000, 65_536, 1 << 31, u32::MAX as u64, 1 << 53, u64::MAX];

/// Paths of all numbers in a value.
fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(at.to_owned()),
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(i, value)| numbers(value, &format!("{at}/{i}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| numbers(value, &format!("{at}/{key}"), found));
        }
        _ => {}
    }
}

/// The records of the fuzzer's run.
fn records() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/ledger/run");
    let text = fs::read_to_string(path).unwrap();
    let sealed = |line: &str| {
        let mut record: Value = serde_json::from_str(line).ok()?;
        record.as_object_mut()?.remove("blake3");
        Some(record)
    };
    text.lines().filter_map(sealed).collect()
}

#[test]
fn a_thousand_hostile_ledgers_take_bounded_memory_and_time() {
    let dir = tempfile::tempdir().unwrap();
    let run = Run::create(dir.path().join("run"), "").unwrap();
    let good = records();
    assert!(good.len() > 5, "the fuzzer's run has records");
    let path = |number: usize| run.root().join(layout::log_path(number as u64));
    let write = |number: usize, record: &Value| {
        let bytes = seal(record.to_string().as_bytes(), SEAL_DIGITS);
        fs::write(path(number), &bytes).unwrap();
        bytes.len()
    };
    for (index, record) in good.iter().enumerate() {
        write(index + 1, record);
    }
    let mut worst = Worst::default();
    let mut accepted = 0;
    let mut tried = 0;
    let mut read = |name: &str, length: usize| {
        worst.read(name, &vec![0; length], |_| {
            if let Ok(ledger) = Ledger::open(&run) {
                accepted += 1;
                let state = ledger.state();
                let _ = Stage::WORKERS.map(|stage| (state.turn(), state.turn_of(stage, 1)));
                let _ = (state.positions(), state.games(), state.cycle(), state.objects().count());
            }
            let _ = Audit::of(&run);
        });
    };
    let mut fields = Vec::new();
    for (index, record) in good.iter().enumerate() {
        let mut found = Vec::new();
        numbers(record, "", &mut found);
        fields.extend(found.into_iter().map(|pointer| (index, pointer)));
    }
    'all: loop {
        for (index, pointer) in &fields {
            for extreme in EXTREMES {
                let mut record = good[*index].clone();
                // From the second round on, two numbers of a record.
                if tried >= fields.len() * EXTREMES.len() {
                    let mut found = Vec::new();
                    numbers(&record, "", &mut found);
                    *record.pointer_mut(&found[tried % found.len()]).unwrap() = json!(u32::MAX);
                }
                *record.pointer_mut(pointer).unwrap() = json!(extreme);
                let length = write(index + 1, &record);
                read(&format!("record {} {pointer} {extreme}", index + 1), length);
                tried += 1;
                if tried == FILES {
                    write(index + 1, &good[*index]);
                    break 'all;
                }
            }
            write(index + 1, &good[*index]);
        }
    }
    // A name far beyond the others is a gap, not a count.
    fs::write(run.root().join("log/18446744073709551615.json"), "{}").unwrap();
    read("a number beyond all others", 2);
    println!("{accepted} of them are accepted");
    worst.finish("ledgers", FILES);
    assert!(accepted > 0, "numbers that may be are read");
}
