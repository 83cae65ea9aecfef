//! Texts that nobody should write: the bodies of the fuzz targets on their seeds and on mutations.

#[path = "../../../fuzz/src/games.rs"]
mod games;
#[path = "../../../fuzz/src/mutate.rs"]
mod mutate;

/// Mutations of each target; seconds in all.
const COUNT: u32 = 20_000;

#[test]
fn names_of_games() {
    mutate::run("specs", COUNT, games::specs);
}

#[test]
fn moves_at_random_positions() {
    mutate::run("moves", COUNT, games::moves);
}

#[test]
fn lists_of_moves() {
    mutate::run("lists", COUNT, games::lists);
}

#[test]
fn positions() {
    mutate::run("positions", COUNT, games::positions);
}
