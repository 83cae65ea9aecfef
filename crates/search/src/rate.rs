//! The dynamic threshold of expansion, `n_thr`, by counts instead of a clock.

use serde::{Deserialize, Serialize};

use crate::Expansion;

/// Playouts over which both rates are measured.
const WINDOW: u32 = 16;

/// AlphaGo adjusts `n_thr` so that "the rate at which positions are added to the policy queue
/// matches the rate at which the GPUs evaluate the policy network" (Silver et al. 2016, Methods,
/// "Expansion"), and does not say how. Here both rates are counts over the same 16 finished
/// playouts, and `waiting_max` is the queue that keeps the evaluator busy:
///
/// - up by 1 if more than `waiting_max` positions waited at once, and no fewer were added than
///   evaluated;
/// - down by 1, to 1 at least, if fewer than `waiting_max` waited at once, and no more were added
///   than evaluated;
/// - unchanged otherwise, and while never more than one leaf waits: the search and the evaluator
///   then take turns, and their rates are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExpansionRate {
    /// `n_thr`: the visits before a node is expanded.
    pub threshold: u32,
    /// The queue to keep; none where the threshold is fixed, and nothing is measured.
    waiting_max: Option<u32>,
    /// Positions that wait for priors.
    queue: u32,
    /// The most positions that waited for priors at once in this window.
    queue_most: u32,
    /// The most leaves that waited at once in this window.
    leaves_most: u32,
    added: u32,
    evaluated: u32,
    finished: u32,
}

impl ExpansionRate {
    pub(crate) fn new(expansion: Expansion) -> Self {
        let (threshold, waiting_max) = match expansion {
            Expansion::FirstVisit => (0, None),
            Expansion::Threshold(visits) => (visits, None),
            Expansion::Dynamic { start, waiting_max } => (start.max(1), Some(waiting_max)),
        };
        Self { threshold, waiting_max, ..Self::default() }
    }

    /// A leaf is opened, one of so many that wait now.
    #[inline]
    pub(crate) fn open(&mut self, asks_priors: bool, leaves: u32) {
        if self.waiting_max.is_none() {
            return;
        }
        self.leaves_most = self.leaves_most.max(leaves);
        if asks_priors {
            self.queue += 1;
            self.added += 1;
            self.queue_most = self.queue_most.max(self.queue);
        }
    }

    /// Priors have come.
    #[inline]
    pub(crate) fn evaluate(&mut self) {
        if self.waiting_max.is_none() {
            return;
        }
        self.queue = self.queue.saturating_sub(1);
        self.evaluated += 1;
    }

    /// A playout is finished; at the end of a window the threshold moves.
    #[inline]
    pub(crate) fn finish(&mut self) {
        let Some(most) = self.waiting_max else { return };
        self.finished += 1;
        if self.finished >= WINDOW {
            self.close_window(most);
        }
    }

    fn close_window(&mut self, most: u32) {
        if self.leaves_most > 1 {
            if self.queue_most > most && self.added >= self.evaluated {
                self.threshold = self.threshold.saturating_add(1);
            } else if self.queue_most < most && self.added <= self.evaluated {
                self.threshold = (self.threshold - 1).max(1);
            }
        }
        *self = Self { queue: self.queue, queue_most: self.queue, ..self.emptied() };
    }

    /// The leaves that wait are given up, and with them what was measured.
    pub(crate) fn drop_leaves(&mut self) {
        *self = self.emptied();
    }

    fn emptied(&self) -> Self {
        Self { threshold: self.threshold, waiting_max: self.waiting_max, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate_from(start: u32) -> ExpansionRate {
        ExpansionRate::new(Expansion::Dynamic { start, waiting_max: 4 })
    }

    /// A window in which `added` positions come, wait as `at_once` of them, and are evaluated.
    fn window(rate: &mut ExpansionRate, at_once: u32, leaves: u32) -> u32 {
        rate.open(false, leaves);
        for _ in 0..at_once {
            rate.open(true, leaves);
        }
        for _ in 0..at_once {
            rate.evaluate();
        }
        for _ in 0..WINDOW {
            rate.finish();
        }
        rate.threshold
    }

    #[test]
    fn it_follows_the_queue_both_ways_and_rests_where_it_fits() {
        let mut rate = rate_from(10);
        assert_eq!([7, 7, 7].map(|at_once| window(&mut rate, at_once, 8)), [11, 12, 13]);
        assert_eq!([4, 4].map(|at_once| window(&mut rate, at_once, 8)), [13, 13]);
        assert_eq!([1, 0, 3].map(|at_once| window(&mut rate, at_once, 8)), [12, 11, 10]);
        assert_eq!([1, 0].map(|at_once| window(&mut rate, at_once, 1)), [10, 10], "turns");
        let mut low = rate_from(1);
        assert_eq!(window(&mut low, 0, 8), 1, "1 is the least");
    }

    #[test]
    fn a_queue_that_shrinks_or_grows_is_left_alone() {
        let mut rate = rate_from(10);
        for _ in 0..8 {
            rate.open(true, 8);
        }
        rate.finished = WINDOW - 1;
        rate.finish();
        assert_eq!(rate.threshold, 11, "more were added than evaluated");
        // Eight still wait, and four are evaluated: the evaluator is ahead.
        for _ in 0..4 {
            rate.evaluate();
        }
        rate.leaves_most = 8;
        rate.finished = WINDOW - 1;
        rate.finish();
        assert_eq!(rate.threshold, 11);
        // One is added to the four, and none evaluated: five wait, so it rises.
        rate.open(true, 8);
        rate.finished = WINDOW - 1;
        rate.finish();
        assert_eq!(rate.threshold, 12);
    }
}
