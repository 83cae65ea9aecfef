//! The tags of PGN games: who played, and the result. Moves are not looked at, so that any game
//! will do. [`dz_record`] reads whole games, and gives up a file at its first fault; here each
//! fault is one game's.

use dz_record::pgn;

use super::results::{Ending, Results};

/// Tags with which a game begins (PGN standard, section 8.1.1).
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// Adds the games of `text`. A game without one of the tags `White`, `Black` and `Result`, or with
/// a result that PGN does not know, is a fault; White moves first. A tag that cannot be read is
/// named.
pub(super) fn read(text: &str, results: &mut Results) {
    let mut game = Tags::default();
    // Where the comment that is open began.
    let mut comment = None;
    let mut blank = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut rest = line.trim();
        if rest.is_empty() || comment.is_none() && rest.starts_with('%') {
            blank |= rest.is_empty();
            continue;
        }
        while let Some(inside) = rest.strip_prefix('[').filter(|_| comment.is_none()) {
            match pgn::tag(inside) {
                Ok(tag) => {
                    rest = inside[tag.end..].trim_start();
                    game.take(number, tag, blank, results);
                }
                // What stands in brackets between moves, as clocks do, is no tag.
                Err(_) if !inside.starts_with(|c: char| c.is_alphanumeric() || c == '"') => break,
                Err(what) => {
                    results.remark(number, format!("{what}: it is passed over"));
                    rest = "";
                }
            }
        }
        blank = false;
        if !rest.is_empty() {
            game.moves_begun = true;
            if game.line == 0 {
                game.line = number;
            }
            let open = ends_in_comment(rest, comment.is_some());
            comment = open.then(|| comment.unwrap_or(number));
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

    /// Takes a tag: into this game, or into the next one if it does not belong here any more.
    fn take(&mut self, line: usize, tag: pgn::Tag<'_>, blank: bool, results: &mut Results) {
        let pgn::Tag { name, value, note, .. } = tag;
        let known = ROSTER.iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
        if self.moves_begun && !blank && known.is_none() {
            results.remark(line, format!("the tag {name} stands in the middle of the moves"));
            return;
        }
        let counts = known.is_some_and(|known| self.slot(known).is_some());
        if self.moves_begun || known.is_some_and(|known| self.has(known)) {
            std::mem::take(self).add_to(results);
        }
        if self.line == 0 {
            self.line = line;
        }
        let Some(known) = known.filter(|_| counts) else { return };
        if let Some(note) = note {
            results.remark(line, format!("the tag {name} {note}"));
        }
        if known != name {
            results.remark(line, format!("the tag {name} is read as {known}"));
        }
        if let Some(slot) = self.slot(known) {
            *slot = Some(value.trim().to_owned());
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
    fn odd_tags_are_read_or_named() {
        let results = of(
            "[White \"Prog /Level 6\\\"]\n[Black \"B\"]\n[BlackType: \"x\"]\n[Result \"1-0\"]\n\n\
             1. e4 1-0\n\n[white \"B\"] [Black\"Prog /Level 6\\\"]\n[Event]\n[Result \"0-1\"] 1. e4\n\
             [Annotator \"x\"]\n1... e5 0-1\n",
        );
        assert_eq!(results.roster.names(), ["Prog /Level 6\\", "B"]);
        assert_eq!((results.games.len(), faults(&results)), (2, vec![]));
        assert_eq!((results.games[1].first, results.games[1].wins_second), (1, 1));
        let remarks: Vec<(usize, &str)> =
            results.remarks.iter().map(|remark| (remark.line, remark.what.as_str())).collect();
        assert_eq!(
            remarks,
            [
                (8, "the tag white is read as White"),
                (8, "the tag Black lacks the blank before its value"),
                (9, "the tag Event has no value in quotes: it is passed over"),
                (11, "the tag Annotator stands in the middle of the moves"),
            ]
        );
    }

    #[test]
    fn names_that_lost_letters_are_not_merged() {
        let text = "[White \"M\u{fffd}ller\"]\n[Black \"b\"]\n[Result \"1-0\"]\n";
        assert_eq!(of(text).games.len(), 1, "somebody wrote that sign");
        let mut results = Results { lossy: true, ..Results::default() };
        read(text, &mut results);
        assert!(results.games.is_empty());
        assert!(results.faults[0].what.contains("do not fit the encoding"), "{:?}", results.faults);
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
