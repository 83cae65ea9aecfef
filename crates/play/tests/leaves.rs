//! Thinking with several leaves at once, with rollouts, and with every formula.

use std::sync::Arc;

use dz_config::SearchSection;
use dz_game::{Game, games::TicTacToe};
use dz_infer::{Answer, Hashed, LeafView, Request, Sources, symmetry_of};
use dz_play::{GameSeed, MoveSearch, SearchStep};
use dz_search::{Budget, Gathered, RootSetup, Search, Summary};
use dz_search_settings::SearchSettings;

/// The settings of the plain reference with changes.
fn laid(changes: &[&str]) -> SearchSettings {
    let changes: Vec<String> = changes.iter().map(|text| format!("search.{text}")).collect();
    SearchSettings::of(
        &SearchSection::plain().with_overrides(&changes).expect("these are settings").0,
    )
}

/// A search of the start of tic-tac-toe.
fn think(settings: &SearchSettings, playouts: u32) -> Summary {
    let mut sources = Sources::default();
    let source = sources.add_instant(Arc::new(Hashed));
    let seed = GameSeed { run_seed: 1, game_number: 2 };
    let mut search = MoveSearch::new(&TicTacToe, settings.params, false, source, seed);
    search.begin(Budget::Playouts(playouts), settings.root);
    let SearchStep::Decided = search.step(sources.readers(), &mut Request::default()) else {
        panic!("a fake answers at once");
    };
    search.summary()
}

#[test]
fn leaves_are_answered_in_batches_of_what_may_wait() {
    let settings = laid(&["leaves_max=4"]);
    let found = think(&settings, 200);
    // The same by hand: gather until nothing more can be done, then answer in order.
    let game = TicTacToe;
    let mut search: Search<TicTacToe> = Search::new(TicTacToe, settings.params, game.start(), ());
    let seed = dz_game::mix64(dz_game::mix64(1 ^ dz_game::mix64(2)));
    search.start(Budget::Playouts(200), seed, RootSetup::default());
    let mut sources = Sources::default();
    let source = sources.add_instant(Arc::new(Hashed));
    let (mut priors, mut most) = (Vec::new(), 0);
    loop {
        let mut waiting = Vec::new();
        while let Gathered::Need(id) = search.gather() {
            waiting.push(id);
        }
        most = most.max(waiting.len());
        if waiting.is_empty() {
            break;
        }
        for id in waiting {
            let (leaf, eval_key) = (search.leaf(id).unwrap(), search.leaf_eval_key(id).unwrap());
            let view = LeafView {
                game: &game,
                state: leaf.state,
                history: leaf.history,
                legal: leaf.legal,
                eval_key,
                symmetry: symmetry_of(1, 2, 0, eval_key, game.symmetry_count()),
                last: None,
                random: leaf.random,
            };
            let Answer::Instant(expected) = sources.readers().ask(source, &view, &mut priors)
            else {
                panic!("a fake answers at once");
            };
            search.apply(id, expected.wdl, &priors);
        }
    }
    assert_eq!(most, 4);
    assert_eq!(found, search.summary());
    assert_ne!(found.moves, think(&laid(&[]), 200).moves);
}

#[test]
fn leaves_that_want_rollouts_get_them() {
    let plain = think(&laid(&[]), 100);
    assert_eq!(plain.counts.rollouts, 0);
    for changes in [
        &["leaf_value=rollout"][..],
        &["leaf_value={ mix = 0.5 }"],
        &["leaf_value=rollout", "expansion=3"],
        &["leaf_value={ mix = 0.5 }", "expansion={ start = 2, waiting_max = 2 }", "leaves_max=4"],
        &["leaf_value=rollout", "selection=rave", "move_choice=amaf"],
    ] {
        let found = think(&laid(changes), 100);
        assert_eq!(found.counts.rollouts, found.counts.evaluations, "{changes:?}");
        assert_ne!(found.value, plain.value, "{changes:?}");
        assert_eq!(found.visits, 100);
    }
}

#[test]
fn every_formula_spends_its_playouts() {
    for selection in ["puct", "ucb1", "uct", "rave", "gumbel", "regularized"] {
        for more in ["prove=true", "leaves_max=8", "backup=delta", "staleness=ancestors"] {
            let settings = laid(&[&format!("selection={selection}"), more]);
            let found = think(&settings, 300);
            let visits: u32 = found.moves.iter().map(|m| m.visits).sum();
            assert_eq!(found.counts.ends(), found.counts.playouts, "{selection} {more}");
            assert!(visits <= 299 && (visits == 299 || found.proven), "{selection} {more}");
        }
    }
}
