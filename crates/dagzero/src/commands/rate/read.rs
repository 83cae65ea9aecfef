//! Results from a file of either kind.

use super::results::Results;
use super::{jsonl, pgn};

/// Adds the results in `text` to `results`: JSON lines if it begins with `{`, PGN otherwise.
pub(super) fn read(text: &str, results: &mut Results) {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        jsonl::read(text, results);
    } else {
        pgn::read(text, results);
    }
}
