//! Results as JSON lines: plain ones, and the match files of runs.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::results::{Ending, Results};

/// Adds the games of `text`. A line is one of
///
/// - `{"first": NAME, "second": NAME, "winner": "first" | "second" | "draw" | null}`; null is an
///   unfinished game. `white` and `black` may stand for `first` and `second`, and `result` with the
///   words of PGN for `winner`. Other keys are not looked at;
/// - the header of a match file, `{"kind": "match", "players": [{"name": A}, {"name": B}], ...}`;
/// - a game of the match whose header came before:
///   `{"first": "a" | "b", "outcome": {"winner": "first" | "second" | null}, ...}`; null is a draw.
///   A game with the very moves of an earlier one of its match, and the same player first, is left
///   out, as in the ratings of runs.
pub(super) fn read(text: &str, results: &mut Results) {
    let mut players = None;
    let mut seen = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match entry(line, players.as_ref()) {
            Ok(Entry::Header(names)) => {
                players = Some(names);
                seen.clear();
            }
            Ok(Entry::Game { players: [first, second], ending, moves }) => {
                if moves.is_some_and(|moves| !seen.insert((first.clone(), moves))) {
                    results.repeated += 1;
                } else {
                    results.add(index + 1, &first, &second, ending);
                }
            }
            Err(what) => results.fault(index + 1, what),
        }
    }
}

enum Entry {
    /// Players A and B of the games that follow.
    Header([String; 2]),
    Game {
        /// Who moved first and second.
        players: [String; 2],
        ending: Ending,
        /// The moves of a game of a match file, in its notation.
        moves: Option<String>,
    },
}

fn entry(line: &str, players: Option<&[String; 2]>) -> Result<Entry, String> {
    let object: Map<String, Value> =
        serde_json::from_str(line).map_err(|error| format!("not a JSON object: {error}"))?;
    if object.get("kind").and_then(Value::as_str) == Some("match") {
        let name = |index: usize| object.get("players")?.get(index)?.get("name")?.as_str();
        let (Some(a), Some(b)) = (name(0), name(1)) else {
            return Err("the header of a match does not name its players".to_owned());
        };
        return Ok(Entry::Header([a, b].map(ToOwned::to_owned)));
    }
    if let Some(outcome) = object.get("outcome") {
        let [a, b] = players.ok_or("a game of a match comes before the match's header")?;
        let a = a.clone();
        let b = b.clone();
        let names = match text(&object, ["first", "first"])? {
            "a" => [a, b],
            "b" => [b, a],
            other => return Err(format!("\"first\" is \"{other}\", not \"a\" or \"b\"")),
        };
        let winner = outcome.get("winner").ok_or("the outcome has no \"winner\"")?;
        let ending = if winner.is_null() { Ending::Draw } else { winner_of(winner)? };
        let moves = object.get("moves").map(ToString::to_string);
        return Ok(Entry::Game { players: names, ending, moves });
    }
    let names = [text(&object, ["first", "white"])?, text(&object, ["second", "black"])?];
    let ending = match (object.get("winner"), object.get("result")) {
        (Some(Value::Null), _) => Ending::Unfinished,
        (Some(winner), _) => winner_of(winner)?,
        (None, Some(result)) => result
            .as_str()
            .and_then(Ending::of_pgn)
            .ok_or_else(|| format!("{result} is no result: 1-0, 0-1, 1/2-1/2 or *"))?,
        (None, None) => return Err("a result has no \"winner\"".to_owned()),
    };
    Ok(Entry::Game { players: names.map(ToOwned::to_owned), ending, moves: None })
}

/// The text of the first of two keys that is there.
fn text<'a>(object: &'a Map<String, Value>, keys: [&str; 2]) -> Result<&'a str, String> {
    let value = keys.iter().find_map(|&key| object.get(key));
    let text = value.ok_or_else(|| format!("a result has no \"{}\"", keys[0]))?;
    text.as_str().ok_or_else(|| format!("\"{}\" is {text}, not a text", keys[0]))
}

