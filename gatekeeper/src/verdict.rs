//! The gate's decision, and the reason for people.

use dz_config::{GateRule, GateSection};
use dz_play::{PairTest, PlayedGame};
use dz_stats::{Pentanomial, ScoreInterval, Sprt, SprtPlan, SprtStop, StatsError};
use dz_store::{GateTest, MatchResult};

/// Words of [`GateTest::stop`].
const ACCEPTED: &str = "accepted";
const REFUSED: &str = "refused";
const OUT_OF_REACH: &str = "out_of_reach";

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

/// Applies the rule to the candidate's result against `champion`; `test` is that of the rule
/// `sprt`.
pub fn judge(
    gate: &GateSection,
    champion: &str,
    result: Option<&MatchResult>,
    test: Option<&GateTest>,
) -> Judgement {
    let result = result.filter(|result| result.games > 0);
    let score = result.map(score_interval);
    let (accepted, rule) = match gate.rule {
        GateRule::Always => (true, "and the gate accepts every candidate".to_owned()),
        GateRule::Score => {
            // Not the interval's score: that one counts whole pairs only.
            let accepted = result.is_some_and(|result| result.score() >= gate.score_min);
            let verb = if accepted { "reaches" } else { "misses" };
            let left = u64::from(gate.games).saturating_sub(result.map_or(0, |r| r.games));
            let rest = match left {
                0 => String::new(),
                _ => format!(" whatever the {left} games left would bring"),
            };
            (
                accepted,
                format!("which {verb} the {:.3} that the gate asks for{rest}", gate.score_min),
            )
        }
        GateRule::Sprt => match test {
            Some(test) => test_says(test),
            None => (false, "and the gate's test refuses who has not played".to_owned()),
        },
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

/// The plan of the rule `sprt`.
///
/// # Errors
/// As [`SprtPlan::new`].
pub fn sprt_plan(gate: &GateSection) -> Result<SprtPlan, StatsError> {
    SprtPlan::new(gate.elo0, gate.elo1, gate.alpha, gate.beta, u64::from(gate.games) / 2)
}

/// The test over these games of the candidate, who is player A, in scheduled order.
///
/// # Errors
/// As [`SprtPlan::new`].
pub fn tested(gate: &GateSection, games: &[PlayedGame]) -> Result<GateTest, StatsError> {
    let plan = sprt_plan(gate)?;
    let test = walked(plan, games);
    let ([lower, upper], estimate) = (plan.bounds(), test.estimate());
    let stop = match test.stop() {
        Some(SprtStop::Accepted) => ACCEPTED,
        Some(SprtStop::Refused) => REFUSED,
        Some(SprtStop::OutOfReach) => OUT_OF_REACH,
        // Repeated pairs do not count, so the games may end before the pairs do.
        Some(SprtStop::Exhausted) | None => "exhausted",
    };
    Ok(GateTest {
        elo0: gate.elo0,
        elo1: gate.elo1,
        alpha: gate.alpha,
        beta: gate.beta,
        lower,
        upper,
        // To a ten-thousandth: the ledger need not carry noise.
        llr: test.trace().iter().map(|llr| (llr * 1e4).round() / 1e4).collect(),
        stop: stop.to_owned(),
        elo: estimate.map(|estimate| estimate.elo),
        elo_lo95: estimate.map(|estimate| estimate.lo95),
        elo_hi95: estimate.map(|estimate| estimate.hi95),
    })
}

/// A test that has seen these games, by pairs, those left out that repeat earlier ones.
pub fn walked(plan: SprtPlan, games: &[PlayedGame]) -> Sprt {
    let mut test = PairTest::new(plan);
    for [one, other] in games.as_chunks::<2>().0 {
        test.add([one, other]);
    }
    test.into_test()
}

/// What the test decides, and why.
fn test_says(test: &GateTest) -> (bool, String) {
    let ratio = format!("its log-likelihood ratio of {:.2}", test.llr.last().unwrap_or(&0.0));
    let lower = test.lower;
    let upper = test.upper;
    let why = match test.stop.as_str() {
        ACCEPTED => format!("accepts: {ratio} has reached {upper:.2}"),
        REFUSED => format!("refuses: {ratio} has reached {lower:.2}"),
        OUT_OF_REACH => {
            format!("refuses: {ratio} would not reach {upper:.2} by winning every game left")
        }
        _ => format!("refuses: {ratio} stayed between {lower:.2} and {upper:.2} to the end"),
    };
    let estimate = match (test.elo, test.elo_lo95, test.elo_hi95) {
        (Some(elo), Some(lo), Some(hi)) => {
            let [elo, lo, hi] = [elo, lo, hi].map(dz_stage::elo_text);
            format!("; median-unbiased estimate {elo} ({lo} to {hi})")
        }
        _ => String::new(),
    };
    let elo0 = test.elo0;
    let elo1 = test.elo1;
    let text = format!("and the test of {elo0} against {elo1} normalised Elo {why}{estimate}");
    (test.stop == ACCEPTED, text)
}

/// A's score with its 95 % interval over pairs, which is wider where games repeat others, because
/// repeated games are no new evidence.
pub fn score_interval(result: &MatchResult) -> ScoreInterval {
    let distinct = result.games.saturating_sub(result.duplicates);
    Pentanomial(result.pairs).interval().of_distinct(distinct)
}

#[cfg(test)]
mod tests {
    use dz_game::{Move, Outcome, Player};
    use dz_play::Seat;
    use dz_stats::Score;

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
        let judged = judge(&gate(GateRule::Score), "network-0003", Some(&at), None);
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
        let judged = judge(&gate(GateRule::Score), "bootstrap", Some(&below), None);
        assert!(!judged.accepted);
        assert!(judged.reason.contains("which misses the 0.550"), "{}", judged.reason);
    }

    #[test]
    fn always_accepts_what_loses_and_what_never_played() {
        let lost = result([10, 0, 0, 0, 0], 0, 0, 20);
        let judged = judge(&gate(GateRule::Always), "bootstrap", Some(&lost), None);
        assert!(judged.accepted && judged.reason.contains("accepts every candidate"));
        assert_eq!(judged.score.unwrap().score, Score(0.0));
        let judged = judge(&gate(GateRule::Always), "bootstrap", None, None);
        assert!(judged.accepted);
        assert_eq!(judged.score, None);
        assert_eq!(judged.reason, "It played no gate games, and the gate accepts every candidate.");
    }

    /// Games of pairs of these kinds, no two alike: kind 4 won twice, 3 won once and drawn, 2 drawn
    /// twice and so on.
    fn games(pairs: [u64; 5]) -> Vec<PlayedGame> {
        let kinds = (0..5).flat_map(|kind| std::iter::repeat_n(kind, pairs[kind] as usize));
        // In turn, so that the test meets all kinds on its way.
        let mut kinds: Vec<usize> = kinds.collect();
        kinds.sort_by_key(|&kind| (kind * 7) % 5);
        let game = |number: u64, half_points: usize| {
            let first = if number.is_multiple_of(2) { Seat::A } else { Seat::B };
            let winner = match (half_points, first) {
                (1, _) => None,
                (2, Seat::A) | (0, Seat::B) => Some(Player::First),
                _ => Some(Player::Second),
            };
            PlayedGame {
                number,
                first,
                opening_plies: 0,
                moves: vec![Move(number as u16 / 2)],
                outcome: Outcome { winner, margin: None },
                adjudicated: false,
                forfeit: None,
                dispute: None,
            }
        };
        let pairs = kinds.iter().enumerate().flat_map(|(pair, &kind)| {
            let number = 2 * pair as u64;
            [game(number, kind - kind / 2), game(number + 1, kind / 2)]
        });
        pairs.collect()
    }

    #[test]
    fn the_test_says_how_it_ended() {
        let gate = GateSection { games: 60, ..gate(GateRule::Sprt) };
        for (pairs, accepted, words) in [
            ([0, 0, 0, 0, 20], true, "of 0 against 50 normalised Elo accepts: its log-likelihood"),
            ([20, 0, 0, 0, 0], false, "refuses: its log-likelihood ratio of -"),
            ([3, 3, 10, 3, 3], false, "would not reach 2.94 by winning every game left"),
        ] {
            let games = games(pairs);
            let played = dz_play::MatchCounts::of(&games);
            assert_eq!(played.pairs, pairs);
            let result = result(pairs, played.wins, played.draws, played.losses);
            let test = tested(&gate, &games).unwrap();
            let judged = judge(&gate, "network-0003", Some(&result), Some(&test));
            assert_eq!(judged.accepted, accepted, "{}", judged.reason);
            assert!(judged.reason.contains(words), "{}", judged.reason);
            assert!(judged.reason.contains("; median-unbiased estimate "), "{}", judged.reason);
            assert!(test.llr.len() <= games.len() / 2 && test.elo_lo95 < test.elo_hi95);
        }
    }

    /// Games that all repeat the first pair say no more than it does.
    #[test]
    fn a_test_without_news_stays_undecided() {
        let gate = GateSection { games: 60, ..gate(GateRule::Sprt) };
        let mut games = games([0, 0, 0, 0, 30]);
        for game in &mut games {
            game.moves = vec![Move(1)];
        }
        let played = dz_play::MatchCounts::of(&games);
        let result = result(played.pairs, played.wins, played.draws, played.losses);
        let test = tested(&gate, &games).unwrap();
        assert_eq!((test.llr.len(), test.stop.as_str()), (1, "exhausted"));
        let judged = judge(&gate, "network-0003", Some(&result), Some(&test));
        let words = "stayed between -2.94 and 2.94 to the end";
        assert!(!judged.accepted && judged.reason.contains(words), "{}", judged.reason);
    }

    #[test]
    fn repeats_widen_the_interval() {
        let once = result([1, 2, 3, 2, 2], 10, 2, 8);
        let repeated = MatchResult { duplicates: 15, ..once.clone() };
        let once = score_interval(&once);
        let repeated = score_interval(&repeated);
        assert_eq!(once.score, repeated.score);
        assert!(repeated.lo95 < once.lo95 && repeated.hi95 > once.hi95);
        assert!(repeated.lo95.0 >= 0.0 && repeated.hi95.0 <= 1.0);
    }
}
