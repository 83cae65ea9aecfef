//! Uncertainty-weighted visits: a literal search agrees, and sure values count more.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use dz_game::Move;
use dz_game::games::{Connect4, Go};
use dz_search::{
    Backup, Compact, Domain, Exact, LeafValue, ParamsError, Puct, Search, SearchParams, Selection,
    Status, UncertaintyWeights,
};

use crate::proof::counting::agrees_on_graphs;
use crate::proof::settings::{random_network_params, random_rounds};
use crate::proof::{Dice, Judge, Opinion, assert_agrees, position, run, search_of};

/// Random settings in which visits weigh.
fn weighing_params(dice: &mut Dice) -> SearchParams {
    random_network_params(dice, |params| params.uncertainty.is_some())
}

#[test]
fn a_literal_search_agrees_on_acyclic_graphs() {
    agrees_on_graphs::<Exact>(500_000..500_500, 0.0, weighing_params);
    agrees_on_graphs::<Compact>(510_000..510_500, 0.0, weighing_params);
}

#[test]
fn a_literal_search_agrees_on_graphs_with_cycles() {
    agrees_on_graphs::<Exact>(520_000..520_300, 0.25, weighing_params);
    agrees_on_graphs::<Compact>(530_000..530_300, 0.25, weighing_params);
}

#[test]
fn a_literal_search_agrees_in_games() {
    let go = Go::from_spec(&"go:size=3,komi=1".parse().unwrap()).unwrap();
    let connect = Connect4::new(4, 4, 3).unwrap();
    for seed in 0..30 {
        let mut dice = Dice::new(seed);
        let params = weighing_params(&mut dice);
        let rounds = random_rounds(&mut dice, 300);
        let judge = Judge::hashed(seed);
        assert_agrees::<_, Exact>(&go, params, &position(&go, &[]), &judge, &rounds);
        let judge = Judge::hashed(seed);
        assert_agrees::<_, Compact>(&connect, params, &position(&connect, &[]), &judge, &rounds);
    }
}

/// Move 0 leads to a position whose value is sure to be 0.2, move 1 to one whose value may be far
/// off; all positions below a move are alike.
#[derive(Clone, Debug)]
struct TwoKinds;

impl Domain for TwoKinds {
    /// The first move and the depth.
    type State = (u16, u8);
    type History = ();

    fn status(&self, state: &(u16, u8), (): &()) -> Status {
        let is_first = state.1.is_multiple_of(2);
        Status::ToMove(if is_first { dz_game::Player::First } else { dz_game::Player::Second })
    }
    fn legal_moves(&self, _: &(u16, u8), (): &(), out: &mut Vec<Move>) {
        out.clear();
        out.extend([Move(0), Move(1)]);
    }
    fn advance(&self, state: &mut (u16, u8), (): &mut (), mv: Move) {
        let first = if state.1 == 0 { mv.0 } else { state.0 };
        *state = (first, state.1 + 1);
    }
    fn node_key(&self, state: &(u16, u8), (): &()) -> dz_game::Key {
        dz_game::Key::of_words(&[u64::from(state.0), u64::from(state.1)])
    }
    fn eval_key(&self, state: &(u16, u8), (): &()) -> dz_game::Key {
        self.node_key(state, &())
    }
    fn acyclic(&self) -> bool {
        true
    }
}

/// The root's value for the first player. Positions after move 0 are worth 0.2 to it, those after
/// move 1 are worth 0.3, and the error of the latter is `error`.
fn root(uncertainty: Option<UncertaintyWeights>, error: f64) -> (f64, Vec<(u32, f64)>) {
    let params = SearchParams {
        graph: false,
        uncertainty,
        selection: Selection::Puct(Puct::constant(1.5)),
        ..SearchParams::default()
    };
    let opinion = move |_: &TwoKinds, &(first, depth): &(u16, u8), (): &(), _: &[Move]| {
        let value = if first == 0 { 0.2 } else { 0.3 };
        Opinion {
            value: if depth % 2 == 0 { value } else { -value },
            draw: 0.0,
            priors: vec![0.5, 0.5],
            heuristics: Vec::new(),
            margin: None,
            error: Some(if first == 0 { 0.0 } else { error }),
        }
    };
    let judge = Judge { opinion: Box::new(opinion), caches: false };
    let mut search: Search<TwoKinds, Exact> = search_of(&TwoKinds, params, &((0, 0), ()));
    run(&mut search, 101, &judge);
    let summary = search.summary();
    (summary.value, summary.moves.iter().map(|m| (m.visits, m.weight)).collect())
}

