//! Sequential halving at the root: with walks that wait, with visits kept from an earlier search,
//! and without an end that is known.

use crate::common::{hashed, search_at};
use dz_game::{Move, Wdl, games::Connect4};
use dz_search::{
    Budget, Gathered, Gumbel, InFlight, LeafId, MoveChoice, Search, SearchParams, Selection, Sigma,
    choose_move,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn params() -> SearchParams {
    let gumbel = Gumbel { scale: 0.0, ..Gumbel::default() };
    SearchParams { selection: Selection::Gumbel(gumbel), ..SearchParams::default() }
}

fn board() -> Connect4 {
    Connect4::new(7, 6, 4).expect("a board")
}

/// Answers one leaf. The sharper the policy, the more walks meet leaves that wait.
fn answer(search: &mut Search<Connect4>, id: LeafId, sharpness: i32) {
    let key = search.leaf_eval_key(id).expect("it waits");
    let legal = search.leaf(id).expect("it waits").legal.to_vec();
    let (wdl, mut priors): (Wdl, Vec<f32>) = hashed(key, &legal);
    for prior in &mut priors {
        *prior = prior.powi(sharpness);
    }
    let sum: f32 = priors.iter().sum();
    for prior in &mut priors {
        *prior /= sum;
    }
    search.apply(id, wdl, &priors);
}

/// Searches on until the budget is used up. As many leaves wait as may.
fn go_on(search: &mut Search<Connect4>, sharpness: i32) {
    let mut waiting = Vec::new();
    loop {
        match search.gather() {
            Gathered::Need(id) => waiting.push(id),
            Gathered::Wait => {
                for id in waiting.drain(..) {
                    answer(search, id, sharpness);
                }
            }
            Gathered::Decided => return,
        }
    }
}

/// Visits of this search, the most first.
fn sorted_visits(search: &Search<Connect4>) -> Vec<u32> {
    let mut visits: Vec<u32> = search.summary().moves.iter().map(|m| m.visits_here).collect();
    visits.sort_unstable_by(|a, b| b.cmp(a));
    visits
}

#[test]
fn walks_that_wait_change_no_plan() {
    // 1 playout evaluates the root. The others: 7 moves get 19 each in the first round, which
    // takes a third; the best three then get 44 each, and the best two 67.
    let mut alone = search_at(&board(), params(), &[]);
    alone.start(Budget::Playouts(400), 0, None);
    go_on(&mut alone, 1);
    assert_eq!(sorted_visits(&alone), [130, 130, 63, 19, 19, 19, 19]);
    for rule in [InFlight::Visits, InFlight::Losses(3)] {
        for (collisions_max, sharpness) in [(0, 1), (64, 1), (0, 8), (32, 8)] {
            let many = SearchParams { leaves_max: 32, in_flight: rule, collisions_max, ..params() };
            let mut search = search_at(&board(), many, &[]);
            search.start(Budget::Playouts(400), 0, None);
            go_on(&mut search, sharpness);
            let visits = sorted_visits(&search);
            assert_eq!(visits, sorted_visits(&alone), "{rule:?} {collisions_max} {sharpness}");
        }
    }
}

#[test]
fn kept_visits_are_no_part_of_the_plan() {
    let mut search = search_at(&board(), params(), &[]);
    search.start(Budget::Playouts(400), 0, None);
    go_on(&mut search, 1);
    search.advance(Move(3), true);
    search.start(Budget::Playouts(64), 0, None);
    let kept: u32 = search.summary().moves.iter().map(|m| m.visits).sum();
    assert!(kept > 20, "{kept}");
    go_on(&mut search, 1);
    // 7 moves get 3 each, three of them 7 more, and two the rest.
    assert_eq!(sorted_visits(&search), [21, 21, 10, 3, 3, 3, 3]);
    let summary = search.summary();
    let visits: u32 = summary.moves.iter().map(|m| m.visits).sum();
    assert_eq!(visits, kept + 64);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let choice = MoveChoice::Gumbel(Sigma::BOARD_GAMES);
    let chosen = choose_move(&summary, choice, &mut random);
    let chosen = summary.moves.iter().find(|m| m.mv == chosen).expect("a legal move");
    assert_eq!(chosen.visits_here, 21, "{summary:?}");
}

#[test]
fn a_search_without_an_end_halves_again_and_again() {
    let mut search = search_at(&board(), params(), &[]);
    search.start(Budget::Open, 0, None);
    let mut checked = 0;
    for playouts in 0..2000_u32 {
        let Gathered::Need(id) = search.gather() else { continue };
        answer(&mut search, id, 1);
        // Plans are for 21, 21, 42, 84 playouts and so on. Each gives two moves two thirds of its
        // visits; its first round, a third, is of all seven. Other moves may win the next plan, so
        // two have less of the sum, though far more than the 2 of 7 of equal visits.
        if playouts > 84 {
            let visits = sorted_visits(&search);
            let all = visits.iter().sum::<u32>();
            assert!(5 * (visits[0] + visits[1]) > 2 * all, "after {playouts} playouts {visits:?}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn a_lost_move_leaves_its_visits_to_the_next_best() {
    // Three in a row of the opponent: moves elsewhere than 0 or 4 lose at once, which proofs find.
    let game = board();
    let mut search = search_at(&game, SearchParams { prove: true, ..params() }, &[1, 1, 2, 2, 3]);
    search.start(Budget::Playouts(200), 0, None);
    go_on(&mut search, 1);
    let summary = search.summary();
    for m in &summary.moves {
        assert!(m.visits_here <= 20 || m.proven != Some(-1.0), "{m:?}");
    }
}
