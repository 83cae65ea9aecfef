//! Findings about matches: gate and ratings.

use dz_stats::{Pentanomial, ScoreInterval};

use super::finding::{Check, Finding, Severity};
use crate::count;
use crate::facts::{CycleFacts, PlayerFacts};
use crate::report::{FORGOTTEN, Report};

/// Refusals in a row that are worth a look: candidates no better than the champion pass a gate at
/// 0.55 of a hundred games about one time in six, so five in a row are refused by chance four times
/// in ten.
const REFUSED_WARNING: u64 = 5;
/// Refusals in a row that are not chance any more: one time in forty by the same count.
const REFUSED_ALARM: u64 = 20;
/// The score of refused candidates is low because they were refused; below this it is lower than
/// that explains.
const REFUSED_SCORE: f64 = 0.45;

/// Whether no candidate becomes champion.
pub(super) fn gate_stuck(cycles: &[CycleFacts]) -> Finding {
    const CHECK: Check = Check {
        id: "gate-stuck",
        threshold: "warning from 5 refusals in a row; alarm from 20, or where the candidates' score in all those matches together is below \
                    0.45 with its whole 95 % interval, so that training makes them weaker",
        advice: "Where the score is near a half, give the gate more games or a lower gate.score_min; where it is far below, look at \
                 overfitting and loss-rising and lower training.learning_rate.",
    };
    let judged: Vec<&CycleFacts> = cycles.iter().filter(|cycle| cycle.verdict.is_some()).collect();
    if judged.is_empty() {
        return CHECK.unjudged("No candidate has been judged yet.");
    }
    let refused = |cycle: &&&CycleFacts| cycle.verdict.as_ref().is_some_and(|v| !v.accepted);
    let streak: Vec<&CycleFacts> = judged.iter().rev().take_while(refused).copied().collect();
    let count = streak.len() as u64;
    let mut pairs = Pentanomial::default();
    for gate in streak.iter().filter_map(|cycle| cycle.gate.as_ref()) {
        for (sum, count) in pairs.0.iter_mut().zip(gate.result.pairs) {
            *sum += count;
        }
    }
    let ScoreInterval { score, lo95, hi95, .. } = pairs.interval();
    let weaker = pairs.pairs() > 0 && hi95.0 < REFUSED_SCORE;
    let severity = match count {
        ..REFUSED_WARNING => Severity::Fine,
        REFUSED_ALARM.. => Severity::Alarm,
        _ if weaker => Severity::Alarm,
        _ => Severity::Warning,
    };
    let says = match count {
        0 => "The newest candidate became champion.".to_owned(),
        _ => format!(
            "The newest {} refused; together they scored {} against the champion (95 %: {} to {}).",
            if count == 1 {
                "candidate was".to_owned()
            } else {
                format!("{count} candidates were")
            },
            count::loss(score.0),
            count::loss(lo95.0),
            count::loss(hi95.0)
        ),
    };
    let figures =
        [("refused", count as f64), ("score", score.0), ("lo95", lo95.0), ("hi95", hi95.0)];
    CHECK.found(severity, says, figures)
}

/// Whether the gate's match is a few games over and over.
pub(super) fn repeated_gate(cycles: &[CycleFacts]) -> Finding {
    const CHECK: Check = Check {
        id: "repeated-gate-games",
        threshold: "alarm above half of the games: openings are distinct, so at most the second game of a pair can repeat the first",
        advice: "Raise gate.opening_plies: there are fewer openings than pairs, and the score counts the same games again.",
    };
    let Some((cycle, result)) = cycles
        .iter()
        .rev()
        .find_map(|cycle| Some((cycle.cycle, &cycle.gate.as_ref()?.result)))
        .filter(|(_, result)| result.games > 0)
    else {
        return CHECK.unjudged("No gate match has been played yet.");
    };
    let share = result.duplicates as f64 / result.games as f64;
    let severity = if share > 0.5 { Severity::Alarm } else { Severity::Fine };
    let says = format!(
        "{} of the {} of cycle {cycle}'s gate repeat another one.",
        count::percent(share),
        count::plural(result.games, "game")
    );
    CHECK.found(severity, says, [("share", share), ("games", result.games as f64)])
}

/// Rated champions after which one should be better than random moves.
const CHAMPIONS_MIN: usize = 3;

/// Elo above random moves that the weakest network which learned something has; the ones of this
/// repository's presets had 300 and more after their first cycle.
const LEARNED_ELO: f64 = 100.0;

