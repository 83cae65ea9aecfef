//! The budget of a search, from the command line.

use std::time::Duration;

use clap::ArgGroup;
use dz_search::Budget;

use crate::commands::seconds;

/// Playouts for each evaluation, at most. Playouts without an evaluation are free, and in a graph
/// that is completely known they would never end.
const PLAYOUTS_PER_EVALUATION: u32 = 1_000;

/// The budget, which has no default.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("limits").required(true).multiple(true))]
pub(super) struct BudgetArgs {
    /// Playouts, the one that evaluates the root included
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    playouts: Option<u32>,
    /// Visits of the root
    #[arg(long, value_name = "N", group = "limits", conflicts_with_all = ["playouts", "evaluations"],
        value_parser = clap::value_parser!(u32).range(1..))]
    visits: Option<u32>,
    /// Evaluations, and at most --playouts playouts, or else 1,000 for each
    #[arg(long, value_name = "N", group = "limits", value_parser = clap::value_parser!(u32).range(1..))]
    evaluations: Option<u32>,
    /// Seconds; the only budget under which two searches may differ
    #[arg(long, value_name = "S", group = "limits", value_parser = seconds,
        conflicts_with_all = ["playouts", "visits", "evaluations"])]
    seconds: Option<Duration>,
}

/// What ends a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// What it counts.
    pub(super) budget: Budget,
    /// The clock's share.
    pub(super) time: Option<Duration>,
}

#[cfg(feature = "serve")]
impl Limit {
    /// A number of playouts, and no time.
    pub(super) fn playouts(playouts: u32) -> Self {
        Self { budget: Budget::Playouts(playouts), time: None }
    }
}

impl BudgetArgs {
    pub(super) fn limit(&self) -> Limit {
        let budget = match (self.evaluations, self.visits, self.playouts) {
            (Some(evaluations), _, playouts) => {
                let most = evaluations.saturating_mul(PLAYOUTS_PER_EVALUATION);
                Budget::Evaluations { evaluations, playouts_max: playouts.unwrap_or(most) }
            }
            (None, Some(visits), _) => Budget::Visits(visits),
            (None, None, Some(playouts)) => Budget::Playouts(playouts),
            (None, None, None) => Budget::Open,
        };
        Limit { budget, time: self.seconds }
    }
}
