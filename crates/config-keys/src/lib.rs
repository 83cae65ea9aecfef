//! Keys of a configuration, each declared once.
//!
//! [`section!`] declares a table of a file: its keys with their types, limits, defaults, meanings
//! and effects. [`choice!`] and [`choice_or_number!`] declare the types of keys that take words.
//! From these declarations come the structs, the reader, the writer and the table of keys. Reading
//! is strict: every [`Fault`] of a file is found, and reported with the faulty value, the allowed
//! values and the closest valid name.

mod choice_or_number;
mod effect;
mod fault;
mod field;
mod key;
mod limits;
mod overrides;
mod reader;
mod same_or;
pub mod schema;
mod section;
mod suggest;
mod table_field;
mod unknown;

pub use choice_or_number::{Given, read_given};
pub use effect::Effect;
pub use fault::Fault;
pub use field::{Entry, Field, out_of_range, read_text, wrong_type};
pub use key::{Key, path_of};
pub use limits::{Limits, above, below, even, real, whole};
pub use overrides::{merge_overrides, name_overrides};
pub use reader::{Findings, SectionReader};
pub use same_or::SameOr;
pub use section::Section;
pub use suggest::nearest;
pub use table_field::TableReader;
pub use toml::{Table, Value};
pub use unknown::{path_elsewhere, unknown_in_section};
