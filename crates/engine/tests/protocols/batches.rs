//! One search fills batches: leaves that wait go to the device together.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use dz_engine::{GameSession, Session};
use dz_game::{Player, games::Connect4};
use dz_infer::{
    Evaluation, Evaluator, EvaluatorError, Hashed, InstantEvaluator, Leaf, LeafView, Sources,
    Ticket,
};
use dz_play::{PlayerKind, PlayerSetup};
use dz_search::{Budget, MoveChoice, RootSetup, SearchParams};

/// Answers in batches what [`Hashed`] answers at once, and notes how large they are.
struct Batched {
    sizes: Arc<Mutex<Vec<usize>>>,
    waiting: BTreeMap<Ticket, Vec<Evaluation>>,
    game: Connect4,
}

impl Evaluator<Connect4> for Batched {
    fn id(&self) -> &'static str {
        "batched"
    }

    fn submit(&mut self, leaves: &[Leaf<Connect4>]) -> Result<Ticket, EvaluatorError> {
        let mut sizes = self.sizes.lock().expect("no thread has failed");
        sizes.push(leaves.len());
        let ticket = Ticket(sizes.len() as u64);
        let evaluate = |leaf: &Leaf<Connect4>| {
            let view = LeafView {
                game: &self.game,
                state: &leaf.state,
                history: &leaf.history,
                legal: &leaf.legal,
                eval_key: leaf.eval_key,
                symmetry: leaf.symmetry,
                random: 0,
            };
            let mut priors = Vec::new();
            let wdl = Hashed.evaluate(&view, &mut priors);
            Evaluation { wdl, priors }
        };
        self.waiting.insert(ticket, leaves.iter().map(evaluate).collect());
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.waiting.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))
    }
}

/// Visits of the moves after 300 playouts, and the sizes of the batches.
fn visits(leaves_max: u32, batched: bool) -> (Vec<(u16, u32)>, Vec<usize>) {
    let game = Connect4::from_spec(&"connect4".parse().expect("a spec")).expect("a game");
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let mut sources = Sources::default();
    let source = if batched {
        let waiting = BTreeMap::new();
        let evaluator = Batched { sizes: sizes.clone(), waiting, game: game.clone() };
        sources.add_batched(Box::new(evaluator), 1 << 12)
    } else {
        sources.add_instant(Arc::new(Hashed))
    };
    let kind = PlayerKind::Search {
        params: SearchParams { leaves_max, ..SearchParams::default() },
        root: RootSetup::default(),
        choice: MoveChoice::MostVisits,
        budget: Budget::Playouts(1),
        reuse: true,
        source,
    };
    let setup = PlayerSetup { name: "tester".to_owned(), kind };
    let mut session = GameSession::new(game, setup, sources, 1);
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
    let (_, sizes) = visits(8, true);
    assert!(sizes.iter().all(|&size| size <= 8), "{sizes:?}");
    let evaluations: usize = sizes.iter().sum();
    assert!(evaluations > 4 * sizes.len(), "batches are well filled: {sizes:?}");
}

#[test]
fn a_batch_of_one_finds_what_is_found_at_once() {
    let (batched, sizes) = visits(1, true);
    assert!(!sizes.is_empty() && sizes.iter().all(|&size| size == 1));
    assert_eq!(batched, visits(1, false).0);
}
