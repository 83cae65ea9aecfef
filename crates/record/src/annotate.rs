//! Adds comments to a game's text and leaves the rest unchanged.

use std::fmt::Write;

use crate::{Format, Sheet, sgf, text::charsets};

/// Returns the text of a game with comments on its moves. Nothing else changes, so tags,
/// variations, moves after the end and the result stay. An SGF is marked as UTF-8.
///
/// `text` is the source of the sheet. `comments` are for the sheet's moves, by their number from 0,
/// in ascending order. Plain text and JSON have no place for comments among the moves, so such
/// files are written again from the sheet.
pub fn annotated(text: &str, sheet: &Sheet, comments: &[(usize, String)]) -> String {
    let span = sheet.span.clone();
    match sheet.format {
        Format::Sgf => sgf_text(text, sheet, comments),
        Format::Pgn => {
            let mut out = String::with_capacity(span.len() + 32 * comments.len());
            let mut at = span.start;
            for (number, comment) in comments {
                let Some(mv) = sheet.moves.get(*number) else { continue };
                out.push_str(&text[at..mv.place]);
                let comment = comment.replace('{', "(").replace('}', ")");
                // Writing to a string cannot fail.
                let _ = write!(out, " {{{comment}}}");
                if !text[mv.place..].starts_with(char::is_whitespace) {
                    out.push(' ');
                }
                at = mv.place;
            }
            out.push_str(text[at..span.end].trim_end());
            out.push('\n');
            out
        }
        Format::Plain | Format::Json => {
            let mut sheet = sheet.clone();
            for (number, comment) in comments {
                let Some(mv) = sheet.moves.get_mut(*number) else { continue };
                let earlier = mv.comment.take().map(|earlier| earlier + "\n");
                mv.comment = Some(earlier.unwrap_or_default() + comment);
            }
            sheet.to_string()
        }
    }
}

fn sgf_text(text: &str, sheet: &Sheet, comments: &[(usize, String)]) -> String {
    let span = sheet.span.clone();
    let game = &text[span.clone()];
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for (number, comment) in comments {
        let Some(mv) = sheet.moves.get(*number) else { continue };
        let comment = sgf::escaped(comment);
        match edits.last_mut().filter(|(at, ..)| *at == mv.place) {
            // Two moves of one node have one comment.
            Some((_, _, earlier)) if earlier.ends_with(']') => {
                earlier.truncate(earlier.len() - 1);
                let _ = write!(earlier, "\n{comment}]");
            }
            Some((_, _, earlier)) => {
                let _ = write!(earlier, "\n{comment}");
            }
            None if mv.in_comment => edits.push((mv.place, mv.place, format!("\n{comment}"))),
            None => edits.push((mv.place, mv.place, format!("C[{comment}]"))),
        }
    }
    // Where an escape hides the end of the declaration, one of ours goes before it.
    let declared = charsets(game.as_bytes()).next();
    let declared =
        declared.filter(|range| Some(game[range.clone()].trim()) == sheet.charset.as_deref());
    if let Some(range) = declared {
        edits.push((span.start + range.start, span.start + range.end, "UTF-8".to_owned()));
    } else if !game.is_ascii() {
        let inside = game.strip_prefix('(').unwrap_or(game).trim_start();
        let inside = inside.strip_prefix(';').unwrap_or(inside);
        let at = span.end - inside.len();
        edits.push((at, at, "CA[UTF-8]".to_owned()));
    }
    edits.sort_by_key(|(at, ..)| *at);
    let mut out = String::with_capacity(game.len() + 32 * edits.len());
    let mut at = span.start;
    for (from, to, new) in edits {
        out.push_str(&text[at..from]);
        out.push_str(&new);
        at = to;
    }
    out.push_str(&text[at..span.end]);
    out.push('\n');
    out
}
