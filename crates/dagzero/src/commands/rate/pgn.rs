//! The tags of PGN games: who played, and the result. Moves are not looked at, so that any game will
//! do. [`dz_record`] reads whole games, and gives up a file at its first fault; here each fault is one game's.

use dz_record::pgn;

use super::results::{Ending, Results};

/// Adds the games of `text`. A game without one of the tags `White`, `Black` and `Result`, or with a
/// result that PGN does not know, is a fault; White moves first.
pub(super) fn read(text: &str, results: &mut Results) {
    let mut game = Tags::default();
    // Where the comment that is open began.
    let mut comment = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let found = if comment.is_none() { tag(line) } else { None };
        if let Some((name, value)) = found {
            if game.moves_begun || game.has(name) {
                std::mem::take(&mut game).add_to(results);
            }
            game.set(index + 1, name, value);
        } else if !line.is_empty() && !line.starts_with('%') {
            game.moves_begun = true;
            if game.line == 0 {
                game.line = index + 1;
            }
            let open = ends_in_comment(line, comment.is_some());
            comment = open.then(|| comment.unwrap_or(index + 1));
        }
    }
    game.add_to(results);
    if let Some(line) = comment {
        results.fault(line, "a comment that begins here has no end".to_owned());
    }
}

/// What is known of a game.
#[derive(Default)]
struct Tags {
    /// Where it begins, from 1; 0 before.
    line: usize,
    /// Name and value of the tags that count.
    white: Option<String>,
    black: Option<String>,
    result: Option<String>,
    /// Whether something other than a tag was seen.
    moves_begun: bool,
}

impl Tags {
    fn slot(&mut self, name: &str) -> Option<&mut Option<String>> {
        match name {
            "White" => Some(&mut self.white),
            "Black" => Some(&mut self.black),
            "Result" => Some(&mut self.result),
            _ => None,
        }
    }

    fn has(&mut self, name: &str) -> bool {
        self.slot(name).is_some_and(|slot| slot.is_some())
    }

    fn set(&mut self, line: usize, name: &str, value: String) {
        if self.line == 0 {
            self.line = line;
        }
        if let Some(slot) = self.slot(name) {
            *slot = Some(value);
        }
    }

    fn add_to(self, results: &mut Results) {
        if self.line == 0 {
            return;
        }
        match (self.white, self.black, self.result) {
            (Some(white), Some(black), Some(result)) => {
                if let Some(ending) = Ending::of_pgn(&result) {
                    results.add(self.line, &white, &black, ending);
                } else {
                    let what = format!("\"{result}\" is no result: 1-0, 0-1, 1/2-1/2 or *");
                    results.fault(self.line, what);
                }
            }
            (white, black, result) => {
                let tags = [("White", white), ("Black", black), ("Result", result)];
                let missing = tags.iter().filter(|(_, value)| value.is_none());
                let missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
                results.fault(self.line, format!("a game has no tag {}", missing.join(", ")));
            }
        }
    }
}

/// A line that is a tag and nothing else.
fn tag(line: &str) -> Option<(&str, String)> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    let pgn::Tag { name, value, end } = pgn::tag(inside).ok()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && inside[end..].trim().is_empty()).then(|| (name, value.trim().to_owned()))
}

/// Whether a brace comment is open at the end of a line of moves. Such comments do not nest, and a
/// semicolon outside them hides the rest of the line.
fn ends_in_comment(line: &str, mut open: bool) -> bool {
    for c in line.chars() {
        match c {
            '}' => open = false,
            '{' => open = true,
            ';' if !open => break,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Results {
        let mut results = Results::default();
        read(text, &mut results);
        results
    }

    fn faults(results: &Results) -> Vec<(usize, &str)> {
        results.faults.iter().map(|fault| (fault.line, fault.what.as_str())).collect()
    }

    #[test]
    fn games_with_and_without_moves_in_any_order_of_tags() {
        let results =
            of("[Event \"?\"]\n[White \"a \\\"x\\\" \\\\\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n\
             1. e4 {a comment\n[Result \"0-1\"]\nstill} e5 ; {not open\n1-0\n\n\
             [Result \"1/2-1/2\"]\n[Black \"a \\\"x\\\" \\\\\"]\n[White \"b\"]\n\
             [White \"b\"]\n[Black \"c\"]\n[Result \"*\"]\n");
        assert_eq!(results.roster.names(), ["a \"x\" \\", "b", "c"]);
        assert_eq!((results.games.len(), results.unfinished), (2, 1));
        assert_eq!((results.games[0].first, results.games[0].wins_first), (0, 1));
        assert_eq!((results.games[1].first, results.games[1].draws), (1, 1));
        assert!(results.faults.is_empty(), "{:?}", results.faults);
    }

    #[test]
    fn what_is_missing_is_named_and_the_rest_is_read() {
        let results = of("[White \"a\"]\n[Black \"b\"]\n\n1. e4 *\n\n\
             [White \"a\"]\n[Black \"b\"]\n[Result \"2-0\"]\n\n\
             [White \"a\"]\n[Black \"a\"]\n[Result \"1-0\"]\n\n\
             [White \"a\"]\n[Black \"b\"]\n[Result \"0-1\"]\n\n0-1\n");
        assert_eq!(
            faults(&results),
            [
                (1, "a game has no tag Result"),
                (6, "\"2-0\" is no result: 1-0, 0-1, 1/2-1/2 or *"),
                (10, "a plays against itself"),
            ]
        );
        assert_eq!((results.games.len(), results.games[0].wins_second), (1, 1));
        assert!(of("").faults.is_empty());
        assert_eq!(faults(&of("hello\n")), [(1, "a game has no tag White, Black, Result")]);
        let open = of("[White \"a\"]\n[Black \"b\"]\n[Result \"0-1\"]\n\n{open\n[White \"c\"]\n");
        assert_eq!(faults(&open), [(5, "a comment that begins here has no end")]);
        assert_eq!(open.games.len(), 1);
    }
}
