//! Seeded hashes: the only randomness of the shuffle.

use dz_game::Key;

/// What a hash decides. Hashes of one row for different purposes are independent.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Whether a game is for validation.
    Validation = 1,
    /// Which bucket of its shard a row goes into.
    Bucket = 2,
    /// In which order a cycle samples buckets.
    Sample = 3,
    /// Which rows of a bucket are taken where only a part is.
    Part = 4,
    /// In which order sampled rows are written.
    Order = 5,
}

/// A hash of `words` under `seed`, uniform over 64 bits.
pub fn hash(seed: u64, purpose: Purpose, words: &[u64]) -> u64 {
    let start = Key::of_words(&[seed, purpose as u64]);
    words.iter().fold(start, |key, &word| key.mix(word)).high
}

#[cfg(test)]
mod tests {
    use dz_game::{hash_below, hash_unit};

    use super::*;

    #[test]
    fn hashes_are_spread_evenly() {
        let mut counts = [0_u32; 16];
        let mut shares = 0.0;
        for word in 0..16_000 {
            let hash = hash(1, Purpose::Bucket, &[word]);
            counts[hash_below(hash, 16) as usize] += 1;
            shares += hash_unit(hash);
        }
        // Five standard deviations of a binomial count.
        assert!(counts.iter().all(|&count| (847..1153).contains(&count)), "{counts:?}");
        assert!((shares / 16_000.0 - 0.5).abs() < 0.0115, "{shares}");
        assert_ne!(hash(1, Purpose::Part, &[3]), hash(1, Purpose::Order, &[3]));
        assert_ne!(hash(1, Purpose::Part, &[3]), hash(2, Purpose::Part, &[3]));
    }
}
