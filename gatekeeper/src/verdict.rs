//! The gate's decision, and the reason for people.

use dz_config::{GateRule, GateSection};
use dz_stats::{Pentanomial, Score, ScoreInterval, SprtPlan, SprtStop, StatsError};
use dz_store::MatchResult;

/// What the gate decides about a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Whether the candidate becomes champion.
    pub accepted: bool,
    /// Why, in one sentence.
    pub reason: String,
    /// The candidate's score, where games were played.
    pub score: Option<ScoreInterval>,
}

/// Applies the rule to the candidate's result against `champion`.
///
/// # Errors
/// If the rule is a test whose plan contradicts itself, which no checked configuration has.
pub fn judge(
    gate: &GateSection,
    champion: &str,
    result: Option<&MatchResult>,
) -> Result<Judgement, StatsError> {
    let result = result.filter(|result| result.games > 0);
    let score = result.map(score_interval);
    let (accepted, rule) = match gate.rule {
        GateRule::Always => (true, "and the gate accepts every candidate".to_owned()),
        GateRule::Score => {
            // Not the interval's score: that one counts whole pairs only.
            let accepted = result.is_some_and(|result| result.score() >= gate.score_min);
            let verb = if accepted { "reaches" } else { "misses" };
            (accepted, format!("which {verb} the {:.3} that the gate asks for", gate.score_min))
        }
        GateRule::Sprt => {
            let pairs = Pentanomial(result.map(|result| result.pairs).unwrap_or_default());
            test_says(gate, pairs)?
        }
    };
    let reason = match (result, &score) {
        (Some(result), Some(score)) => {
            let repeated = match result.duplicates {
                0 => String::new(),
                repeated => format!(", {repeated} of them repeats"),
            };
            format!(
                "It scored {:.3} (95 % interval {:.3} to {:.3}) in {} games against {champion} \
                 ({}-{}-{}{repeated}), {rule}.",
                result.score(),
                score.lo95.0,
                score.hi95.0,
                result.games,
                result.wins,
                result.draws,
                result.losses,
            )
        }
        _ => format!("It played no gate games, {rule}."),
    };
    Ok(Judgement { accepted, reason, score })
}

/// The plan of the rule `sprt`.
///
/// # Errors
/// As [`SprtPlan::new`].
pub fn sprt_plan(gate: &GateSection) -> Result<SprtPlan, StatsError> {
    SprtPlan::new(gate.elo0, gate.elo1, gate.alpha, gate.beta, u64::from(gate.games) / 2)
}

/// What the test decides after its last pair, and why. All of it follows from the counts.
fn test_says(gate: &GateSection, pairs: Pentanomial) -> Result<(bool, String), StatsError> {
    let plan = sprt_plan(gate)?;
    let stop = plan.stop(pairs);
    let accepted = stop == Some(SprtStop::Accepted);
    let ([lower, upper], llr) = (plan.bounds(), plan.llr(pairs));
    let ratio = format!("its log-likelihood ratio of {llr:.2}");
    let why = match stop {
        Some(SprtStop::Accepted) => format!("accepts: {ratio} has reached {upper:.2}"),
        Some(SprtStop::Refused) => format!("refuses: {ratio} has reached {lower:.2}"),
        Some(SprtStop::OutOfReach) => {
            format!("refuses: {ratio} would not reach {upper:.2} by winning every game left")
        }
        Some(SprtStop::Exhausted) | None => {
            format!("refuses: {ratio} stayed between {lower:.2} and {upper:.2} to the end")
        }
    };
    let estimate = plan.estimate(pairs).map_or_else(String::new, |estimate| {
        let (elo, lo, hi) = (estimate.elo, estimate.lo95, estimate.hi95);
        format!("; median-unbiased estimate {elo:+.0} ({lo:+.0} to {hi:+.0})")
    });
    let (elo0, elo1) = (gate.elo0, gate.elo1);
    let text = format!("and the test of {elo0} against {elo1} normalised Elo {why}{estimate}");
    Ok((accepted, text))
}

