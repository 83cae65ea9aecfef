//! A value function of one game.

use dz_game::{Game, GameSpec, Move, Player};

use crate::shapes::{Shapes, look};

/// V = sigma(theta . phi) for the player who has just moved.
#[derive(Clone, Debug)]
pub struct LinearValue {
    /// The game that it was learned on.
    pub(crate) game: GameSpec,
    /// Sides of the windows.
    pub(crate) sides: Vec<u8>,
    pub(crate) shapes: Shapes,
    /// Weights of both players, or of one where the colours are alike.
    pub(crate) weights: Vec<Vec<f32>>,
}

/// Games in which both colours aim at the same, so that they share their weights.
const COLOURS_ALIKE: [&str; 4] = ["go", "gomoku", "othello", "tictactoe"];

impl LinearValue {
    /// A value function that knows nothing: 1/2 everywhere. `None` for games without stones on the
    /// points of a square board.
    pub fn blank<G: Game>(game: &G, sides: &[u8]) -> Option<Self> {
        let shapes = Shapes::of(game, sides)?;
        let spec = game.spec();
        let players = if COLOURS_ALIKE.contains(&spec.name()) { 1 } else { 2 };
        let weights = vec![vec![0.0; shapes.weights()]; players];
        Some(Self { game: spec, sides: sides.to_vec(), shapes, weights })
    }

    /// The game that it was learned on.
    pub fn game(&self) -> &GameSpec {
        &self.game
    }

    /// Weights that are not zero, and all weights.
    pub fn counts(&self) -> [usize; 2] {
        let all = self.weights.iter().flatten();
        [all.clone().filter(|weight| **weight != 0.0).count(), all.count()]
    }

    /// The weights of a player.
    pub(crate) fn weights_of(&self, player: Player) -> &[f32] {
        &self.weights[player.index() % self.weights.len()]
    }

    /// The chance to win of `player`, who has just moved to `state`, in (0, 1).
    pub fn chance<G: Game>(&self, game: &G, state: &G::State, player: Player) -> f64 {
        let mut stones = Vec::new();
        look(&game.stones(state).unwrap_or_default(), player, &mut stones);
        if stones.len() < self.shapes.points {
            return 0.5;
        }
        sigmoid(self.shapes.sum(&stones, self.weights_of(player)))
    }

    /// The mover's chance to win after each of the legal moves `moves`, in (0, 1).
    pub fn after_moves<G: Game>(&self, game: &G, state: &G::State, moves: &[Move]) -> Vec<f64> {
        let mover = game.to_move(state, &G::History::default()).unwrap_or(Player::First);
        self.logits_after(game, state, mover, moves).into_iter().map(sigmoid).collect()
    }

    /// As [`Self::after_moves`] of a known mover, before the sigmoid.
    pub(crate) fn logits_after<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        mover: Player,
        moves: &[Move],
    ) -> Vec<f64> {
        let weights = self.weights_of(mover);
        let mut before = Vec::new();
        look(&game.stones(state).unwrap_or_default(), mover, &mut before);
        if before.len() < self.shapes.points {
            return vec![0.0; moves.len()];
        }
        let sum = self.shapes.sum(&before, weights);
        let mut after = Vec::new();
        let mut changed = Vec::new();
        let mut seen = Vec::new();
        let each = moves.iter().map(|&mv| {
            let mut next = state.clone();
            game.play(&mut next, mv);
            look(&game.stones(&next).unwrap_or_default(), mover, &mut after);
            changed.clear();
            let differs = |point: &usize| before[*point] != after[*point];
            changed.extend((0..before.len()).filter(differs).map(|point| point as u16));
            sum + self.shapes.change(&before, &after, &changed, weights, &mut seen)
        });
        each.collect()
    }
}

pub(crate) fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}
