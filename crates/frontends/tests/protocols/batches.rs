//! One search fills batches: leaves that wait go to the device together.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use dz_frontends::{GameSession, Session};
use dz_game::{Player, games::Connect4};
use dz_infer::{
    Evaluation, Evaluator, EvaluatorError, Hashed, InstantEvaluator, Leaf, LeafView, Ticket,
};
use dz_play::{
    MatchPlayer, MoveHeuristic, NoNetworks, PlayerEvaluator, PlayerPool, RolloutMoves, SearchPlayer,
};
use dz_search::{Budget, MoveChoice, RootSetup, SearchParams};

/// Answers in batches what [`Hashed`] answers at once, and notes how large they are.
struct Batched {
    sizes: Arc<Mutex<Vec<usize>>>,
    waiting: BTreeMap<Ticket, Vec<Evaluation>>,
    game: Connect4,
    /// With it there are handles, and batches take now longer and now shorter.
    naps: Option<Arc<AtomicU64>>,
}

impl Evaluator<Connect4> for Batched {
    fn id(&self) -> &'static str {
        "batched"
    }

    fn submit(&mut self, leaves: &[&Leaf<Connect4>]) -> Result<Ticket, EvaluatorError> {
        let mut sizes = self.sizes.lock().expect("no thread has failed");
        sizes.push(leaves.len());
        let ticket = Ticket(sizes.len() as u64);
        let evaluate = |leaf: &&Leaf<Connect4>| {
            let view = LeafView {
                game: &self.game,
                state: &leaf.state,
                history: &leaf.history,
                legal: &leaf.legal,
                eval_key: leaf.eval_key,
                symmetry: leaf.symmetry,
                last: None,
                random: 0,
            };
            let mut priors = Vec::new();
            let wdl = Hashed.evaluate(&view, &mut priors);
            Evaluation { wdl, priors }
        };
        self.waiting.insert(ticket, leaves.iter().map(evaluate).collect());
        if let Some(naps) = &self.naps {
            let nap = naps.fetch_add(1, Ordering::Relaxed) * 7 % 5;
            drop(sizes);
            thread::sleep(Duration::from_micros(100 * nap));
        }
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.waiting.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))
    }

    fn handle(&self) -> Option<Box<dyn Evaluator<Connect4>>> {
        let naps = Some(Arc::clone(self.naps.as_ref()?));
        let (sizes, game) = (Arc::clone(&self.sizes), self.game.clone());
        Some(Box::new(Self { sizes, waiting: BTreeMap::new(), game, naps }))
    }
}

/// How leaves are evaluated.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    AtOnce,
    Batched,
    /// On so many threads, while the search goes on; the number makes other naps.
    Threads(usize, u64),
}

/// Visits of the moves after 300 playouts, and the sizes of the batches.
fn visits(leaves_max: u32, way: Way) -> (Vec<(u16, u32)>, Vec<usize>) {
    let game = Connect4::from_spec(&"connect4".parse().expect("a spec")).expect("a game");
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let mut pool = PlayerPool::new(&game, NoNetworks, 0);
    let sources = pool.sources();
    let source = if way == Way::AtOnce {
        sources.add_instant(Arc::new(Hashed))
    } else {
        let naps = match way {
            Way::Threads(_, first) => Some(Arc::new(AtomicU64::new(first))),
            Way::AtOnce | Way::Batched => None,
        };
        let (sizes, waiting) = (Arc::clone(&sizes), BTreeMap::new());
        let evaluator = Batched { sizes, waiting, game: game.clone(), naps };
        sources.add_batched(Box::new(evaluator), 1 << 12)
    };
    if let Way::Threads(threads, _) = way {
        pool = pool.on_threads(threads);
    }
    let search = SearchPlayer {
        evaluator: PlayerEvaluator::Added(source),
        params: SearchParams { leaves_max, ..SearchParams::default() },
        rollouts: RolloutMoves::Uniform,
        heuristic: MoveHeuristic::None,
        root: RootSetup::default(),
        choice: MoveChoice::MostVisits,
        budget: Budget::Playouts(1),
        reuse: true,
    };
    let player = MatchPlayer::search("tester", search);
    let mut session = GameSession::new(&player, pool, 1).expect("no network is loaded");
    session.begin(Player::First, Some(300)).expect("the first player moves");
    while !session.search(16).expect("it evaluates") {}
    let report = session.report();
    assert_eq!(report.counts.playouts, 300);
    let mut visits: Vec<(u16, u32)> = report.moves.iter().map(|m| (m.mv.0, m.visits)).collect();
    visits.sort_unstable();
    let sizes = sizes.lock().expect("no thread has failed").clone();
    (visits, sizes)
}

#[test]
fn leaves_that_wait_go_together() {
    let (_, sizes) = visits(8, Way::Batched);
    assert!(sizes.iter().all(|&size| size <= 8), "{sizes:?}");
    let evaluations: usize = sizes.iter().sum();
    assert!(evaluations > 4 * sizes.len(), "batches are well filled: {sizes:?}");
}

#[test]
fn a_batch_of_one_finds_what_is_found_at_once() {
    let (batched, sizes) = visits(1, Way::Batched);
    assert!(!sizes.is_empty() && sizes.iter().all(|&size| size == 1));
    assert_eq!(batched, visits(1, Way::AtOnce).0);
}

#[test]
fn batches_on_threads_come_back_in_the_order_in_which_they_were_sent() {
    let (found, sizes) = visits(32, Way::Threads(2, 0));
    // Two threads, each with one batch to work on and one that waits.
    assert!(sizes.iter().all(|&size| size <= 8), "{sizes:?}");
    assert!(sizes.iter().sum::<usize>() > 4 * sizes.len(), "batches are well filled: {sizes:?}");
    for first in 1..4 {
        assert_eq!(visits(32, Way::Threads(2, first)).0, found, "whichever batch is done first");
    }
}
