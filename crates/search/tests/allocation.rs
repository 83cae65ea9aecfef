//! No allocation in steady state: a search that has had its room works in it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use dz_game::{
    Game, Move,
    games::{Connect4, Hex},
    mix64,
};
use dz_search::{
    Backup, Budget, CatchUp, Gathered, NetworkAnswer, Search, SearchParams, Staleness, ValueBias,
    ValuePov,
};

/// Counts this thread's allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: every call goes to the system's allocator unchanged; counting allocates nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may still allocate; that is nobody's search.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`; `alloc` came from the same allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn settings() -> Vec<SearchParams> {
    let plain = SearchParams::default();
    let delta = Backup::Delta { tolerance: 0.01, clamp: true };
    vec![
        plain,
        SearchParams { graph: false, ..plain },
        SearchParams { catch_up: CatchUp::Stop, ..plain },
        SearchParams { backup: delta, ..plain },
        SearchParams { prove: true, ..plain },
        SearchParams { staleness: Staleness::Refresher { nodes_per_playout: 4 }, ..plain },
        SearchParams { staleness: Staleness::Ancestors, ..plain },
        SearchParams { moments: true, leaves_max: 8, ..plain },
        SearchParams { value_bias: Some(ValueBias::default()), leaves_max: 8, ..plain },
    ]
}

#[test]
fn a_search_that_was_made_once_allocates_nothing() {
    // Stones on any point of 81: positions transpose as much as they can.
    let game = Hex::new(9, false).expect("a possible board");
    let value = |word: u64| (mix64(word) >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    let mut priors = Vec::new();
    for params in settings() {
        let mut search: Search<Hex> = Search::new(game.clone(), params, game.start(), ());
        let mut run = |search: &mut Search<Hex>| {
            let before = ALLOCATIONS.get();
            search.reset(game.start(), ());
            search.start(Budget::Playouts(800), 1, None);
            let mut open = Vec::with_capacity(8);
            let outside = ALLOCATIONS.get() - before;
            loop {
                match search.gather() {
                    Gathered::Need(id) => open.push(id),
                    Gathered::Decided => break,
                    Gathered::Wait => {}
                }
                if let Some(id) = open.pop() {
                    let key = search.leaf_eval_key(id).expect("it waits");
                    let legal = search.leaf(id).expect("it waits").legal;
                    priors.clear();
                    priors.extend(legal.iter().map(|mv| (4.0 * value(mv.0.into())).exp()));
                    let sum: f32 = priors.iter().sum();
                    for prior in &mut priors {
                        *prior /= sum;
                    }
                    let estimate = ValuePov { value: value(key.low), draw: 0.0 };
                    let (heuristics, cached) = (&[][..], false);
                    let answer = NetworkAnswer {
                        heuristics,
                        cached,
                        ..NetworkAnswer::new(estimate, &priors)
                    };
                    search.apply_network(id, &answer);
                }
            }
            assert_eq!(search.counts().playouts, 800);
            ALLOCATIONS.get() - before - outside
        };
        let first = run(&mut search);
        assert!(first > 0, "the first search makes its room: {params:?}");
        // Setting up the root may sort its moves in room of its own.
        let later: Vec<u64> = (0..3).map(|_| run(&mut search)).collect();
        assert!(later.iter().all(|&count| count <= 4), "{later:?} with {params:?}");
    }
}

#[test]
fn playing_on_allocates_no_more_than_a_few_rows() {
    let game = Connect4::new(7, 6, 4).expect("a possible board");
    let params = SearchParams::default();
    let mut search: Search<Connect4> = Search::new(game.clone(), params, game.start(), ());
    let uniform = [1.0 / 7.0; 7];
    let mut counts = Vec::new();
    for ply in 0..12 {
        let before = ALLOCATIONS.get();
        search.start(Budget::Visits(2000), ply, None);
        while let Gathered::Need(id) = search.gather() {
            let legal = search.leaf(id).expect("it waits").legal.len();
            search.apply(id, dz_game::Wdl::UNKNOWN, &uniform[..legal]);
        }
        let best = search.summary().moves.iter().max_by_key(|m| m.visits).map(|m| m.mv);
        search.advance(best.unwrap_or(Move(3)), true);
        counts.push(ALLOCATIONS.get() - before);
    }
    // 2,000 playouts a move and a move of reuse, in a handful of allocations for summary and root.
    assert!(counts[2..].iter().all(|&count| count <= 24), "{counts:?}");
}
