//! Selection formulas. N(a) are edge visits, s their sum, N the node's visits, Q the mover's view,
//! P priors.

use serde::{Deserialize, Serialize};

use super::ParamsError;
use crate::formula::{DynamicVariance, Exploration, RaveSchedule, Sigma};

/// The formula that picks moves inside the graph.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// Q + c P sqrt(s + 0.01) / (1 + N(a)).
    Puct(Puct),
    /// Q + sqrt(2 ln s / N(a)), unvisited moves first (Auer, Cesa-Bianchi and Fischer 2002). Their
    /// bound is for values in [0, 1]; for values in [-1, 1] the same exploration is UCT with c =
    /// sqrt 8.
    Ucb1,
    /// Q + c sqrt(ln s / N(a)), unvisited moves first (Kocsis and Szepesvari 2006).
    Uct {
        /// Weight of the exploration term, above 0.
        c: f64,
    },
    /// UCT mixed with all-moves-as-first values.
    Rave(Rave),
    /// Sequential halving over Gumbel scores at the root (Danihelka et al. 2022).
    Gumbel(Gumbel),
    /// Moves drawn from the exact solution of the regularised policy problem (Grill et al. 2020).
    Regularized(Regularized),
}

/// PUCT: Q + c(s) f P sqrt(s + 0.01) / (1 + N(a)). AlphaGo Zero's (Silver et al. 2017, Methods)
/// with KataGo's 0.01, which makes the first choice follow the prior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Puct {
    /// c(s), which may grow with the logarithm of visits.
    pub exploration: Exploration,
    /// f, which follows how much the values below a node vary; none is 1.
    pub variance: Option<DynamicVariance>,
}

impl Puct {
    /// With an exploration that does not grow.
    pub const fn constant(c: f64) -> Self {
        Self { exploration: Exploration::constant(c), variance: None }
    }
}

impl Default for Puct {
    fn default() -> Self {
        Self::constant(1.5)
    }
}

/// UCT and its like over all-moves-as-first counts, mixed by a weight that falls with visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rave {
    /// Exploration in both terms, at least 0.
    pub c: f64,
    /// How the weight falls, which also fixes the form: [`crate::formula::uct_rave`] or
    /// [`crate::formula::boon_rave`].
    pub schedule: RaveSchedule,
}

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

/// How Gumbel search chooses below the root.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GumbelInner {
    /// argmax pi'(a) - N(a) / (1 + s) (there, section 5).
    Improved,
    /// PUCT (`MiniZero`).
    Puct(Puct),
}

impl Default for Gumbel {
    fn default() -> Self {
        Self { considered: 16, scale: 1.0, sigma: Sigma::BOARD_GAMES, inner: GumbelInner::Improved }
    }
}

/// The policy y that maximises q y - lambda KL(P || y), lambda = c sqrt(s) / (A + s), exactly
/// (Grill et al. 2020, "SEARCH").
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regularized {
    /// c, above 0.
    pub c: f64,
    /// Draws moves from the policy, by the search's seed; else takes the move whose share of visits
    /// is furthest below it.
    pub sample: bool,
}

/// Order of moves with equal priors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieBreak {
    /// The lowest move first.
    LowestMove,
    /// A random order a node, drawn from the search's seed: for searches without priors, which
    /// would else lean to the first columns.
    Random,
}

impl Selection {
    pub(super) fn validate(
        &self,
        range: impl Fn(bool, &'static str, &'static str) -> Result<(), ParamsError>,
    ) -> Result<(), ParamsError> {
        let puct = |puct: &Puct| {
            range(puct.exploration.c >= 0.0, "c_puct", "at least 0")?;
            range(puct.exploration.c_base > 0.0, "c_base", "above 0")
        };
        match self {
            Self::Puct(params) => puct(params),
            Self::Ucb1 => Ok(()),
            Self::Uct { c } => range(*c >= 0.0, "c_uct", "at least 0"),
            Self::Rave(rave) => {
                let fine = !matches!(rave.schedule, RaveSchedule::Equivalence { k } if k <= 0.0);
                range(fine, "rave_k", "above 0")
            }
            Self::Gumbel(gumbel) => {
                range(gumbel.considered > 0, "gumbel_considered", "at least 1")?;
                match &gumbel.inner {
                    GumbelInner::Improved => Ok(()),
                    GumbelInner::Puct(params) => puct(params),
                }
            }
            Self::Regularized(regularized) => range(regularized.c > 0.0, "c_puct", "above 0"),
        }
    }
}
