//! The settings that hold for a search's lifetime.

use serde::{Deserialize, Serialize};

use crate::fpu::FirstPlay;
use crate::graph::{Backup, CatchUp, Revisit, Staleness, Terminals};
use crate::leaves::{EdgeValues, Expansion, Grow, InFlight, LeafValue, Untried};
use crate::rollout::RolloutPolicy;
use crate::score_utility::ScoreUtility;
use crate::selection::{EpsilonSchedule, ExplorationTerm, RaveSchedule, Selection, TieBreak};
use crate::uncertainty::UncertaintyWeights;
use crate::value_bias::ValueBias;

/// The settings of a search. They hold for a search's lifetime; budget and root are set up for each
/// move. All settings are options of one algorithm: none of them selects another implementation.
///
/// ```
/// use dz_search_settings::{Backup, ParamsError, SearchParams, Selection, Staleness};
///
/// let uct = SearchParams { selection: Selection::Uct { c: 1.4 }, ..SearchParams::default() };
/// assert_eq!(uct.validate(), Ok(()));
///
/// let averages = SearchParams {
///     backup: Backup::Incremental,
///     staleness: Staleness::Ancestors,
///     ..SearchParams::default()
/// };
/// assert_eq!(averages.validate(), Err(ParamsError::StaleAverages));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct SearchParams {
    /// One node a position; `false` gives every path a node of its own (tree search).
    pub graph: bool,
    /// The formula that picks moves inside the graph.
    pub selection: Selection,
    /// What stands under the root of the exploration terms of UCT and RAVE.
    #[serde(default, skip_serializing_if = "ExplorationTerm::is_log")]
    pub exploration: ExplorationTerm,
    /// What an unvisited move counts as.
    pub fpu: FirstPlay,
    /// Which of several moves with equal scores comes first.
    pub tie_break: TieBreak,
    /// The epsilon trick: a selection holds for several visits, its own included (L. Lew,
    /// computer-go list, January 2007).
    pub epsilon: EpsilonSchedule,
    /// Every move starts as if it had been visited so often at its heuristic value (Gelly and
    /// Silver 2007: 50); 0 is off. The value comes with the evaluation, or else is the first-play
    /// value.
    pub equivalent_visits: u32,
    /// How a playout changes the nodes on its path.
    pub backup: Backup,
    /// Which other nodes are recomputed.
    pub staleness: Staleness,
    /// What happens at a child with more visits than the edge to it.
    pub catch_up: CatchUp,
    /// What visits of a finished game count.
    pub terminals: Terminals,
    /// What a playout is worth that comes back to a position on its own path.
    pub revisit: Revisit,
    /// Propagates outcomes that are certain, and never searches below them again (Winands,
    /// Bjornsson and Saito 2008, here with lower and upper bounds, so that draws count too).
    pub prove: bool,
    /// Corrects network values by their errors elsewhere in the graph; `None` is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_bias: Option<ValueBias>,
    /// Value of points beside winning; `None` is no value. It has no effect in games without
    /// points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_utility: Option<ScoreUtility>,
    /// Weighs visits by how sure the network is of its values; `None` counts all alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<UncertaintyWeights>,
    /// Share of the optimistic policy in the priors, 0 to 1. Searches do not read it: networks are
    /// loaded with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub policy_optimism: f64,
    /// What a leaf is worth.
    pub leaf_value: LeafValue,
    /// How rollouts move; the search itself plays none.
    #[serde(default, skip_serializing_if = "RolloutPolicy::is_uniform")]
    pub rollout: RolloutPolicy,
    /// Rollouts from a leaf, at least 1: its value is the mean of their outcomes, and each counts
    /// a visit on the path.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub leaf_rollouts: u32,
    /// Which move a walk takes where some were never tried.
    #[serde(default, skip_serializing_if = "Untried::is_score")]
    pub untried: Untried,
    /// What a rollout adds to the graph.
    #[serde(default, skip_serializing_if = "Grow::is_leaf")]
    pub grow: Grow,
    /// How edges keep network values and rollout outcomes.
    #[serde(default, skip_serializing_if = "EdgeValues::is_average")]
    pub edge_values: EdgeValues,
    /// When a leaf gets children.
    pub expansion: Expansion,
    /// Leaves that may wait for their evaluations at once, at least 1.
    pub leaves_max: u32,
    /// How a leaf that waits keeps others off its path.
    pub in_flight: InFlight,
    /// Walks that may stand before a leaf that waits: each keeps its virtual visits until that leaf
    /// is answered, so that the next one goes another way. 0 gathers nothing more once a walk met
    /// such a leaf.
    pub collisions_max: u32,
    /// Evaluators' priors are raised to this power and scaled to sum 1 (AlphaGo's softened policy:
    /// 0.67; Silver et al. 2016, Methods); 1 leaves them.
    pub prior_exponent: f64,
    /// Keeps second moments of values, for the choice by lower confidence bounds; dynamic variance
    /// keeps them anyway.
    pub moments: bool,
    /// Keeps every node's position and panics where two share a key: for tests and debug builds.
    pub check_states: bool,
    /// The most nodes that a search may hold beside its root; it is decided when they are used up.
    pub nodes_max: u32,
}

