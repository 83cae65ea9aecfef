//! Reading PGN, in one pass without recursion.

use crate::{By, Format, RecordError, Score, Sheet, Winner, sheet::known};

/// Reads every game. Tolerant: tags, comments, glyphs and move numbers may be missing or stand where
/// they like; variations are skipped; a new tag section ends a game that has no result.
pub(crate) fn read(text: &str) -> Result<Vec<Sheet>, RecordError> {
    let mut reader = Reader::new(text);
    reader.run()?;
    Ok(reader.games)
}

struct Reader<'a> {
    text: &'a str,
    /// Byte offset.
    at: usize,
    line: usize,
    games: Vec<Sheet>,
    /// The game in progress, once something of it is there.
    game: Option<Sheet>,
    /// Open parentheses of variations.
    depth: usize,
}

/// Signs that end a word.
const ENDS: [char; 12] = ['{', '}', '(', ')', '[', ']', '<', '>', ';', '$', '"', ','];

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, games: Vec::new(), game: None, depth: 0 }
    }

    fn run(&mut self) -> Result<(), RecordError> {
        while let Some(sign) = self.text[self.at..].chars().next() {
            let line_start = self.at == 0 || self.text[..self.at].ends_with('\n');
            match sign {
                '\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                '%' if line_start => {
                    self.through('\n');
                }
                '[' if line_start
                    || self.game.as_ref().is_none_or(|game| game.moves.is_empty()) =>
                {
                    self.tag()?;
                }
                '{' => self.comment()?,
                ';' => {
                    let (rest, _) = self.through('\n');
                    self.say(&rest[1..]);
                }
                '(' => {
                    self.depth += 1;
                    self.at += 1;
                }
                ')' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.at += 1;
                }
                _ if ENDS.contains(&sign) || sign.is_whitespace() => self.at += sign.len_utf8(),
                _ => self.word(),
            }
        }
        self.finish();
        Ok(())
    }

    fn error(&self, what: &str) -> RecordError {
        RecordError::syntax(Format::Pgn, self.line, what)
    }

    fn game(&mut self) -> &mut Sheet {
        let line = self.line;
        self.game.get_or_insert_with(|| Sheet::new(Format::Pgn, line))
    }

    /// Passes over the text up to `sign` and `sign` itself, or over all that is left. Gives the text,
    /// and whether `sign` came.
    fn through(&mut self, sign: char) -> (&'a str, bool) {
        let rest = &self.text[self.at..];
        let end = rest.find(sign);
        let passed = &rest[..end.map_or(rest.len(), |end| end + sign.len_utf8())];
        self.line += passed.matches('\n').count();
        self.at += passed.len();
        (&rest[..end.unwrap_or(rest.len())], end.is_some())
    }

    /// `[Name "value"]`, quotes and backslashes in the value escaped by backslashes.
    fn tag(&mut self) -> Result<(), RecordError> {
        self.depth = 0;
        if self.game.as_ref().is_some_and(|game| !game.moves.is_empty()) {
            self.finish();
        }
        self.at += 1;
        let rest = &self.text[self.at..];
        let Tag { name, value, end } = tag(rest).map_err(|what| self.error(what))?;
        // No further than to what may be another tag, so that no sign is looked at once for each of them.
        let stop = rest[end..].find([']', '[', '\n']).map_or(end, |stop| end + stop);
        let closed = rest[stop..].starts_with(']');
        self.at += if closed { stop + 1 } else { end };
        self.game().tags.push((name.to_owned(), vec![value]));
        Ok(())
    }

    fn comment(&mut self) -> Result<(), RecordError> {
        let began = self.line;
        self.at += 1;
        let (text, ended) = self.through('}');
        if !ended {
            let what = "a comment has no end; close it with }";
            return Err(RecordError::syntax(Format::Pgn, began, what));
        }
        self.say(text);
        Ok(())
    }

    /// A comment of the main line.
    fn say(&mut self, text: &str) {
        if self.depth == 0 && !text.trim().is_empty() {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            self.game().comment(&text);
        }
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_whitespace() || ENDS.contains(&c)).unwrap_or(rest.len());
        let word = &rest[..end];
        self.at += end;
        if self.depth > 0 {
            return;
        }
        if let Some(score) = Score::of_pgn(word) {
            self.game().score = score;
            self.finish();
            return;
        }
        let word = without_number(word);
        // Signs of praise and of who stands better, a glyph's number, a note on en passant. Two dashes
        // are a move that is none, which changes whose turn it is.
        let sign = |c| matches!(c, '!' | '?' | '.' | '+' | '-' | '=' | '/');
        if word.chars().all(sign) && word != "--" || word == "e.p." {
            return;
        }
        let line = self.line;
        self.game().push(None, word, line);
    }

    /// Ends the game in progress, if there is one.
    fn finish(&mut self) {
        self.depth = 0;
        if let Some(mut sheet) = self.game.take() {
            read_tags(&mut sheet);
            self.games.push(sheet);
        }
    }
}

