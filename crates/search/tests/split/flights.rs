//! Several walks at once: virtual losses, their revert, and the threshold that follows the queue.

use dz_game::{Move, mix64};
use dz_search::{
    Budget, Domain, Exact, Expansion, ExplicitGraph, Gathered, InFlight, LeafId, NodeView, Search,
    SearchParams, Status,
};

use super::literal::{Tree, sign, value};
use super::{Rule, coarse_graph};
use crate::proof::{Dice, Judge, rollout, run, search_graph, search_of};

fn views<D: Domain>(search: &Search<D, Exact>) -> Vec<NodeView> {
    search.root_node().into_iter().chain(search.nodes()).collect()
}

/// A walk that is under way in the literal tree: the moves from the root, and what it asked for.
struct Flight {
    moves: Vec<usize>,
    leaf: u32,
    asks_value: bool,
    opens: bool,
    random: u64,
}

/// The edge of `moves[depth]`, and the sign of its mover.
fn edge<'a>(tree: &'a mut Tree, moves: &[usize]) -> (&'a mut super::literal::Edge, f64) {
    let mut at = tree;
    for &a in &moves[..moves.len() - 1] {
        at = at.edges[a].below.as_mut().unwrap();
    }
    let sign = at.sign;
    (&mut at.edges[*moves.last().unwrap()], sign)
}

/// Adds to the four sums of every edge of a path; the last two are the first player's.
fn add(tree: &mut Tree, moves: &[usize], counts: [f64; 2], sums: [f64; 2]) {
    for depth in 1..=moves.len() {
        let (edge, sign) = edge(tree, &moves[..depth]);
        edge.n_v += counts[0];
        edge.n_r += counts[1];
        edge.w_v += sign * sums[0];
        edge.w_r += sign * sums[1];
    }
}

/// `N_r += n`, `W_r -= n` for the mover of every edge; -n takes it back.
fn lose(tree: &mut Tree, moves: &[usize], n: f64) {
    for depth in 1..=moves.len() {
        let (edge, _) = edge(tree, &moves[..depth]);
        edge.n_r += n;
        edge.w_r -= n;
    }
}

/// One batch as the text has it: walks go down until one meets a leaf that nothing is known of yet,
/// or `leaves` wait, or the playouts are used up; then rollouts come back, and then values.
fn batch(
    tree: &mut Tree,
    graph: &ExplicitGraph,
    rule: Rule,
    n_vl: f64,
    walks: &mut std::ops::Range<u64>,
    leaves: usize,
) -> u64 {
    let mut flights: Vec<Flight> = Vec::new();
    let mut finished = 0;
    while flights.len() < leaves && finished + (flights.len() as u64) < walks.end - walks.start {
        let random = mix64(mix64(walks.start + finished + flights.len() as u64));
        let (mut moves, mut state) = (Vec::new(), graph.root());
        let mut at = &*tree;
        loop {
            let a = at.choose(rule);
            moves.push(a);
            graph.advance(&mut state, &mut (), Move(a as u16));
            match &at.edges[a].below {
                Some(below) => at = below,
                None => break,
            }
        }
        if let Status::Over { value, .. } = graph.status(&state, &()) {
            edge(tree, &moves).0.tried = true;
            add(tree, &moves, [1.0, 1.0], [value, value]);
            finished += 1;
            continue;
        }
        let same = || flights.iter().filter(|flight| flight.moves == moves);
        let last = edge(tree, &moves).0;
        if last.n_r == n_vl * same().count() as f64 && last.tried {
            break;
        }
        let rollouts = last.n_r - n_vl * same().count() as f64;
        let opens = rollouts >= f64::from(rule.threshold) && !same().any(|flight| flight.opens);
        let asks_value = !last.evaluated;
        (last.tried, last.evaluated) = (true, true);
        lose(tree, &moves, n_vl);
        flights.push(Flight { moves, leaf: state, asks_value, opens, random });
    }
    for flight in &flights {
        let z = sign(graph, flight.leaf) * rollout(graph, &flight.leaf, &(), flight.random).0;
        lose(tree, &flight.moves, -n_vl);
        add(tree, &flight.moves, [0.0, 1.0], [0.0, z]);
    }
    for flight in &flights {
        if flight.asks_value {
            add(tree, &flight.moves, [1.0, 0.0], [value(graph, flight.leaf), 0.0]);
        }
        if flight.opens {
            edge(tree, &flight.moves).0.below = Some(Box::new(Tree::new(graph, flight.leaf)));
        }
    }
    finished + flights.len() as u64
}

