//! What a turn took: time and memory, for reports.

use std::time::Instant;

use serde::Serialize;

/// A line of `metrics/<stage>.jsonl`, written when a turn is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct TurnMetrics {
    /// The cycle.
    pub(crate) cycle: u32,
    /// Wall time of the turn.
    pub(crate) turn_ms: u64,
    /// Processor time of the process in the turn, user and system; none where the system does not
    /// say.
    pub(crate) cpu_ms: Option<u64>,
    /// The most resident memory of the process so far, bytes; none where the system does not say.
    pub(crate) peak_bytes: Option<u64>,
}

/// When a turn began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnBegun {
    at: Instant,
    cpu_s: Option<f64>,
}

impl TurnBegun {
    pub(crate) fn now() -> Self {
        Self { at: Instant::now(), cpu_s: cpu_s() }
    }

    /// What the turn took until now.
    pub(crate) fn metrics(self, cycle: u32) -> TurnMetrics {
        let cpu_s = cpu_s().zip(self.cpu_s).map(|(now, before)| now - before);
        TurnMetrics {
            cycle,
            turn_ms: self.at.elapsed().as_millis() as u64,
            cpu_ms: cpu_s.map(|seconds| (1e3 * seconds).round() as u64),
            peak_bytes: peak_bytes(),
        }
    }
}

/// The most memory that this process has held, as Linux counts it (`VmHWM`).
pub fn peak_bytes() -> Option<u64> {
    parse("VmHWM:", &std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The memory that this process holds now, as Linux counts it (`VmRSS`).
pub fn resident_bytes() -> Option<u64> {
    parse("VmRSS:", &std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Processor seconds that this process has used, user and system, as Linux counts them
/// (`/proc/self/stat`, in hundredths of a second); `None` on other systems.
pub fn cpu_s() -> Option<f64> {
    ticks(&std::fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| ticks as f64 / 100.0)
}

/// User and system ticks. The name in brackets may hold anything, spaces and brackets too.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let [user, system] = [fields.next()?, fields.next()?];
    Some(user.parse::<u64>().ok()? + system.parse::<u64>().ok()?)
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
    fn processor_time_is_read_and_grows() {
        let stat = "7 (a) b) R 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 1 0";
        assert_eq!(ticks(stat), Some(300));
        assert_eq!(ticks("7 (a) R 1"), None);
        let turn = TurnBegun::now();
        if let Some(before) = cpu_s() {
            while cpu_s() == Some(before) {
                assert!(turn.at.elapsed().as_secs() < 60, "the time stands still");
            }
            assert!(cpu_s() > Some(before));
            let TurnMetrics { cycle, cpu_ms, .. } = turn.metrics(3);
            assert!(cycle == 3 && cpu_ms >= Some(10), "{cpu_ms:?}");
        }
    }

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
