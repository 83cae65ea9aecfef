//! How long a first page takes: 20 runs, one with 200 cycles.

use std::time::{Duration, Instant};

use dz_store::{Run, layout, seal};

use crate::common::serve;

#[path = "../../report/tests/report/ledger.rs"]
#[allow(dead_code, missing_docs, reason = "made for other tests")]
mod ledger;

/// Writes a made-up ledger into a run.
fn write(run: &Run, cycles: u32) {
    for record in ledger::run(cycles).records {
        let text = serde_json::to_vec(&record).unwrap();
        let path = run.root().join(layout::log_path(record.number));
        std::fs::write(path, seal(&text, dz_store::SEAL_DIGITS)).unwrap();
    }
}

/// Machines of tests are slow and busy, so times are printed and bounded loosely. Sizes are exact.
#[test]
fn first_pages_come_soon() {
    let served = serve();
    for number in 0..20 {
        let path = served.folder.path().join(format!("run-{number:02}"));
        let run = Run::create(path, include_str!("../../../configs/connect4-smoke.toml")).unwrap();
        write(&run, if number == 0 { 200 } else { 3 });
    }
    let timed = |path: &str| {
        let begun = Instant::now();
        let answer = served.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        (begun.elapsed(), answer.body.len())
    };
    std::thread::sleep(Duration::from_millis(600));
    let page = served.get("/run/run-00").body;
    let record = page.split("data-record=\"").nth(1).and_then(|rest| rest.split('"').next());
    let figures = format!("/run/run-00/live.json?known={}", record.unwrap());
    for path in ["/", "/", "/run/run-00", &figures] {
        let (took, bytes) = timed(path);
        eprintln!("{path}: {took:?}, {bytes} bytes");
        assert!(took < Duration::from_secs(20), "{path} took {took:?}");
        assert!(bytes < 500_000, "{path} has {bytes} bytes");
    }
    assert!(served.get("/").body.matches("class=\"card\"").count() == 20);
}
