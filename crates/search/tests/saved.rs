//! A resumed search equals one that was never interrupted.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::collections::BTreeSet;

use dz_game::games::{Connect4, TicTacToe};
use dz_search::{
    Budget, Compact, Domain, Exact, ExplicitGraph, Gathered, NodeView, Numbers, RootSetup,
    SavedError, SavedSearch, ScoreUtility, Search, SearchParams, ValueBias,
};

use crate::proof::domains::Counting;
use crate::proof::graphs::{random_graph, random_shape};
use crate::proof::settings::{random_params, random_setup};
use crate::proof::{Dice, Judge, answer, position, search_of};

/// Goes on until so many playouts are done in all.
fn go_on<D: Domain, N: Numbers>(search: &mut Search<D, N>, playouts: u32, judge: &Judge<D>) {
    search.extend(Budget::Playouts(playouts));
    let mut waiting = Vec::new();
    loop {
        match search.gather() {
            Gathered::Decided => break,
            Gathered::Need(leaf) => waiting.push(leaf),
            Gathered::Wait => {
                for leaf in std::mem::take(&mut waiting) {
                    answer(search, leaf, judge, &mut BTreeSet::new());
                }
            }
        }
    }
}

fn views<D: Domain, N: Numbers>(search: &Search<D, N>) -> Vec<NodeView> {
    search.root_node().into_iter().chain(search.nodes()).collect()
}

/// Interrupts a search half way: it is saved, written as text, read and restored elsewhere.
fn check<D: Domain, N: Numbers>(
    domain: &D,
    params: SearchParams,
    position: &(D::State, D::History),
    dice: &mut Dice,
) {
    let params = SearchParams { check_states: false, ..params };
    let judge = Judge::hashed(dice.word());
    let setup = random_setup(dice);
    let seed = dice.word();
    let half = 1 + dice.below(80) as u32;
    let whole = half + dice.below(80) as u32;
    let begin = || {
        let mut search: Search<D, N> = search_of(domain, params, position);
        search.start(Budget::Playouts(whole), seed, setup);
        search
    };
    let mut whole_search = begin();
    go_on(&mut whole_search, half, &judge);
    go_on(&mut whole_search, whole, &judge);
    let mut first = begin();
    go_on(&mut first, half, &judge);
    let text = serde_json::to_string(&first.save().unwrap()).unwrap();
    let saved: SavedSearch<N> = serde_json::from_str(&text).unwrap();
    let mut second: Search<D, N> = search_of(domain, params, position);
    second.restore(saved).unwrap();
    let again = serde_json::to_string(&second.save().unwrap()).unwrap();
    assert_eq!(again, text, "what is restored is what was saved");
    go_on(&mut second, whole, &judge);
    assert_eq!(views(&second), views(&whole_search), "{params:?}");
    assert_eq!(second.summary(), whole_search.summary(), "{params:?}");
}

fn params(dice: &mut Dice) -> SearchParams {
    SearchParams { leaves_max: dice.pick(&[1, 1, 4]), ..random_params(dice) }
}

#[test]
fn it_goes_on_as_if_it_had_never_stopped_on_graphs() {
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, if seed % 2 == 0 { 0.0 } else { 0.25 });
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let params = params(&mut dice);
        println!("seed {seed}");
        let position = (graph.root(), ());
        if seed % 3 == 0 {
            check::<_, Exact>(&graph, params, &position, &mut dice);
        } else {
            check::<_, Compact>(&graph, params, &position, &mut dice);
        }
    }
}

#[test]
fn it_goes_on_in_games() {
    let connect4 = Connect4::new(4, 4, 3).unwrap();
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let params = params(&mut dice);
        println!("seed {seed}");
        check::<_, Compact>(&TicTacToe, params, &position(&TicTacToe, &[4]), &mut dice);
        check::<_, Exact>(&connect4, params, &position(&connect4, &[1, 2]), &mut dice);
    }
}

