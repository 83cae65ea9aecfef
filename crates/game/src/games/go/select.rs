//! Which bit of a word comes after so many others.

/// Where the bits of a byte are: first the lowest bit of each byte, then the next, ...
const BITS: [[u8; 256]; 8] = bits();

const fn bits() -> [[u8; 256]; 8] {
    let mut bits = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        let mut rank = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                bits[rank][byte] = bit;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    bits
}

/// The number of the set bit of `word` below which `rank` others are; `rank` is less than their
/// count. Counts of the bytes side by side, without branches (S. Vigna, Broadword Implementation of
/// Rank/Select Queries, 2008, section 3); a table finds the bit in its byte.
#[inline]
pub(super) fn select(word: u64, rank: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // Byte i counts the bits of bytes 0 to i.
    let sums = bytes.wrapping_mul(ONES);
    let rank = u64::from(rank);
    // Bytes that end before the bit.
    let passed = (((rank * ONES) | TOPS) - sums) & TOPS;
    let place = ((passed >> 7).wrapping_mul(ONES) >> 56) * 8;
    let before = (sums << 8) >> place & 0xff;
    let byte = (word >> place & 0xff) as usize;
    place as u32 + u32::from(BITS[(rank - before) as usize & 7][byte])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix64;

    #[test]
    fn the_bits_of_a_word_one_by_one() {
        let sparse = |n| mix64(n) & mix64(!n) & mix64(n << 32);
        let words = [1, u64::MAX, 1 << 63, 0x8000_0000_0000_0001].into_iter();
        for word in words.chain((0..1000).map(mix64)).chain((0..1000).map(sparse)) {
            let bits: Vec<u32> = (0..64).filter(|bit| word >> bit & 1 == 1).collect();
            for (rank, &bit) in bits.iter().enumerate() {
                assert_eq!(select(word, rank as u32), bit, "{word:x}");
            }
        }
    }
}
