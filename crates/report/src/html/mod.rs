//! The page.

mod page;

pub(crate) use page::escape;