/// Buckets of observed errors are resumed, too, with the errors that freed nodes left in them.
#[test]
fn corrections_go_on() {
    let start = position(&TicTacToe, &[]);
    let mut freed = 0;
    for seed in 0..20 {
        let params = SearchParams {
            value_bias: Some(ValueBias { lambda: 0.5, ..ValueBias::default() }),
            graph: seed % 2 == 0,
            leaves_max: if seed % 3 == 0 { 4 } else { 1 },
            ..SearchParams::default()
        };
        let judge = Judge::hashed(seed);
        let mut whole: Search<_, Compact> = search_of(&TicTacToe, params, &start);
        whole.start(Budget::Playouts(150), seed, RootSetup::default());
        go_on(&mut whole, 150, &judge);
        let best = whole.summary().moves.iter().max_by_key(|m| m.visits).unwrap().mv;
        whole.advance(best, true);
        freed += whole.buckets().filter(|bucket| bucket.freed_weight > 0.0).count();
        whole.start(Budget::Playouts(150), seed, RootSetup::default());
        go_on(&mut whole, 40, &judge);
        let text = serde_json::to_string(&whole.save().unwrap()).unwrap();
        let mut second: Search<_, Compact> =
            search_of(&TicTacToe, params, &(*whole.position().0, ()));
        second.restore(serde_json::from_str(&text).unwrap()).unwrap();
        assert!(second.buckets().eq(whole.buckets()));
        go_on(&mut whole, 150, &judge);
        go_on(&mut second, 150, &judge);
        assert_eq!(views(&second), views(&whole));
        assert!(second.buckets().eq(whole.buckets()));
        let plain = SearchParams { value_bias: None, ..params };
        let mut other: Search<_, Compact> =
            search_of(&TicTacToe, plain, &(*whole.position().0, ()));
        let refused = other.restore(serde_json::from_str(&text).unwrap());
        assert!(matches!(refused, Err(SavedError::Settings(_))), "{refused:?}");
    }
    assert!(freed > 20, "{freed}");
}

/// Points, and what the root expected when its search began, go on.
#[test]
fn points_go_on() {
    let domain = Counting(TicTacToe);
    let start = position(&TicTacToe, &[]);
    for seed in 0..20 {
        let params = SearchParams {
            score_utility: Some(ScoreUtility::default()),
            graph: seed % 2 == 0,
            leaves_max: if seed % 3 == 0 { 4 } else { 1 },
            ..SearchParams::default()
        };
        let judge = Judge::hashed(seed);
        let mut whole: Search<_, Compact> = search_of(&domain, params, &start);
        whole.start(Budget::Playouts(150), seed, RootSetup::default());
        go_on(&mut whole, 150, &judge);
        let best = whole.summary().moves.iter().max_by_key(|m| m.visits).unwrap().mv;
        whole.advance(best, true);
        whole.start(Budget::Playouts(150), seed, RootSetup::default());
        go_on(&mut whole, 40, &judge);
        let text = serde_json::to_string(&whole.save().unwrap()).unwrap();
        let mut second: Search<_, Compact> = search_of(&domain, params, &(*whole.position().0, ()));
        second.restore(serde_json::from_str(&text).unwrap()).unwrap();
        go_on(&mut whole, 150, &judge);
        go_on(&mut second, 150, &judge);
        assert!(views(&whole).iter().any(|node| node.lead.is_some_and(|lead| lead.utility != 0.0)));
        assert_eq!(views(&second), views(&whole));
        let plain = SearchParams { score_utility: None, ..params };
        let mut other: Search<_, Compact> = search_of(&domain, plain, &(*whole.position().0, ()));
        let refused = other.restore(serde_json::from_str(&text).unwrap());
        assert!(matches!(refused, Err(SavedError::Settings(_))), "{refused:?}");
    }
}

