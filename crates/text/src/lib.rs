//! Text that other people and programs wrote: how it enters and how it leaves.
//!
//! Bytes become text in [`decode`], once, by the encoding that they declare. Text reaches a
//! terminal, a log or JSON through [`line`], [`lines`] and [`to_json`], which show control
//! characters as escapes. Files inside a run are read by [`read_file`], which accepts regular files
//! of a bounded length, and files that a user names by [`read_input`], which accepts pipes too.
//! [`Look`] holds whether a terminal shows colours and Unicode.
//!
//! ```
//! let decoded = dz_text::decode(b"M\xfcller", Some("ISO-8859-1"));
//! assert_eq!(decoded.text, "Müller");
//! assert_eq!(dz_text::line("red \u{1b}[31m"), "red \\u{1b}[31m");
//! ```

mod decode;
mod escape;
mod file;
mod json;
mod look;
mod wrap;

pub use decode::{Decoded, decode, is_known_encoding};
pub use escape::{line, lines};
pub use file::{open_regular, read_file, read_input};
pub use json::{to_json, write_json};
pub use look::{Colour, Look};
pub use wrap::wrapped;
