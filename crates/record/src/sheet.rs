//! A game as its text states it.

use std::ops::Range;

use dz_game::{GameSpec, Player};

use crate::{Format, Notes, Score};

/// A game as a text states it: read, and not checked against any rules. `to_string` writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The format it was read from, or is to be written in.
    pub format: Format,
    /// The line where it begins in its text, from 1; 0 for a sheet that was not read.
    pub line: usize,
    /// The game, as far as the text says: SGF of other programs names its size and komi, hardly its
    /// rules of repetition.
    pub game: Option<GameSpec>,
    /// Who, where and when.
    pub header: Header,
    /// The position it starts from, where it is not the start.
    pub start: Option<String>,
    /// The encoding that an SGF declares.
    pub charset: Option<String>,
    /// A variant of the game that is not played here, by its name.
    pub variant: Option<String>,
    /// What else the text says, in order: properties of an SGF's root, tags of a PGN, fields of
    /// JSON.
    pub tags: Vec<(String, Vec<String>)>,
    /// What an SGF sets up, in order.
    pub setups: Vec<SetUp>,
    /// The moves of the main line.
    pub moves: Vec<SheetMove>,
    /// Variations beside the main line, those inside others not counted.
    pub variations: usize,
    /// The result.
    pub score: Score,
    /// What was left out or guessed.
    pub notes: Notes,
    /// Where the game stands in its text, in bytes; empty for a sheet that was not read.
    pub span: Range<usize>,
}

/// What records state beside the moves. Unknown facts are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The first player's name and the second's.
    pub players: [Option<String>; 2],
    /// Of which run, match or tournament.
    pub event: Option<String>,
    /// Which game of it.
    pub round: Option<String>,
    /// The day, `2026-01-31`. Nothing here looks at a clock.
    pub date: Option<String>,
    /// Anything else, in lines.
    pub note: Option<String>,
}

/// A property of SGF that changes the board or whose turn it is, without being a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetUp {
    /// How many of the sheet's moves come before it.
    pub before: usize,
    /// Whether it stands in the first node, so that it is among the sheet's tags, too.
    pub in_root: bool,
    /// `AB`, `AW`, `AE` or `PL`.
    pub name: String,
    /// As they are written: points, and rectangles of points.
    pub values: Vec<String>,
    /// The line where it stands, from 1.
    pub line: usize,
}

/// A move as the text writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetMove {
    /// Who makes it, where the text says so.
    pub player: Option<Player>,
    /// The move as the format writes it. In plain text and JSON it may be a list, which the game
    /// splits.
    pub text: String,
    /// Its comment.
    pub comment: Option<String>,
    /// The line where it stands, from 1.
    pub line: usize,
    /// Where a comment on it belongs in the text, in bytes; 0 for a move that was not read.
    pub place: usize,
    /// Whether that is inside a comment.
    pub in_comment: bool,
}

impl Sheet {
    /// Makes an empty sheet.
    pub(crate) fn new(format: Format, line: usize) -> Self {
        Self {
            format,
            line,
            game: None,
            header: Header::default(),
            start: None,
            charset: None,
            variant: None,
            tags: Vec::new(),
            setups: Vec::new(),
            moves: Vec::new(),
            variations: 0,
            score: Score::UNKNOWN,
            notes: Notes::default(),
            span: 0..0,
        }
    }

    /// Makes a sheet of a list of moves in the game's own notation, as on command lines.
    pub fn of_moves(game: &GameSpec, list: &str) -> Self {
        let mut sheet = Self { game: Some(game.clone()), ..Self::new(Format::Plain, 0) };
        for word in list.split_whitespace() {
            sheet.push(None, word, 1);
        }
        sheet
    }

    /// Adds a move.
    pub(crate) fn push(&mut self, player: Option<Player>, text: &str, line: usize) {
        let text = text.to_owned();
        self.moves.push(SheetMove {
            player,
            text,
            comment: None,
            line,
            place: 0,
            in_comment: false,
        });
    }

    /// Adds moves as the format writes them.
    pub fn append(&mut self, words: &[String]) {
        for word in words {
            self.push(None, word, 0);
        }
    }

    /// Adds to the last move's comment, or to the note if there is no move yet.
    pub(crate) fn comment(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let place = match self.moves.last_mut() {
            Some(last) => &mut last.comment,
            None => &mut self.header.note,
        };
        match place {
            Some(earlier) => {
                earlier.push('\n');
                earlier.push_str(text);
            }
            None => *place = Some(text.to_owned()),
        }
    }

    /// Returns the first value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let (_, values) = self.tags.iter().find(|(key, _)| key == name)?;
        values.first().map(String::as_str)
    }
}

/// Returns the text in one line without control characters.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace()
        .map(|word| word.replace(|c: char| c.is_control(), ""))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the text unless it is blank or consists of question marks, which mean "unknown".
pub(crate) fn known(text: &str) -> Option<String> {
    let text = text.trim();
    let unknown = text.is_empty() || text.chars().all(|c| c == '?');
    (!unknown).then(|| text.to_owned())
}
