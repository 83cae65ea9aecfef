//! The page.

mod body;
mod escape;
mod figure;
mod games;
mod page;
mod parts;
mod positions;
mod run;

pub(crate) use escape::escape;
pub use page::page_style;
