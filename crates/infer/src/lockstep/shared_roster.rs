//! The roster that all drivers share, and whether one of them has failed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::counts::LockstepCounts;
use super::game_task::Roster;

/// The roster, for one driver at a time.
pub(super) struct SharedRoster<'a, R> {
    inner: Mutex<Inner<'a, R>>,
    has_failed: AtomicBool,
}

pub(super) struct Inner<'a, R> {
    pub(super) roster: &'a mut R,
    /// Of all drivers.
    pub(super) counts: LockstepCounts,
}

impl<'a, R> SharedRoster<'a, R> {
    pub(super) fn new(roster: &'a mut R) -> Self {
        let inner = Mutex::new(Inner { roster, counts: LockstepCounts::default() });
        Self { inner, has_failed: AtomicBool::new(false) }
    }

    /// What all drivers did.
    pub(super) fn counts(&self) -> LockstepCounts {
        self.lock().counts
    }

    /// Waits for the roster.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<'a, R>> {
        // A driver that panicked in here has failed; the others stop before their next step.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports a step, unless another driver has the roster: reports are not worth waiting for.
    pub(super) fn step<T>(&self, counts: &mut LockstepCounts)
    where
        R: Roster<T>,
    {
        if let Ok(mut inner) = self.inner.try_lock() {
            inner.add(counts);
            let counts = inner.counts;
            inner.roster.step(&counts);
        }
    }

    /// Whether a driver has failed; the others are to stop.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Reports a failure to the other drivers when it is dropped, by an error or a panic, before
    /// [`FailureGuard::disarm`] was called.
    pub(super) fn failure_guard(&self) -> FailureGuard<'_> {
        FailureGuard(Some(&self.has_failed))
    }
}

impl<R> Inner<'_, R> {
    /// Takes over what a driver counted.
    pub(super) fn add(&mut self, counts: &mut LockstepCounts) {
        self.counts.add(std::mem::take(counts));
    }
}

pub(super) struct FailureGuard<'a>(Option<&'a AtomicBool>);

impl FailureGuard<'_> {
    pub(super) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for FailureGuard<'_> {
    fn drop(&mut self) {
        if let Some(has_failed) = self.0 {
            has_failed.store(true, Ordering::Relaxed);
        }
    }
}
