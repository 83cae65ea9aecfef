//! The book, `docs/book`: pages for mdBook, which also read well as files of the repository.
//!
//! A page links to files of the repository by relative paths. On the repository's page such a link
//! is right as it stands. In the built book it would lead nowhere, so [`preprocess`] makes a page
//! of each linked file, and of what these files link to, and leads the links there. The book
//! therefore needs neither a network nor a checkout. `SUMMARY.md` may list files outside the book,
//! such as `configs/README.md`. They get a place in the table of contents.
//!
//! [`findings`] does the same without mdBook and reports links that cannot be kept.

mod complete;
mod mdbook;
mod page;

pub use complete::{Book, findings};
pub use mdbook::preprocess;
pub use page::Page;
