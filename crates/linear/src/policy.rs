//! A policy of one game: softmax over local shapes, fast enough to move in rollouts.

use dz_game::{Game, GameSpec, Move, Player};
use rand::{Rng, RngExt};

use crate::{
    LinearValue,
    shapes::{Shapes, look},
};

/// The policy pi(a | s) that is proportional to exp(theta . phi(s, a)).
///
/// phi(s, a) are the shapes in all windows that cover the move's point, as the mover sees them with
/// its stone there; stones that the move takes or turns are left as they were. In these games a
/// stone is put on an empty point. Moves without a point, as a pass, have one feature of their own.
/// AlphaGo's rollout policy is of this form, with patterns that were chosen by hand (Silver et al.
/// 2016, Methods, "Rollout policy").
#[derive(Clone, Debug)]
pub struct LinearPolicy {
    pub(crate) game: GameSpec,
    pub(crate) sides: Vec<u8>,
    pub(crate) shapes: Shapes,
    /// Weights of both players, or of one where the colours are alike. The first is that of moves
    /// without a point.
    pub(crate) weights: Vec<Vec<f32>>,
    /// For each point the windows that cover it, with what an own stone there adds to their
    /// configurations.
    placed: Vec<Vec<(u32, usize)>>,
    /// Where the scores of each window begin.
    begins: Vec<usize>,
    /// For each player the score of each configuration of each window: the sum of its two weights.
    scores: Vec<Vec<f32>>,
}

/// What a policy made of an example.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judged {
    /// The sum over moves of -target ln pi, in nats.
    pub cross_entropy: f64,
    /// The most likely move has the largest target.
    pub is_best: bool,
}

impl LinearPolicy {
    pub(crate) fn new(
        game: GameSpec,
        sides: Vec<u8>,
        shapes: Shapes,
        weights: Vec<Vec<f32>>,
    ) -> Self {
        let placed = (0..shapes.points).map(|point| shapes.own_stone(point)).collect();
        let mut begins = Vec::new();
        let mut end = 0;
        for window in 0..shapes.windows() as u32 {
            begins.push(end);
            end += shapes.configurations(window);
        }
        let mut this = Self { game, sides, shapes, weights, placed, begins, scores: Vec::new() };
        this.scores = this.weights.iter().map(|weights| this.scores_of(weights, end)).collect();
        this
    }

    fn scores_of(&self, weights: &[f32], count: usize) -> Vec<f32> {
        let mut scores = Vec::with_capacity(count);
        for window in 0..self.shapes.windows() as u32 {
            for code in 0..self.shapes.configurations(window) {
                let features = self.shapes.features_of(window, code);
                scores.push(features.iter().map(|&index| weights[index]).sum());
            }
        }
        scores
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

    /// The probabilities of the `legal` moves of a position, in their order; empty without moves.
    pub fn probabilities<G: Game>(&self, game: &G, state: &G::State, legal: &[Move]) -> Vec<f32> {
        let mover = game.to_move(state, &G::History::default()).unwrap_or(Player::First);
        let mut stones = Vec::new();
        look(&game.stones(state).unwrap_or_default(), mover, &mut stones);
        let mut logits = vec![0.0; legal.len()];
        if stones.len() == self.shapes.points {
            let mut codes = Vec::new();
            self.shapes.codes(&stones, &mut codes);
            let player = mover.index() % self.scores.len();
            for (logit, &mv) in logits.iter_mut().zip(legal) {
                *logit = self.logit(player, &codes, mv);
            }
        }
        softmax(&mut logits);
        logits
    }

    fn logit(&self, player: usize, codes: &[usize], mv: Move) -> f32 {
        let Some(placed) = self.placed.get(usize::from(mv.0)) else {
            return self.weights[player][0];
        };
        let scores = &self.scores[player];
        let score = |&(window, added): &(u32, usize)| {
            let window = window as usize;
            scores[self.begins[window] + codes[window] + added]
        };
        placed.iter().map(score).sum()
    }

    /// Samples one of the `legal` moves; `None` without moves.
    pub fn sample<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        legal: &[Move],
        random: &mut impl Rng,
    ) -> Option<Move> {
        let probabilities = self.probabilities(game, state, legal);
        let mut left = random.random::<f32>();
        for (&mv, probability) in legal.iter().zip(probabilities) {
            left -= probability;
            if left < 0.0 {
                return Some(mv);
            }
        }
        legal.last().copied()
    }
}

