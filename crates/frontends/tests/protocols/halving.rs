//! Sequential halving, whose plan depends on how many playouts there are to be.

use dz_game::{GameSpec, Player};

use crate::common::{Eyes, gumbel_player, session_of};

/// Visits of all moves after 400 playouts in slices, as protocols ask for them.
fn visits(slice: u32) -> Vec<(u16, u32)> {
    let spec: GameSpec = "connect4".parse().expect("a game");
    let player = gumbel_player("halving", Eyes::Rollouts.evaluator());
    let mut game = session_of(&spec, &player).expect("a session");
    game.begin(Player::First, Some(400)).expect("first to move");
    while !game.search(slice).expect("rollouts do not fail") {}
    game.report().moves.iter().map(|found| (found.mv.0, found.visits)).collect()
}

#[test]
fn a_search_in_slices_is_the_search_in_one_piece() {
    let whole = visits(400);
    let all: u32 = whole.iter().map(|&(_, visits)| visits).sum();
    // All seven moves get 19 visits. Then the best three get 44 more, and the best two 67 more.
    assert!(whole[0].1 > all / 4, "{whole:?}");
    for slice in [1, 16, 64] {
        assert_eq!(visits(slice), whole, "in slices of {slice}");
    }
}
