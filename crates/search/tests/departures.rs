//! Choices around the text of graph search: stopping at leaves that have no children yet, outcomes
//! that are samples, and the offset under the root of PUCT.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use dz_game::{Key, Move, Player};
use dz_search::{
    CatchUp, Domain, EdgeValues, Exact, Expansion, LeafValue, Puct, SearchParams, Selection,
    Status, Terminals,
};

use crate::proof::graphs::{graph, inner, terminal};
use crate::proof::{Judge, run, search_graph, search_of};

/// Two moves lead to one leaf, which lives on rollouts.
#[test]
fn a_leaf_without_children_can_have_enough_visits() {
    let nodes = vec![inner(0, 1, 0.0, &[1, 1]), inner(1, 1, 0.5, &[2]), terminal(2, 1.0)];
    let domain = graph(0, nodes);
    for edge_values in [EdgeValues::Average, EdgeValues::Split] {
        let counts = [CatchUp::Continue, CatchUp::Stop].map(|catch_up| {
            let params = SearchParams {
                catch_up,
                edge_values,
                leaf_value: LeafValue::Mix { rollout_share: 0.5 },
                expansion: Expansion::Threshold(1000),
                ..SearchParams::default()
            };
            let mut search = search_graph::<Exact>(&domain, params);
            run(&mut search, 12, &Judge::of_graph());
            assert_eq!(search.summary().visits, 12);
            let leaf = search.nodes().next().unwrap();
            assert!(leaf.edges.is_empty(), "it has no children yet: {leaf:?}");
            (leaf.visits, search.counts().cut)
        });
        let [(going_on, none), (stopping, cut)] = counts;
        assert_eq!(none, 0);
        assert!(cut > 0 && stopping < going_on, "{edge_values:?}: {counts:?}");
    }
}

/// One move, then a coin falls: a win in three of four.
#[derive(Clone, Debug)]
struct Coin;

impl Domain for Coin {
    type State = u8;
    type History = ();

    fn status(&self, state: &u8, (): &()) -> Status {
        match state {
            0 => Status::ToMove(Player::First),
            _ => Status::Over { value: 0.0, draw: 1.0 },
        }
    }
    fn outcome(&self, _: &u8, (): &(), random: u64) -> (f64, f64) {
        (if random % 4 < 3 { 1.0 } else { -1.0 }, 0.0)
    }
    fn legal_moves(&self, state: &u8, (): &(), out: &mut Vec<Move>) {
        out.clear();
        out.extend((*state == 0).then_some(Move(0)));
    }
    fn advance(&self, state: &mut u8, (): &mut (), _: Move) {
        *state += 1;
    }
    fn node_key(&self, state: &u8, (): &()) -> Key {
        Key::of_words(&[u64::from(*state)])
    }
    fn eval_key(&self, state: &u8, (): &()) -> Key {
        Key::of_words(&[u64::from(*state)])
    }
    fn acyclic(&self) -> bool {
        true
    }
}

#[test]
fn counted_outcomes_are_sampled_again_and_averaged() {
    for edge_values in [EdgeValues::Average, EdgeValues::Split] {
        let q = |terminals| {
            let leaf_value = match edge_values {
                EdgeValues::Average => LeafValue::Network,
                EdgeValues::Split => LeafValue::Rollout,
            };
            let params =
                SearchParams { terminals, edge_values, leaf_value, ..SearchParams::default() };
            let mut search = search_of::<_, Exact>(&Coin, params, &(0, ()));
            run(&mut search, 4001, &Judge::uniform());
            let end = search.nodes().next().unwrap();
            assert_eq!(end.visits, if terminals == Terminals::Counted { 4000 } else { 1 });
            search.summary().moves[0].q.unwrap()
        };
        // Three of four, less one of four; the deviation of 4000 such samples is 0.014.
        let counted = q(Terminals::Counted);
        assert!((counted - 0.5).abs() < 0.06, "{counted}");
        assert_eq!(q(Terminals::Fixed), 0.0, "the rules' own word, looked up once");
    }
}

#[test]
fn the_offset_stands_under_the_root() {
    for offset in [0.0, 0.01, 1.0] {
        let mut puct = Puct::constant(2.0);
        assert_eq!(puct.offset, 0.01, "KataGo's");
        puct.offset = offset;
        let nodes = vec![inner(0, 1, 0.0, &[1, 2]), terminal(1, 0.0), terminal(2, 0.0)];
        let params = SearchParams { selection: Selection::Puct(puct), ..SearchParams::default() };
        let mut search = search_graph::<Exact>(&graph(0, nodes), params);
        search.set_trace(true);
        run(&mut search, 5, &Judge::of_graph());
        for (done, playout) in search.take_trace().iter().skip(1).enumerate() {
            for m in &playout.steps[0].moves {
                let u = 2.0 * 0.5 * (done as f64 + offset).sqrt() / (1.0 + f64::from(m.visits));
                assert!((m.score - u).abs() < 1e-12, "{offset}: {m:?}");
            }
        }
        let scale = search.summary().exploration_scale;
        assert!((scale - 2.0 * (4.0 + offset).sqrt()).abs() < 1e-12);
    }
}