/// Answers a batch: all rollouts, then all values.
fn answer_apart(search: &mut Search<ExplicitGraph, Exact>, waiting: &[LeafId]) {
    for &leaf in waiting {
        let seen = search.leaf(leaf).unwrap();
        let (state, random) = (*seen.state, seen.random);
        let graph = search.domain().clone();
        let (z, draw, moves) = rollout(&graph, &state, &(), random);
        search.apply_rollout(leaf, dz_search::ValuePov { value: z, draw }, &moves);
    }
    for &leaf in waiting {
        let Some(seen) = search.leaf(leaf) else { continue };
        assert!(seen.wants.network);
        let mut priors = Vec::new();
        let estimate = search.domain().evaluate(*seen.state, &mut priors);
        let answer = dz_search::NetworkAnswer::new(estimate, &priors);
        search.apply_network(leaf, &answer);
    }
}

/// Walks that wait weigh as the text says: `N_r + n_vl` and `W_r - n_vl` on their edges, until each
/// is back.
#[test]
fn batches_agree_with_the_text() {
    let (mut full, mut met) = (0, 0);
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let graph = ExplicitGraph::new(&coarse_graph(&mut dice)).unwrap();
        let rule = Rule::random(&mut dice);
        let leaves = dice.pick(&[2, 3, 8]);
        let n_vl = dice.pick(&[1, 3]);
        let params = SearchParams {
            graph: false,
            leaves_max: leaves,
            in_flight: InFlight::Losses(n_vl),
            ..rule.params()
        };
        let mut search = search_graph::<Exact>(&graph, params);
        run(&mut search, 1, &Judge::of_graph());
        let mut tree = Tree::new(&graph, graph.root());
        // Each batch is a search of its own, so that walk numbers begin anew.
        for _ in 0..20 {
            search.start(Budget::Playouts(20), 0, None);
            let mut waiting = Vec::new();
            while let Gathered::Need(leaf) = search.gather() {
                waiting.push(leaf);
            }
            full += usize::from(waiting.len() > 1);
            met += search.counts().collisions;
            answer_apart(&mut search, &waiting);
            let done =
                batch(&mut tree, &graph, rule, f64::from(n_vl), &mut (0..20), leaves as usize);
            assert_eq!(search.counts().playouts, done, "seed {seed}, {rule:?}");
            let root = search.root_node().unwrap();
            assert_eq!(root.edges.len(), tree.edges.iter().filter(|edge| edge.tried).count());
            for seen in &root.edges {
                let edge = &tree.edges[usize::from(seen.mv.0)];
                let split = seen.split.unwrap();
                assert_eq!(seen.in_flight, 0);
                let found = (split.values, split.value_sum, split.outcomes, split.outcome_sum);
                let expected = (edge.n_v, tree.sign * edge.w_v, edge.n_r, tree.sign * edge.w_r);
                assert_eq!(found, expected, "seed {seed}, {rule:?}");
            }
        }
    }
    assert!(full > 500 && met > 50, "{full} batches of several, {met} collisions");
}

/// What waits and is given up leaves every bit as it was.
#[test]
fn virtual_losses_revert_bit_for_bit() {
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let rule = Rule::random(&mut dice);
        let graph = ExplicitGraph::new(&coarse_graph(&mut dice)).unwrap();
        let n_vl = dice.pick(&[1, 3, 7]);
        let params = SearchParams {
            graph: dice.chance(0.5),
            leaves_max: 7,
            in_flight: InFlight::Losses(n_vl),
            ..rule.params()
        };
        let mut search = search_graph::<Exact>(&graph, params);
        run(&mut search, 60, &Judge::of_graph());
        let before = views(&search);
        search.start(Budget::Playouts(1000), 1, None);
        let mut waiting = 0;
        while let Gathered::Need(_) = search.gather() {
            waiting += 1;
        }
        if search.counts().playouts > 0 {
            continue; // Walks that ended at finished games are counted.
        }
        let scale = search.summary().exploration_scale;
        search.start(Budget::Playouts(1000), 1, None);
        assert!(waiting == 0 || search.summary().exploration_scale < scale, "seed {seed}");
        let bits = |nodes: &[NodeView]| -> Vec<_> {
            let of = |node: &NodeView| {
                let split = node.split.unwrap();
                let sums = [split.values, split.value_sum, split.outcomes, split.outcome_sum];
                (node.visits, node.value.to_bits(), sums.map(f64::to_bits), node.edges.len())
            };
            nodes.iter().map(of).collect()
        };
        assert_eq!(bits(&views(&search)), bits(&before), "seed {seed}");
    }
}

