//! Score utility: its effects and their limits, and a literal search that agrees with it.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::collections::BTreeSet;

use dz_game::games::{Go, Othello};
use dz_game::{Game, Move, Player};
use dz_search::{
    Backup, Budget, Compact, Domain, Exact, ExplicitGraph, LeafValue, NodeView, ParamsError,
    RootSetup, ScoreUtility, Search, SearchParams, Selection, Status,
};

use crate::proof::counting::agrees_on_graphs;
use crate::proof::graphs::{random_graph, random_shape};
use crate::proof::settings::{random_network_params, random_rounds};
use crate::proof::{Dice, Judge, Opinion, assert_agrees, position, run, run_from, search_of};

/// Random settings in which points count.
fn counting_params(dice: &mut Dice) -> SearchParams {
    random_network_params(dice, |params| params.score_utility.is_some())
}

#[test]
fn a_literal_search_agrees_on_acyclic_graphs() {
    agrees_on_graphs::<Exact>(400_000..400_600, 0.0, counting_params);
    agrees_on_graphs::<Compact>(410_000..410_600, 0.0, counting_params);
}

#[test]
fn a_literal_search_agrees_on_graphs_with_cycles() {
    agrees_on_graphs::<Exact>(420_000..420_400, 0.25, counting_params);
    agrees_on_graphs::<Compact>(430_000..430_400, 0.25, counting_params);
}

fn go(spec: &str) -> Go {
    Go::from_spec(&spec.parse().unwrap()).unwrap()
}

/// Komi is counted, a variant's, too, and disks are points.
#[test]
fn a_literal_search_agrees_in_games() {
    let small = go("go:size=3,komi=1");
    let shifted = small.with_komi(dz_game::Komi { halves: -5 }).unwrap();
    let othello = Othello::from_spec(&"othello:size=4".parse().unwrap()).unwrap();
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let params = counting_params(&mut dice);
        let rounds = random_rounds(&mut dice, 300);
        let judge = Judge::hashed(seed);
        assert_agrees::<_, Exact>(&small, params, &position(&small, &[]), &judge, &rounds);
        let judge = Judge::hashed(seed);
        assert_agrees::<_, Compact>(&shifted, params, &position(&shifted, &[]), &judge, &rounds);
        let judge = Judge::hashed(seed);
        assert_agrees::<_, Compact>(&othello, params, &position(&othello, &[]), &judge, &rounds);
    }
}

/// The first player moves once, and has won after any move, by 3 points times the move's number, or
/// has lost all the same.
#[derive(Clone, Debug)]
struct Last {
    has_won: bool,
}

impl Domain for Last {
    type State = Option<u16>;
    type History = ();

    fn status(&self, state: &Option<u16>, (): &()) -> Status {
        let value = if self.has_won { 1.0 } else { -1.0 };
        match state {
            None => Status::ToMove(Player::First),
            Some(_) => Status::Over { value, draw: 0.0 },
        }
    }
    fn legal_moves(&self, state: &Option<u16>, (): &(), out: &mut Vec<Move>) {
        out.clear();
        if state.is_none() {
            out.extend((0..4).map(Move));
        }
    }
    fn advance(&self, state: &mut Option<u16>, (): &mut (), mv: Move) {
        *state = Some(mv.0);
    }
    fn node_key(&self, state: &Option<u16>, (): &()) -> dz_game::Key {
        dz_game::Key::of_words(&[state.map_or(9, u64::from)])
    }
    fn board_side(&self) -> Option<f64> {
        Some(5.0)
    }
    fn final_lead(&self, state: &Option<u16>, (): &()) -> Option<f64> {
        let points = 3.0 * f64::from((*state)?) + 1.0;
        Some(if self.has_won { points } else { points - 20.0 })
    }
    fn eval_key(&self, state: &Option<u16>, (): &()) -> dz_game::Key {
        self.node_key(state, &())
    }
    fn acyclic(&self) -> bool {
        true
    }
}

fn visits(domain: &Last, score_utility: Option<ScoreUtility>) -> (Vec<u32>, f64, Option<f64>) {
    let params = SearchParams { score_utility, ..SearchParams::default() };
    let mut search: Search<Last, Exact> = search_of(domain, params, &(None, ()));
    run(&mut search, 400, &Judge::uniform());
    let summary = search.summary();
    (summary.moves.iter().map(|m| m.visits).collect(), summary.value, summary.lead)
}

/// Without it all four moves are worth the same; with it the most points are played for, won or
/// lost, and the chances reported are those of winning.
#[test]
fn who_has_won_or_lost_plays_for_points() {
    for has_won in [true, false] {
        let domain = Last { has_won };
        let (even, value, lead) = visits(&domain, None);
        assert!(even.iter().all(|&n| (99..=101).contains(&n)), "{even:?}");
        assert_eq!(lead, None);
        let (for_points, same_value, lead) = visits(&domain, Some(ScoreUtility::default()));
        assert!(for_points[3] > 130 && for_points[0] < 80, "{for_points:?}");
        assert!(for_points.is_sorted(), "{for_points:?}");
        // One visit of 400 is the evaluation, which says 0.
        assert!((value.abs() - 399.0 / 400.0).abs() < 1e-12, "{value}");
        assert_eq!(value, same_value);
        // With equal visits it would be the mean of 1, 4, 7 and 10, or that less 20.
        let even = if has_won { 5.5 } else { -14.5 };
        assert!(lead.unwrap() > even + 0.5, "{lead:?}");
    }
}

