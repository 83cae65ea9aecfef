//! Findings about what self-play gives to training.

use dz_stats::wilson;

use super::finding::{Check, Finding, Rules, Severity};
use crate::count;
use crate::facts::CycleFacts;
use crate::measures::{Health, Sample};
use crate::report::Report;

/// Entropy of policies as a share of that of equal chances, below which it is an alarm, and a
/// warning. With seven moves 0.05 is one move with 98 % of the visits: such a target says no more
/// than the network knew.
const ENTROPY_ALARM: f64 = 0.05;
const ENTROPY_WARNING: f64 = 0.1;
/// A raw policy is sharper than what noise and search make of it, so less is asked of it.
const POLICY_ALARM: f64 = 0.02;
const POLICY_WARNING: f64 = 0.05;

/// Repeated games of a cycle, above which most games add nothing, and above which many do not.
const DUPLICATES_ALARM: f64 = 0.5;
const DUPLICATES_WARNING: f64 = 0.25;

/// With so few distinct beginnings of four plies all games are one opening or two, with so few not
/// many.
const OPENINGS_ALARM: u64 = 2;
const OPENINGS_WARNING: u64 = 8;
/// Fewer games show few openings by chance.
const OPENINGS_GAMES: u64 = 30;

/// Share of games that end at `selfplay.plies_max`, above which the value learns nothing but draws,
/// and above which it learns many draws that the rules do not give.
const CUT_ALARM: f64 = 0.9;
const CUT_WARNING: f64 = 0.5;

/// Champions that the window may reach back over: AlphaGo Zero sampled from the newest 500,000
/// games at 25,000 an iteration, that is 20 (Silver 2017, Methods, "Optimization" and "Self-play").
const STALE_GENERATIONS: u32 = 20;

/// Cycles whose measured resignations are taken together.
const RESIGN_CYCLES: usize = 5;

/// Whether searches still find more than one move.
pub(super) fn target_entropy(report: &Report) -> Finding {
    const CHECK: Check = Check {
        id: "target-entropy",
        threshold: "alarm below 0.05, warning below 0.1 of the entropy of equal chances: at 0.05 one of seven moves has 98 % \
                    of the visits; not where solved positions show that the policy is right, or ratings still rise",
        advice: "Raise selfplay.dirichlet_share, selfplay.temperature or search.c_puct, so that searches try other moves; with the \
                 target completed_q lower search.gumbel_c_scale.",
    };
    // Without a network nothing has collapsed: searches of generation 0 may be sure of their moves
    // because of many rollouts.
    let mut by_network = report.cycles.iter().rev().filter(|cycle| cycle.generation > Some(0));
    let newest = by_network.find_map(|cycle| cycle.health.as_ref());
    let Some(share) = newest.and_then(entropy_share) else {
        return CHECK.unjudged("No full searches by a network have been read yet.");
    };
    let severity = collapsed(report, share, ENTROPY_ALARM, ENTROPY_WARNING);
    let says = format!(
        "The policy targets of the newest games have {} of the entropy that equal chances would have.",
        count::percent(share)
    );
    CHECK.found(severity, says, [("share", share)])
}

/// Entropy of a cycle's targets over that of equal chances, 0 to 1; none where there is nothing to
/// choose.
fn entropy_share(health: &Health) -> Option<f64> {
    let even = health.target_entropy_even;
    (even > 0.0).then(|| health.target_entropy / even)
}

/// Whether the raw policy still holds more than one move possible, on the run's sample positions.
pub(super) fn policy_entropy(report: &Report) -> Finding {
    policy_entropy_of(report, samples_entropy(&report.measures.samples), "sample positions")
}

/// The same, where it was measured on other positions: a share of the entropy of equal chances, 0
/// to 1.
pub(super) fn policy_entropy_of(report: &Report, share: Option<f64>, positions: &str) -> Finding {
    const CHECK: Check = Check {
        id: "policy-entropy",
        threshold: "alarm below 0.02, warning below 0.05 of the entropy of equal chances; not where solved positions show that the \
                    policy is right, or ratings still rise",
        advice: "Look at target-entropy first; a policy that is sure of one move everywhere has stopped looking at the position.",
    };
    let Some(share) = share else {
        return CHECK.unjudged("No champion has been asked about positions yet.");
    };
    let severity = collapsed(report, share, POLICY_ALARM, POLICY_WARNING);
    let says = format!(
        "On the run's {positions} the raw policy has {} of the entropy that equal chances would have.",
        count::percent(share)
    );
    CHECK.found(severity, says, [("share", share)])
}

