//! What a cycle's games came to and what they cost.

use std::time::Duration;

use dz_store::{LoadSummary, SelfplaySummary};
use serde::{Deserialize, Serialize};

use crate::{CycleTally, resign};

/// What the games of a cycle cost: of all processes that played some of them, as far as is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Costs {
    playouts: u64,
    evaluations: u64,
    cache_hits: u64,
    transpositions: u64,
    batches: u64,
    /// Evaluations in batches, and places that the batches had.
    batched: u64,
    places: u64,
}

impl Costs {
    /// These with what this process added.
    pub(crate) const fn with(self, tally: &CycleTally) -> Self {
        let search = &tally.search;
        let lockstep = &tally.lockstep;
        Self {
            playouts: self.playouts + search.playouts,
            evaluations: self.evaluations + search.evaluations,
            cache_hits: self.cache_hits + search.cache_hits,
            transpositions: self.transpositions + search.transpositions,
            batches: self.batches + lockstep.batches,
            batched: self.batched + lockstep.evaluations,
            places: self.places + lockstep.places,
        }
    }
}

/// The summary of games that came to `total` and cost so much; time, evaluator, resignation and
/// load are for the caller to add.
pub(crate) fn summary(total: &CycleTally, costs: &Costs) -> SelfplaySummary {
    SelfplaySummary {
        games: total.games,
        positions: total.positions,
        playouts: costs.playouts,
        evaluations: costs.evaluations,
        cache_hits: costs.cache_hits,
        transpositions: costs.transpositions,
        batches: costs.batches,
        batch_fill: costs.batched as f64 / costs.places.max(1) as f64,
        wins_first: total.results[0],
        draws: total.results[1],
        wins_second: total.results[2],
        plies_mean: total.plies as f64 / total.games.max(1) as f64,
        ..SelfplaySummary::default()
    }
}

/// Parts of this process's time; `None` where nothing was evaluated in batches.
pub(crate) fn load(tally: &CycleTally) -> Option<LoadSummary> {
    let times = &tally.times;
    let share = |part: Duration| part.as_secs_f64() / times.running.as_secs_f64().max(1e-9);
    let evaluations = tally.lockstep.evaluations;
    (evaluations > 0).then(|| LoadSummary {
        device_share: share(times.in_flight),
        waiting_share: share(times.waiting),
        host_us: times.hosting.as_secs_f64() * 1e6 / evaluations as f64,
    })
}

/// The cycle in one line for people. It names what limited the speed, unless that also limited
/// `previous`, the cycle before.
pub(crate) fn line(
    summary: &SelfplaySummary,
    previous: Option<&SelfplaySummary>,
    generation: u32,
    reanalyzed: u64,
) -> String {
    let seconds = (summary.wall_ms as f64 / 1000.0).max(1e-3);
    let played = dz_stage::number_text(summary.playouts as f64 / seconds);
    let evaluated = dz_stage::number_text(summary.evaluations as f64 / seconds);
    let batches = if summary.batches == 0 {
        String::new()
    } else {
        format!(", batches {:.0} % full", 100.0 * summary.batch_fill)
    };
    let known = previous.and_then(SelfplaySummary::bottleneck_kind);
    let news = summary.bottleneck().filter(|_| summary.bottleneck_kind() != known);
    let bottleneck = news.map(|text| format!(". {text}")).unwrap_or_default();
    let resigned = summary.resign.as_ref().map(resign::line).unwrap_or_default();
    let anew = match reanalyzed {
        0 => String::new(),
        count => format!(" ({} of them reanalyzed)", dz_stage::count_text(count)),
    };
    format!(
        "generation {generation} played {} games{anew} of {:.1} plies, {} positions recorded; first player won \
         {:.0} %, drew {:.0} %; {played} playouts/s, {evaluated} evaluations/s{batches}{resigned}{bottleneck}",
        dz_stage::count_text(summary.games),
        summary.plies_mean,
        dz_stage::count_text(summary.positions),
        100.0 * summary.wins_first as f64 / summary.games.max(1) as f64,
        100.0 * summary.draws as f64 / summary.games.max(1) as f64,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_named_once() {
        let cycle = |device_share: f64| SelfplaySummary {
            games: 2,
            positions: 30,
            batches: 1,
            batch_fill: 1.0,
            evaluator: "0123-cpu-f32".to_owned(),
            load: Some(LoadSummary { device_share, waiting_share: 0.0, host_us: 1.0 }),
            ..SelfplaySummary::default()
        };
        let says = |previous: Option<&SelfplaySummary>| line(&cycle(0.9), previous, 3, 0);
        assert!(says(None).starts_with("generation 3 played 2 games of 0.0 plies, 30 positions"));
        assert!(
            says(None).contains("run.device") && says(Some(&cycle(0.1))).contains("run.device")
        );
        assert!(!says(Some(&cycle(0.8))).contains("run.device"));
    }
}
