//! What a sweep did, for the log.

use dz_store::{Fate, Leftovers, Swept, layout};

/// Reports what a sweep did with files that a kill left.
pub(crate) fn report_swept(left: &Leftovers) {
    for Swept { path, bytes, fate } in &left.own {
        match fate {
            Fate::Unfinished => tracing::info!(
                "removed {path} ({bytes} bytes), left unfinished by a killed process"
            ),
            Fate::Copy => tracing::info!(
                "removed {path} ({bytes} bytes), a copy of what the run has made again"
            ),
            Fate::Unnamed => tracing::info!(
                "moved {path} ({bytes} bytes), which no record names, to {}/",
                layout::ASIDE
            ),
        }
    }
    if let Some(first) = left.foreign.first() {
        let count = left.foreign.len();
        let first = dz_text::line(first);
        tracing::info!(
            "left alone: {count} of files and folders that the run has not made, such as {first}"
        );
    }
}
