//! What a turn took: time and memory, for reports.

use serde::Serialize;

/// A line of `metrics/<stage>.jsonl`, written when a turn is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TurnMetrics {
    /// The cycle.
    pub(crate) cycle: u32,
    /// Wall time of the turn.
    pub(crate) turn_ms: u64,
    /// The most resident memory of the process so far, bytes; none where the system does not say.
    pub(crate) peak_bytes: Option<u64>,
}

/// The most memory that this process has held, as Linux counts it (`VmHWM`).
pub fn peak_bytes() -> Option<u64> {
    parse("VmHWM:", &std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The memory that this process holds now, as Linux counts it (`VmRSS`).
pub fn resident_bytes() -> Option<u64> {
    parse("VmRSS:", &std::fs::read_to_string("/proc/self/status").ok()?)
}

fn parse(key: &str, status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_and_present_are_read() {
        let status = "Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t    5120 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(parse("VmHWM:", status), Some(5_242_880));
        assert_eq!(parse("VmRSS:", status), Some(1024));
        assert_eq!(parse("VmHWM:", "Name:\tx\n"), None);
        if cfg!(target_os = "linux") {
            assert!(peak_bytes() > Some(100_000) && resident_bytes() > Some(100_000));
        }
    }
}
