//! Where the game comes from: a file, or the command line.

use std::path::{Path, PathBuf};

use anyhow::Context;
use dz_game::GameSpec;
use dz_record::{BYTES_MAX, RecordError, Sheet, decode, read};
use dz_report::count::plural;

use crate::exit::UsageError;

/// A game in words, with the text that it stands in.
pub(super) struct Source {
    path: Option<PathBuf>,
    /// All of the file, decoded.
    pub(super) text: String,
    pub(super) sheet: Sheet,
    /// What of the file was guessed.
    pub(super) notes: Vec<String>,
}

impl Source {
    /// Reads game `number` of a file, from 1. Without a number it reads the first game, and a note
    /// says so if there are others.
    pub(super) fn read(path: &Path, number: Option<u32>) -> anyhow::Result<Self> {
        let name = shown(path);
        let bytes = dz_text::read_input(path, BYTES_MAX as u64)
            .with_context(|| format!("cannot read {name}"))?;
        let decoded = decode(&bytes);
        drop(bytes);
        let mut notes: Vec<String> = decoded.note.into_iter().collect();
        let sheets = read(&decoded.text).map_err(|error| {
            let guess = notes.first().map_or(String::new(), |note| format!(" ({note})"));
            UsageError(format!("{name}: {error}{guess}"))
        })?;
        let count = sheets.len();
        let what =
            || UsageError(format!("{name} has {count} games; --number is from 1 to {count}"));
        if number.is_none() && count > 1 {
            notes.push(format!("game 1 of {count} is looked at; --number N takes another"));
        }
        let index = number.unwrap_or(1) as usize - 1;
        let sheet = sheets.into_iter().nth(index).ok_or_else(what)?;
        if let Some(variant) = &sheet.variant {
            let variant = dz_text::line(variant);
            let what = format!("{name}: the record is of the variant {variant}, not of chess");
            return Err(UsageError(what).into());
        }
        if sheet.variations > 0 {
            let variations = plural(sheet.variations as u64, "variation");
            notes.push(format!("only the main line is looked at; {variations} beside it"));
        }
        Ok(Self { path: Some(path.to_owned()), text: decoded.text, sheet, notes })
    }

    /// A list of moves.
    pub(super) fn of_moves(game: &GameSpec, moves: Option<&str>) -> Self {
        let sheet = Sheet::of_moves(game, moves.unwrap_or_default());
        Self { path: None, text: String::new(), sheet, notes: Vec::new() }
    }

    /// A message about the game, with the name of its file.
    pub(super) fn place(&self, error: &RecordError) -> String {
        match (&self.path, error) {
            (Some(path), _) => format!("{}: {error}", shown(path)),
            (None, RecordError::Move { number, source, .. }) => {
                format!("move {number} of the list: {source}")
            }
            (None, _) => error.to_string(),
        }
    }

    /// What messages call it.
    pub(super) fn name(&self) -> String {
        self.path.as_ref().map_or("the list of moves".to_owned(), |path| shown(path))
    }
}

fn shown(path: &Path) -> String {
    dz_text::line(&path.display().to_string()).into_owned()
}