/// A search without a correction is saved as it was before there was one.
#[test]
fn without_a_correction_nothing_is_saved_of_it() {
    let start = position(&TicTacToe, &[]);
    let mut search: Search<_, Exact> = search_of(&TicTacToe, SearchParams::default(), &start);
    search.start(Budget::Playouts(30), 1, RootSetup::default());
    go_on(&mut search, 30, &Judge::uniform());
    let text = serde_json::to_string(&search.save().unwrap()).unwrap();
    assert!(!text.contains("bucket"), "{text}");
    let params = serde_json::to_string(search.params()).unwrap();
    assert!(!params.contains("value_bias"), "{params}");
    let on = SearchParams { value_bias: Some(ValueBias::default()), ..SearchParams::default() };
    let text = serde_json::to_string(&on).unwrap();
    assert_eq!(serde_json::from_str::<SearchParams>(&text).unwrap(), on);
}

/// Any number of a saved search may be changed by hand: it is refused, or searched without a panic.
#[test]
fn hostile_numbers_are_refused_or_harmless() {
    let connect4 = Connect4::new(4, 4, 3).unwrap();
    let start = position(&connect4, &[]);
    let mut refused = 0;
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let params = SearchParams { check_states: false, ..params(&mut dice) };
        let judge = Judge::uniform();
        let mut search: Search<_, Compact> = search_of(&connect4, params, &start);
        search.start(Budget::Playouts(60), seed, RootSetup::default());
        go_on(&mut search, 60, &judge);
        let saved = serde_json::to_value(search.save().unwrap()).unwrap();
        for _ in 0..40 {
            let mut hostile = saved.clone();
            change(&mut hostile, &mut dice);
            let Ok(hostile) = serde_json::from_value::<SavedSearch<Compact>>(hostile) else {
                refused += 1;
                continue;
            };
            let mut other: Search<_, Compact> = search_of(&connect4, params, &start);
            match other.restore(hostile) {
                Err(_) => refused += 1,
                Ok(()) => go_on(&mut other, 80, &judge),
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

/// Changes one number that indices or lengths depend on.
fn change(saved: &mut serde_json::Value, dice: &mut Dice) {
    let number = dice.pick(&[0_u64, 1, 2, 7, 1_000, 4_000_000_000]);
    let kind = dice.below(10);
    let arena = &mut saved["arena"];
    let node = dice.below(arena["nodes"].as_array().unwrap().len());
    let edge = dice.below(arena["edges"].as_array().unwrap().len());
    match kind {
        0 => arena["edges"][edge]["child"] = number.into(),
        1 => arena["nodes"][node]["edges"] = number.into(),
        2 => arena["nodes"][node]["priors"] = number.into(),
        3 => arena["nodes"][node]["visited"] = (number % 65_536).into(),
        4 => arena["nodes"][node]["moves"] = (number % 65_536).into(),
        5 => {
            arena["keys"].as_array_mut().unwrap().pop();
        }
        6..9 if arena["side"]["buckets"].is_object() => {
            let buckets = &mut arena["side"]["buckets"];
            match kind {
                6 => buckets["nodes"][node]["bucket"] = number.into(),
                7 => buckets["keys"][0]["low"] = buckets["keys"][1]["low"].clone(),
                _ => drop(buckets["nodes"].as_array_mut().unwrap().pop()),
            }
        }
        _ => saved["sweep"] = number.into(),
    }
}

#[test]
fn other_settings_are_refused() {
    let start = position(&TicTacToe, &[]);
    let plain = SearchParams::default();
    let mut search: Search<_, Exact> = search_of(&TicTacToe, plain, &start);
    let saved = search.save().unwrap();
    search.start(Budget::Playouts(30), 1, RootSetup::default());
    go_on(&mut search, 30, &Judge::uniform());
    let full = search.save().unwrap();
    let mut empty: Search<_, Exact> = search_of(&TicTacToe, plain, &start);
    empty.restore(saved).unwrap();
    assert_eq!(empty.summary().visits, 0);
    let proving = SearchParams { prove: true, ..plain };
    let mut other: Search<_, Exact> = search_of(&TicTacToe, proving, &start);
    assert!(matches!(other.restore(full.clone()), Err(SavedError::Settings(_))));
    let checking = SearchParams { check_states: true, ..plain };
    let mut other: Search<_, Exact> = search_of(&TicTacToe, checking, &start);
    assert_eq!(other.restore(full.clone()), Err(SavedError::States));
    assert_eq!(other.save().map(drop), Err(SavedError::States));
}
