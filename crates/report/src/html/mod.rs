//! The page, written with `maud`, which escapes all text.

mod characters;
mod figure;
mod games;
mod head;
mod page;
mod parts;
mod positions;
mod ratings;
mod run;
mod section;

use characters::{ElementText, visible};
pub use page::page_style;
