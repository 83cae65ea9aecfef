//! The evaluation cache: results of networks by position and symmetry.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dz_game::{Key, Symmetry, Wdl};

use crate::Evaluation;

/// What a cached evaluation depends on besides the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheKey {
    /// The position as the network sees it.
    pub eval_key: Key,
    /// Through which symmetry.
    pub symmetry: Symmetry,
}

/// A direct-mapped cache of evaluations for many threads. A hit has the bits that a fresh
/// evaluation would have, so nothing recorded depends on it. Where groups take turns it is filled
/// between their steps in the order of games, and hits are the same for any number of threads;
/// where each thread has a group of its own, what one finds depends on how far the others are.
#[derive(Debug)]
pub struct EvaluationCache {
    /// A power of two of places, or none. Threads hardly ever want the same one.
    entries: Vec<Mutex<Option<Entry>>>,
    /// Evaluations that were stored, or are going to be.
    count: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    key: CacheKey,
    wdl: Wdl,
    priors: Vec<f32>,
    /// How many had been stored before.
    order: u64,
}

impl EvaluationCache {
    /// A cache with at least `entries` places; 0 turns caching off.
    pub fn new(entries: usize) -> Self {
        let places = if entries == 0 { 0 } else { entries.next_power_of_two() };
        let entries = std::iter::repeat_with(Mutex::default).take(places).collect();
        Self { entries, count: AtomicU64::new(0) }
    }

    /// The evaluation stored under `key`: fills `priors` and answers the mover's chances.
    pub fn get(&self, key: CacheKey, priors: &mut Vec<f32>) -> Option<Wdl> {
        let place = self.place(key)?;
        let entry = place.as_ref().filter(|entry| entry.key == key)?;
        priors.clear();
        priors.extend_from_slice(&entry.priors);
        Some(entry.wdl)
    }

    /// Stores an evaluation; the newest takes the place.
    pub fn put(&self, key: CacheKey, evaluation: &Evaluation) {
        self.put_at(self.reserve(1), key, evaluation);
    }

    /// Numbers for the next `count` evaluations, from the one answered on: with them, threads that
    /// store side by side leave what they would have left one after another.
    pub fn reserve(&self, count: u64) -> u64 {
        self.count.fetch_add(count, Ordering::Relaxed)
    }

    /// Stores the evaluation with this number, unless the place has one with a higher number.
    pub fn put_at(&self, order: u64, key: CacheKey, evaluation: &Evaluation) {
        let Some(mut place) = self.place(key) else { return };
        // Takes the memory of the entry before it.
        let mut priors = match &mut *place {
            Some(entry) if entry.order > order => return,
            Some(entry) => std::mem::take(&mut entry.priors),
            None => Vec::new(),
        };
        priors.clear();
        // No more than is needed: places are many.
        priors.reserve_exact(evaluation.priors.len());
        priors.extend_from_slice(&evaluation.priors);
        *place = Some(Entry { key, wdl: evaluation.wdl, priors, order });
    }

    fn place(&self, key: CacheKey) -> Option<MutexGuard<'_, Option<Entry>>> {
        let mask = self.entries.len().checked_sub(1)?;
        // The symmetries of a position lie far apart, so that they do not drive each other out.
        let apart = u64::from(key.symmetry.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = &self.entries[(key.eval_key.low ^ (apart >> 32)) as usize & mask];
        // An entry is put in whole, so a panic elsewhere does not matter.
        Some(place.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
