//! Lines of GTP: sections 2.4 to 2.11 and 3.1 of the specification.

use dz_game::Player;

/// A command with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The number before the command, as it was written.
    pub id: Option<String>,
    /// The command.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// All that follows the command, a comment included: names of files may have blanks and `#` in
    /// them.
    pub rest: String,
}

/// Reads a line: control characters but tabs are removed, tabs are spaces, `#` begins a comment.
/// `None` for lines with nothing in them. A byte-order mark means nothing.
pub(super) fn parse(line: &[u8]) -> Option<Request> {
    let text = String::from_utf8_lossy(line);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let clean: String = text.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
    let mut words = before_comment(&clean).split_whitespace().map(str::to_owned).peekable();
    let id = words.next_if(|word| is_id(word));
    let name = words.next();
    if id.is_none() && name.is_none() {
        return None;
    }
    let heads = usize::from(id.is_some()) + usize::from(name.is_some());
    let rest = (0..heads).fold(clean.trim(), |rest, _| {
        rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start())
    });
    let rest = rest.to_owned();
    Some(Request { id, name: name.unwrap_or_default(), arguments: words.collect(), rest })
}

/// The text before a comment.
pub(super) fn before_comment(text: &str) -> &str {
    text.split('#').next().unwrap_or_default()
}

/// Whether a line is the comment by which `GoGui` ends the search of a move (its documentation,
/// "Interrupting commands").
pub(super) fn is_interrupt(line: &[u8]) -> bool {
    line.trim_ascii() == b"# interrupt"
}

/// A number that fits 32 bits, as engines keep it.
fn is_id(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit()) && word.parse::<u32>().is_ok()
}

/// Returns an answer with its terminator. Empty lines are removed, because one would end the answer
/// early.
pub(super) fn answer(id: Option<&str>, result: Result<&str, &str>) -> String {
    let (sign, text) = match result {
        Ok(text) => ('=', text),
        Err(text) => ('?', text),
    };
    let mut lines = text.lines().map(str::trim_end);
    let mut tidy = lines.next().unwrap_or_default().to_owned();
    for line in lines.filter(|line| !line.is_empty()) {
        tidy.push('\n');
        tidy.push_str(line);
    }
    let tidy = dz_text::lines(&tidy);
    let space = if tidy.is_empty() || tidy.starts_with('\n') { "" } else { " " };
    format!("{sign}{}{space}{tidy}\n\n", id.unwrap_or_default())
}

/// Black moves first, white second.
pub(super) fn color(text: &str) -> Result<Player, String> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Player::First),
        "w" | "white" => Ok(Player::Second),
        _ => Err("invalid color: write b, black, w or white".to_owned()),
    }
}

/// "black" or "white".
pub(super) fn color_name(player: Player) -> &'static str {
    match player {
        Player::First => "black",
        Player::Second => "white",
    }
}

/// The argument at `index`.
pub(super) fn word<'a>(
    arguments: &'a [String],
    index: usize,
    what: &str,
) -> Result<&'a str, String> {
    let found = arguments.get(index).map(String::as_str);
    found.ok_or_else(|| format!("syntax error: {what} is missing"))
}

/// The whole number at `index`.
pub(super) fn whole(arguments: &[String], index: usize, what: &str) -> Result<u32, String> {
    let text = word(arguments, index, what)?;
    text.parse().map_err(|_| format!("syntax error: {what} is a whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Option<(Option<String>, String, Vec<String>)> {
        parse(line.as_bytes()).map(|request| (request.id, request.name, request.arguments))
    }

    #[test]
    fn lines_are_read_as_the_specification_says() {
        let all = |id: Option<&str>, name: &str, arguments: &[&str]| {
            let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
            Some((id.map(str::to_owned), name.to_owned(), arguments))
        };
        assert_eq!(parts("play b D4\r\n"), all(None, "play", &["b", "D4"]));
        assert_eq!(
            parts("\t 17\tplay  b\x07 D4 # why not\n"),
            all(Some("17"), "play", &["b", "D4"])
        );
        assert_eq!(parts("pl\x01ay"), all(None, "play", &[]));
        assert_eq!(parts("# only this"), None);
        assert_eq!(parts(" \t\r\n"), None);
        assert_eq!(parts("99999999999 name"), all(None, "99999999999", &["name"]));
        assert_eq!(parts("5"), all(Some("5"), "", &[]));
    }

    #[test]
    fn answers_have_one_empty_line_at_their_end() {
        assert_eq!(answer(None, Ok("")), "=\n\n");
        assert_eq!(answer(Some("7"), Ok("2")), "=7 2\n\n");
        assert_eq!(answer(Some("7"), Err("no\n\nway\x07 ")), "?7 no\nway\\u{7}\n\n");
        assert_eq!(answer(None, Ok("\n A B\n1 .\n")), "=\n A B\n1 .\n\n");
    }
}
