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
use dz_game::{Encoding, Game, Player, Wdl, games::Connect4, mix64};
use dz_infer::{
    EncodedBatch, EvaluatorError, InstantEvaluator, LeafView, NetworkEvaluator, NetworkOutputs,
    Sources, Ticket,
};
use dz_play::{
    MatchPlayer, MoveHeuristic, NoNetworks, PlayerEvaluator, PlayerPool, RolloutMoves, SearchPlayer,
};
use dz_search::{Budget, MoveChoice, RootSetup, SearchParams};

/// Answers logits that are a function of the planes, and notes how large batches are.
struct Batched {
    encoding_id: String,
    sizes: Arc<Mutex<Vec<usize>>>,
    waiting: BTreeMap<Ticket, NetworkOutputs>,
    /// With it there are handles, and batches take now longer and now shorter.
    naps: Option<Arc<AtomicU64>>,
}

impl Batched {
    fn new(sizes: &Arc<Mutex<Vec<usize>>>, naps: Option<Arc<AtomicU64>>) -> Self {
        let encoding_id = game().encoding().id();
        Self { encoding_id, sizes: Arc::clone(sizes), waiting: BTreeMap::new(), naps }
    }
}

/// Number `index` of a position's outputs, in [0, 1): no move is much better than another.
fn logit(planes: &[u8], index: u64) -> f32 {
    let word = planes.iter().fold(index, |hash, &byte| mix64(hash ^ u64::from(byte)));
    (word >> 56) as f32 / 256.0
}

impl NetworkEvaluator for Batched {
    fn id(&self) -> &'static str {
        "batched"
    }

    fn encoding_id(&self) -> &str {
        &self.encoding_id
    }

    fn policy_len(&self) -> usize {
        7
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let mut sizes = self.sizes.lock().expect("no thread has failed");
        sizes.push(batch.len);
        let ticket = Ticket(sizes.len() as u64);
        let mut outputs = NetworkOutputs::default();
        for planes in (0..batch.len).map(|index| batch.position(index)) {
            outputs.policy_logits.extend((0..7).map(|index| logit(planes, index)));
            outputs.wdl_logits.extend((7..10).map(|index| logit(planes, index)));
        }
        self.waiting.insert(ticket, outputs);
        if let Some(naps) = &self.naps {
            let nap = naps.fetch_add(1, Ordering::Relaxed) * 7 % 5;
            drop(sizes);
            thread::sleep(Duration::from_micros(100 * nap));
        }
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        self.waiting.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))
    }

    fn batches(&self) -> usize {
        1
    }

    fn handle(&self) -> Option<Box<dyn NetworkEvaluator>> {
        let naps = Arc::clone(self.naps.as_ref()?);
        Some(Box::new(Self::new(&self.sizes, Some(naps))))
    }
}

/// Answers at once what [`Batched`] answers in batches.
struct AtOnce(Mutex<Sources<Connect4>>);

impl InstantEvaluator<Connect4> for AtOnce {
    fn id(&self) -> &'static str {
        "at once"
    }

    fn evaluate(&self, leaf: &LeafView<'_, Connect4>, priors: &mut Vec<f32>) -> Wdl {
        let mut sources = self.0.lock().expect("no thread has failed");
        let found = sources.evaluate(0, std::slice::from_ref(leaf)).expect("it answers").remove(0);
        *priors = found.priors;
        found.expected.wdl
    }
}

fn game() -> Connect4 {
    Connect4::from_spec(&"connect4".parse().expect("a spec")).expect("a game")
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
    let game = game();
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let mut pool = PlayerPool::new(&game, NoNetworks, 0);
    let sources = pool.sources();
    let source = if way == Way::AtOnce {
        let mut inner = Sources::default();
        inner
            .add_network(&game, Box::new(Batched::new(&Arc::default(), None)), 0)
            .expect("it fits");
        sources.add_instant(Arc::new(AtOnce(Mutex::new(inner))))
    } else {
        let naps = match way {
            Way::Threads(_, first) => Some(Arc::new(AtomicU64::new(first))),
            Way::AtOnce | Way::Batched => None,
        };
        sources.add_network(&game, Box::new(Batched::new(&sizes, naps)), 1 << 12).expect("it fits")
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