/// Settings that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParamsError {
    /// Running averages cannot be recomputed from children.
    #[error(
        "search.staleness needs search.backup \"idempotent\" or \"delta\": a running average cannot be recomputed from children; take staleness \"path\""
    )]
    StaleAverages,
    /// A leaf below the threshold lives on rollouts.
    #[error(
        "search.expansion above 0 needs rollouts at leaves: set search.leaf_value to \"rollout\" or to a mix"
    )]
    ThresholdWithoutRollouts,
    /// A draw on a cycle is an edge's count, which a running average does not see.
    #[error("search.revisit \"draw\" needs search.backup \"idempotent\" or \"incremental\"")]
    DrawsInDelta,
    /// The two halves of a split value are a rollout's and a network's.
    #[error(
        "search.edge_values \"split\" needs rollouts at leaves: set search.leaf_value to a mix or to \"rollout\""
    )]
    SplitWithoutRollouts,
    /// Both halves are recomputed from children.
    #[error(
        "search.edge_values \"split\" needs search.backup \"idempotent\", which in a tree gives the sums of AlphaGo"
    )]
    SplitBackup,
    /// A draw on a cycle belongs to neither half.
    #[error("search.edge_values \"split\" needs search.revisit \"count\"")]
    DrawsInSplit,
    /// An error is a network's, and enters the recursion over children.
    #[error(
        "search.value_bias_lambda above 0 corrects network values where they are averaged: it needs search.leaf_value \"network\" and search.backup \"idempotent\""
    )]
    BiasElsewhere,
    /// Points come from a network, and their utility is averaged over children.
    #[error(
        "search.score_utility_static and search.score_utility_dynamic need search.selection \"puct\", search.leaf_value \"network\" and search.backup \"idempotent\": set them to 0 with others"
    )]
    ScoreElsewhere,
    /// Errors come from a network, and weights are those of PUCT.
    #[error(
        "search.uncertainty_coeff needs search.selection \"puct\", search.leaf_value \"network\" and search.backup \"idempotent\": set it to 0 with others"
    )]
    UncertaintyElsewhere,
    /// Other formulas have terms of their own.
    #[error(
        "search.exploration \"printed\" is for search.selection \"puct\" or \"uct\", or \"rave\" with search.rave_schedule \"equivalence\""
    )]
    PrintedElsewhere,
    /// Rollouts that nobody plays.
    #[error(
        "search.leaf_rollouts above 1 needs rollouts at leaves: set search.leaf_value to \"rollout\" or to a mix"
    )]
    RolloutsUnused,
    /// An episode's positions have outcomes only.
    #[error(
        "search.grow \"episode\" needs search.leaf_value \"rollout\", search.expansion 0, search.edge_values \"average\" and search.backup \"idempotent\" or \"incremental\""
    )]
    EpisodeElsewhere,
    /// These selections have an order of their own for moves that were never tried.
    #[error(
        "search.untried \"rollout\" is for search.selection \"uct\", \"ucb1\", \"rave\" or \"puct\""
    )]
    UntriedElsewhere,
    /// No leaf could ever be opened.
    #[error("search.leaves_max must be at least 1")]
    NoLeaves,
    /// A number outside its range.
    #[error("search.{key} must be {allowed}")]
    Range {
        /// The setting.
        key: &'static str,
        /// What it may be.
        allowed: &'static str,
    },
}

