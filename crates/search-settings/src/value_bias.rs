//! The numbers of subtree value bias correction.

use serde::{Deserialize, Serialize};

/// Subtree value bias correction: U'(n) = U(n) - lambda b(B(n)) (KataGo, KataGoMethods.md, section
/// of that name; +30 to +60 Elo by its author).
///
/// The error of a node is U less the mean of its children's values by edge visits. b(B) is the mean
/// error over the nodes of bucket B, each with weight s^alpha. Nodes are in one bucket if the move
/// that led there, its player, its surroundings (`Game::surroundings`) and the move before it are
/// the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueBias {
    /// Share of the observed error that is taken off, in [0, 1] (KataGo's text 0.35, its self-play
    /// 0.30, its engines since 2021 0.45; `subtreeValueBiasFactor`).
    pub lambda: f64,
    /// Power of child visits that an error weighs, in [0, 1] (the text and self-play 0.8, engines
    /// 0.85; `subtreeValueBiasWeightExponent`).
    pub alpha: f64,
    /// Share of a node's error that leaves its bucket when the node is freed between moves, in
    /// [0, 1] (0.8; `subtreeValueBiasFreeProp`). The rest stays as long as the bucket has nodes.
    pub freed: f64,
}

impl ValueBias {
    /// The first number outside its range: its key, and what it may be.
    pub(crate) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let keys = [
            ("value_bias_lambda", self.lambda),
            ("value_bias_alpha", self.alpha),
            ("value_bias_freed", self.freed),
        ];
        let outside = keys.into_iter().find(|(_, number)| !(0.0..=1.0).contains(number));
        outside.map(|(key, _)| (key, "a number from 0 to 1"))
    }
}

impl Default for ValueBias {
    /// The numbers of KataGo's text.
    fn default() -> Self {
        Self { lambda: 0.35, alpha: 0.8, freed: 0.8 }
    }
}
