//! The evaluation cache: results of networks by position and symmetry.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dz_game::{Key, Symmetry};

use crate::{Evaluation, Expected};

/// What a cached evaluation depends on besides the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheKey {
    /// The position as the network sees it.
    pub eval_key: Key,
    /// Through which symmetry.
    pub symmetry: Symmetry,
}

/// A direct-mapped cache of evaluations for many threads. A hit has the bits that a fresh
/// evaluation would have, so nothing recorded depends on it. Where groups take turns with a device,
/// the cache is filled in the order of games, and hits are the same for any number of threads.
/// Where each thread has its own group, hits depend on timing.
#[derive(Debug)]
pub struct EvaluationCache {
    /// A power of two of places, or none. Two threads hardly ever want the same lock.
    entries: Vec<Mutex<Option<Entry>>>,
    /// One word for each place: the number of the place's last evaluation, above a tag of its key.
    /// Empty if every evaluation is kept.
    seen: Vec<AtomicU64>,
    /// Evaluations that are stored, or have a number reserved.
    count: AtomicU64,
}

/// Which evaluations a cache keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// All. For networks on the processor, which take longer than any look into memory.
    Always,
    /// Those of positions that were evaluated before. For devices: most positions never come again,
    /// and storing them took 30 % of the host's time. The list of evaluated positions fits
    /// into the processor's caches.
    SecondTime,
}

#[derive(Debug)]
struct Entry {
    key: CacheKey,
    expected: Expected,
    priors: Vec<f32>,
    /// The evaluation's number, by [`EvaluationCache::reserve`].
    order: u64,
}

/// Bits of a number in [`EvaluationCache::seen`] that distinguish keys of one place.
const TAG_BITS: u32 = 16;

impl EvaluationCache {
    /// A cache with at least `entries` places; 0 turns caching off.
    pub fn new(entries: usize, admission: Admission) -> Self {
        let places = if entries == 0 { 0 } else { entries.next_power_of_two() };
        let entries = std::iter::repeat_with(Mutex::default).take(places).collect();
        let seen = if admission == Admission::Always { 0 } else { places };
        let seen = std::iter::repeat_with(AtomicU64::default).take(seen).collect();
        Self { entries, seen, count: AtomicU64::new(0) }
    }

    /// The evaluation stored under `key`: fills `priors` and returns the expected value.
    pub fn get(&self, key: CacheKey, priors: &mut Vec<f32>) -> Option<Expected> {
        if !self.admits(key) {
            return None;
        }
        let entry = self.entry(self.place(key)?);
        let entry = entry.as_ref().filter(|entry| entry.key == key)?;
        priors.clear();
        priors.extend_from_slice(&entry.priors);
        Some(entry.expected)
    }

    /// Whether the next evaluation of `key` is kept.
    pub fn admits(&self, key: CacheKey) -> bool {
        let Some(place) = self.place(key) else { return false };
        let word = self.seen.get(place).map(|seen| seen.load(Ordering::Relaxed));
        word.is_none_or(|word| word != 0 && word & tag(u64::MAX) == tag(key.eval_key.high))
    }

    /// Stores an evaluation; the newest takes the place.
    pub fn put(&self, key: CacheKey, evaluation: &Evaluation) {
        self.put_at(self.reserve(1), key, self.admits(key), evaluation);
    }

    /// Reserves numbers for the next `count` evaluations and returns the first. With them, threads
    /// that store at the same time leave the cache as if they had stored in order.
    pub fn reserve(&self, count: u64) -> u64 {
        self.count.fetch_add(count, Ordering::Relaxed)
    }

    /// Stores the evaluation with this number, unless the place has one with a higher number. The
    /// evaluation is kept if the cache [admits](Self::admits) the key, which the caller has asked
    /// before any evaluation of the batch was stored.
    pub fn put_at(&self, order: u64, key: CacheKey, admitted: bool, evaluation: &Evaluation) {
        let Some(place) = self.place(key) else { return };
        if let Some(seen) = self.seen.get(place) {
            seen.fetch_max((order + 1) << TAG_BITS | tag(key.eval_key.high), Ordering::Relaxed);
        }
        if !admitted {
            return;
        }
        let mut entry = self.entry(place);
        // Reuses the memory of the previous entry.
        let mut priors = match &mut *entry {
            Some(entry) if entry.order > order => return,
            Some(entry) => std::mem::take(&mut entry.priors),
            None => Vec::new(),
        };
        priors.clear();
        // Exactly what is needed, since there are many places.
        priors.reserve_exact(evaluation.priors.len());
        priors.extend_from_slice(&evaluation.priors);
        *entry = Some(Entry { key, expected: evaluation.expected, priors, order });
    }

    fn place(&self, key: CacheKey) -> Option<usize> {
        let mask = self.entries.len().checked_sub(1)?;
        // The symmetries of a position get places far apart, so that they do not evict each other.
        let apart = u64::from(key.symmetry.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Some((key.eval_key.low ^ (apart >> 32)) as usize & mask)
    }

    fn entry(&self, place: usize) -> MutexGuard<'_, Option<Entry>> {
        // An entry is put in whole, so a panic elsewhere does not matter.
        self.entries[place].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bits of a key that are noted.
fn tag(half: u64) -> u64 {
    half & ((1 << TAG_BITS) - 1)
}
