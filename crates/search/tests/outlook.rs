//! What a search expects of a position.

use crate::common::{hashed, puct, run, search_at};
use dz_game::{Move, games::Connect4};
use dz_search::{Budget, Gumbel, SearchParams, Selection};

/// Sequential halving's mean is of bad moves, too, so the value after the best move stands for it.
#[test]
fn only_sequential_halving_looks_at_the_best_move_instead_of_the_mean() {
    let game = Connect4::new(7, 6, 4).expect("a board");
    let gumbel = Selection::Gumbel(Gumbel { scale: 0.0, ..Gumbel::default() });
    for (halves, selection) in [(false, puct().selection), (true, gumbel)] {
        let params = SearchParams { selection, ..puct() };
        let mut search = search_at(&game, params, &[3, 3]);
        run(&mut search, Budget::Playouts(200), hashed);
        let summary = search.summary();
        let best = summary.moves.iter().max_by(|a, b| a.visits.cmp(&b.visits)).expect("moves");
        let after = best.wdl.expect("visited");
        assert_ne!(after, summary.wdl);
        let outlook = summary.outlook(&params.selection, best.mv);
        assert_eq!(outlook.wdl, if halves { after } else { summary.wdl });
        // What was never tried says nothing.
        let mut untried = search_at(&game, params, &[3, 3]);
        run(&mut untried, Budget::Playouts(1), hashed);
        let summary = untried.summary();
        assert_eq!(summary.outlook(&params.selection, Move(3)).wdl, summary.wdl);
    }
}
