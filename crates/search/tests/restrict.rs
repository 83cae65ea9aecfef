//! Searches of some of the root's moves.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use crate::common::{hashed, puct, run, search_at};
use dz_game::{Move, games::Connect4};
use dz_search::{Budget, Gumbel, RootMove, Search, SearchParams, Selection};

fn game() -> Connect4 {
    Connect4::new(7, 6, 4).unwrap()
}

fn root_moves(search: &Search<Connect4>) -> Vec<RootMove> {
    search.summary().moves
}

#[test]
fn other_moves_get_neither_visits_nor_prior() {
    let gumbel = Selection::Gumbel(Gumbel::default());
    for params in [puct(), SearchParams { selection: gumbel, ..puct() }] {
        let mut whole = search_at(&game(), params, &[3, 3]);
        run(&mut whole, Budget::Playouts(1), hashed);
        let mut search = search_at(&game(), params, &[3, 3]);
        search.restrict([Move(5), Move(0)]);
        run(&mut search, Budget::Playouts(200), hashed);
        let moves = root_moves(&search);
        assert_eq!(moves.iter().map(|m| m.mv).collect::<Vec<_>>(), [Move(0), Move(5)]);
        assert_eq!(moves.iter().map(|m| m.visits).sum::<u32>(), 199);
        let prior = |index: usize| root_moves(&whole)[index].prior;
        let share = prior(5) / (prior(0) + prior(5));
        assert!((moves[1].prior - share).abs() < 1e-3, "{} {share}", moves[1].prior);
    }
}

#[test]
fn nothing_of_an_earlier_search_is_kept_and_the_next_move_is_free_again() {
    let mut search = search_at(&game(), puct(), &[]);
    run(&mut search, Budget::Playouts(100), hashed);
    search.restrict([Move(2)]);
    run(&mut search, Budget::Playouts(50), hashed);
    assert_eq!(search.summary().visits, 50);
    search.advance(Move(2), true);
    run(&mut search, Budget::Playouts(50), hashed);
    assert_eq!(root_moves(&search).len(), 7);
}

#[test]
fn where_none_of_them_is_legal_all_are_searched() {
    let mut search = search_at(&game(), puct(), &[]);
    search.restrict([Move(77)]);
    run(&mut search, Budget::Playouts(50), hashed);
    assert_eq!(root_moves(&search).len(), 7);
}
