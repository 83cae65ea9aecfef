//! Values of moves that a search knows before it tries them.

use std::collections::BTreeMap;
use std::fs;

use dz_game::{
    Encoding, Game, GameSpec, Move,
    games::{Go, GoHistory},
};
use dz_infer::{EncodedBatch, EvaluatorError, Lockstep, NetworkEvaluator, NetworkOutputs, Ticket};
use dz_linear::{Lessons, LinearValue, learn};
use dz_play::{
    MatchPlayer, NoNetworks, PlayerError, PlayerEvaluator, PlayerKind, PlayerPool, PositionCheck,
    check_positions, rollout_player, rollout_section,
};
use dz_search_settings::{MoveHeuristic, SearchSection};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn go() -> Go {
    let spec: GameSpec = "go:size=4,komi=0".parse().unwrap();
    Go::from_spec(&spec).unwrap()
}

/// A player whose search trusts the heuristic more than all of its playouts.
fn player(heuristic: MoveHeuristic) -> MatchPlayer {
    let section = SearchSection { heuristic, equivalent_visits: 1_000_000, ..rollout_section() };
    rollout_player("learned", &section, 30)
}

/// A network that gives every position an even value and every move the same prior.
struct Even {
    encoding_id: String,
    moves: usize,
    out: BTreeMap<Ticket, usize>,
}

impl NetworkEvaluator for Even {
    fn id(&self) -> &'static str {
        "even"
    }

    fn encoding_id(&self) -> &str {
        &self.encoding_id
    }

    fn policy_len(&self) -> usize {
        self.moves
    }

    fn submit(&mut self, batch: EncodedBatch) -> Result<Ticket, EvaluatorError> {
        let ticket = Ticket(self.out.last_key_value().map_or(0, |(last, _)| last.0 + 1));
        self.out.insert(ticket, batch.len);
        Ok(ticket)
    }

    fn wait(&mut self, ticket: Ticket) -> Result<NetworkOutputs, EvaluatorError> {
        let len = self.out.remove(&ticket).ok_or(EvaluatorError::UnknownTicket(ticket))?;
        let (policy_logits, wdl_logits) = (vec![0.0; self.moves * len], vec![0.0; 3 * len]);
        Ok(NetworkOutputs { policy_logits, wdl_logits, ..NetworkOutputs::default() })
    }
}

/// Positions of random games, with the moves that `value` thinks best.
fn positions(game: &Go, value: &LinearValue) -> Vec<PositionCheck> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut scratch = Vec::new();
    let mut legal: Vec<Move> = Vec::new();
    let begin = |plies: usize| {
        let mut state = game.start();
        let mut history = GoHistory::default();
        let mut moves = Vec::new();
        for _ in 0..plies {
            let mv = game.random_move(&state, &history, &mut random, &mut scratch).unwrap();
            game.advance(&mut state, &mut history, mv);
            moves.push(mv);
        }
        game.legal_moves(&state, &history, &mut legal);
        let chances = value.after_moves(game, &state, &legal);
        let best = chances.iter().copied().fold(0.0, f64::max);
        // Symmetric moves have the same value.
        let of_best = legal.iter().zip(chances).filter(|(_, chance)| best - chance < 1e-6);
        PositionCheck { moves, preserving: of_best.map(|(mv, _)| *mv).collect(), value: None }
    };
    [0, 1, 2, 3, 4, 5, 6, 7].map(begin).into()
}

#[test]
fn a_search_that_trusts_its_heuristic_plays_the_best_move_of_it() {
    let game = go();
    let value = learn(&game, &Lessons { games: 200, ..Lessons::default() }, |_| true).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("go4.linear").display().to_string();
    fs::write(&path, value.to_bytes().unwrap()).unwrap();
    let positions = positions(&game, &value);
    let lockstep = Lockstep { parallel_games: 8, groups: 1 };
    let right = |heuristic, batched: bool| {
        let mut pool = PlayerPool::new(&game, NoNetworks, 0);
        let mut player = player(heuristic);
        if let (true, PlayerKind::Search(search)) = (batched, &mut player.kind) {
            // Rollouts answer at once. A network answers later, in a batch.
            let encoding = game.encoding();
            let (encoding_id, moves) = (encoding.id(), encoding.policy_len());
            let even = Even { encoding_id, moves, out: BTreeMap::new() };
            let source = pool.sources().add_network(&game, Box::new(even), 0).unwrap();
            search.evaluator = PlayerEvaluator::Added(source);
        }
        let found = check_positions(&mut pool, &player, &positions, 30, &lockstep).unwrap();
        found.iter().filter(|answer| answer.preserved).count()
    };
    for batched in [false, true] {
        let learned = right(MoveHeuristic::Linear(path.clone()), batched);
        assert_eq!(learned, positions.len(), "{batched}");
        assert!(right(MoveHeuristic::None, batched) < positions.len(), "{batched}");
    }
}

#[test]
fn a_file_that_is_missing_or_of_another_game_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("go3.linear").display().to_string();
    let other = Go::from_spec(&"go:size=3,komi=0".parse().unwrap()).unwrap();
    let value = learn(&other, &Lessons { games: 2, ..Lessons::default() }, |_| true).unwrap();
    fs::write(&path, value.to_bytes().unwrap()).unwrap();
    let mut pool = PlayerPool::new(&go(), NoNetworks, 0);
    for path in [path, "/nowhere/at.all".to_owned()] {
        let error = pool.prepare(&player(MoveHeuristic::Linear(path.clone()))).unwrap_err();
        assert!(matches!(error, PlayerError::Guide(_)) && error.to_string().contains(&path));
    }
}