/// W = 8 (1 + N(0)) + w N(1): the root's own visit is sure, too, and every visit of a move weighs
/// alike.
#[test]
fn a_root_averages_by_weights() {
    let rule = UncertaintyWeights::default();
    let (value, moves) = root(Some(rule), 1.0);
    let [(sure, sure_weight), (unsure, unsure_weight)] = moves[..] else { panic!("{moves:?}") };
    assert_eq!(sure + unsure, 100);
    let weight = 0.25 / (1.0 + 0.25 / 8.0);
    assert!((sure_weight - 8.0 * f64::from(sure)).abs() < 1e-9, "{moves:?}");
    assert!((unsure_weight - weight * f64::from(unsure)).abs() < 1e-9, "{moves:?}");
    let own = 8.0;
    let wanted =
        (0.2 * (own + sure_weight) + 0.3 * unsure_weight) / (own + sure_weight + unsure_weight);
    assert!((value - wanted).abs() < 1e-9, "{value} {wanted}");
    // What is unsure is looked at more often before it weighs as much.
    let (_, plain) = root(None, 1.0);
    assert!(unsure > plain[1].0, "{moves:?} {plain:?}");
    assert_eq!(plain[0].1, f64::from(plain[0].0), "without it each visit weighs 1");
}

/// Where all errors are such that a position weighs 1, the search is the one without.
#[test]
fn weights_of_one_change_nothing() {
    // 0.25 / (e + 0.25 / 8) = 1 at e = 0.21875.
    let plain = SearchParams::default();
    let weighted = SearchParams { uncertainty: Some(UncertaintyWeights::default()), ..plain };
    let judge = || {
        let hashed = Judge::<Connect4>::hashed(3);
        let opinion = move |game: &Connect4, state: &_, history: &_, legal: &[Move]| Opinion {
            error: Some(0.21875),
            ..(hashed.opinion)(game, state, history, legal)
        };
        Judge { opinion: Box::new(opinion), caches: false }
    };
    let game = Connect4::new(7, 6, 4).unwrap();
    let searched = [plain, weighted].map(|params| {
        let mut search: Search<_, Exact> = search_of(&game, params, &position(&game, &[]));
        run(&mut search, 300, &judge());
        let moves = search.summary().moves;
        moves.iter().map(|m| (m.visits, m.q)).collect::<Vec<_>>()
    });
    assert_eq!(searched[0], searched[1]);
}

#[test]
fn other_searches_are_refused() {
    let weighing = SearchParams {
        uncertainty: Some(UncertaintyWeights::default()),
        ..SearchParams::default()
    };
    assert_eq!(weighing.validate(), Ok(()));
    for params in [
        SearchParams { selection: Selection::Uct { c: 1.0 }, ..weighing },
        SearchParams { leaf_value: LeafValue::Rollout, ..weighing },
        SearchParams { backup: Backup::Incremental, ..weighing },
    ] {
        assert_eq!(params.validate(), Err(ParamsError::UncertaintyElsewhere));
    }
    let light = UncertaintyWeights { weight_max: 0.5, ..UncertaintyWeights::default() };
    let params = SearchParams { uncertainty: Some(light), ..weighing };
    let Err(ParamsError::Range { key, .. }) = params.validate() else { panic!("it is refused") };
    assert_eq!(key, "uncertainty_weight_max");
}
