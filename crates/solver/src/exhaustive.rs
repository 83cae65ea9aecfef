//! Every state visited once: the value of small games.

use std::collections::HashMap;

use dz_game::{Game, Key, Move, Outcome, Player, Status};

use crate::{Solved, SolvedMove, Solver, SolverError, Value};

/// Default number of states that are kept, at some 50 bytes each.
pub const STATES_MAX: u64 = 10_000_000;

/// Solves an acyclic game by visiting every state that can be reached, without pruning. States are
/// distinguished by `node_key`.
///
/// What it learns stays in memory, so that later positions cost only the states not seen yet.
#[derive(Clone, Debug)]
pub struct ExhaustiveSolver<G: Game> {
    game: G,
    states_max: u64,
    /// The value of every state visited, for the first player.
    values: HashMap<Key, Value>,
    counts: StateCounts,
}

/// States visited, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateCounts {
    /// Somebody is to move.
    pub open: u64,
    /// The game is over.
    pub over: u64,
}

impl StateCounts {
    /// All states.
    pub fn all(self) -> u64 {
        self.open + self.over
    }
}

/// A state on the path from the root.
struct Frame<S> {
    key: Key,
    state: S,
    mover: Player,
    /// Moves that are still to be visited.
    moves: Vec<Move>,
    /// The best value so far for the mover; `None` before the first move.
    best: Option<Value>,
}

impl<G: Game> ExhaustiveSolver<G> {
    /// A solver that gives up above `states_max` states.
    ///
    /// # Errors
    /// [`SolverError::Cyclic`] if states may repeat.
    pub fn new(game: &G, states_max: u64) -> Result<Self, SolverError> {
        if !game.acyclic() {
            return Err(SolverError::Cyclic { game: game.spec().to_string() });
        }
        let counts = StateCounts::default();
        Ok(Self { game: game.clone(), states_max, values: HashMap::new(), counts })
    }

    /// The value of a state for the player to move.
    ///
    /// # Errors
    /// [`SolverError::Over`] if nobody is to move; [`SolverError::TooManyStates`].
    pub fn value(&mut self, state: &G::State, history: &G::History) -> Result<Value, SolverError> {
        let mover = self.mover(state, history)?;
        Ok(seen_by(mover, self.visit_all(state, history)?))
    }

    /// States visited so far.
    pub fn counts(&self) -> StateCounts {
        self.counts
    }

    fn mover(&self, state: &G::State, history: &G::History) -> Result<Player, SolverError> {
        self.game.to_move(state, history).ok_or(SolverError::Over)
    }

    /// The value for the first player. The path is kept on the heap, since games may be long.
    fn visit_all(&mut self, state: &G::State, history: &G::History) -> Result<Value, SolverError> {
        let mut history = history.clone();
        let mut path: Vec<Frame<G::State>> = Vec::new();
        let mut found = self.enter(state, &history, &mut path)?;
        loop {
            let Some(frame) = path.last_mut() else {
                return Ok(found.expect("the path is empty when the root's value is known"));
            };
            // The value of the state just left or looked up belongs to this frame's last move.
            if let Some(value) = found.take() {
                let value = seen_by(frame.mover, value);
                frame.best = frame.best.max(Some(value));
                self.game.pop_history(&mut history);
            }
            if let Some(mv) = frame.moves.pop() {
                let mut child = frame.state.clone();
                self.game.advance(&mut child, &mut history, mv);
                found = self.enter(&child, &history, &mut path)?;
            } else if let Some(Frame { key, mover, best, .. }) = path.pop() {
                let best = best.expect("a game that is not over has a legal move");
                self.values.insert(key, seen_by(mover, best));
                self.counts.open += 1;
                found = Some(seen_by(mover, best));
            }
        }
    }

    /// The value of a state that is known or over; otherwise puts it on the path.
    fn enter(
        &mut self,
        state: &G::State,
        history: &G::History,
        path: &mut Vec<Frame<G::State>>,
    ) -> Result<Option<Value>, SolverError> {
        let key = self.game.node_key(state, history);
        if let Some(&known) = self.values.get(&key) {
            return Ok(Some(known));
        }
        let visited = self.counts.all() + path.len() as u64;
        if visited >= self.states_max {
            let game = self.game.spec().to_string();
            return Err(SolverError::TooManyStates { game, states_max: self.states_max });
        }
        match self.game.status(state, history) {
            Status::Over(outcome) => {
                let value = for_first(outcome);
                self.values.insert(key, value);
                self.counts.over += 1;
                Ok(Some(value))
            }
            Status::ToMove(mover) => {
                let mut moves = Vec::new();
                self.game.legal_moves(state, history, &mut moves);
                path.push(Frame { key, state: state.clone(), mover, moves, best: None });
                Ok(None)
            }
        }
    }
}

impl<G: Game> Solver<G> for ExhaustiveSolver<G> {
    fn analyze(&mut self, state: &G::State, history: &G::History) -> Result<Solved, SolverError> {
        let mover = self.mover(state, history)?;
        let value = seen_by(mover, self.visit_all(state, history)?);
        let mut legal = Vec::new();
        let mut history = history.clone();
        self.game.legal_moves(state, &history, &mut legal);
        let mut moves = Vec::new();
        for mv in legal {
            let mut child = state.clone();
            self.game.advance(&mut child, &mut history, mv);
            let value = seen_by(mover, self.visit_all(&child, &history)?);
            self.game.pop_history(&mut history);
            moves.push(SolvedMove { mv, value, score: None });
        }
        Ok(Solved { value, score: None, moves })
    }
}

/// From the first player's view to a player's, or back.
fn seen_by(player: Player, value: Value) -> Value {
    match player {
        Player::First => value,
        Player::Second => value.flip(),
    }
}

fn for_first(outcome: Outcome) -> Value {
    match outcome.winner {
        None => Value::Draw,
        Some(Player::First) => Value::Win,
        Some(Player::Second) => Value::Loss,
    }
}