impl SearchParams {
    /// Checks what types cannot say.
    ///
    /// # Errors
    /// Which settings contradict each other, and what to set instead.
    pub fn validate(&self) -> Result<(), ParamsError> {
        if self.leaves_max == 0 {
            return Err(ParamsError::NoLeaves);
        }
        if self.backup == Backup::Incremental && self.staleness != Staleness::Path {
            return Err(ParamsError::StaleAverages);
        }
        if matches!(self.backup, Backup::Delta { .. }) && self.revisit == Revisit::Draw {
            return Err(ParamsError::DrawsInDelta);
        }
        if self.expansion != Expansion::FirstVisit && self.leaf_value == LeafValue::Network {
            return Err(ParamsError::ThresholdWithoutRollouts);
        }
        if self.edge_values == EdgeValues::Split {
            self.validate_split()?;
        }
        self.validate_rollouts()?;
        if let Some(bias) = self.value_bias {
            if self.leaf_value != LeafValue::Network || self.backup != Backup::Idempotent {
                return Err(ParamsError::BiasElsewhere);
            }
            if let Some((key, allowed)) = bias.fault() {
                return Err(ParamsError::Range { key, allowed });
            }
        }
        self.validate_network_numbers()?;
        let is_printed = match self.selection {
            Selection::Uct { .. } | Selection::Puct(_) => true,
            Selection::Rave(rave) => matches!(rave.schedule, RaveSchedule::Equivalence { .. }),
            _ => false,
        };
        if self.exploration == ExplorationTerm::Printed && !is_printed {
            return Err(ParamsError::PrintedElsewhere);
        }
        if let CatchUp::Leak(p) = self.catch_up {
            range((0.0..=1.0).contains(&p), "catch_up", "a leak from 0 to 1")?;
        }
        if let LeafValue::Mix { rollout_share } = self.leaf_value {
            range((0.0..=1.0).contains(&rollout_share), "leaf_value", "a share from 0 to 1")?;
        }
        range(self.prior_exponent > 0.0, "prior_exponent", "above 0")?;
        match self.selection.fault() {
            Some((key, allowed)) => Err(ParamsError::Range { key, allowed }),
            None => Ok(()),
        }
    }
}

impl SearchParams {
    fn validate_rollouts(&self) -> Result<(), ParamsError> {
        range(self.leaf_rollouts >= 1, "leaf_rollouts", "at least 1")?;
        if self.leaf_rollouts > 1 && self.leaf_value == LeafValue::Network {
            return Err(ParamsError::RolloutsUnused);
        }
        let has_outcomes_only = self.leaf_value == LeafValue::Rollout
            && self.expansion == Expansion::FirstVisit
            && self.edge_values == EdgeValues::Average
            && !matches!(self.backup, Backup::Delta { .. });
        if self.grow == Grow::Episode && !has_outcomes_only {
            return Err(ParamsError::EpisodeElsewhere);
        }
        let orders_untried =
            matches!(self.selection, Selection::Gumbel(_) | Selection::Regularized(_));
        if self.untried == Untried::Rollout && orders_untried {
            return Err(ParamsError::UntriedElsewhere);
        }
        Ok(())
    }

    /// Settings that use numbers of the network beside its value.
    fn validate_network_numbers(&self) -> Result<(), ParamsError> {
        let is_puct = matches!(self.selection, Selection::Puct(_));
        let is_network = self.leaf_value == LeafValue::Network;
        let fits = is_puct && is_network && self.backup == Backup::Idempotent;
        if self.score_utility.is_some() && !fits {
            return Err(ParamsError::ScoreElsewhere);
        }
        if self.uncertainty.is_some() && !fits {
            return Err(ParamsError::UncertaintyElsewhere);
        }
        let optimism = self.policy_optimism;
        range((0.0..=1.0).contains(&optimism), "policy_optimism", "a share from 0 to 1")?;
        let fault = self.score_utility.and_then(|score| score.fault());
        let fault = fault.or_else(|| self.uncertainty.and_then(|weights| weights.fault()));
        match fault {
            Some((key, allowed)) => Err(ParamsError::Range { key, allowed }),
            None => Ok(()),
        }
    }

    fn validate_split(&self) -> Result<(), ParamsError> {
        if self.leaf_value == LeafValue::Network {
            return Err(ParamsError::SplitWithoutRollouts);
        }
        if self.backup != Backup::Idempotent {
            return Err(ParamsError::SplitBackup);
        }
        if self.revisit == Revisit::Draw { Err(ParamsError::DrawsInSplit) } else { Ok(()) }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

/// Returns 1, what files of matches leave out.
fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_one(count: &u32) -> bool {
    *count == 1
}

fn range(fine: bool, key: &'static str, allowed: &'static str) -> Result<(), ParamsError> {
    if fine { Ok(()) } else { Err(ParamsError::Range { key, allowed }) }
}
