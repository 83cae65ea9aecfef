//! The game with comments, as a file.

use std::path::Path;

use anyhow::ensure;
use dz_frontends::{ReviewedPly, Session, comment};
use dz_record::{Format, Played, Winner, annotated, read_as};

use super::source::Source;
use crate::exit::UsageError;

/// What --out asks for.
pub(super) struct Writer<'a> {
    source: &'a Source,
    played: &'a Played,
    format: Format,
    /// What the file cannot hold.
    pub(super) notes: Vec<String>,
}

impl<'a> Writer<'a> {
    /// Checks that the game can be written to a file of this name.
    pub(super) fn new(
        path: &Path,
        session: &dyn Session,
        source: &'a Source,
        played: &'a Played,
    ) -> anyhow::Result<Self> {
        let format = format_of(session, path)?;
        let mut writer = Self { source, played, format, notes: Vec::new() };
        if !writer.keeps_all() {
            let written = session.write_record(&played.record, format);
            written.map_err(|error| UsageError(format!("--out: {error}")))?;
            writer.note_losses();
        }
        Ok(writer)
    }

    /// The game with a comment on each move that was judged.
    pub(super) fn text(
        &self,
        session: &dyn Session,
        plies: &[ReviewedPly],
    ) -> anyhow::Result<String> {
        let Self { source, played, format, .. } = self;
        if self.keeps_all() {
            let source_of = |ply: &ReviewedPly| Some(played.sources[ply.ply - 1]? as usize);
            let comments: Vec<(usize, String)> =
                plies.iter().filter_map(|ply| Some((source_of(ply)?, comment(ply)))).collect();
            return Ok(annotated(&source.text, &source.sheet, &comments));
        }
        let mut record = played.record.clone();
        for ply in plies {
            let said = &mut record.moves[ply.ply - 1].comment;
            let ours = comment(ply);
            *said = Some(said.take().map_or(ours.clone(), |theirs| format!("{theirs}\n{ours}")));
        }
        let text = session.write_record(&record, *format)?;
        let Some(mut sheet) = read_as(*format, &text)?.pop() else { return Ok(text) };
        ensure!(sheet.moves.len() == record.moves.len() || !format.is_own(), "moves were lost");
        if played.stated.winner != Winner::Unknown {
            sheet.score = played.stated;
        }
        if format.is_own() && source.sheet.format.is_own() {
            sheet.append(&played.left_out);
        }
        if *format == source.sheet.format {
            sheet.tags.clone_from(&source.sheet.tags);
        }
        Ok(sheet.to_string())
    }

    /// Whether the file is the record's own text with comments. A word of plain text may be several
    /// moves, which then need a comment each.
    fn keeps_all(&self) -> bool {
        let one_each = self.played.sources.windows(2).all(|two| two[0] != two[1]);
        let from_file = !self.source.text.is_empty();
        from_file && self.format == self.source.sheet.format && (!self.format.is_own() || one_each)
    }

    fn note_losses(&mut self) {
        let sheet = &self.source.sheet;
        let format = self.format;
        if format == sheet.format {
            return;
        }
        // The game and the position from which it starts hold these.
        let held = ["GM", "SZ", "KM", "RU", "AB", "AW", "AE", "PL"];
        let names = sheet.tags.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = names.filter(|name| !held.contains(name)).collect();
        if !names.is_empty() {
            let shown = names.join(" ");
            let name = format.name();
            self.notes.push(format!("{name} has no place for {shown}"));
        }
        if self.played.moves_after_end > 0 && !(format.is_own() && sheet.format.is_own()) {
            let what = "the moves after the end by the rules are not in the file of --out";
            self.notes.push(what.to_owned());
        }
    }
}

/// The format that a file's name asks for.
fn format_of(session: &dyn Session, path: &Path) -> anyhow::Result<Format> {
    let name = path.display();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let own = session.record_format();
    let fits = [own, Format::Plain, Format::Json];
    let found = fits.into_iter().find(|format| format.extension() == extension);
    let ends = own.extension();
    let what = || UsageError(format!("let --out end in .{ends}, .txt or .jsonl: {name} does not"));
    Ok(found.ok_or_else(what)?)
}
