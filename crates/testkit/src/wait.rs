//! Waits for what other threads and processes do.

use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(20);

/// Waits until `is_so` returns true. Panics with `what` once `patience` is over.
pub fn wait_until(what: &str, patience: Duration, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < patience, "{what} never came");
        thread::sleep(INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_looks_again_until_it_is_so() {
        let mut looks = 0;
        wait_until("a third look", Duration::from_mins(1), || {
            looks += 1;
            looks == 3
        });
        assert_eq!(looks, 3);
    }

    #[test]
    #[should_panic(expected = "a change never came")]
    fn it_gives_up() {
        wait_until("a change", Duration::ZERO, || false);
    }
}