/// Learns a policy from examples by `AdaGrad` (Duchi, Hazan and Singer 2011): each weight has a
/// step of its own, which falls with the squares of its gradients.
#[derive(Clone, Debug)]
pub struct PolicyStudent {
    value: LinearValue,
    squares: Vec<Vec<f32>>,
    step: f32,
    stones: Vec<u8>,
    codes: Vec<usize>,
    placed: Vec<Vec<(u32, usize)>>,
}

impl PolicyStudent {
    /// A student of a policy that moves uniformly. `None` for games without stones on the points of
    /// a square board.
    pub fn new<G: Game>(game: &G, sides: &[u8], step: f32) -> Option<Self> {
        let value = LinearValue::blank(game, sides)?;
        let squares = value.weights.iter().map(|weights| vec![0.0; weights.len()]).collect();
        let placed = (0..value.shapes.points).map(|point| value.shapes.own_stone(point)).collect();
        Some(Self { value, squares, step, stones: Vec::new(), codes: Vec::new(), placed })
    }

    /// The policy as it stands.
    pub fn policy(&self) -> LinearPolicy {
        let LinearValue { game, sides, shapes, weights } = self.value.clone();
        LinearPolicy::new(game, sides, shapes, weights)
    }

    /// Judges the policy by an example: `target` has a probability for each of the `legal` moves.
    /// Moves the weights afterwards if `learns`.
    pub fn see<G: Game>(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[Move],
        target: &[f32],
        learns: bool,
    ) -> Judged {
        let mover = game.to_move(state, &G::History::default()).unwrap_or(Player::First);
        look(&game.stones(state).unwrap_or_default(), mover, &mut self.stones);
        let shapes = &self.value.shapes;
        if self.stones.len() < shapes.points || legal.is_empty() {
            return Judged::default();
        }
        shapes.codes(&self.stones, &mut self.codes);
        let player = mover.index() % self.value.weights.len();
        let weights = &mut self.value.weights[player];
        let mut chances: Vec<f32> = legal
            .iter()
            .map(|&mv| {
                let mut sum = 0.0;
                each_feature(shapes, &self.placed, &self.codes, mv, |index| sum += weights[index]);
                sum
            })
            .collect();
        softmax(&mut chances);
        let judged = judge(&chances, target);
        if learns {
            let squares = &mut self.squares[player];
            for ((&mv, chance), target) in legal.iter().zip(&chances).zip(target) {
                let error = target - chance;
                if error == 0.0 {
                    continue;
                }
                each_feature(shapes, &self.placed, &self.codes, mv, |index| {
                    squares[index] += error * error;
                    weights[index] += self.step * error / squares[index].sqrt();
                });
            }
        }
        judged
    }
}

/// Calls `take` with the weight of each feature of a move.
fn each_feature(
    shapes: &Shapes,
    placed: &[Vec<(u32, usize)>],
    codes: &[usize],
    mv: Move,
    mut take: impl FnMut(usize),
) {
    let Some(placed) = placed.get(usize::from(mv.0)) else {
        take(0);
        return;
    };
    for &(window, added) in placed {
        let code = codes[window as usize] + added;
        shapes.features_of(window, code).into_iter().for_each(&mut take);
    }
}

fn judge(chances: &[f32], target: &[f32]) -> Judged {
    let cross_entropy = chances.iter().zip(target).filter(|(_, target)| **target > 0.0);
    let cross_entropy = cross_entropy
        .map(|(chance, target)| -f64::from(*target) * f64::from(chance.max(1e-30)).ln())
        .sum();
    let most = target.iter().copied().fold(0.0, f32::max);
    let best =
        (0..chances.len()).fold(0, |best, i| if chances[i] > chances[best] { i } else { best });
    Judged { cross_entropy, is_best: target[best] >= most }
}

/// Turns logits into probabilities.
fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for logit in &mut *logits {
        *logit = (*logit - most).exp();
        sum += *logit;
    }
    for logit in logits {
        *logit /= sum;
    }
}
