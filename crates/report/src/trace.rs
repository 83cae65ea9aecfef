//! Gate matches pair by pair, from their files.

use dz_game::Player;
use dz_play::{PlayedGame, Seat};
use dz_store::GateTest;

use crate::measures::GateTrace;

/// The trace of a gate match, in player A's view or, where the candidate is B, in B's. `test` is
/// the ledger's record of the gate's test, where there was one.
///
/// # Errors
/// What is wrong with the file, for people.
pub(crate) fn trace(
    cycle: u32,
    path: &str,
    text: &str,
    candidate_is_b: bool,
    test: Option<&GateTest>,
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
    };
    if let Some(test) = test {
        trace.llr.clone_from(&test.llr);
        trace.bounds = Some([test.lower, test.upper]);
    }
    Ok(trace)
}

/// Why a test ended ([`GateTest::stop`]), for people.
pub(crate) fn ended(stop: &str) -> &'static str {
    match stop {
        "accepted" => "the upper bound was reached: accepted",
        "refused" => "the lower bound was reached: refused",
        "out_of_reach" => "acceptance was out of reach: refused",
        _ => "all games were played without a decision: refused",
    }
}

/// Half points of each whole pair, in the order of the games' numbers.
fn pairs(text: &str, candidate_is_b: bool) -> Result<Vec<u8>, String> {
    let mut games: Vec<PlayedGame> = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    games.sort_by_key(|game| game.number);
    let candidate = if candidate_is_b { Seat::B } else { Seat::A };
    let half_points = |game: &PlayedGame| match game.outcome.winner {
        None => 1,
        Some(winner) if (winner == Player::First) == (game.first == candidate) => 2,
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
    fn a_test_is_the_ledgers() {
        let test = GateTest { llr: vec![0.2, 0.4], lower: -2.9, upper: 2.9, ..GateTest::default() };
        let trace = trace(2, "matches/y", FILE, false, Some(&test)).unwrap();
        assert_eq!((trace.llr, trace.bounds), (vec![0.2, 0.4], Some([-2.9, 2.9])));
        assert!(ended("accepted").ends_with("accepted") && ended("x").ends_with("refused"));
    }
}
