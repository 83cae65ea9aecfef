//! The transposition table: bounds of scores that searches found.

/// Bounds of the score of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub lower: i32,
    pub upper: i32,
}

/// A hash table of 64-bit entries in pairs: one for the position with most plies to come, one for
/// the latest. An entry knows its key exactly: the key, scattered by a bijection, is the index of
/// the pair and the tag.
///
/// An entry, from the lowest bit: lower bound + 32 (6 bits), upper bound + 32 (6), plies (6), tag.
/// Zero is no entry, since scores are above -32.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pairs: Vec<[u64; 2]>,
    key_bits: u32,
    index_bits: u32,
}

const BOUND_BITS: u32 = 6;
const BIAS: i32 = 32;
const PLIES_BITS: u32 = 6;
const TAG_SHIFT: u32 = 2 * BOUND_BITS + PLIES_BITS;
/// The tag has 46 bits, so that keys of 64 bits need this many bits of index.
const INDEX_BITS_MIN: u32 = TAG_SHIFT;
const PAIR_BYTES: usize = size_of::<[u64; 2]>();
/// An odd number, so that multiplication with it is a bijection (2^64 divided by the golden ratio).
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Table {
    /// An empty table for keys of `key_bits`, with the power of two of pairs that comes next below
    /// `bytes`; 4 MiB at least, and no more than keys exist.
    pub fn new(key_bits: u32, bytes: usize) -> Self {
        let index_bits = (bytes / PAIR_BYTES).max(1).ilog2().max(INDEX_BITS_MIN).min(key_bits);
        Self { pairs: vec![[0; 2]; 1 << index_bits], key_bits, index_bits }
    }

    pub fn bytes(&self) -> usize {
        self.pairs.len() * PAIR_BYTES
    }

    /// Index of the pair and tag.
    #[inline]
    fn place(&self, key: u64) -> (usize, u64) {
        let scattered = key.wrapping_mul(SCATTER) & (u64::MAX >> (u64::BITS - self.key_bits));
        let tag_bits = self.key_bits - self.index_bits;
        ((scattered >> tag_bits) as usize, scattered & ((1 << tag_bits) - 1))
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Bounds> {
        let (index, tag) = self.place(key);
        let found = |&&entry: &&u64| entry >> TAG_SHIFT == tag && entry != 0;
        self.pairs[index].iter().find(found).map(|&entry| bounds(entry))
    }

    /// Keeps bounds, tightened by those that are there. The position has `plies` stones.
    #[inline]
    pub fn put(&mut self, key: u64, plies: u32, new: Bounds) {
        let (index, tag) = self.place(key);
        let pair = &mut self.pairs[index];
        let same = |entry: u64| entry != 0 && entry >> TAG_SHIFT == tag;
        if let Some(entry) = pair.iter_mut().find(|entry| same(**entry)) {
            let old = bounds(*entry);
            let both = Bounds { lower: old.lower.max(new.lower), upper: old.upper.min(new.upper) };
            *entry = pack(tag, plies, both);
            return;
        }
        let entry = pack(tag, plies, new);
        if pair[0] == 0 || plies <= plies_of(pair[0]) {
            *pair = [entry, pair[0]];
        } else {
            pair[1] = entry;
        }
    }
}

fn plies_of(entry: u64) -> u32 {
    (entry >> (2 * BOUND_BITS)) as u32 & ((1 << PLIES_BITS) - 1)
}

fn pack(tag: u64, plies: u32, Bounds { lower, upper }: Bounds) -> u64 {
    let lower = (lower + BIAS) as u64;
    let upper = (upper + BIAS) as u64;
    lower | upper << BOUND_BITS | u64::from(plies) << (2 * BOUND_BITS) | tag << TAG_SHIFT
}

fn bounds(entry: u64) -> Bounds {
    let bound = |shift: u32| (entry >> shift) as i32 & ((1 << BOUND_BITS) - 1);
    Bounds { lower: bound(0) - BIAS, upper: bound(BOUND_BITS) - BIAS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_key_alone() {
        for key_bits in [10, 49, 64] {
            let mut table = Table::new(key_bits, 1 << 20);
            let mask = u64::MAX >> (64 - key_bits);
            let bounds = |n: u64| Bounds { lower: -((n % 31) as i32), upper: (n % 29) as i32 };
            for n in 0..500 {
                table.put((n * 0x1234_5678_9abd) & mask, (n % 60) as u32, bounds(n));
            }
            let mut found = 0;
            for n in 0..500 {
                let known = table.get((n * 0x1234_5678_9abd) & mask);
                if key_bits > 10 {
                    assert!(known.is_none_or(|known| known == bounds(n)));
                }
                found += u32::from(known.is_some());
            }
            assert!(found > 400, "{found} of 500 at {key_bits} bits");
        }
    }

    #[test]
    fn bounds_only_get_tighter() {
        let mut table = Table::new(49, 1 << 20);
        table.put(77, 63, Bounds { lower: -30, upper: 5 });
        table.put(77, 63, Bounds { lower: -2, upper: 31 });
        assert_eq!(table.get(77), Some(Bounds { lower: -2, upper: 5 }));
    }

    #[test]
    fn the_position_with_most_to_come_stays() {
        let mut table = Table::new(64, 1);
        // Keys that differ in their scattered low bits alone fall into one pair.
        let inverse =
            (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(SCATTER.wrapping_mul(x))));
        let key = |tag: u64| tag.wrapping_mul(inverse);
        let known = Bounds { lower: 0, upper: 1 };
        table.put(key(1), 20, known);
        for tag in 2..9 {
            table.put(key(tag), 21, known);
        }
        let kept: Vec<u64> = (1..9).filter(|&tag| table.get(key(tag)).is_some()).collect();
        assert_eq!(kept, [1, 8]);
    }
}
