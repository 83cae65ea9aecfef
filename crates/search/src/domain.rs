//! The part of a game that a search needs. Explicit graphs have it too.

use std::fmt::Debug;

use dz_game::{Encoding, Game, Key, Move, Player};

/// Positions, moves between them, and their ends. Every [`Game`] is one.
pub trait Domain: Clone + Debug {
    /// A position.
    type State: Clone + PartialEq + Debug;
    /// The part of its past that the rules need.
    type History: Clone + Default + Debug;

    /// Returns the player to move, or the outcome of a finished game.
    fn status(&self, state: &Self::State, history: &Self::History) -> Status;
    /// Returns the outcome that a visit of a finished position finds: value for the first player,
    /// in [-1, 1], and probability of a draw. [`crate::Terminals::Counted`] averages it over
    /// visits. A domain with random outcomes samples one by `random`, a word for this visit alone.
    fn outcome(&self, state: &Self::State, history: &Self::History, _random: u64) -> (f64, f64) {
        match self.status(state, history) {
            Status::Over { value, draw } => (value, draw),
            Status::ToMove(_) => (0.0, 1.0),
        }
    }
    /// Clears `out` and fills it with the legal moves, ascending; empty if and only if over.
    fn legal_moves(&self, state: &Self::State, history: &Self::History, out: &mut Vec<Move>);
    /// Makes a legal move.
    fn advance(&self, state: &mut Self::State, history: &mut Self::History, mv: Move);
    /// Makes a legal move from a position whose `node_key` is known.
    fn advance_keyed(
        &self,
        state: &mut Self::State,
        history: &mut Self::History,
        mv: Move,
        _node_key: Key,
    ) {
        self.advance(state, history, mv);
    }
    /// Takes a past back to `root`, from which it has gone on by so many moves. A copy of `root`
    /// would take longer the longer the game is.
    fn rewind(&self, history: &mut Self::History, root: &Self::History, _moves: u32) {
        history.clone_from(root);
    }
    /// The key of the position as a node: equal keys have equal futures.
    fn node_key(&self, state: &Self::State, history: &Self::History) -> Key;
    /// Returns a word for the surroundings of a legal move before it is played, for buckets of
    /// observed errors; see [`Game::surroundings`]. By default the move alone counts.
    fn surroundings(&self, _state: &Self::State, _mv: Move) -> Option<u64> {
        Some(0)
    }
    /// The square root of the number of points on the board, where the game counts points.
    fn board_side(&self) -> Option<f64> {
        None
    }
    /// The points that the second player gets on top of the board's margin.
    fn komi_at(&self, _state: &Self::State) -> f64 {
        0.0
    }
    /// By how many points the first player has won a game that is over and counts points, komi
    /// counted; negative if the second has won.
    fn final_lead(&self, _state: &Self::State, _history: &Self::History) -> Option<f64> {
        None
    }
    /// The key of what an evaluator sees.
    fn eval_key(&self, state: &Self::State, history: &Self::History) -> Key;
    /// True if no `node_key` can occur twice on a path.
    fn acyclic(&self) -> bool;
}

/// Whether a position is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// This player moves.
    ToMove(Player),
    /// It is over.
    Over {
        /// The outcome for the first player, in [-1, 1].
        value: f64,
        /// Probability of a draw.
        draw: f64,
    },
}

impl<G: Game> Domain for G {
    type State = G::State;
    type History = G::History;

    fn status(&self, state: &G::State, history: &G::History) -> Status {
        match Game::status(self, state, history) {
            dz_game::Status::ToMove(player) => Status::ToMove(player),
            dz_game::Status::Over(outcome) => {
                let wdl = outcome.wdl_for(Player::First);
                Status::Over { value: f64::from(wdl.value()), draw: f64::from(wdl.draw) }
            }
        }
    }
    fn legal_moves(&self, state: &G::State, history: &G::History, out: &mut Vec<Move>) {
        Game::legal_moves(self, state, history, out);
    }
    fn advance(&self, state: &mut G::State, history: &mut G::History, mv: Move) {
        Game::advance(self, state, history, mv);
    }
    fn advance_keyed(
        &self,
        state: &mut G::State,
        history: &mut G::History,
        mv: Move,
        node_key: Key,
    ) {
        Game::advance_keyed(self, state, history, mv, node_key);
    }
    fn rewind(&self, history: &mut G::History, _root: &G::History, moves: u32) {
        for _ in 0..moves {
            Game::pop_history(self, history);
        }
    }
    fn node_key(&self, state: &G::State, history: &G::History) -> Key {
        Game::node_key(self, state, history)
    }
    fn surroundings(&self, state: &G::State, mv: Move) -> Option<u64> {
        Game::surroundings(self, state, mv)
    }
    fn board_side(&self) -> Option<f64> {
        let encoding = self.encoding();
        encoding.targets().margin.then(|| (encoding.planes().area() as f64).sqrt())
    }
    fn komi_at(&self, state: &G::State) -> f64 {
        Game::komi_at(self, state).map_or(0.0, |komi| f64::from(komi.halves) / 2.0)
    }
    fn final_lead(&self, state: &G::State, history: &G::History) -> Option<f64> {
        let margin = self.outcome(state, history)?.margin?;
        Some(f64::from(margin) - Domain::komi_at(self, state))
    }
    fn eval_key(&self, state: &G::State, history: &G::History) -> Key {
        Game::eval_key(self, state, history)
    }
    fn acyclic(&self) -> bool {
        Game::acyclic(self)
    }
}
