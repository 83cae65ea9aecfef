//! A driver's clock. No result depends on it.

use std::time::{Duration, Instant};

use super::counts::LockstepTimes;

/// Measures what a driver's time goes into.
pub(super) struct Clock {
    begun: Instant,
    /// Whether batches are evaluated by the thread that submits them.
    evaluates: bool,
    /// Batches in flight, and since when there are any.
    batches: usize,
    since: Instant,
    in_flight: Duration,
    submitting: Duration,
    waiting: Duration,
}

impl Clock {
    pub(super) fn start(evaluates: bool) -> Self {
        let begun = Instant::now();
        Self {
            begun,
            evaluates,
            batches: 0,
            since: begun,
            in_flight: Duration::ZERO,
            submitting: Duration::ZERO,
            waiting: Duration::ZERO,
        }
    }

    /// Submits batches; `work` returns how many.
    pub(super) fn submit<E>(&mut self, work: impl FnOnce() -> Result<usize, E>) -> Result<(), E> {
        let now = Instant::now();
        if self.batches == 0 {
            self.since = now;
        }
        self.batches += work()?;
        self.submitting += now.elapsed();
        Ok(())
    }

    /// Waits for batches; `work` returns how many.
    pub(super) fn wait<E>(&mut self, work: impl FnOnce() -> Result<usize, E>) -> Result<(), E> {
        let now = Instant::now();
        let count = work()?;
        if count > 0 {
            self.waiting += now.elapsed();
            self.batches -= count;
            if self.batches == 0 {
                self.in_flight += self.since.elapsed();
            }
        }
        Ok(())
    }

    pub(super) fn times(&self) -> LockstepTimes {
        let running = self.begun.elapsed();
        let own = if self.evaluates { self.submitting } else { Duration::ZERO };
        let hosting = running.saturating_sub(self.waiting + own);
        LockstepTimes { running, hosting, in_flight: self.in_flight, waiting: self.waiting }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::thread::sleep;

    use super::*;

    const NAP: Duration = Duration::from_millis(20);

    /// Work on so many batches.
    fn nap(count: usize) -> impl FnOnce() -> Result<usize, Infallible> {
        move || {
            sleep(NAP);
            Ok(count)
        }
    }

    /// Two batches that overlap, with a nap before, between and after.
    fn run(evaluates: bool) -> LockstepTimes {
        let mut clock = Clock::start(evaluates);
        sleep(NAP);
        clock.submit(nap(1)).unwrap();
        clock.submit(nap(1)).unwrap();
        sleep(NAP);
        clock.wait(nap(1)).unwrap();
        clock.wait(nap(0)).unwrap();
        clock.wait(nap(1)).unwrap();
        sleep(NAP);
        clock.times()
    }

    #[test]
    fn time_with_batches_in_flight_counts_once_and_waiting_is_no_host_time() {
        let device = run(false);
        assert!(device.running >= 8 * NAP && device.waiting >= 2 * NAP, "{device:?}");
        assert!(device.in_flight >= 6 * NAP && device.in_flight + 2 * NAP <= device.running);
        assert_eq!(device.hosting + device.waiting, device.running);
        let own = run(true);
        assert!(own.hosting + 4 * NAP <= own.running, "{own:?}");
    }
}