/// What stands between the brackets of `[Name "value"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Before the value.
    pub name: &'a str,
    /// Without its quotes, and without the backslashes before quotes and backslashes.
    pub value: String,
    /// Bytes up to the end of the value's closing quote.
    pub end: usize,
}

/// Reads a tag from the text after its opening bracket, which is one line.
///
/// # Errors
/// What is wrong with it, for people.
pub fn tag(line: &str) -> Result<Tag<'_>, &'static str> {
    let quote = line.find(['"', '\n']).filter(|&quote| line[quote..].starts_with('"'));
    let quote = quote.ok_or("a tag has no value; write [Name \"value\"]")?;
    let (mut value, mut escaped) = (String::new(), false);
    for (at, sign) in line[quote + 1..].char_indices() {
        match sign {
            '\n' => break,
            '\\' if !escaped => escaped = true,
            '"' if !escaped => {
                let end = quote + 1 + at + 1;
                return Ok(Tag { name: line[..quote].trim(), value, end });
            }
            other => {
                value.push(other);
                escaped = false;
            }
        }
    }
    Err("a tag's value has no end; close it with \"]")
}

/// `12.e4` and `12...e5` without the number, nothing of `12.` and `12`.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.is_empty() || rest.starts_with('.') || rest.starts_with('…') {
        rest.trim_start_matches(['.', '…'])
    } else {
        word
    }
}

/// Fills the header from the tags; those that are not known stay tags.
fn read_tags(sheet: &mut Sheet) {
    let mut variant = String::new();
    let mut termination = String::new();
    let mut stated = None;
    for (name, values) in std::mem::take(&mut sheet.tags) {
        let value = values.concat();
        let header = &mut sheet.header;
        match name.to_ascii_lowercase().as_str() {
            "event" => header.event = known(&value),
            "round" => header.round = known(&value).filter(|round| round != "-"),
            "white" => header.players[0] = known(&value),
            "black" => header.players[1] = known(&value),
            "date" => {
                header.date = known(&value).filter(|date| !date.contains('?'));
                header.date = header.date.take().map(|date| date.replace('.', "-"));
            }
            "fen" => sheet.start = known(&value),
            "result" => stated = Score::of_pgn(value.trim()),
            "termination" => termination = value.to_ascii_lowercase(),
            "game" => sheet.game = value.parse().ok(),
            "variant" => variant = value.to_ascii_lowercase(),
            "setup" => {}
            "site" if known(&value).is_none() => {}
            _ => sheet.tags.push((name, values)),
        }
    }
    if sheet.score == Score::UNKNOWN {
        sheet.score = stated.unwrap_or(Score::UNKNOWN);
    }
    if sheet.score.winner != Winner::Unknown {
        sheet.score.by = match termination.as_str() {
            "adjudication" => By::Adjudication,
            "rules infraction" => By::Forfeit,
            late if late.starts_with("time") => By::Time,
            _ => By::Rules,
        };
    }
    // Other variants have other rules.
    if sheet.game.is_none()
        && matches!(variant.as_str(), "" | "standard" | "from position" | "chess")
    {
        sheet.game = "chess".parse().ok();
    }
}