/// The numbers of KataGo's formula by hand: on a board of 5 by 5, 10 points up where 0 are
/// expected.
#[test]
fn the_utility_of_a_node_is_the_formula() {
    let utility = ScoreUtility {
        static_weight: 0.1,
        dynamic_weight: 0.3,
        center_zero_weight: 0.0,
        center_scale: 2.0,
    };
    let params = SearchParams { score_utility: Some(utility), ..SearchParams::default() };
    let domain = Last { has_won: true };
    let mut search: Search<Last, Exact> = search_of(&domain, params, &(None, ()));
    run(&mut search, 60, &Judge::uniform());
    let root = search.root_node().unwrap();
    assert_eq!(root.lead.unwrap().own_points, 0.0, "an evaluator without points expects none");
    let leads: Vec<NodeView> = search.nodes().collect();
    let best = leads.iter().map(|node| node.lead.unwrap());
    let best = best.max_by(|a, b| a.points.total_cmp(&b.points)).unwrap();
    assert_eq!(best.points, 10.0);
    // atan 1 = pi / 4: both widths are 10 points.
    assert!((best.utility - 0.5 * (0.1 + 0.3)).abs() < 1e-12, "{best:?}");
}

/// A network that holds the first player for 12 points ahead. After a move the search that goes on
/// expects what it has found, and so what points are worth changes everywhere.
#[test]
fn a_new_root_expects_what_was_found() {
    let game = go("go:size=4,komi=0");
    let opinion =
        |_: &Go, state: &<Go as Game>::State, history: &<Go as Game>::History, legal: &[Move]| {
            let is_first = matches!(
                Domain::status(&go("go:size=4,komi=0"), state, history),
                Status::ToMove(Player::First)
            );
            Opinion {
                value: 0.0,
                draw: 0.0,
                priors: vec![1.0 / legal.len() as f64; legal.len()],
                heuristics: Vec::new(),
                margin: Some(if is_first { 12.0 } else { -12.0 }),
                error: None,
            }
        };
    let judge = Judge { opinion: Box::new(opinion), caches: false };
    let utility = ScoreUtility {
        static_weight: 0.0,
        dynamic_weight: 0.5,
        center_zero_weight: 0.0,
        center_scale: 0.5,
    };
    let params = SearchParams { score_utility: Some(utility), ..SearchParams::default() };
    let mut search: Search<Go, Exact> = search_of(&game, params, &position(&game, &[]));
    run(&mut search, 200, &judge);
    // What is expected is worth nothing.
    let nodes = || search.nodes().filter(|node| node.mover.is_some());
    assert!(nodes().count() > 100);
    for node in nodes() {
        let lead = node.lead.unwrap();
        assert_eq!((lead.own_points, lead.own_utility), (12.0, 0.0));
    }
    let summary = search.summary();
    assert!(summary.moves.iter().all(|m| m.lead.is_none_or(|lead| (lead - 12.0).abs() < 4.0)));
    let found = search.root_node().unwrap().lead.unwrap().points;
    let best = summary.moves.iter().max_by_key(|m| m.visits).unwrap().mv;
    search.advance(best, true);
    let kept = search.root_node().unwrap().lead.unwrap().points;
    run_from(
        &mut search,
        Budget::Playouts(0),
        1,
        RootSetup::default(),
        &judge,
        &mut BTreeSet::new(),
    );
    let side = 4.0;
    let expected = std::f64::consts::FRAC_2_PI * ((12.0 - kept) / (0.5 * side)).atan() * 0.5;
    let own = search.nodes().find(|node| node.mover.is_some()).unwrap().lead.unwrap();
    assert!((own.own_utility - expected).abs() < 1e-12, "{own:?} {kept} {found}");
}

#[test]
fn other_searches_are_refused() {
    let counting =
        SearchParams { score_utility: Some(ScoreUtility::default()), ..SearchParams::default() };
    assert_eq!(counting.validate(), Ok(()));
    for params in [
        SearchParams { selection: Selection::Uct { c: 1.0 }, ..counting },
        SearchParams { leaf_value: LeafValue::Rollout, ..counting },
        SearchParams { backup: Backup::Incremental, ..counting },
    ] {
        assert_eq!(params.validate(), Err(ParamsError::ScoreElsewhere));
    }
    let outside = ScoreUtility { center_scale: 0.0, ..ScoreUtility::default() };
    let params = SearchParams { score_utility: Some(outside), ..counting };
    let Err(ParamsError::Range { key, .. }) = params.validate() else { panic!("it is refused") };
    assert_eq!(key, "score_center_scale");
}

/// Games without points search as without it, number for number.
#[test]
fn without_points_nothing_changes() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, 0.0);
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let params = counting_params(&mut dice);
        let plain = SearchParams { score_utility: None, ..params };
        let searched = [params, plain].map(|params| {
            let mut search: Search<_, Compact> = search_of(&graph, params, &(graph.root(), ()));
            run(&mut search, 150, &Judge::hashed(seed));
            (search.nodes().collect::<Vec<_>>(), search.summary())
        });
        assert_eq!(searched[0], searched[1]);
    }
}
