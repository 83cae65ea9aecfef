//! The evaluators without a network, the cache and the choice of symmetries.

use std::collections::BTreeSet;

use dz_game::{Game, Key, Symmetry, Wdl, games::Connect4, games::Shuttle, mix64};
use dz_infer::{
    Admission, CacheKey, Evaluation, EvaluationCache, Hashed, InstantEvaluator, Leaf, LeafView,
    Rollout, Uniform, contract::random_leaves, symmetry_of,
};

fn view<'a, G: Game>(game: &'a G, leaf: &'a Leaf<G>, random: u64) -> LeafView<'a, G> {
    LeafView {
        game,
        state: &leaf.state,
        history: &leaf.history,
        legal: &leaf.legal,
        eval_key: leaf.eval_key,
        symmetry: leaf.symmetry,
        last: None,
        random,
    }
}

fn connect4() -> Connect4 {
    Connect4::new(7, 6, 4).expect("a possible board")
}

#[test]
fn hashed_depends_on_the_position_alone_and_sums_to_one() {
    let game = connect4();
    let leaves = random_leaves(&game, 300, 1);
    let mut values = BTreeSet::new();
    let (mut priors, mut again) = (vec![7.0; 3], Vec::new());
    for leaf in &leaves {
        let wdl = Hashed.evaluate(&view(&game, leaf, 1), &mut priors);
        assert_eq!(wdl, Hashed.evaluate(&view(&game, leaf, 2), &mut again));
        assert_eq!(priors, again);
        assert_eq!(priors.len(), leaf.legal.len());
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!((wdl.to_array().iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(wdl.to_array().iter().all(|&share| share >= 0.0), "{wdl:?}");
        values.insert(wdl.value().to_bits());
    }
    let positions: BTreeSet<Key> = leaves.iter().map(|leaf| leaf.eval_key).collect();
    assert!(values.len() > positions.len() / 2, "positions differ in value");
}

#[test]
fn uniform_knows_nothing() {
    let game = connect4();
    let leaf = &random_leaves(&game, 1, 1)[0];
    let mut priors = Vec::new();
    assert_eq!(Uniform.evaluate(&view(&game, leaf, 0), &mut priors), Wdl::UNKNOWN);
    assert_eq!(priors, [1.0 / 7.0; 7]);
}

/// Uniform random play of Connect Four: the first player wins 55.6 % and 0.25 % are drawn (J. Tromp
/// and others report 55.5 to 55.7 %). Four standard deviations at 40,000 games are 1.0 %.
#[test]
fn rollouts_have_the_known_statistics() {
    let game = connect4();
    let leaf = &random_leaves(&game, 1, 1)[0];
    assert_eq!(leaf.state, game.start());
    let mut counts = [0.0_f64; 3];
    let mut priors = Vec::new();
    for random in 0..40_000 {
        let wdl = Rollout::default().evaluate(&view(&game, leaf, random), &mut priors);
        let place = [Wdl::WIN, Wdl::DRAW, Wdl::LOSS].iter().position(|&w| w == wdl).unwrap();
        counts[place] += 1.0 / 40_000.0;
    }
    assert!((counts[0] - 0.556).abs() < 0.01, "{counts:?}");
    assert!((counts[1] - 0.0025).abs() < 0.001, "{counts:?}");
    assert_eq!(priors, [1.0 / 7.0; 7]);
}

/// The value is the mover's: after one move it is the second player's turn, who does worse.
#[test]
fn rollouts_answer_for_the_mover_and_repeat_by_seed() {
    let game = connect4();
    let leaf = &random_leaves(&game, 2, 1)[1];
    let mut priors = Vec::new();
    let mut value = |random| {
        let wdl = Rollout::default().evaluate(&view(&game, leaf, random), &mut priors);
        assert_eq!(wdl, Rollout::default().evaluate(&view(&game, leaf, random), &mut priors));
        f64::from(wdl.value())
    };
    let mean = (0..10_000).map(&mut value).sum::<f64>() / 10_000.0;
    assert!((-0.4..0.0).contains(&mean), "{mean}");
    assert!((0..20).any(|random| value(random) != value(random + 1)));
}

#[test]
fn a_rollout_without_an_end_is_a_draw() {
    let game = Shuttle::from_spec(&"shuttle:length=31".parse().unwrap()).unwrap();
    let leaf = &random_leaves(&game, 1, 1)[0];
    let rollout = Rollout { plies_max: 3, ..Rollout::default() };
    assert_eq!(rollout.evaluate(&view(&game, leaf, 1), &mut Vec::new()), Wdl::DRAW);
}

#[test]
fn the_cache_answers_what_was_stored_or_nothing() {
    let evaluation = |i: u64| Evaluation {
        expected: Wdl { win: i as f32, draw: 0.1, loss: 0.2 }.into(),
        priors: vec![i as f32; 1 + (i % 5) as usize],
    };
    let key = |i: u64| CacheKey {
        eval_key: Key { high: mix64(i / 2), low: mix64(!(i / 2)) },
        symmetry: Symmetry((i % 2) as u8),
    };
    for entries in [1, 2, 100, 1024] {
        let cache = EvaluationCache::new(entries, Admission::Always);
        let mut priors = vec![9.0];
        for i in 0..1000 {
            assert_eq!(cache.get(key(i), &mut priors), None);
            cache.put(key(i), &evaluation(i));
            assert_eq!(cache.get(key(i), &mut priors), Some(evaluation(i).expected));
            assert_eq!(priors, evaluation(i).priors);
        }
        let kept: Vec<u64> = (0..1000)
            .filter(|&i| match cache.get(key(i), &mut priors) {
                Some(wdl) => (wdl, &priors) == (evaluation(i).expected, &evaluation(i).priors),
                None => false,
            })
            .collect();
        let hits = (0..1000).filter(|&i| cache.get(key(i), &mut priors).is_some()).count();
        assert_eq!(kept.len(), hits, "what is found is right");
        assert!(hits <= entries.next_power_of_two());
        assert!(hits * 2 >= entries.min(1000), "{hits} of {entries}: places are used");
    }
}

#[test]
fn threads_that_store_side_by_side_leave_what_one_would() {
    let evaluation = |order: u64| Evaluation {
        expected: Wdl::DRAW.into(),
        priors: vec![order as f32; 1 + order as usize % 3],
    };
    let key = |place: u64| CacheKey {
        eval_key: Key { high: place, low: place },
        symmetry: Symmetry::IDENTITY,
    };
    let cache = EvaluationCache::new(2, Admission::Always);
    let first = cache.reserve(4);
    // Of three for one place the last by number stays, in whatever order they come, and gives way
    // to a later one.
    for order in [2, 3, 0] {
        cache.put_at(first + order, key(0), true, &evaluation(order));
    }
    cache.put_at(first + 1, key(1), true, &evaluation(1));
    let mut priors = Vec::new();
    for (place, order) in [(0, 3), (1, 1)] {
        assert!(cache.get(key(place), &mut priors).is_some());
        assert_eq!(priors, evaluation(order).priors);
    }
    cache.put(key(2), &evaluation(8));
    assert!(cache.get(key(0), &mut priors).is_none(), "its place is another's now");
    assert!(cache.get(key(2), &mut priors).is_some());
    assert_eq!(priors, evaluation(8).priors);
}

#[test]
fn what_comes_a_second_time_is_kept_where_one_time_is_not_enough() {
    let cache = EvaluationCache::new(4, Admission::SecondTime);
    let key = |place: u64, high: u64| CacheKey {
        eval_key: Key { high, low: place },
        symmetry: Symmetry::IDENTITY,
    };
    let evaluation = |prior| Evaluation { expected: Wdl::DRAW.into(), priors: vec![prior] };
    let mut priors = Vec::new();
    assert!(!cache.admits(key(0, 0)), "nothing was evaluated yet");
    cache.put(key(0, 7), &evaluation(0.5));
    assert_eq!(cache.get(key(0, 7), &mut priors), None);
    assert!(cache.admits(key(0, 7)) && !cache.admits(key(0, 8)) && !cache.admits(key(1, 7)));
    cache.put(key(0, 7), &evaluation(0.25));
    assert!(cache.get(key(0, 7), &mut priors).is_some());
    assert_eq!(priors, [0.25]);
    // Another position of the place was evaluated since, and does not take what is kept.
    cache.put(key(0, 8), &evaluation(0.75));
    assert_eq!(cache.get(key(0, 7), &mut priors), None, "it was not the last");
    cache.put(key(0, 7), &evaluation(0.25));
    assert!(cache.get(key(0, 7), &mut priors).is_some());
    // In one batch, whichever thread is first: the last by number is noted.
    for orders in [[0, 1], [1, 0]] {
        let cache = EvaluationCache::new(4, Admission::SecondTime);
        let first = cache.reserve(2);
        for order in orders {
            cache.put_at(first + order, key(2, order), false, &evaluation(0.5));
        }
        assert!(cache.admits(key(2, 1)) && !cache.admits(key(2, 0)));
    }
}

#[test]
fn both_symmetries_of_a_position_can_be_cached() {
    let cache = EvaluationCache::new(1024, Admission::Always);
    let key =
        |symmetry| CacheKey { eval_key: Key { high: 1, low: 2 }, symmetry: Symmetry(symmetry) };
    for symmetry in 0..8 {
        cache.put(key(symmetry), &Evaluation { expected: Wdl::DRAW.into(), priors: vec![1.0] });
    }
    let found = (0..8).filter(|&s| cache.get(key(s), &mut Vec::new()).is_some()).count();
    assert_eq!(found, 8);
}

#[test]
fn a_cache_of_no_entries_is_off() {
    let cache = EvaluationCache::new(0, Admission::Always);
    let key = CacheKey { eval_key: Key::default(), symmetry: Symmetry::IDENTITY };
    cache.put(key, &Evaluation { expected: Wdl::DRAW.into(), priors: vec![1.0] });
    assert_eq!(cache.get(key, &mut Vec::new()), None);
}

#[test]
fn symmetries_are_evenly_sampled_and_repeatable() {
    let key = |i: u64| Key { high: mix64(i), low: mix64(!i) };
    let mut counts = [0u32; 8];
    for i in 0..8000 {
        let symmetry = symmetry_of(1, i % 7, 3, key(i), 8);
        assert_eq!(symmetry, symmetry_of(1, i % 7, 3, key(i), 8));
        counts[usize::from(symmetry.0)] += 1;
    }
    // Five standard deviations of 1000 are 150.
    assert!(counts.iter().all(|&count| (850..1150).contains(&count)), "{counts:?}");
    assert_eq!(symmetry_of(1, 2, 3, key(4), 1), Symmetry::IDENTITY);
    let differs = |a: &dyn Fn(u64) -> Symmetry| (0..64).any(|i| a(i) != a(i + 1));
    assert!(differs(&|i| symmetry_of(i, 0, 0, key(0), 8)), "by run");
    assert!(differs(&|i| symmetry_of(0, i, 0, key(0), 8)), "by game");
    assert!(differs(&|i| symmetry_of(0, 0, i as u32, key(0), 8)), "by ply");
}
