//! What a lockstep did, and what its time went into.

use std::time::Duration;

/// What was done; batch fill is `evaluations / places`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockstepCounts {
    /// Batches sent.
    pub batches: u64,
    /// Positions in them.
    pub evaluations: u64,
    /// Positions that the batches had room for: every slot of the group, also those of games that
    /// had ended with none to follow.
    pub places: u64,
}

impl LockstepCounts {
    /// Adds what another thread, or another run of the lockstep, did.
    pub fn add(&mut self, other: Self) {
        self.batches += other.batches;
        self.evaluations += other.evaluations;
        self.places += other.places;
    }
}

/// What the time of driving threads went into; sums over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockstepTimes {
    /// From beginning to end.
    pub running: Duration,
    /// Of that, the host's part: searching and encoding. With a device all that is not waiting;
    /// where threads evaluate themselves, all that is not evaluating.
    pub hosting: Duration,
    /// With a batch or more in flight: what an evaluator was busy at most.
    pub in_flight: Duration,
    /// Waiting for a batch, its read-back and its softmaxes included.
    pub waiting: Duration,
}

impl LockstepTimes {
    /// Adds what another thread did.
    pub fn add(&mut self, other: &Self) {
        self.running += other.running;
        self.hosting += other.hosting;
        self.in_flight += other.in_flight;
        self.waiting += other.waiting;
    }
}