/// Gives a leaf its rollout; true if it still waits for the network.
fn roll<D: Domain>(search: &mut Search<D, Exact>, leaf: LeafId) -> bool {
    let domain = search.domain().clone();
    let seen = search.leaf(leaf).unwrap();
    let (wants, random) = (seen.wants, seen.random);
    let (state, history) = (seen.state.clone(), seen.history.clone());
    let (value, draw, moves) = rollout(&domain, &state, &history, random);
    search.apply_rollout(leaf, dz_search::ValuePov { value, draw }, &moves);
    wants.network
}

/// With several leaves in flight the threshold rises while priors come late, and falls while they
/// come at once.
#[test]
fn the_threshold_follows_the_policy_queue() {
    let game = dz_game::games::Connect4::new(7, 6, 4).unwrap();
    let params = SearchParams {
        expansion: Expansion::Dynamic { start: 5, waiting_max: 4 },
        leaves_max: 16,
        collisions_max: 64,
        ..Rule { lambda: 1.0, c: 1.5, threshold: 0 }.params()
    };
    // With the rollouts' half alone the network is asked for priors and nothing else.
    let params = SearchParams { leaf_value: dz_search::LeafValue::Rollout, ..params };
    let position = crate::proof::position(&game, &[]);
    let opinion = |search: &mut Search<dz_game::games::Connect4, Exact>, leaf| {
        let moves = search.leaf(leaf).unwrap().legal.len();
        let priors = vec![1.0 / moves as f64; moves];
        search.apply(leaf, dz_game::Wdl::DRAW, &priors);
    };
    let mut search: Search<_, Exact> = search_of(&game, params, &position);
    run(&mut search, 1, &Judge::uniform());
    let mut highest = 0;
    // First the network answers once for each time that the search comes to a stand, then at once.
    for (answers_late, playouts) in [(true, 1500), (false, 1500)] {
        search.start(Budget::Playouts(playouts), 0, None);
        let mut late = std::collections::VecDeque::new();
        loop {
            let found = search.gather();
            match found {
                Gathered::Need(leaf) if roll(&mut search, leaf) => late.push_back(leaf),
                Gathered::Need(_) => {}
                Gathered::Wait => assert!(!late.is_empty(), "somebody must wait"),
                Gathered::Decided => break,
            }
            if !answers_late || found == Gathered::Wait {
                // Two rollouts at least are under way while an answer is awaited.
                while late.len() > usize::from(!answers_late) {
                    opinion(&mut search, late.pop_front().unwrap());
                    if answers_late {
                        break;
                    }
                }
                if found == Gathered::Wait && !answers_late {
                    opinion(&mut search, late.pop_front().unwrap());
                }
            }
            highest = highest.max(search.expansion_threshold());
        }
    }
    let last = search.expansion_threshold();
    assert!(highest > 5 && last < highest, "{highest} {last}");
}

/// While one leaf waits at a time the search and the evaluator take turns: nothing to adjust.
#[test]
fn one_leaf_at_a_time_leaves_the_threshold() {
    let game = dz_game::games::Connect4::new(5, 4, 3).unwrap();
    for start in [1, 4] {
        let expansion = Expansion::Dynamic { start, waiting_max: 2 };
        let rule = Rule { lambda: 0.5, c: 1.5, threshold: 0 };
        let params = SearchParams { expansion, ..rule.params() };
        let position = crate::proof::position(&game, &[]);
        let mut search: Search<_, Exact> = search_of(&game, params, &position);
        run(&mut search, 500, &Judge::hashed(3));
        assert_eq!(search.expansion_threshold(), start);
    }
}