/// Mean over positions of the newest champion's entropy over that of equal chances.
fn samples_entropy(samples: &[Sample]) -> Option<f64> {
    let shares: Vec<f64> = samples
        .iter()
        .filter_map(|sample| {
            let policy = &sample.views.last()?.position.policy;
            let total: f64 = policy.iter().map(|(_, share)| share).sum();
            let parts = policy.iter().map(|(_, share)| share / total).filter(|&share| share > 0.0);
            let entropy = -parts.map(|share| share * share.ln()).sum::<f64>();
            (policy.len() > 1 && total > 0.0).then(|| entropy / (policy.len() as f64).ln())
        })
        .collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// How bad little entropy is: nothing where the policy is known to be right or the champions still
/// gain.
fn collapsed(report: &Report, share: f64, alarm: f64, warning: f64) -> Severity {
    if share >= warning || report.is_solved() || report.still_rises() {
        Severity::Fine
    } else if share >= alarm {
        Severity::Warning
    } else {
        Severity::Alarm
    }
}

/// Whether games of a cycle repeat each other.
pub(super) fn duplicated(cycles: &[CycleFacts]) -> Finding {
    const CHECK: Check = Check {
        id: "duplicated-games",
        threshold: "alarm above half of the games, where most rows are copies; warning above a quarter",
        advice: "Raise selfplay.opening_plies_max or selfplay.temperature, so that games differ; in a game as small as tic-tac-toe play fewer games a cycle.",
    };
    let Some(health) = newest_health(cycles) else {
        return CHECK.unjudged("No shard has been read yet.");
    };
    let share = health.duplicates as f64 / health.games as f64;
    let severity = Severity::above(share, DUPLICATES_WARNING, DUPLICATES_ALARM);
    let says = format!(
        "{} of the newest cycle's {} repeat another one move by move.",
        count::percent(share),
        count::plural(health.games, "game")
    );
    CHECK.found(severity, says, [("share", share), ("games", health.games as f64)])
}

/// Whether all games open alike.
pub(super) fn openings(cycles: &[CycleFacts]) -> Finding {
    const CHECK: Check = Check {
        id: "openings",
        threshold: "alarm with at most 2, warning with fewer than 8 distinct beginnings of four plies, from 30 games on",
        advice: "Raise selfplay.opening_plies_max or selfplay.temperature: training sees one opening only.",
    };
    let Some(health) = newest_health(cycles).filter(|health| health.games >= OPENINGS_GAMES) else {
        return CHECK.unjudged("Fewer than 30 games of a cycle have been read.");
    };
    let severity = match health.openings {
        ..=OPENINGS_ALARM => Severity::Alarm,
        n if n < OPENINGS_WARNING => Severity::Warning,
        _ => Severity::Fine,
    };
    let says = format!(
        "The newest cycle's {} begin in {} of four plies.",
        count::plural(health.games, "game"),
        count::plural(health.openings, "way")
    );
    let figures = [("openings", health.openings as f64), ("games", health.games as f64)];
    CHECK.found(severity, says, figures)
}

/// Whether games come to an end by the rules.
pub(super) fn cut(cycles: &[CycleFacts]) -> Finding {
    const CHECK: Check = Check {
        id: "cut-games",
        threshold: "alarm above nine tenths of the games, where nearly all results are the limit's and none of the game's; \
                    warning above half",
        advice: "Raise selfplay.plies_max: a game that it ends counts as a draw, so the value learns that everything is drawn.",
    };
    let Some(health) = newest_health(cycles) else {
        return CHECK.unjudged("No shard has been read yet.");
    };
    let share = health.at_limit as f64 / health.games as f64;
    let severity = Severity::above(share, CUT_WARNING, CUT_ALARM);
    let says = format!(
        "{} of the newest cycle's {} ended at selfplay.plies_max.",
        count::percent(share),
        count::plural(health.games, "game")
    );
    CHECK.found(severity, says, [("share", share), ("games", health.games as f64)])
}

fn newest_health(cycles: &[CycleFacts]) -> Option<&Health> {
    let mut known = cycles.iter().rev().filter_map(|cycle| cycle.health.as_ref());
    known.find(|health| health.games > 0)
}

/// Whether training samples from games that are still informative about the current champion.
pub(super) fn stale(cycles: &[CycleFacts]) -> Finding {
    const CHECK: Check = Check {
        id: "stale-data",
        threshold: "alarm where a cycle brought no new rows; warning where more than half of the window's games are by champions \
                    more than 20 generations old (AlphaGo Zero's window held the games of 20 iterations, Silver 2017)",
        advice: "Play more games a cycle, or lower window.rows_min or window.rows_per_new_row, so that old games leave the window.",
    };
    let Some((place, rows)) = cycles
        .iter()
        .enumerate()
        .rev()
        .find_map(|(place, cycle)| Some((place, cycle.rows.as_ref()?)))
    else {
        return CHECK.unjudged("No rows have been made yet.");
    };
    let newest = cycles[place].generation.unwrap_or(0);
    let mut left = rows.window_games;
    let mut old = 0;
    let mut oldest = newest;
    for cycle in cycles[..=place].iter().rev() {
        let games = cycle.selfplay.as_ref().map_or(0, |s| s.games).min(left);
        let generation = cycle.generation.unwrap_or(0);
        if games > 0 {
            oldest = oldest.min(generation);
        }
        if newest.saturating_sub(generation) > STALE_GENERATIONS {
            old += games;
        }
        left -= games;
    }
    let share = old as f64 / rows.window_games.max(1) as f64;
    let severity = match (rows.new_rows, share) {
        (0, _) => Severity::Alarm,
        (_, share) if share > 0.5 => Severity::Warning,
        _ => Severity::Fine,
    };
    let back = newest.saturating_sub(oldest);
    let says = format!(
        "Cycle {} added {} to a window that reaches back over {}.",
        cycles[place].cycle,
        count::plural(rows.new_rows, "row"),
        count::plural(u64::from(back), "champion")
    );
    let figures = [
        ("new_rows", rows.new_rows as f64),
        ("generations_back", f64::from(back)),
        ("old_share", share),
    ];
    CHECK.found(severity, says, figures)
}

/// Whether players resign games that they would not have lost.
pub(super) fn resignation(cycles: &[CycleFacts], rules: &Rules) -> Finding {
    const CHECK: Check = Check {
        id: "resign-false-positives",
        threshold: "alarm where the lower end of the share's 95 % interval (Wilson) is above \
                    selfplay.resign_false_positives_max, warning where the share itself is",
        advice: "Lower the threshold of selfplay.resign, or let it adapt: { adaptive = -0.8 }.",
    };
    let measured: Vec<_> = cycles
        .iter()
        .rev()
        .filter_map(|cycle| cycle.selfplay.as_ref()?.resign.as_ref())
        .filter(|resign| resign.played_on > 0)
        .take(RESIGN_CYCLES)
        .collect();
    if measured.is_empty() {
        return CHECK.unjudged("Nobody resigns, or no game was played on to measure it.");
    }
    let wrong = measured.iter().map(|resign| resign.wrong).sum();
    let games: u64 = measured.iter().map(|resign| resign.played_on).sum();
    let interval = wilson(wrong, games);
    let most = rules.resign_wrong_max;
    let severity = match interval {
        i if i.lo95 > most => Severity::Alarm,
        i if i.share > most => Severity::Warning,
        _ => Severity::Fine,
    };
    let says = format!(
        "In {} of {} that were played on, who would have resigned did not lose (95 %: {} to {}; {} is configured).",
        count::percent(interval.share),
        count::plural(games, "game"),
        count::percent(interval.lo95),
        count::percent(interval.hi95),
        count::percent(most)
    );
    let figures = [("share", interval.share), ("lo95", interval.lo95), ("allowed", most)];
    CHECK.found(severity, says, figures)
}
