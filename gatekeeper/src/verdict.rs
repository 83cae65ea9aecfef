//! The gate's decision, and the reason for people.

use dz_config::{GateRule, GateSection};
use dz_stats::{Pentanomial, Score, ScoreInterval};
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
pub fn judge(gate: &GateSection, champion: &str, result: Option<&MatchResult>) -> Judgement {
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
    Judgement { accepted, reason, score }
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
            rule,
            games: 20,
            playouts: 10,
            score_min: 0.55,
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
        let judged = judge(&gate(GateRule::Score), "network-0003", Some(&at));
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
        let judged = judge(&gate(GateRule::Score), "bootstrap", Some(&below));
        assert!(!judged.accepted);
        assert!(judged.reason.contains("which misses the 0.550"), "{}", judged.reason);
    }

    #[test]
    fn always_accepts_what_loses_and_what_never_played() {
        let lost = result([10, 0, 0, 0, 0], 0, 0, 20);
        let judged = judge(&gate(GateRule::Always), "bootstrap", Some(&lost));
        assert!(judged.accepted && judged.reason.contains("accepts every candidate"));
        assert_eq!(judged.score.unwrap().score, Score(0.0));
        let judged = judge(&gate(GateRule::Always), "bootstrap", None);
        assert!(judged.accepted);
        assert_eq!(judged.score, None);
        assert_eq!(judged.reason, "It played no gate games, and the gate accepts every candidate.");
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
