//! The numbers of Gumbel search.

use serde::{Deserialize, Serialize};

use crate::choice::choice_with_data;
use crate::puct::Puct;

/// Gumbel `AlphaZero`: at the root, sequential halving over g + ln P + sigma(Q); below it, the move
/// whose share of visits is furthest below the improved policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gumbel {
    /// Root moves considered: the least of this, the legal moves and the simulations (16 there).
    pub considered: u32,
    /// Scale of the noise g: 1 in training, 0 plays without noise.
    pub scale: f64,
    /// How values become logits.
    pub sigma: Sigma,
    /// How moves below the root are chosen.
    pub inner: GumbelInner,
}

impl Default for Gumbel {
    fn default() -> Self {
        Self { considered: 16, scale: 1.0, sigma: Sigma::BOARD_GAMES, inner: GumbelInner::Improved }
    }
}

choice_with_data! {
    /// How Gumbel search chooses below the root.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum GumbelInner, GumbelInnerWord {
        /// argmax pi'(a) - N(a) / (1 + s) (there, section 5).
        Improved = "improved",
        /// PUCT (`MiniZero`).
        Puct(puct: Puct) = "puct",
    }
}

/// The monotone transformation sigma(q) = (`c_visit` + max n) `c_scale` q of a value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sigma {
    /// Added to the largest visit count, at least 0; 50 in the paper and in mctx.
    pub c_visit: f64,
    /// Scale of a value against a logit, above 0; the paper's and mctx's differ, see the constants.
    pub c_scale: f64,
    /// Completed values are first brought to [0, 1]: (q - min) / max(max - min, 1e-8) over the
    /// moves.
    pub rescale: bool,
}

impl Sigma {
    /// The paper's Go and chess: 50, 1.0, values in [-1, 1] as they are.
    pub const BOARD_GAMES: Self = Self { c_visit: 50.0, c_scale: 1.0, rescale: false };
    /// mctx's defaults: 50, 0.1, rescaled (`qtransform_completed_by_mix_value`).
    pub const MCTX: Self = Self { c_visit: 50.0, c_scale: 0.1, rescale: true };
}
