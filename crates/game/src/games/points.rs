//! Sets of points in a few words.

/// A set of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Points<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Points<WORDS> {
    pub const EMPTY: Self = Self([0; WORDS]);

    #[inline]
    pub fn has(&self, bit: u16) -> bool {
        self.0[usize::from(bit / 64)] >> (bit % 64) & 1 == 1
    }

    #[inline]
    pub fn insert(&mut self, bit: u16) {
        self.0[usize::from(bit / 64)] |= 1 << (bit % 64);
    }

    /// The 64 bits from `start` on, zeros after the last word.
    #[inline]
    pub fn window(&self, start: u16) -> u64 {
        let word = usize::from(start / 64);
        let shift = start % 64;
        let next = self.0.get(word + 1).copied().unwrap_or(0);
        // In two steps, because a shift by 64 is none.
        (self.0[word] >> shift) | ((next << 1) << (63 - shift))
    }

    /// Adds the bits of a window that begins at bit `start`.
    #[inline]
    pub fn add_window(&mut self, start: u16, bits: u64) {
        let word = usize::from(start / 64);
        let shift = start % 64;
        self.0[word] |= bits << shift;
        if let Some(next) = self.0.get_mut(word + 1) {
            *next |= (bits >> 1) >> (63 - shift);
        }
    }

    /// The bits of both sets.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// The bits that both sets have.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// All bits moved `steps` places down, 1 to 63; those that would be negative are lost.
    #[inline]
    pub fn down(self, steps: u16) -> Self {
        Self(std::array::from_fn(|at| {
            let next = self.0.get(at + 1).copied().unwrap_or(0);
            self.0[at] >> steps | next << (64 - steps)
        }))
    }

    /// All bits moved `steps` places up, 1 to 63; those beyond the last word are lost.
    #[inline]
    pub fn up(self, steps: u16) -> Self {
        Self(std::array::from_fn(|at| {
            let former = if at == 0 { 0 } else { self.0[at - 1] };
            self.0[at] << steps | former >> (64 - steps)
        }))
    }

    /// Takes the lowest bit out.
    #[inline]
    pub fn pop(&mut self) -> Option<u16> {
        let word = self.0.iter().position(|&word| word != 0)?;
        let bit = self.0[word].trailing_zeros();
        self.0[word] &= self.0[word] - 1;
        Some(64 * word as u16 + bit as u16)
    }

    /// The words up to that of bit `last`.
    #[inline]
    pub fn words(&self, last: u16) -> &[u64] {
        &self.0[..=usize::from(last / 64)]
    }

    /// The bits, ascending.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        (0..).zip(self.0).flat_map(|(index, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as u16)?;
                word &= word - 1;
                Some(64 * index + bit)
            })
        })
    }
}
