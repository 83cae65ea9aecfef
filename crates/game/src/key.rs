//! 128-bit keys, the same on every machine.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A 128-bit hash of a position. Two different positions share one with probability 2^-128.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Key {
    /// Upper 64 bits.
    pub high: u64,
    /// Lower 64 bits.
    pub low: u64,
}

impl Key {
    /// Hashes words in order. Each half is a chain of `mix64` with its own start.
    #[inline]
    pub fn of_words(words: &[u64]) -> Self {
        let mut key = Self { high: 0x9e37_79b9_7f4a_7c15, low: 0xd1b5_4a32_d192_ed03 };
        for &word in words {
            key = key.mix(word);
        }
        key
    }
    /// This key with one more word mixed in; order matters.
    #[must_use]
    #[inline]
    pub fn mix(self, word: u64) -> Self {
        // Each half also takes in the other one, so that the pair behaves as one 128-bit state.
        let high = mix64(self.high ^ word).wrapping_add(self.low.rotate_left(17));
        let low = mix64(self.low.wrapping_add(word ^ 0x2545_f491_4f6c_dd1d)) ^ high.rotate_left(31);
        Self { high, low }
    }
}

impl fmt::Display for Key {
    /// 32 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.high, self.low)
    }
}

/// Steele, Lea and Flood's `SplitMix64` finaliser (OOPSLA 2014, Figure 4, with Stafford's variant
/// 13 constants): a bijection of 64-bit words that flips each output bit with probability 1/2.
#[inline]
pub const fn mix64(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A hash as a number in `0..count`.
#[inline]
pub fn hash_below(hash: u64, count: u64) -> u64 {
    // The high word of the product is uniform up to a bias of count / 2^64.
    ((u128::from(hash) * u128::from(count)) >> 64) as u64
}

/// A hash as a share in `[0, 1)`.
#[inline]
pub fn hash_unit(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}
