//! How large pages are and how long a first page takes: 20 runs, one with 200 cycles.

use std::io::Read as _;
use std::time::{Duration, Instant};

use crate::common::serve;
use crate::numbers::made_up;

#[path = "../../report/tests/report/ledger.rs"]
#[allow(dead_code, missing_docs, reason = "made for other tests")]
pub mod ledger;

/// Bytes of a page on the wire.
const BYTES_MAX: usize = 500_000;
/// The bar of a first page in a release build.
const FIRST_PAGE: Duration = Duration::from_millis(300);
/// A debug build on a busy machine may take so many times the bar.
const SLACK: u32 = if cfg!(debug_assertions) { 10 } else { 1 };

#[test]
fn first_pages_come_soon() {
    let served = serve();
    for number in 0..20 {
        let path = served.folder.path().join(format!("run-{number:02}"));
        made_up(&path, if number == 0 { 200 } else { 3 });
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
        assert!(took < FIRST_PAGE * SLACK, "{path} took {took:?}");
        assert!(bytes < BYTES_MAX, "{path} has {bytes} bytes");
    }
    assert!(served.get("/").body.matches("class=\"card\"").count() == 20);
}

/// A page as a browser gets it, and its size once it is unpacked.
fn packed(served: &crate::common::Served, path: &str) -> (usize, String) {
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {}\r\naccept-encoding: gzip, deflate, br\r\n\
         connection: close\r\n\r\n",
        served.host
    );
    let bytes = served.raw_bytes(request.as_bytes());
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let body = &bytes[end + 4..];
    assert!(head.contains("content-encoding: gzip"), "{path}: {head}");
    assert!(head.contains("vary: accept-encoding"), "{path}: {head}");
    assert!(head.contains(&format!("content-length: {}", body.len())), "{path}: {head}");
    let mut text = String::new();
    flate2::read::GzDecoder::new(body).read_to_string(&mut text).unwrap();
    (body.len(), text)
}

#[test]
fn pages_of_long_runs_are_small_on_the_wire() {
    let served = serve();
    made_up(&served.folder.path().join("a"), 400);
    std::thread::sleep(Duration::from_millis(600));
    for path in ["/run/a", "/run/a/live.json", "/run/a/report.json", "/assets/style.css"] {
        let (bytes, text) = packed(&served, path);
        eprintln!("{path}: {bytes} bytes of {}", text.len());
        assert!(bytes < BYTES_MAX / 2, "{path} has {bytes} bytes");
        assert_eq!(text, served.get(path).body, "{path}");
    }
    // Events are not held back by a packer.
    let events = format!(
        "GET /run/a/events HTTP/1.1\r\nhost: {}\r\naccept-encoding: gzip\r\n\r\n",
        served.host
    );
    let head = served.first_bytes(events.as_bytes());
    assert!(head.contains("event-stream") && !head.contains("content-encoding"), "{head}");
}
