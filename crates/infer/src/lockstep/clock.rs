//! A driver's clock. No result depends on it.

use std::time::{Duration, Instant};

use super::counts::LockstepTimes;

/// Measures what a driver's time goes into.
pub(super) struct Clock {
    begun: Instant,
    /// Whether batches are evaluated by the thread that submits them.
    evaluates: bool,
    /// Batches under way, and since when there are any.
    flights: usize,
    since: Instant,
    flying: Duration,
    submitting: Duration,
    waiting: Duration,
}

impl Clock {
    pub(super) fn start(evaluates: bool) -> Self {
        let (begun, zero) = (Instant::now(), Duration::ZERO);
        let (flying, submitting, waiting) = (zero, zero, zero);
        Self { begun, evaluates, flights: 0, since: begun, flying, submitting, waiting }
    }

    /// Submits batches; `work` answers how many.
    pub(super) fn submit<E>(&mut self, work: impl FnOnce() -> Result<usize, E>) -> Result<(), E> {
        let now = Instant::now();
        if self.flights == 0 {
            self.since = now;
        }
        self.flights += work()?;
        self.submitting += now.elapsed();
        Ok(())
    }

    /// Waits for batches; `work` answers how many.
    pub(super) fn wait<E>(&mut self, work: impl FnOnce() -> Result<usize, E>) -> Result<(), E> {
        let now = Instant::now();
        let count = work()?;
        if count > 0 {
            self.waiting += now.elapsed();
            self.flights -= count;
            if self.flights == 0 {
                self.flying += self.since.elapsed();
            }
        }
        Ok(())
    }

    pub(super) fn times(&self) -> LockstepTimes {
        let running = self.begun.elapsed();
        let own = if self.evaluates { self.submitting } else { Duration::ZERO };
        let hosting = running.saturating_sub(self.waiting + own);
        LockstepTimes { running, hosting, flying: self.flying, waiting: self.waiting }
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
    fn time_with_batches_under_way_counts_once_and_waiting_is_no_host_time() {
        let device = run(false);
        assert!(device.running >= 8 * NAP && device.waiting >= 2 * NAP, "{device:?}");
        assert!(device.flying >= 6 * NAP && device.flying + 2 * NAP <= device.running);
        assert_eq!(device.hosting + device.waiting, device.running);
        let own = run(true);
        assert!(own.hosting + 4 * NAP <= own.running, "{own:?}");
    }
}
