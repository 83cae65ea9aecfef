//! Keys of stones on points: the exclusive or of all of them is the key of a board.

use crate::{Key, Player, mix64};

/// Points of the largest board.
const POINTS: usize = 19 * 19;

/// By point and colour (A. Zobrist, A New Hashing Method with Application for Game Playing, 1970).
pub(super) type Stones = [[Key; 2]; POINTS];

static STONES: Stones = keys();

const fn keys() -> Stones {
    let mut keys = [[Key { high: 0, low: 0 }; 2]; POINTS];
    let mut n = 0;
    while n < 4 * POINTS as u64 {
        let point = n as usize / 4;
        let colour = n as usize % 4 / 2;
        keys[point][colour] = Key { high: word(n), low: word(n + 1) };
        n += 2;
    }
    keys
}

const fn word(n: u64) -> u64 {
    mix64(mix64(n) ^ 0x6f09_11fe_c0de_5707)
}

/// The keys of all stones.
#[inline]
pub(super) fn stones() -> &'static Stones {
    &STONES
}

/// `key` with a stone put down or taken away.
#[inline]
pub(super) fn toggled(key: Key, point: u16, player: Player) -> Key {
    xor(key, stones()[usize::from(point)][player.index()])
}

/// Exclusive or of two keys.
#[inline]
pub(super) fn xor(a: Key, b: Key) -> Key {
    Key { high: a.high ^ b.high, low: a.low ^ b.low }
}
