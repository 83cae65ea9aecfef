//! The evaluation cache: results of networks by position and symmetry.

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

/// A direct-mapped cache of evaluations. It is read while games walk and filled between steps in game
/// order, so its contents are the same for any number of threads. A hit has the bits that a fresh
/// evaluation would have, so nothing recorded depends on it.
#[derive(Debug)]
pub struct EvaluationCache {
    /// A power of two of places, or none.
    entries: Vec<Option<Entry>>,
}

#[derive(Debug)]
struct Entry {
    key: CacheKey,
    wdl: Wdl,
    priors: Box<[f32]>,
}

impl EvaluationCache {
    /// A cache with at least `entries` places; 0 turns caching off.
    pub fn new(entries: usize) -> Self {
        let places = if entries == 0 { 0 } else { entries.next_power_of_two() };
        Self { entries: std::iter::repeat_with(|| None).take(places).collect() }
    }

    /// The evaluation stored under `key`: fills `priors` and answers the mover's chances.
    pub fn get(&self, key: CacheKey, priors: &mut Vec<f32>) -> Option<Wdl> {
        let entry = self.entries.get(self.place(key)?)?.as_ref().filter(|e| e.key == key)?;
        priors.clear();
        priors.extend_from_slice(&entry.priors);
        Some(entry.wdl)
    }

    /// Stores an evaluation; the newest takes the place.
    pub fn put(&mut self, key: CacheKey, evaluation: &Evaluation) {
        if let Some(place) = self.place(key) {
            let priors = evaluation.priors.clone().into_boxed_slice();
            self.entries[place] = Some(Entry { key, wdl: evaluation.wdl, priors });
        }
    }

    /// Forgets everything, for a new network.
    pub fn clear(&mut self) {
        self.entries.iter_mut().for_each(|entry| *entry = None);
    }

    fn place(&self, key: CacheKey) -> Option<usize> {
        let mask = self.entries.len().checked_sub(1)?;
        // The symmetries of a position lie far apart, so that they do not drive each other out.
        let apart = u64::from(key.symmetry.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Some((key.eval_key.low ^ (apart >> 32)) as usize & mask)
    }
}
