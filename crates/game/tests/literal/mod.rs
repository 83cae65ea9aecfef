//! A game beside a literal implementation of its rules: both play the same moves and are compared
//! at every ply.

use dz_game::{Game, Move, Player, Status, perft};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The rules as one would explain them, without a thought of speed.
pub trait Literal: Clone {
    type Game: Game;

    fn status(&self) -> Status;
    fn legal(&self) -> Vec<Move>;
    fn play(&mut self, mv: Move);
    /// Compares what else both know: what stands on each point.
    fn check(&self, game: &Self::Game, state: &<Self::Game as Game>::State);
}

/// The same position twice.
pub struct Pair<L: Literal> {
    pub game: L::Game,
    pub state: <L::Game as Game>::State,
    pub history: <L::Game as Game>::History,
    pub literal: L,
    /// The legal moves, once they are compared.
    pub legal: Vec<Move>,
    pub plies: usize,
}

impl<L: Literal> Pair<L> {
    pub fn new(game: L::Game, literal: L) -> Self {
        let (state, history) = (game.start(), <L::Game as Game>::History::default());
        Self { game, state, history, literal, legal: Vec::new(), plies: 0 }
    }

    /// Compares all that both know. Returns who moves, if the game goes on.
    pub fn compare(&mut self) -> Option<Player> {
        let Self { game, state, history, literal, legal, .. } = self;
        let shown = || format!("{}\n{}", game.spec(), game.render(state));
        let status = literal.status();
        assert_eq!(game.status(state, history), status, "{}", shown());
        game.legal_moves(state, history, legal);
        assert_eq!(*legal, literal.legal(), "{}", shown());
        literal.check(game, state);
        match status {
            Status::ToMove(mover) => Some(mover),
            Status::Over(_) => None,
        }
    }

    pub fn play(&mut self, mv: Move) {
        // A push that is taken back leaves no trace.
        let other = self.legal.first().copied().unwrap_or(mv);
        self.game.push_history(&mut self.history, &self.state, other);
        self.game.pop_history(&mut self.history);
        self.game.advance(&mut self.state, &mut self.history, mv);
        self.literal.play(mv);
        self.plies += 1;
    }

    /// Plays to the end, or for so many plies, what `choose` chooses for the mover.
    pub fn play_out(&mut self, plies_max: usize, mut choose: impl FnMut(&Self, Player) -> Move) {
        while let Some(mover) = self.compare().filter(|_| self.plies < plies_max) {
            let mv = choose(self, mover);
            self.play(mv);
        }
    }

    /// Compares the numbers of move sequences up to `depth`, and returns them.
    pub fn compare_counts(&self, depth: usize) -> Vec<u64> {
        let mut counts = vec![0; depth + 1];
        count(&self.literal, &mut counts);
        let found = perft(&self.game, &self.state, &self.history, depth as u32);
        assert_eq!(found, counts, "{}\n{}", self.game.spec(), self.game.render(&self.state));
        counts
    }
}

/// One of the moves, each with the same chance.
pub fn any(moves: &[Move], random: &mut Xoshiro256PlusPlus) -> Move {
    moves[random.random_range(0..moves.len())]
}

/// Leaf nodes at depth 0, 1, ...
fn count<L: Literal>(position: &L, counts: &mut [u64]) {
    counts[0] += 1;
    if counts.len() > 1 {
        for mv in position.legal() {
            let mut child = position.clone();
            child.play(mv);
            count(&child, &mut counts[1..]);
        }
    }
}