/// Whether anything has been learned at all.
pub(super) fn learning(report: &Report) -> Finding {
    const CHECK: Check = Check {
        id: "no-better-than-random",
        threshold: "from the third champion on: alarm where the newest is surely less than 100 Elo above the weakest anchor (a score of 0.64), \
                    fine where it is surely above it",
        advice: "Nothing has been learned: run `dagzero doctor RUN`, whose symmetry and value-sign checks look at the network itself.",
    };
    let champions = report.champions();
    let (Some(champion), Some(weakest)) = (champions.last(), report.anchors().pop()) else {
        return CHECK.unjudged("No champion is rated against an anchor yet.");
    };
    if champions.len() < CHAMPIONS_MIN {
        return CHECK.unjudged("Fewer than three champions are rated.");
    }
    let gain = report.gain(champion, weakest);
    let elo = gain.elo.0;
    let error = gain.error95.0;
    let severity = match elo {
        elo if elo + error < LEARNED_ELO => Severity::Alarm,
        elo if elo > error => Severity::Fine,
        _ => {
            return CHECK.unjudged(
                "Too few rating games to compare the newest champion with random moves.",
            );
        }
    };
    let says = format!(
        "{} is at {} Elo against {}.",
        champion.name,
        count::elo_error(elo, error),
        weakest.name
    );
    CHECK.found(severity, says, [("elo", elo), ("error95", error)])
}

/// Chance of as large a loss by luck alone from which on it is an alarm.
const FORGOTTEN_ALARM: f64 = 0.001;

/// Whether the newest champion has lost what an earlier one knew.
pub(super) fn forgetting(report: &Report) -> Finding {
    const CHECK: Check = Check {
        id: "forgetting",
        threshold: "warning where luck alone would have one of so many earlier champions rated as far above the newest in less than one of \
                    40 cases; alarm below one of 1,000, or where their scores against the same anchor, or against each other, do not agree \
                    with the newest being as good, 95 % intervals apart",
        advice: "Keep playing with the earlier one (its file is in the table of networks), widen the window, or lower training.learning_rate.",
    };
    let champions = report.champions();
    let Some((newest, earlier)) = champions.split_last().filter(|(_, rest)| !rest.is_empty())
    else {
        return CHECK.unjudged("Fewer than two champions are rated.");
    };
    let Some(best) = earlier.iter().max_by(|a, b| a.elo.total_cmp(&b.elo)) else {
        return CHECK.unjudged("Fewer than two champions are rated.");
    };
    let gain = report.gain(best, newest);
    let elo = gain.elo.0;
    let error = gain.error95.0;
    let luck = report.luck(best, newest);
    let lost = lost_against(report, newest, best);
    let severity = match &lost {
        Some(_) => Severity::Alarm,
        None if luck < FORGOTTEN_ALARM => Severity::Alarm,
        None if luck < FORGOTTEN => Severity::Warning,
        None => Severity::Fine,
    };
    let says = lost.unwrap_or_else(|| {
        let than = if elo > 0.0 { "above" } else { "against" };
        format!(
            "The strongest earlier champion, {}, is rated {} Elo {than} the newest, {}.",
            best.name,
            count::elo_error(elo, error),
            newest.name
        )
    });
    CHECK.found(severity, says, [("elo_behind", elo), ("error95", error)])
}

/// In whose matches the newest champion does worse than the best earlier one, intervals apart:
/// their own, and those against the same anchor.
fn lost_against(report: &Report, newest: &PlayerFacts, best: &PlayerFacts) -> Option<String> {
    let met = |one: &str, other: &str| report.met(one, other);
    let text = |interval: ScoreInterval| {
        count::interval(count::real, [interval.score.0, interval.lo95.0, interval.hi95.0])
    };
    if let Some(own) = met(&newest.name, &best.name).filter(|own| own.hi95.0 < 0.5) {
        let new = &newest.name;
        let old = &best.name;
        return Some(format!("{new} scores {} against the earlier {old}.", text(own)));
    }
    report.anchors().iter().find_map(|anchor| {
        let now = met(&newest.name, &anchor.name)?;
        let then = met(&best.name, &anchor.name)?;
        (now.hi95.0 < then.lo95.0).then(|| {
            format!(
                "Against {} {} scores {}; the earlier {} scored {}.",
                anchor.name,
                newest.name,
                text(now),
                best.name,
                text(then)
            )
        })
    })
}

/// Cycles between the first raw policy and the newest, after which it should be better.
const POLICY_CYCLES: u32 = 5;
const POLICY_CYCLES_ALARM: u32 = 10;
/// Above this error, in Elo, a difference below the error is not judged: 16 games each between
/// equals leave 240; where both beat their opponents nearly always they leave 400 and more, and the
/// policy is far from useless.
const POLICY_ERROR95_MAX: f64 = 350.0;

