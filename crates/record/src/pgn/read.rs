//! Reading PGN, in one pass without recursion.

use super::{
    header::read_tags,
    tag::{Tag, tag},
    word::{Word, is_null_move, word},
};
use crate::{Format, RecordError, Score, Sheet, error::check_count};

/// Reads every game. Tolerant: tags, comments, glyphs and move numbers may be missing or stand
/// where they like; variations are counted and passed over; a new tag section ends a game that has
/// no result. The game's notes list skipped text that might have had a meaning.
pub(crate) fn read(text: &str) -> Result<Vec<Sheet>, RecordError> {
    let mut reader = Reader::new(text);
    reader.run()?;
    Ok(reader.games)
}

struct Reader<'a> {
    text: &'a str,
    /// Byte offset, and that of the sign that is being read.
    at: usize,
    began: usize,
    line: usize,
    games: Vec<Sheet>,
    /// The game in progress, once something of it is there.
    game: Option<Sheet>,
    /// Open parentheses of variations, and the line of the first of them.
    depth: usize,
    opened: usize,
    /// A blank line came after the last thing that was read.
    blank: bool,
    /// A blank line came after the last game.
    parted: bool,
}

/// Signs that end a word.
const ENDS: [char; 12] = ['{', '}', '(', ')', '[', ']', '<', '>', ';', '$', '"', ','];

