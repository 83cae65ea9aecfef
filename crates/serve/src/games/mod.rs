//! Recorded games of a run: lists of them, and single games to step through.

mod ages;
mod list;
mod places;
mod read;
mod view;

pub(crate) use ages::ages;
pub(crate) use list::{Filter, list};
pub(crate) use places::contents;
pub(crate) use view::view;

pub(crate) use read::path_of;
