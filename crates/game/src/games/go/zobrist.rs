//! Keys of stones on points: the exclusive or of all of them is the key of a board.

use std::sync::LazyLock;

use crate::{Key, Player, mix64};

/// Points of the largest board.
const POINTS: usize = 19 * 19;

/// By point and colour (A. Zobrist, A New Hashing Method with Application for Game Playing, 1970).
pub(super) type Stones = [[Key; 2]; POINTS];

static STONES: LazyLock<Stones> = LazyLock::new(|| {
    let word = |n: usize| mix64(mix64(n as u64) ^ 0x6f09_11fe_c0de_5707);
    std::array::from_fn(|point| {
        std::array::from_fn(|colour| {
            let n = 4 * point + 2 * colour;
            Key { high: word(n), low: word(n + 1) }
        })
    })
});

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
