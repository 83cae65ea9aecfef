//! What a worker shows to monitoring: Prometheus's text, and whether it is alive.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

/// How long a client may take with its request.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause after the system refuses a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What a worker has done.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Units that were claimed.
    pub(super) claimed: AtomicU64,
    /// Claims that another worker had made.
    pub(super) refused: AtomicU64,
    /// Units that were handed in.
    pub(super) units: AtomicU64,
    /// Those of them that were segments of matches.
    pub(super) match_units: AtomicU64,
    /// Games in them.
    pub(super) games: AtomicU64,
    /// Positions in them.
    pub(super) positions: AtomicU64,
    /// Units that the home was waiting for at the last look.
    pub(super) missing: AtomicU64,
}

impl Counters {
    /// Adds to one of them.
    pub(super) fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Ordering::Relaxed);
    }

    fn text(&self) -> String {
        let lines = [
            ("dagzero_units_claimed_total", "counter", "Units claimed.", &self.claimed),
            ("dagzero_claims_refused_total", "counter", "Claims lost to others.", &self.refused),
            ("dagzero_units_total", "counter", "Units handed in.", &self.units),
            (
                "dagzero_match_units_total",
                "counter",
                "Segments of matches among them.",
                &self.match_units,
            ),
            ("dagzero_games_total", "counter", "Games in all units.", &self.games),
            ("dagzero_positions_total", "counter", "Positions in all units.", &self.positions),
            ("dagzero_units_missing", "gauge", "Units the home waits for.", &self.missing),
        ];
        let line = |(name, kind, help, value): (&str, &str, &str, &AtomicU64)| {
            let value = value.load(Ordering::Relaxed);
            format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n")
        };
        lines.into_iter().map(line).collect()
    }
}

/// Answers `/metrics` and `/healthz` at `address` on a thread of its own, as long as the process
/// lives. Returns the address, whose port the system chose where 0 was asked for.
///
/// # Errors
/// If nothing can listen there.
pub(super) fn serve(address: SocketAddr, counters: Arc<Counters>) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(address)
        .with_context(|| format!("cannot serve metrics at {address}: choose another --metrics"))?;
    let bound = listener.local_addr()?;
    thread::Builder::new().name("metrics".to_owned()).spawn(move || {
        for stream in listener.incoming() {
            // Without file descriptors every call fails at once.
            let stream = stream.inspect_err(|_| thread::sleep(ACCEPT_PAUSE));
            if let Err(error) = stream.and_then(|stream| answer(stream, &counters)) {
                tracing::debug!("metrics: {error}");
            }
        }
    })?;
    Ok(bound)
}

/// The longest request that is read.
const REQUEST_BYTES_MAX: usize = 16 << 10;

fn answer(mut stream: TcpStream, counters: &Counters) -> std::io::Result<()> {
    let until = Instant::now() + PATIENCE;
    stream.set_write_timeout(Some(PATIENCE))?;
    // All of it, since a connection that is closed with bytes unread is reset.
    let mut request = Vec::new();
    let mut part = [0; 1024];
    while request.len() < REQUEST_BYTES_MAX && !request.ends_with(b"\r\n\r\n") {
        let rest = until.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(rest))?;
        let length = stream.read(&mut part)?;
        if length == 0 {
            break;
        }
        request.extend_from_slice(&part[..length]);
    }
    let request = String::from_utf8_lossy(&request);
    let path = request.split_whitespace().nth(1).unwrap_or_default();
    let (status, body) = match path {
        "/metrics" => ("200 OK", counters.text()),
        "/healthz" => ("200 OK", "ok\n".to_owned()),
        _ => ("404 Not Found", "there are /metrics and /healthz\n".to_owned()),
    };
    let head = "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\nConnection: close";
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_served() {
        let counters = Arc::new(Counters::default());
        Counters::add(&counters.units, 3);
        let address = serve("127.0.0.1:0".parse().unwrap(), counters).unwrap();
        let ask = |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        assert!(ask("/metrics").contains("\ndagzero_units_total 3\n"));
        assert!(ask("/healthz").starts_with("HTTP/1.1 200"));
        assert!(ask("/").starts_with("HTTP/1.1 404"));
    }
}