fn winner_of(winner: &Value) -> Result<Ending, String> {
    match winner.as_str() {
        Some("first") => Ok(Ending::First),
        Some("second") => Ok(Ending::Second),
        Some("draw") => Ok(Ending::Draw),
        _ => Err(format!("\"winner\" is {winner}, not \"first\", \"second\" or \"draw\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Results {
        let mut results = Results::default();
        crate::commands::rate::read::read(&lines.join("\n"), &mut results);
        results
    }

    /// First, second, and 0 to 2 for who won: first, nobody, second.
    fn games(results: &Results) -> Vec<(usize, usize, usize)> {
        let place = |game: &dz_stats::PairResult| {
            [game.wins_first, game.draws, game.wins_second].iter().position(|&n| n == 1)
        };
        let row = |game| place(game).map(|place| (game.first, game.second, place));
        results.games.iter().filter_map(row).collect()
    }

    #[test]
    fn plain_lines() {
        let results = of(&[
            r#"{"first":"a","second":"b","winner":"first","plies":7}"#,
            r#"{"first":"b","second":"a","winner":"draw"}"#,
            "",
            r#"{"white":"c","black":"a","result":"0-1"}"#,
            r#"{"first":"c","second":"d","winner":null}"#,
            r#"{"white":"c","black":"d","result":"*"}"#,
        ]);
        assert_eq!(results.roster.names(), ["a", "b", "c", "d"]);
        assert_eq!(games(&results), [(0, 1, 0), (1, 0, 1), (2, 0, 2)]);
        assert_eq!((results.unfinished, results.faults.len()), (2, 0));
    }

    #[test]
    fn match_files_one_after_another() {
        let header = |b: &str| {
            format!(r#"{{"kind":"match","format":1,"players":[{{"name":"n"}},{{"name":"{b}"}}]}}"#)
        };
        let won = r#"{"number":0,"first":"a","outcome":{"winner":"first","margin":null}}"#;
        let lost = r#"{"number":1,"first":"b","outcome":{"winner":"first","margin":3}}"#;
        let drawn = r#"{"number":2,"first":"b","outcome":{"winner":null,"margin":null}}"#;
        let results = of(&[&header("x"), won, lost, &header("y"), drawn]);
        assert_eq!(results.roster.names(), ["n", "x", "y"]);
        assert_eq!(games(&results), [(0, 1, 0), (1, 0, 0), (2, 0, 1)]);
        assert!(results.faults.is_empty(), "{:?}", results.faults);
    }

    #[test]
    fn a_game_that_repeats_another_of_its_match_is_no_evidence() {
        let header = r#"{"kind":"match","players":[{"name":"n"},{"name":"x"}]}"#;
        let game = |first: &str, moves: &str| {
            format!(r#"{{"first":"{first}","moves":{moves},"outcome":{{"winner":"first"}}}}"#)
        };
        let [one, swapped, other] =
            [("a", "[1,2]"), ("b", "[1,2]"), ("a", "[1]")].map(|(first, moves)| game(first, moves));
        let results = of(&[header, &one, &swapped, &one, &other, header, &one]);
        assert_eq!((results.games.len(), results.repeated), (4, 1));
    }

    #[test]
    fn what_is_wrong_is_named_by_line_and_the_rest_is_read() {
        let results = of(&[
            r#"{"first":"a","outcome":{"winner":"first"}}"#,
            r#"{"first":"a","second":"b","winner":"first"}"#,
            r#"{"first":"a","winner":"first"}"#,
            r#"{"first":"a","second":"b"}"#,
            r#"{"first":"a","second":"b","winner":"b"}"#,
            r#"{"first":"a","second":"b","result":"1:0"}"#,
            r#"{"first":"a","second":7,"winner":"first"}"#,
            r#"{"kind":"match","players":[]}"#,
            "torn",
        ]);
        assert_eq!(games(&results), [(0, 1, 0)]);
        let lines: Vec<usize> = results.faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [1, 3, 4, 5, 6, 7, 8, 9]);
        let said = |line: usize, words: &str| {
            let fault = results.faults.iter().find(|fault| fault.line == line);
            assert!(fault.is_some_and(|fault| fault.what.contains(words)), "{fault:?}");
        };
        said(1, "before the match's header");
        said(3, "no \"second\"");
        said(4, "no \"winner\"");
        said(5, "not \"first\", \"second\" or \"draw\"");
        said(6, "is no result");
        said(7, "not a text");
        said(8, "does not name its players");
        said(9, "not a JSON object");
    }
}
