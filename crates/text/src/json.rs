//! JSON whose strings are safe on a terminal.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use crate::escape::is_unsafe;

/// Writes `value` as JSON in one line, without a line end.
///
/// JSON itself escapes only U+0000 to U+001F. Here, delete, C1 controls and bidirectional controls
/// in strings are `\u` escapes too. A reader of JSON gets the same value.
///
/// # Errors
/// Those of writing; a value that cannot be JSON is [`io::ErrorKind::InvalidData`].
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Safe(CompactFormatter));
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// As [`write_json`], as a string.
///
/// # Errors
/// A value that cannot be JSON.
pub fn to_json(value: &impl Serialize) -> io::Result<String> {
    let mut out = Vec::new();
    write_json(&mut out, value)?;
    String::from_utf8(out).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Compact JSON with more escapes.
struct Safe(CompactFormatter);

impl Formatter for Safe {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_unsafe(c)) {
            self.0.write_string_fragment(writer, &rest[..at])?;
            // All of these characters are below U+10000, so one unit is enough.
            write!(writer, "\\u{:04x}", u32::from(c))?;
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_string_fragment(writer, rest)
    }
}