/// A's score with its 95 % interval over pairs, which is wider where games repeat others: what was
/// played before says nothing new.
pub fn score_interval(result: &MatchResult) -> ScoreInterval {
    let plain = Pentanomial(result.pairs).interval();
    let distinct = result.games.saturating_sub(result.duplicates).max(1);
    let wider = (result.games.max(1) as f64 / distinct as f64).sqrt();
    let score = plain.score.0;
    let lo95 = (score - wider * (score - plain.lo95.0)).max(0.0);
    let hi95 = (score + wider * (plain.hi95.0 - score)).min(1.0);
    ScoreInterval { lo95: Score(lo95), hi95: Score(hi95), ..plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(rule: GateRule) -> GateSection {
        GateSection {
            devices: Vec::new(),
            rule,
            games: 20,
            playouts: 10,
            score_min: 0.55,
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.05,
            beta: 0.05,
            opening_plies: 2,
            parallel_games: 4,
        }
    }

    fn result(pairs: [u64; 5], wins: u64, draws: u64, losses: u64) -> MatchResult {
        let games = wins + draws + losses;
        MatchResult { games, wins, draws, losses, pairs, ..MatchResult::default() }
    }

    #[test]
    fn a_score_at_the_bar_is_accepted_and_one_below_is_not() {
        let at = result([0, 0, 9, 0, 1], 10, 2, 8);
        let judged = judge(&gate(GateRule::Score), "network-0003", Some(&at)).unwrap();
        assert!(judged.accepted);
        assert!(
            judged.reason.starts_with("It scored 0.550 (95 % interval 0."),
            "{}",
            judged.reason
        );
        assert!(
            judged.reason.ends_with(
                "in 20 games against network-0003 (10-2-8), which reaches the 0.550 that the gate asks for."
            ),
            "{}",
            judged.reason
        );
        let below = result([0, 0, 10, 0, 0], 10, 0, 10);
        let judged = judge(&gate(GateRule::Score), "bootstrap", Some(&below)).unwrap();
        assert!(!judged.accepted);
        assert!(judged.reason.contains("which misses the 0.550"), "{}", judged.reason);
    }

    #[test]
    fn always_accepts_what_loses_and_what_never_played() {
        let lost = result([10, 0, 0, 0, 0], 0, 0, 20);
        let judged = judge(&gate(GateRule::Always), "bootstrap", Some(&lost)).unwrap();
        assert!(judged.accepted && judged.reason.contains("accepts every candidate"));
        assert_eq!(judged.score.unwrap().score, Score(0.0));
        let judged = judge(&gate(GateRule::Always), "bootstrap", None).unwrap();
        assert!(judged.accepted);
        assert_eq!(judged.score, None);
        assert_eq!(judged.reason, "It played no gate games, and the gate accepts every candidate.");
    }

    #[test]
    fn the_test_says_how_it_ended() {
        let of = |pairs: [u64; 5]| {
            let wins = 2 * pairs[4] + pairs[3];
            let losses = 2 * pairs[0] + pairs[1];
            let played = result(pairs, wins, pairs[1] + 2 * pairs[2] + pairs[3], losses);
            let gate = GateSection { games: 60, ..gate(GateRule::Sprt) };
            judge(&gate, "network-0003", Some(&played)).unwrap()
        };
        for (pairs, accepted, words) in [
            ([0, 0, 0, 0, 20], true, "of 0 against 50 normalised Elo accepts: its log-likelihood"),
            ([20, 0, 0, 0, 0], false, "refuses: its log-likelihood ratio of -"),
            ([3, 3, 10, 3, 3], false, "would not reach 2.94 by winning every game left"),
            ([4, 3, 13, 5, 5], false, "stayed between -2.94 and 2.94 to the end"),
        ] {
            let judged = of(pairs);
            assert_eq!(judged.accepted, accepted, "{}", judged.reason);
            assert!(judged.reason.contains(words), "{}", judged.reason);
            assert!(judged.reason.contains("; median-unbiased estimate "), "{}", judged.reason);
        }
    }

    #[test]
    fn repeats_widen_the_interval() {
        let once = result([1, 2, 3, 2, 2], 10, 2, 8);
        let repeated = MatchResult { duplicates: 15, ..once.clone() };
        let (once, repeated) = (score_interval(&once), score_interval(&repeated));
        assert_eq!(once.score, repeated.score);
        assert!(repeated.lo95 < once.lo95 && repeated.hi95 > once.hi95);
        assert!(repeated.lo95.0 >= 0.0 && repeated.hi95.0 <= 1.0);
    }
}
