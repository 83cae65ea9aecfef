//! Past positions of a game: what superko forbids, and what node keys mix in.

use super::{
    Go, GoState, Superko,
    board::on_grid,
    repetition,
    set::{Set, WORDS_MAX, Words},
};
use crate::{Key, Move, Player};

/// Words of the filter in front of the exact search: two bits for each of some 300 positions leave
/// about one false alarm in fifty.
const FILTER_WORDS: usize = 64;
/// Room for this many positions is made at once.
const PAST_MIN: usize = 64;
/// No point was new on the board.
const NO_POINT: u16 = u16::MAX;

/// The positions before the current one.
#[derive(Debug)]
pub struct GoHistory {
    past: Vec<Past>,
    /// Bits of the keys in `past`; a key whose bits are not all set is not there.
    filter: [u64; FILTER_WORDS],
    /// The same positions for networks, if they see any.
    boards: Vec<PastBoard>,
    /// Points where each player had a stone in some position of `past`, or one that was suicide.
    ever: [Words; 2],
}

/// A position, the move played from it, and how to take it out of filter and sets again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    /// What superko compares.
    pub key: Key,
    /// The position's `node_key`.
    pub node_key: Key,
    pub mv: Move,
    /// What the move that led to this position added to `ever`: `2 * point + colour`.
    new_stone: u16,
    /// Which of the two filter bits this position set.
    new_bits: [bool; 2],
}

/// The stones of a past position.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastBoard {
    pub stones: [Words; 2],
    pub hash: Key,
}

impl Default for GoHistory {
    fn default() -> Self {
        Self {
            past: Vec::new(),
            boards: Vec::new(),
            filter: [0; FILTER_WORDS],
            ever: [[0; WORDS_MAX]; 2],
        }
    }
}

impl Clone for GoHistory {
    fn clone(&self) -> Self {
        Self {
            past: self.past.clone(),
            boards: self.boards.clone(),
            filter: self.filter,
            ever: self.ever,
        }
    }

    /// Keeps the memory of `self`, so that a search that starts at its root again allocates
    /// nothing.
    fn clone_from(&mut self, source: &Self) {
        self.past.clone_from(&source.past);
        self.boards.clone_from(&source.boards);
        (self.filter, self.ever) = (source.filter, source.ever);
    }
}

impl GoHistory {
    /// The last position and the move played from it.
    #[inline]
    pub(super) fn last(&self) -> Option<&Past> {
        self.past.last()
    }

    /// Past stones, the last ones first; none unless they are kept.
    pub(super) fn boards(&self) -> impl Iterator<Item = &PastBoard> {
        self.boards.iter().rev()
    }

    /// Keeps stones for networks.
    pub(super) fn push_board(&mut self, stones: [Words; 2], hash: Key) {
        self.boards.push(PastBoard { stones, hash });
    }

    /// True if a position with `key` occurred before.
    #[inline]
    pub(super) fn contains(&self, key: Key) -> bool {
        let set = |(word, bit): (usize, u64)| self.filter[word] & bit != 0;
        // A ko is found after two steps from the end.
        filter_bits(key).into_iter().all(set) && self.past.iter().rev().any(|past| past.key == key)
    }

    /// Points where `player` (by index) once had a stone. A stone put anywhere else makes a new
    /// position, even if it captures.
    #[inline]
    pub(super) fn ever<const N: usize>(&self, player: usize) -> Set<N> {
        Set::load(&self.ever[player])
    }

    /// Adds the position with `stones`, whose last move was `opponent`'s, before `mv` is played
    /// from it.
    #[inline]
    pub(super) fn push(
        &mut self,
        stones: &[Words; 2],
        opponent: Player,
        key: Key,
        node_key: Key,
        mv: Move,
    ) {
        let mut new_bits = [false; 2];
        for (new, (word, bit)) in new_bits.iter_mut().zip(filter_bits(key)) {
            *new = self.filter[word] & bit == 0;
            self.filter[word] |= bit;
        }
        let mut new_stone = NO_POINT;
        if let Some(last) = self.past.last() {
            // A pass has a bit beyond the board, which nobody asks for.
            let point = last.mv.0;
            let colour = opponent.index();
            let word = &mut self.ever[colour][usize::from(point / 64)];
            let bit = 1 << (point % 64);
            if *word & bit == 0 {
                *word |= bit;
                new_stone = 2 * point + colour as u16;
            }
        } else {
            self.ever = *stones;
        }
        if self.past.len() == self.past.capacity() {
            self.past.reserve(PAST_MIN);
        }
        self.past.push(Past { key, node_key, mv, new_stone, new_bits });
    }

    pub(super) fn pop(&mut self) {
        self.boards.pop();
        let Some(past) = self.past.pop() else { return };
        if self.past.is_empty() {
            // The first position may have any number of stones.
            (self.filter, self.ever) = ([0; FILTER_WORDS], [[0; WORDS_MAX]; 2]);
            return;
        }
        for (new, (word, bit)) in past.new_bits.into_iter().zip(filter_bits(past.key)) {
            if new {
                self.filter[word] &= !bit;
            }
        }
        if past.new_stone != NO_POINT {
            let point = past.new_stone / 2;
            let colour = usize::from(past.new_stone % 2);
            self.ever[colour][usize::from(point / 64)] &= !(1 << (point % 64));
        }
    }
}

/// Words and bits of a key in the filter.
#[inline]
fn filter_bits(key: Key) -> [(usize, u64); 2] {
    [key.low, key.high].map(|half| {
        let word = (half >> 6) as usize % FILTER_WORDS;
        (word, 1 << (half % 64))
    })
}

impl Go {
    /// True if the last move made sure that no earlier position comes back soon.
    #[inline]
    pub(super) fn forgets(&self, state: &GoState, mv: Move) -> bool {
        let bound = self.rules.repetition_bound.into();
        mv != self.board.pass()
            && on_grid!(self.board, grid => repetition::forgets(grid, state, mv.0, bound))
    }

    /// Keeps a position and what is played from it.
    #[inline]
    pub(super) fn remember(
        &self,
        history: &mut GoHistory,
        state: &GoState,
        mv: Move,
        node_key: impl FnOnce(&GoHistory) -> Key,
    ) {
        if self.rules.history_planes > 0 {
            history.push_board(state.stones, state.hash);
        }
        // Simple ko is part of the position.
        if self.rules.superko != Superko::Simple {
            let key = repetition::repetition_key(&self.rules, state.hash, state.mover);
            let node_key = node_key(history);
            history.push(&state.stones, state.mover.opponent(), key, node_key, mv);
        }
    }
}
