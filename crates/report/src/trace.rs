//! Gate matches pair by pair, from their files.

use dz_config::{GateRule, GateSection};
use dz_stats::{Sprt, SprtPlan, SprtStop};
use serde::Deserialize;

use crate::measures::GateTrace;

/// What is read of a game's line; the rest of the format is the gatekeeper's.
#[derive(Deserialize)]
struct GameLine {
    number: u64,
    first: Seat,
    outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Seat {
    A,
    B,
}

#[derive(Deserialize)]
struct Outcome {
    winner: Option<Mover>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mover {
    First,
    Second,
}

/// The trace of a gate match, in player A's view or, where the candidate is B, in B's. `gate` is the
/// configuration's section, where it can be read.
///
/// # Errors
/// What is wrong with the file, for people.
pub(crate) fn trace(
    cycle: u32,
    path: &str,
    text: &str,
    candidate_is_b: bool,
    gate: Option<&GateSection>,
) -> Result<GateTrace, String> {
    let pairs = pairs(text, candidate_is_b)?;
    let mut points = 0_u64;
    let score = pairs.iter().enumerate().map(|(index, &pair)| {
        points += u64::from(pair);
        points as f64 / (4 * (index + 1)) as f64
    });
    let mut trace = GateTrace {
        cycle,
        path: path.to_owned(),
        score: score.collect(),
        pairs,
        llr: Vec::new(),
        bounds: None,
        stop: None,
        estimate: None,
    };
    if let Some(gate) = gate.filter(|gate| gate.rule == GateRule::Sprt) {
        let plan =
            SprtPlan::new(gate.elo0, gate.elo1, gate.alpha, gate.beta, u64::from(gate.games) / 2);
        test(&mut trace, plan.map_err(|error| error.to_string())?);
    }
    Ok(trace)
}

/// Adds what the sequential test says; its limit of pairs is in the plan.
fn test(trace: &mut GateTrace, plan: SprtPlan) {
    let mut test = Sprt::new(plan);
    for &pair in &trace.pairs {
        test.add(usize::from(pair));
    }
    trace.llr = test.trace().to_vec();
    trace.bounds = Some(plan.bounds());
    trace.stop = test.stop().map(|stop| said(stop).to_owned());
    trace.estimate = test.estimate().map(|estimate| [estimate.elo, estimate.lo95, estimate.hi95]);
}

fn said(stop: SprtStop) -> &'static str {
    match stop {
        SprtStop::Accepted => "the upper bound was reached: accepted",
        SprtStop::Refused => "the lower bound was reached: refused",
        SprtStop::Exhausted => "all games were played without a decision: refused",
        SprtStop::OutOfReach => "acceptance was out of reach: refused",
    }
}

/// Half points of each whole pair, in the order of the games' numbers.
fn pairs(text: &str, candidate_is_b: bool) -> Result<Vec<u8>, String> {
    let mut games: Vec<GameLine> = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    games.sort_by_key(|game| game.number);
    let candidate = if candidate_is_b { Seat::B } else { Seat::A };
    let half_points = |game: &GameLine| match game.outcome.winner {
        None => 1,
        Some(winner) if (winner == Mover::First) == (game.first == candidate) => 2,
        Some(_) => 0,
    };
    let (pairs, _) = games.as_chunks::<2>();
    Ok(pairs.iter().map(|[one, other]| half_points(one) + half_points(other)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"kind":"match"}
{"number":0,"first":"a","opening_plies":0,"moves":[],"outcome":{"winner":"first","margin":null},"adjudicated":false}
{"number":1,"first":"b","opening_plies":0,"moves":[],"outcome":{"winner":"first","margin":null},"adjudicated":false}
{"number":3,"first":"b","opening_plies":0,"moves":[],"outcome":{"winner":"second","margin":null},"adjudicated":false}
{"number":2,"first":"a","opening_plies":0,"moves":[],"outcome":{"winner":null,"margin":null},"adjudicated":true}
"#;

    #[test]
    fn pairs_are_the_candidates() {
        assert_eq!(pairs(FILE, false), Ok(vec![2, 3]));
        assert_eq!(pairs(FILE, true), Ok(vec![2, 1]));
        let trace = trace(4, "matches/x", FILE, false, None).unwrap();
        assert_eq!(trace.score, [0.5, 0.625]);
        assert!(trace.llr.is_empty() && trace.bounds.is_none());
        assert!(pairs("header\nnothing", false).is_err());
    }

    #[test]
    fn a_test_is_traced_to_its_end() {
        let game = |number: usize| {
            let first = if number.is_multiple_of(2) { "a" } else { "b" };
            let winner = if number.is_multiple_of(2) { "first" } else { "second" };
            format!(
                "{{\"number\":{number},\"first\":\"{first}\",\"outcome\":{{\"winner\":\"{winner}\"}}}}\n"
            )
        };
        let text = (0..80).fold("{}\n".to_owned(), |text, number| text + &game(number));
        let gate = GateSection {
            devices: Vec::new(),
            rule: GateRule::Sprt,
            games: 100,
            playouts: 10,
            score_min: 0.55,
            elo0: 0.0,
            elo1: 60.0,
            alpha: 0.05,
            beta: 0.05,
            opening_plies: 2,
            parallel_games: 4,
        };
        let trace = trace(2, "matches/y", &text, false, Some(&gate)).unwrap();
        assert_eq!(trace.pairs, [4; 40]);
        assert!(trace.llr.len() < 40 && trace.llr.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(trace.stop.as_deref(), Some("the upper bound was reached: accepted"));
        assert!(trace.estimate.unwrap()[0] > 60.0);
    }
}