/// Tags with which a game begins (PGN standard, section 8.1.1).
const ROSTER: [&str; 7] = ["event", "site", "date", "round", "white", "black", "result"];

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            began: 0,
            line: 1,
            games: Vec::new(),
            game: None,
            depth: 0,
            opened: 0,
            blank: false,
            parted: false,
        }
    }

    fn run(&mut self) -> Result<(), RecordError> {
        while let Some(sign) = self.text[self.at..].chars().next() {
            let line_start = self.at == 0 || self.text[..self.at].ends_with(['\n', '\u{feff}']);
            self.began = self.at;
            check_count(self.games.len(), self.text.len())?;
            match sign {
                '\n' => {
                    self.line += 1;
                    self.at += 1;
                    self.blank |= line_start;
                    self.parted |= line_start;
                }
                '%' if line_start => {
                    self.through('\n');
                }
                '[' if self.is_tag(line_start) => self.tag(),
                '{' => self.comment()?,
                ';' => {
                    // What is said about the move goes before it: the line's end belongs to the
                    // comment.
                    let (rest, _) = self.through('\n');
                    self.say(&rest[1..]);
                }
                '$' => self.glyph(),
                '(' => self.open(),
                ')' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.at += 1;
                }
                _ if ENDS.contains(&sign) || sign.is_whitespace() || sign == '\u{feff}' => {
                    self.at += sign.len_utf8();
                }
                _ => self.word(),
            }
        }
        self.began = self.at;
        self.finish();
        Ok(())
    }

    fn game(&mut self) -> &mut Sheet {
        let line = self.line;
        let began = self.began;
        self.game
            .get_or_insert_with(|| Sheet { span: began..began, ..Sheet::new(Format::Pgn, line) })
    }

    fn note(&mut self, what: impl AsRef<str>) {
        let line = self.line;
        self.game().notes.add(line, what);
    }

    fn has_moves(&self) -> bool {
        self.game.as_ref().is_some_and(|game| !game.moves.is_empty())
    }

    /// Passes over the text up to `sign` and `sign` itself, or over all that is left. Gives the
    /// text, and whether `sign` came.
    fn through(&mut self, sign: char) -> (&'a str, bool) {
        let rest = &self.text[self.at..];
        let end = rest.find(sign);
        let passed = &rest[..end.map_or(rest.len(), |end| end + sign.len_utf8())];
        self.line += passed.matches('\n').count();
        self.at += passed.len();
        (&rest[..end.unwrap_or(rest.len())], end.is_some())
    }

    /// Whether the `[` here begins a tag: before the moves always, among them at the start of a
    /// line.
    fn is_tag(&self, line_start: bool) -> bool {
        let next = self.text[self.at + 1..].chars().next();
        !self.has_moves() || line_start && next.is_some_and(|c| c.is_alphanumeric() || c == ' ')
    }

    /// `[Name "value"]`. One that cannot be read is passed over with its line.
    fn tag(&mut self) {
        let line = self.line;
        let began = self.began;
        let (found, passed) = match tag(&self.text[self.at + 1..]) {
            Ok(found) => {
                let passed = found.end + 1;
                (Ok(found), passed)
            }
            Err(what) => {
                (Err(what), self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at))
            }
        };
        let name = found.as_ref().map_or("", |tag| tag.name);
        if self.has_moves() {
            if self.goes_on(name) {
                self.note(format!("the tag {name} stands in the middle of the moves"));
            } else {
                self.finish();
            }
        }
        self.blank = false;
        self.at += passed;
        self.began = began;
        let before = &self.text[..began];
        let shares_line =
            before.trim_end_matches(|c: char| c.is_whitespace() && c != '\n').ends_with(']');
        let game = self.game();
        if shares_line {
            game.notes.add(line, format!("the tag {name} stands on a line with another"));
        }
        match found {
            Err(what) => game.notes.add(line, format!("{what}: it is passed over")),
            Ok(Tag { name, value, note, .. }) => {
                if let Some(note) = note {
                    game.notes.add(line, format!("the tag {name} {note}"));
                }
                game.tags.push((name.to_owned(), vec![value]));
            }
        }
    }

    /// Whether a tag after moves belongs to their game: no blank line is between them, and it is
    /// not one with which games begin, nor one that the game has.
    fn goes_on(&self, name: &str) -> bool {
        // No game of chess has so many; each tag is compared with those before it.
        const TAGS_MAX: usize = 1000;
        let has = |game: &Sheet| {
            game.tags.len() > TAGS_MAX || game.tags.iter().any(|(own, _)| own == name)
        };
        !self.blank
            && !ROSTER.contains(&name.to_ascii_lowercase().as_str())
            && self.game.as_ref().is_some_and(|game| !has(game))
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
        if self.depth == 0 {
            self.said();
        }
        Ok(())
    }

    /// A comment of the main line.
    fn say(&mut self, text: &str) {
        self.blank = false;
        if self.depth == 0 && !text.trim().is_empty() {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            self.game().comment(&text);
        }
    }

    /// What was just read is about the last move.
    fn said(&mut self) {
        let at = self.at;
        if let Some(last) = self.game.as_mut().and_then(|game| game.moves.last_mut()) {
            last.place = at;
        }
    }

    /// A glyph: a dollar sign with its number.
    fn glyph(&mut self) {
        let rest = &self.text[self.at + 1..];
        self.at += 1 + rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if self.depth == 0 {
            self.said();
        }
    }

    fn open(&mut self) {
        self.at += 1;
        if self.depth == 0 {
            self.opened = self.line;
            if !self.has_moves() {
                self.note("a variation stands before the first move and is passed over");
            }
            self.game().variations += 1;
        }
        self.depth += 1;
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_whitespace() || ENDS.contains(&c)).unwrap_or(rest.len());
        let whole = &rest[..end];
        self.at += end;
        if self.depth > 0 {
            return;
        }
        if let Some(score) = Score::of_pgn(whole) {
            return self.result(score, whole);
        }
        let text = if is_null_move(whole) { whole } else { without_number(whole) };
        if text.is_empty() {
            return;
        }
        match word(text) {
            Word::Move(text) => self.push(&[text]),
            Word::Moves(moves, rest) => {
                if rest {
                    let moves = moves.join(" ");
                    self.note(format!("{} is read as {moves}", shown(whole)));
                }
                self.push(&moves);
            }
            Word::Sign => self.said(),
            Word::Unknown => {
                if self.game.is_some() {
                    self.note(format!("{} is no move and is passed over", shown(whole)));
                }
            }
        }
    }

    fn push(&mut self, moves: &[&str]) {
        if std::mem::take(&mut self.blank) && self.has_moves() {
            self.note("a blank line stands between moves; they are read as one game");
        }
        let line = self.line;
        let at = self.at;
        if self.game.is_none() && !self.games.is_empty() && !self.parted {
            self.note("moves follow a result; they are read as another game");
        }
        let game = self.game();
        for text in moves {
            game.push(None, text, line);
            if let Some(last) = game.moves.last_mut() {
                last.place = at;
            }
        }
    }

    fn result(&mut self, score: Score, word: &str) {
        if self.game.is_none()
            && let Some(last) = self.games.last_mut()
        {
            last.notes.add(self.line, format!("another result, {word}, is passed over"));
            return;
        }
        self.game().score = score;
        self.began = self.at;
        self.finish();
    }

    /// Ends the game in progress, if there is one.
    fn finish(&mut self) {
        let depth = std::mem::take(&mut self.depth);
        self.blank = false;
        self.parted = false;
        let Some(mut sheet) = self.game.take() else { return };
        if depth > 0 {
            let what =
                "a variation begins that has no end; the moves after it are taken for its own";
            sheet.notes.add(self.opened, what);
        }
        sheet.span.end = self.began;
        read_tags(&mut sheet);
        self.games.push(sheet);
    }
}

/// A word in a note.
fn shown(word: &str) -> String {
    let text: String = word.chars().take(24).collect();
    format!("\"{}\"", dz_text::line(&text))
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
