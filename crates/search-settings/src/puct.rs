//! The numbers of PUCT.

use serde::{Deserialize, Serialize};

/// PUCT: Q + c(s) f P sqrt(s + offset) / (1 + N(a)) (Silver et al. 2017, Methods).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Puct {
    /// c(s), which may grow with the logarithm of visits.
    pub exploration: Exploration,
    /// f, which follows how much the values below a node vary; none is 1.
    pub variance: Option<DynamicVariance>,
    /// Added to s under the root, at least 0: KataGo 0.01, AlphaGo and AlphaGo Zero 0, AlphaZero's
    /// pseudo-code 1. Above 0 the first choice at a node weighs priors against first-play values;
    /// at 0 it does not. Where values are split, nothing is added.
    #[serde(default = "katago_offset", skip_serializing_if = "is_katago_offset")]
    pub offset: f64,
}

fn katago_offset() -> f64 {
    Puct::OFFSET
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_katago_offset(offset: &f64) -> bool {
    *offset == Puct::OFFSET
}

impl Puct {
    /// KataGo's offset, the default (`TOTALCHILDWEIGHT_PUCT_OFFSET`).
    pub const OFFSET: f64 = 0.01;

    /// With an exploration that does not grow.
    pub const fn constant(c: f64) -> Self {
        Self { exploration: Exploration::constant(c), variance: None, offset: Self::OFFSET }
    }

    /// The first number outside its range: its key, and what it may be.
    pub(crate) fn fault(&self) -> Option<(&'static str, &'static str)> {
        if self.exploration.c.is_nan() || self.exploration.c < 0.0 {
            return Some(("c_puct", "at least 0"));
        }
        if self.offset.is_nan() || self.offset < 0.0 {
            return Some(("puct_offset", "at least 0"));
        }
        let fine = self.exploration.c_base > 0.0;
        (!fine).then_some(("c_base", "above 0"))
    }
}

impl Default for Puct {
    fn default() -> Self {
        Self::constant(1.5)
    }
}

/// Growth of the exploration factor with visits: `c(N) = c + c_log ln((N + c_base) / c_base)`,
/// KataGo's form (`cpuctExploration`, `cpuctExplorationLog`, `cpuctExplorationBase`).
///
/// There N is s, the sum of edge visits, and self-play uses c = 1.05, `c_log` = 0.28, `c_base`
/// = 500. AlphaGo Zero's constant (Silver et al. 2017, Methods) is `c_log` = 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// The factor at N = 0, above 0.
    pub c: f64,
    /// Weight of the logarithm, at least 0.
    pub c_log: f64,
    /// Visits after which the logarithm is ln 2, above 0.
    pub c_base: f64,
}

impl Exploration {
    /// AlphaZero (Silver et al. 2018, supplementary pseudo-code): ln((N' + 1 + 19652) / 19652) +
    /// 1.25 with N' = s + 1 visits of the node. With N = N' + 1 = s + 2 this form is the same
    /// number.
    pub const ALPHA_ZERO: Self = Self { c: 1.25, c_log: 1.0, c_base: 19_652.0 };
    /// lc0's defaults of 2026 (`CPuct`, `CPuctFactor`, `CPuctBase`), N the node's visits, s + 1; it
    /// takes the root of max(s, 1) below.
    pub const LC0: Self = Self { c: 1.745, c_log: 3.894, c_base: 38_739.0 };

    /// No growth: the same `c` at any number of visits.
    pub const fn constant(c: f64) -> Self {
        Self { c, c_log: 0.0, c_base: 1.0 }
    }
}

/// Exploration in proportion to how much the values below a node vary (KataGo, "dynamic
/// variance-scaled cPUCT", KataGoMethods.md): about +75 Elo together with uncertainty weights, by
/// its author.
///
/// KataGo's engines use prior 0.40, `prior_weight` 2, scale 0.85; its raw defaults are 0.25, 1, 0
/// (off).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DynamicVariance {
    /// Standard deviation assumed before evidence, above 0 (`cpuctUtilityStdevPrior`).
    pub prior: f64,
    /// What that assumption weighs in visits, at least 0 (`cpuctUtilityStdevPriorWeight`).
    pub prior_weight: f64,
    /// Share of the effect in [0, 1]: 0 is none (`cpuctUtilityStdevScale`).
    pub scale: f64,
}
