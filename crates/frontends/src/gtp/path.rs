//! Names of files in a line of GTP, which has no custom for blanks and `#` in them.

use std::io;

use super::{Files, syntax::before_comment};

/// A file that was found, and the number after its name.
pub(super) struct Found {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// The number of a move, from 1.
    pub number: Option<usize>,
}

/// Reads the file that `rest`, a line without its command, names. A name may be quoted. Otherwise a
/// number at the end is read as the number of a move, and `#` as the start of a comment, if a file
/// with the remaining name exists. If not, they are parts of the name.
///
/// # Errors
/// What is wrong, for people.
pub(super) fn open(files: &mut Files, rest: &str) -> Result<Found, String> {
    let readings = readings(rest)?;
    let mut names: Vec<&str> = Vec::new();
    for &(name, number) in &readings {
        if names.contains(&name) {
            continue;
        }
        match files(name) {
            Ok(_) if number == Some(0) => {
                return Err("syntax error: moves are numbered from 1".to_owned());
            }
            Ok(bytes) => return Ok(Found { name: name.to_owned(), bytes, number }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => names.push(name),
            Err(error) => return Err(format!("cannot load file: {name:?}: {error}")),
        }
    }
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    let hint = if rest.contains('\u{fffd}') { "; names must be UTF-8" } else { "" };
    Err(format!("cannot load file: there is no {}{hint}", names.join(" and no ")))
}

/// The file to write that `rest` names: the quoted part, or everything except a comment.
///
/// # Errors
/// If there is none.
pub(super) fn written(rest: &str) -> Result<&str, String> {
    match readings(rest)?.iter().find(|(_, number)| number.is_none()) {
        Some((name, _)) => Ok(name),
        None => Err("syntax error: the file is missing".to_owned()),
    }
}

/// A name and the number after it.
type Reading<'a> = (&'a str, Option<usize>);

/// What `rest` may mean, the likeliest first.
fn readings(rest: &str) -> Result<Vec<Reading<'_>>, String> {
    if let Some(quote @ ('"' | '\'')) = rest.chars().next()
        && let Some((name, after)) = rest[1..].split_once(quote)
    {
        let after = before_comment(after).trim();
        let number = after.parse().ok();
        if number.is_none() && !after.is_empty() {
            return Err("syntax error: the move number is a whole number".to_owned());
        }
        return Ok(vec![(name, number)]);
    }
    let mut readings = Vec::new();
    for text in [before_comment(rest).trim(), rest.trim()] {
        let numbered = text.rsplit_once(char::is_whitespace);
        let numbered =
            numbered.and_then(|(name, last)| Some((name.trim_end(), last.parse().ok()?)));
        readings.extend(numbered.map(|(name, number)| (name, Some(number))));
        readings.push((text, None));
    }
    readings.retain(|(name, _)| !name.is_empty());
    if readings.is_empty() {
        Err("syntax error: the file is missing".to_owned())
    } else {
        Ok(readings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(
        names: &'static [&'static str],
        rest: &str,
    ) -> Result<(String, Option<usize>), String> {
        let mut files: Files = Box::new(|name| {
            let found = names.contains(&name);
            found.then(|| name.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
        });
        let found = open(&mut files, rest)?;
        Ok((String::from_utf8(found.bytes).expect("a name"), found.number))
    }

    #[test]
    fn names_may_have_blanks_and_signs() {
        let names = &["a.sgf", "my games/some  game.sgf", "game #1.sgf", "round 12", "it's.sgf"];
        for (rest, name, number) in [
            ("a.sgf", "a.sgf", None),
            ("a.sgf 7", "a.sgf", Some(7)),
            ("a.sgf\t7 # a comment", "a.sgf", Some(7)),
            ("my games/some  game.sgf", "my games/some  game.sgf", None),
            ("my games/some  game.sgf  3", "my games/some  game.sgf", Some(3)),
            ("\"my games/some  game.sgf\" 3", "my games/some  game.sgf", Some(3)),
            ("game #1.sgf", "game #1.sgf", None),
            ("game #1.sgf 5", "game #1.sgf", Some(5)),
            ("'game #1.sgf' 5 # a comment", "game #1.sgf", Some(5)),
            ("round 12", "round 12", None),
            ("round 12 3", "round 12", Some(3)),
            ("it's.sgf 3", "it's.sgf", Some(3)),
        ] {
            assert_eq!(found(names, rest), Ok((name.to_owned(), number)), "{rest}");
        }
    }

    #[test]
    fn what_was_looked_for_is_named() {
        let said = found(&[], "my game #1.sgf 5").expect_err("no file");
        for name in ["\"my game\"", "\"my game #1.sgf\"", "\"my game #1.sgf 5\""] {
            assert!(said.contains(name), "{said}");
        }
        assert!(found(&[], "").expect_err("nothing").contains("missing"));
        assert!(found(&[], "# only").expect_err("no file").contains("# only"));
        assert!(found(&["a"], "'a' b").expect_err("no number").contains("whole number"));
        assert!(found(&["a"], "a 0").expect_err("zero").contains("numbered from 1"));
        assert!(found(&[], "\u{fffd}.sgf").expect_err("no file").contains("UTF-8"));
    }
}