/// Whether the network alone has become better than it was at first.
pub(super) fn raw_policy(report: &Report) -> Finding {
    const CHECK: Check = Check {
        id: "raw-policy",
        threshold: "five cycles after the first rated raw policy or later: warning where the newest is not rated above it, alarm where that \
                    is so with the whole 95 % interval, or after ten cycles; not where solved positions show that it is right, or \
                    where the difference has an error above 350 Elo that it does not exceed",
        advice: "The search may win while the network learns nothing: look at the losses, target-entropy and the value-sign of `dagzero doctor RUN`.",
    };
    let mut policies: Vec<(u32, &PlayerFacts)> =
        report.players.iter().filter_map(|player| Some((player.policy_cycle?, player))).collect();
    policies.sort_by_key(|&(cycle, _)| cycle);
    let (Some(&(from, first)), Some(&(to, newest))) = (policies.first(), policies.last()) else {
        return CHECK.unjudged("No raw policy is rated (rating.policy).");
    };
    if to - from < POLICY_CYCLES {
        return CHECK.unjudged("Fewer than five cycles lie between the rated raw policies.");
    }
    let gain = report.gain(newest, first);
    let elo = gain.elo.0;
    let error = gain.error95.0;
    if error > POLICY_ERROR95_MAX && elo.abs() < error && !report.is_solved() {
        let difference = count::elo_error(elo, error);
        return CHECK.unjudged(&format!(
            "Too little is known of the raw policies of cycles {from} and {to}, {difference} Elo apart."
        ));
    }
    let severity = match elo {
        _ if report.is_solved() => Severity::Fine,
        elo if elo > 0.0 => Severity::Fine,
        elo if elo + error < 0.0 || to - from >= POLICY_CYCLES_ALARM => Severity::Alarm,
        _ => Severity::Warning,
    };
    let says = format!(
        "The raw policy of cycle {to} is at {} Elo against that of cycle {from}.",
        count::elo_error(elo, error)
    );
    CHECK.found(severity, says, [("elo", elo), ("error95", error)])
}

/// Whether a search plays better than the network that it asks.
pub(super) fn search_gain(report: &Report) -> Finding {
    const CHECK: Check = Check {
        id: "search-gain",
        threshold: "alarm where the newest network is weaker with a search than its raw policy, warning where it is not rated above it; \
                    not where solved positions show that the raw policy is right",
        advice: "Look at the value-sign of `dagzero doctor RUN`: a search with a wrong value is worse than none; else raise rating.playouts.",
    };
    let both = report.players.iter().filter_map(|policy| {
        let cycle = policy.policy_cycle?;
        let network = report.players.iter().find(|player| player.cycle == Some(cycle))?;
        Some((cycle, network, policy))
    });
    let Some((cycle, network, policy)) = both.max_by_key(|&(cycle, ..)| cycle) else {
        return CHECK
            .unjudged("No network is rated both with a search and without (rating.policy).");
    };
    let gain = report.gain(network, policy);
    let elo = gain.elo.0;
    let error = gain.error95.0;
    let severity = match elo {
        _ if report.is_solved() => Severity::Fine,
        elo if elo + error < 0.0 => Severity::Alarm,
        elo if elo <= 0.0 => Severity::Warning,
        _ => Severity::Fine,
    };
    let says = format!(
        "In cycle {cycle} the search adds {} Elo to the raw policy.",
        count::elo_error(elo, error)
    );
    CHECK.found(severity, says, [("elo", elo), ("error95", error)])
}

impl Report {
    /// Whether the newest champion is surely above the one that stood a quarter of the champions
    /// before.
    pub(super) fn still_rises(&self) -> bool {
        let champions = self.champions();
        let back = champions.len().div_ceil(4);
        let Some((newest, earlier)) = champions.split_last() else { return false };
        let before = earlier.len().checked_sub(back).and_then(|place| earlier.get(place));
        before.is_some_and(|before| {
            let gain = self.gain(newest, before);
            gain.elo.0 > gain.error95.0
        })
    }

    /// The score of `one` over its rating pairs against `other`; `None` where they have not met.
    fn met(&self, one: &str, other: &str) -> Option<ScoreInterval> {
        let key = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let pairs = if let Some(result) = self.rated_matches.get(&key(one, other)) {
            result.pairs
        } else {
            let mut pairs = self.rated_matches.get(&key(other, one))?.pairs;
            pairs.reverse();
            pairs
        };
        (pairs.iter().sum::<u64>() > 0).then(|| Pentanomial(pairs).interval())
    }
}
