//! Text as a terminal, a log or a page may show it.

use std::borrow::Cow;

/// Text in one line: every control character, line ends included, is shown as an escape such as
/// `\u{1b}` or `\n`.
///
/// Text without such characters is returned unchanged, so paths and names keep their backslashes.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, is_unsafe)
}

/// Text in several lines: as [`line`], but line feeds and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_unsafe(c) && c != '\n' && c != '\t')
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether a character can move the cursor, change colours, end a line, or reorder what surrounds
/// it: the control characters (C0, delete, C1), line and paragraph separators, and Unicode's
/// bidirectional embeddings, overrides and isolates.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
