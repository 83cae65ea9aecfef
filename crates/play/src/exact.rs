//! Players that know or look ahead: exact solvers, and all lines to a depth.

use std::sync::{Mutex, PoisonError};

use dz_game::{Game, Status, Wdl};
use dz_infer::{InstantEvaluator, LeafView};
use dz_solver::{Solver, SolverError, Value, solver_of};

/// An evaluator that knows the truth: the position's value, and equal priors on the best moves
/// ([`dz_solver::BestMoves`]), so that it wins as fast and loses as late as it can.
///
/// One solver for all games at once, with one table; they wait for each other.
pub struct Exact<G: Game>(Mutex<Box<dyn Solver<G> + Send>>);

impl<G: Game> std::fmt::Debug for Exact<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Exact")
    }
}

impl<G: Game> Exact<G> {
    /// The solver of a game.
    ///
    /// # Errors
    /// [`SolverError::NoSolver`], which names the games that have one.
    pub fn new(game: &G) -> Result<Self, SolverError> {
        Ok(Self(Mutex::new(solver_of(game)?)))
    }
}

impl<G: Game> InstantEvaluator<G> for Exact<G> {
    fn id(&self) -> &'static str {
        "solver"
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        let mut solver = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        priors.clear();
        // Only positions that are over have no solution, and nobody asks about them.
        let Ok(best) = solver.best_moves(leaf.state, leaf.history) else {
            priors.resize(leaf.legal.len(), 1.0 / leaf.legal.len() as f32);
            return Wdl::UNKNOWN;
        };
        let share = 1.0 / best.moves.len().max(1) as f32;
        priors
            .extend(leaf.legal.iter().map(|mv| if best.moves.contains(mv) { share } else { 0.0 }));
        wdl_of(best.value)
    }
}

/// An evaluator that walks every line of `depth` plies; a line that is not decided by then counts
/// as a draw. Equal priors on the best moves.
#[derive(Clone, Debug)]
pub struct Lookahead {
    depth: u32,
    id: String,
}

impl Lookahead {
    /// Of `depth` plies, at least 1.
    pub fn new(depth: u32) -> Self {
        let depth = depth.max(1);
        Self { depth, id: format!("lookahead-{depth}") }
    }

    /// The value of a position for its mover, between `low` and `high` (alpha-beta, fail-soft).
    fn value<G: Game>(
        game: &G,
        state: &G::State,
        history: &G::History,
        depth: u32,
        mut low: i8,
        high: i8,
    ) -> i8 {
        // Whoever asks has looked whether the game is over.
        let Some(mover) = game.to_move(state, history) else { return 0 };
        if depth == 0 {
            return 0;
        }
        let mut legal = Vec::new();
        let mut best = -1;
        game.legal_moves(state, history, &mut legal);
        for mv in legal {
            let mut next = state.clone();
            let mut past = history.clone();
            game.advance(&mut next, &mut past, mv);
            let found = match game.status(&next, &past) {
                Status::Over(outcome) => Value::of(outcome, mover).sign(),
                // A player with two turns in a row is no opponent of its own.
                Status::ToMove(player) if player == mover => {
                    Self::value(game, &next, &past, depth - 1, low, high)
                }
                Status::ToMove(_) => -Self::value(game, &next, &past, depth - 1, -high, -low),
            };
            best = best.max(found);
            low = low.max(best);
            if low >= high {
                break;
            }
        }
        best
    }
}

impl<G: Game> InstantEvaluator<G> for Lookahead {
    fn id(&self) -> &str {
        &self.id
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        let mover = leaf.game.to_move(leaf.state, leaf.history);
        let values: Vec<i8> = leaf
            .legal
            .iter()
            .map(|&mv| {
                let mut state = leaf.state.clone();
                let mut history = leaf.history.clone();
                leaf.game.advance(&mut state, &mut history, mv);
                match (leaf.game.status(&state, &history), mover) {
                    (Status::Over(outcome), Some(mover)) => Value::of(outcome, mover).sign(),
                    (next, _) => {
                        let depth = self.depth - 1;
                        let value = Self::value(leaf.game, &state, &history, depth, -1, 1);
                        let same = mover.is_some_and(|mover| next == Status::ToMove(mover));
                        if same { value } else { -value }
                    }
                }
            })
            .collect();
        let best = values.iter().copied().max().unwrap_or(0);
        let share = 1.0 / values.iter().filter(|&&value| value == best).count().max(1) as f32;
        priors.clear();
        priors.extend(values.iter().map(|&value| if value == best { share } else { 0.0 }));
        match best {
            1 => Wdl::WIN,
            -1 => Wdl::LOSS,
            _ => Wdl::DRAW,
        }
    }
}

fn wdl_of(value: Value) -> Wdl {
    match value {
        Value::Win => Wdl::WIN,
        Value::Draw => Wdl::DRAW,
        Value::Loss => Wdl::LOSS,
    }
}
