//! Seeds of games, and the words and streams that say how they begin.

use dz_game::mix64;

/// Seed of a game's random stream, and of the words and streams that say how it begins.
pub(crate) fn game_seed(run_seed: u64, number: u64) -> u64 {
    word(run_seed, number)
}

/// The word of this seed that the salt names; words of other salts say nothing of it.
pub(crate) fn word(seed: u64, salt: u64) -> u64 {
    mix64(seed ^ mix64(salt))
}
