//! How the root of one move's search differs from other nodes.

use dz_config_keys::choice;
use serde::{Deserialize, Serialize};

use crate::fpu::FirstPlay;

/// How the root of one move's search differs from other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RootSetup {
    /// Noise on the priors.
    pub noise: Option<RootNoise>,
    /// Softmax temperature of the priors, P^(1/T) scaled to sum 1, above 0 (KataGo: 1.5 falling to
    /// 1.1); before the noise.
    pub prior_temperature: f64,
    /// k of forced playouts: a visited move with fewer than sqrt(k P N) visits is taken at once (Wu
    /// 2019, section 3.2: 2); 0 is off.
    pub forced_playouts: f64,
    /// First-play value at the root, if another than elsewhere (KataGo's self-play: no reduction).
    pub fpu: Option<FirstPlay>,
}

impl Default for RootSetup {
    /// Like any other node.
    fn default() -> Self {
        Self { noise: None, prior_temperature: 1.0, forced_playouts: 0.0, fpu: None }
    }
}

impl From<Option<RootNoise>> for RootSetup {
    fn from(noise: Option<RootNoise>) -> Self {
        Self { noise, ..Self::default() }
    }
}

/// Dirichlet noise on the root's priors: P' = (1 - share) P + share D (AlphaGo Zero, Methods,
/// "Self-play": share 0.25).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RootNoise {
    /// The distribution of D.
    pub shape: NoiseShape,
    /// Share of the noise, in [0, 1].
    pub share: f64,
}

/// How the concentration of Dirichlet noise is spread over the legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoiseShape {
    /// `alpha` a move (Silver et al. 2018: 0.3 chess, 0.15 shogi, 0.03 Go).
    Plain {
        /// Concentration of each move, above 0.
        alpha: f64,
    },
    /// `total` / legal moves each, so that noise stays as peaked when moves are few (KataGo: 10.83,
    /// that is 0.03 * 361).
    Total {
        /// Sum of concentrations, above 0.
        total: f64,
    },
    /// Half of `total` equally, half in proportion to max(0, l - mean l), l = ln min(p, 0.01): more
    /// to moves of a prior that is small but not negligible, where the policy is blind in a
    /// plausible place (KataGo, KataGoMethods.md, "shaped Dirichlet noise"; 10.83).
    Shaped {
        /// Sum of concentrations, above 0.
        total: f64,
    },
}

choice! {
    /// The word of a [`NoiseShape`] in the file.
    pub enum NoiseShapeWord {
        /// See [`NoiseShape::Plain`].
        Each = "each",
        /// See [`NoiseShape::Total`].
        Total = "total",
        /// See [`NoiseShape::Shaped`].
        Shaped = "shaped",
    }
}
