//! Notes on what a reader left out or had to guess.

use crate::error::short;

/// The most notes that are kept; further ones are counted.
const NOTES_MAX: usize = 16;

/// Notes for people, a line each. Of thousands of notes only the first ones are kept; the others
/// are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    list: Vec<String>,
    more: usize,
}

impl Notes {
    /// Adds a note about a line of the text, from 1; 0 is for the text as a whole.
    pub(crate) fn add(&mut self, line: usize, what: impl AsRef<str>) {
        if self.list.len() == NOTES_MAX {
            self.more += 1;
            return;
        }
        let what = short(what.as_ref());
        self.list.push(if line == 0 { what } else { format!("line {line}: {what}") });
    }

    /// Returns whether there are no notes.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The notes, with the number of those that are not kept as the last one.
    pub fn lines(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("{} more notes", self.more));
        self.list.iter().cloned().chain(more).collect()
    }
}
